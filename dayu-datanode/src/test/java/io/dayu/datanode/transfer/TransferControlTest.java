/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What a transfer acquires from a link of 10 Gbit/s that passes one batch and then nothing: its clock stands still. */
@Timeout(60)
class TransferControlTest {
  private static final long LINK = 1_250_000_000;
  private static final int BATCH = 1 << 20;
  private static final long RATE = 100_000_000;
  private static final long BLOCK = 128 << 20;

  private final LinkShaper link =
      new LinkShaper(LINK, 0.75, 0.95, 0.12 * LINK, 1, System.nanoTime() + TimeUnit.HOURS.toNanos(1));
  private final TransferControl control =
      new TransferControl(grant("dn1", RATE), System.nanoTime(), Thread.currentThread(), link);
  private final TransferControl.Source source = control.sources().get(0);

  private static GrantProto grant(String source, long rateBytesPerSec) {
    return GrantProto.newBuilder().setAttempt(1).setStorageType("DISK").setRateBytesPerSec(rateBytesPerSec)
        .setLeaseMs(60_000)
        .setSource(SourceProto.newBuilder().setDatanodeUuid(source).setIpAddress("10.0.0.1").setHostName(source)
            .setTransferPort(9866))
        .setBlock(BlockSpecProto.newBuilder().setBlockId(1).setGenerationStamp(1).setNumBytes(BLOCK)).build();
  }

  private boolean awaitRoom() throws Exception {
    SourceProto from = source.wanted();
    source.begin(null, from);
    return source.awaitRoom(from, BLOCK);
  }

  @Test
  void batchThatPassed_whileTheTransferPauses_isNotAcquiredAgain() throws Exception {
    control.update(grant("dn1", 0), System.nanoTime());
    assertFalse(awaitRoom(), "it pauses");
    control.update(grant("dn1", RATE), System.nanoTime());
    assertTrue(awaitRoom());
    assertEquals(BATCH, link.batchBytes());
  }

  @Test
  void sourceThatDoesNotAnswer_isAwaitedAfterASecond() throws Exception {
    long nowNs = System.nanoTime();
    source.begin(null, source.wanted());
    source.asks(nowNs);
    assertFalse(control.awaitsSource(nowNs + TransferControl.UNANSWERED_NS - 1));
    assertTrue(control.awaitsSource(nowNs + TransferControl.UNANSWERED_NS));
    source.answered();
    assertFalse(control.awaitsSource(nowNs + TransferControl.UNANSWERED_NS));
    source.asks(nowNs);
    source.end();
    assertFalse(control.awaitsSource(nowNs + TransferControl.UNANSWERED_NS), "it has broken off");
  }

  @Test
  void batchThatPassed_isThatOfTheNextSource() throws Exception {
    SourceProto revoked = source.wanted();
    source.begin(null, revoked);
    control.update(grant("dn2", RATE), System.nanoTime());
    assertFalse(source.awaitRoom(revoked, BLOCK), "another source is granted");
    assertTrue(awaitRoom());
  }

  @Test
  void waitThatIsCancelled_beforeTheBatchPasses_acquiresNothing() throws Exception {
    assertEquals(0, link.tryAcquire(BATCH, false, System.nanoTime()));
    control.update(grant("dn1", 0), System.nanoTime());
    assertFalse(awaitRoom());
    // What it has acquired would pass without the link.
    assertFalse(awaitRoom());
  }
}

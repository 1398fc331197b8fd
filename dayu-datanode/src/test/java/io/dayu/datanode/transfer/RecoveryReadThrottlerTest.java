/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.hdfs.util.DataTransferThrottler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** The throttler of reads in a DataNode whose admin changes the limit meanwhile. */
class RecoveryReadThrottlerTest {
  private static final long LIMIT = 1_234_567;

  private final DataNodeAccess node = mock(DataNodeAccess.class);
  private final NodeShaper shaper = mock(NodeShaper.class);
  private DataTransferThrottler present;
  private long configured;

  @BeforeEach
  void dataNode() {
    when(node.readThrottler()).thenAnswer(call -> present);
    when(node.readLimitBytesPerSec()).thenAnswer(call -> configured);
    doAnswer(call -> {
      present = call.getArgument(0);
      return null;
    }).when(node).setReadThrottler(any());
  }

  private RecoveryReadThrottler install() {
    RecoveryReadThrottler.install(node, shaper, new ServedReads(), new StockReconstructions(shaper),
        VolumeShapers.none());
    return assertInstanceOf(RecoveryReadThrottler.class, present);
  }

  @Test
  void limitThatComesBetweenLookAndChange_isNotLost() {
    RecoveryReadThrottler ours = install();
    assertEquals(0, ours.getBandwidth());
    // The admin's throttler was put there just before ours.
    configured = LIMIT;
    RecoveryReadThrottler next = install();
    assertNotSame(ours, next);
    assertEquals(LIMIT, next.getBandwidth(), 10);
    assertSame(next, install(), "nothing to change any more");
    configured = 0;
    assertEquals(0, install().getBandwidth());
  }

  @Test
  void threadsName_isReadOnceForEachRead_howeverSmallItsPackets() throws Exception {
    LinkShaper link = new LinkShaper(1L << 40, 0.75, 0.95, 1, 1, System.nanoTime());
    when(shaper.out()).thenReturn(link);
    when(shaper.activity()).thenReturn(new LinkActivity());
    VolumeShapers volumes = mock(VolumeShapers.class);
    when(volumes.of(any())).thenReturn(Optional.empty());
    RecoveryReadThrottler throttler =
        new RecoveryReadThrottler(shaper, null, new ServedReads(), new StockReconstructions(shaper), volumes, () -> {});
    Thread reads = new Thread(() -> {
      for (int packet = 0; packet < 100; packet++) {
        throttler.throttle(4_096);
      }
    }, "DataXceiver for client dayu-recovery at /10.0.0.2:50010 [Sending block BP-1:blk_3_4]");
    reads.start();
    reads.join();
    verify(volumes, times(1)).of(new ExtendedBlock("BP-1", 3, 0, 4));
  }

  @Test
  void highestRisk_isReadFromTheThreadsName_whichEarlierAgentsTakeForRecovery() {
    String read = " at /10.0.0.2:50010 [Sending block BP-1:blk_3_4]";
    assertFalse(RecoveryReadThrottler.isAtHighestRisk("DataXceiver for client dayu-recovery" + read));
    String first = "DataXceiver for client " + SourceStream.HIGHEST_RISK_CLIENT_NAME + read;
    assertTrue(RecoveryReadThrottler.isAtHighestRisk(first));
    assertTrue(first.startsWith("DataXceiver for client dayu-recovery at "));
    assertEquals("BP-1", RecoveryReadThrottler.blockPool(first));
  }

  @Test
  void blockPool_isReadFromTheThreadsName() {
    assertEquals("BP-1-10.0.0.1-2", RecoveryReadThrottler.blockPool(
        "DataXceiver for client dayu-recovery at /10.0.0.2:50010 [Sending block BP-1-10.0.0.1-2:blk_3_4]"));
    assertEquals("", RecoveryReadThrottler.blockPool("DataXceiver for client dayu-recovery at /10.0.0.2:50010"));
    assertEquals("BP-1", RecoveryReadThrottler.blockPool("DataXceiver for client dayu-recovery at [Sending block x:"
        + " at /10.0.0.2:50010 [Sending block BP-1:blk_3_4]"), "a reader's name names no pool");
  }

  @Test
  void block_isReadFromTheThreadsName() {
    assertEquals(new ExtendedBlock("BP-1", -3, 0, 4), RecoveryReadThrottler.block(
        "DataXceiver for client dayu-recovery at /10.0.0.2:50010 [Sending block BP-1:blk_-3_4]"));
    assertNull(RecoveryReadThrottler.block("DataXceiver for client dayu-recovery at /10.0.0.2:50010"));
    assertNull(RecoveryReadThrottler.block("DataXceiver for client x [Sending block BP-1:blk_3_4] at /10.0.0.2:50010"));
  }

  @Test
  void reconfiguredThrottler_isKeptAsTheAdmins() {
    install();
    configured = LIMIT;
    DataTransferThrottler admins = new DataTransferThrottler(LIMIT);
    present = admins;
    RecoveryReadThrottler ours = install();
    assertSame(ours, install());
    RecoveryReadThrottler.remove(node);
    assertSame(admins, present);
    RecoveryReadThrottler.remove(node);
    assertSame(admins, present, "it is not ours any more");
  }
}

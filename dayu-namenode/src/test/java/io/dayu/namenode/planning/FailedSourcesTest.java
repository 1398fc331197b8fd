/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.LiveNodeFixture;
import io.dayu.blocks.TransferRequest;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.AttemptFixture;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

class FailedSourcesTest {
  private static final int STREAMS = 64;

  private final LiveNode healthy = LiveNodeFixture.liveNode("s", "10.0.0.1", "s", 9866, "/r", true, new long[6],
      new int[6]);
  private final LiveNode failed = healthy.asFailedSource();

  private static Attempt transfer(long id) {
    return AttemptFixture.running(id, new TransferRequest(new BlockKey(id, 1), 1000, 2, "s", "t", 4));
  }

  private static Attempt lost(long id) {
    return AttemptFixture.lost(transfer(id));
  }

  private static Attempt delivering(long id) {
    return AttemptFixture.progressed(transfer(id), 10, 10);
  }

  private static int max(LiveNode node, int streams, Attempt... running) {
    return new FailedSources(List.of(node), List.of(running)).maxOutgoing(node, streams);
  }

  @Test
  void healthySource_sendsAsManyAsItsVolumesCan() {
    assertEquals(STREAMS, max(healthy, STREAMS));
    assertEquals(STREAMS, max(healthy, STREAMS, transfer(1), delivering(2)));
  }

  @Test
  void failedSource_sendsFew_untilOneReceivesSomething() {
    assertEquals(FailedSources.MAX_TRANSFERS, max(failed, STREAMS));
    assertEquals(FailedSources.MAX_TRANSFERS, max(failed, STREAMS, transfer(1)), "nothing received yet");
    assertEquals(STREAMS, max(failed, STREAMS, transfer(1), delivering(2)));
    assertEquals(2, max(failed, 2), "its volumes can no more");
  }

  @Test
  void transfersThatHaveLostIt_areAmongTheFew() {
    assertEquals(FailedSources.MAX_TRANSFERS - 1, max(healthy, STREAMS, lost(1)), "before a failure is counted");
    assertEquals(FailedSources.MAX_TRANSFERS - 3, max(failed, STREAMS, lost(1), lost(2), lost(3)));
    assertEquals(0, max(failed, STREAMS, lost(1), lost(2), lost(3), lost(4), lost(5)));
    assertEquals(STREAMS, max(failed, STREAMS, lost(1), delivering(2)), "it serves others");
  }

  @Test
  void bytesFromAnotherSource_sayNothing() {
    Attempt other = AttemptFixture.progressed(
        AttemptFixture.running(1, new TransferRequest(new BlockKey(1, 1), 1000, 2, "other", "t", 4)), 10, 10);
    assertEquals(FailedSources.MAX_TRANSFERS, max(failed, STREAMS, other));
  }
}

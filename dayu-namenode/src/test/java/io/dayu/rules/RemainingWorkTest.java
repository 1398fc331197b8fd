/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.rules;

import io.dayu.model.ClusterSnapshot;
import io.dayu.schedule.Snapshots;
import org.junit.jupiter.api.Test;

import static io.dayu.schedule.Snapshots.MB;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** When {@link RemainingWork} wants the next plan, in cases worked out by hand; T is 3 s. */
class RemainingWorkTest {

  /** Nodes that send 40 MB/s and receive 30 MB/s together. */
  private static Snapshots nodes() {
    return new Snapshots(4, 10 * MB).in(0, 0).minTimeslotMs(500);
  }

  @Test
  void farFromTheEnd_itIsT() {
    Snapshots snapshots = nodes();
    snapshots.block(181 * MB, 0);
    assertEquals(3000, RemainingWork.timeslotMs(snapshots.build()));
  }

  @Test
  void nearTheEnd_itIsHalfOfWhatWaitingAndRunningBlocksNeed() {
    Snapshots snapshots = nodes();
    snapshots.block(20 * MB, 0).copies(2);
    snapshots.block(50 * MB, 1).copies(0);
    snapshots.running(1, 1, 2, 30 * MB, MB);
    assertEquals(1000, RemainingWork.timeslotMs(snapshots.build()), "60 MB at 30 MB/s");
  }

  @Test
  void disksThatAreSlowerThanTheNetwork_areTheLimit() {
    Snapshots snapshots = nodes().write(0, 0).write(1, 2 * MB).write(2, 2 * MB).write(3, 6 * MB);
    snapshots.block(20 * MB, 0);
    assertEquals(1000, RemainingWork.timeslotMs(snapshots.build()), "20 MB at 10 MB/s");
  }

  @Test
  void nodesThatAcceptNothing_orHaveNoStream_doNotCount() {
    Snapshots snapshots = nodes().refuses(1).maxIncoming(2, 0).maxOutgoing(0, 0);
    snapshots.block(20 * MB, 1);
    assertEquals(1000, RemainingWork.timeslotMs(snapshots.build()), "20 MB at 10 MB/s");
  }

  @Test
  void itIsNeverLessThanTheLeast() {
    Snapshots snapshots = nodes();
    snapshots.block(MB, 0);
    assertEquals(500, RemainingWork.timeslotMs(snapshots.build()));
    assertEquals(3000, RemainingWork.timeslotMs(snapshots.minTimeslotMs(3000).build()));
    assertEquals(3000, RemainingWork.timeslotMs(snapshots.minTimeslotMs(9000).build()), "nor more than T");
  }

  @Test
  void ifNothingCanMove_itIsT() {
    Snapshots snapshots = new Snapshots(2, 0).minTimeslotMs(500);
    snapshots.block(MB, 0);
    assertEquals(3000, RemainingWork.timeslotMs(snapshots.build()));
  }

  @Test
  void withoutWork_itIsT() {
    Snapshots snapshots = nodes();
    assertEquals(3000, RemainingWork.timeslotMs(snapshots.build()));
    snapshots.block(20 * MB, 0).copies(0);
    assertEquals(3000, RemainingWork.timeslotMs(snapshots.build()));
    assertEquals(3000, RemainingWork.timeslotMs(snapshots.running(0, 0, 1, 20 * MB, 0).build()), "all but confirmed");
  }

  @Test
  void farFromTheEnd_parametersMakeAllTimeslotsAlike() {
    Snapshots snapshots = nodes().evictionFactor(1.3);
    snapshots.block(MB, 0);
    ClusterSnapshot snapshot = snapshots.build();
    assertEquals(500, RemainingWork.timeslotMs(snapshot));
    assertEquals(3000, RemainingWork.timeslotMs(snapshot.with(snapshot.parameters().farFromTheEnd())));
  }
}

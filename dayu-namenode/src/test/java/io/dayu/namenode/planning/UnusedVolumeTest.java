/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.Snapshots;
import org.junit.jupiter.api.Test;

import static io.dayu.schedule.Snapshots.MB;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** Each node moves 60 MB each way within the horizon, unless said otherwise. */
class UnusedVolumeTest {
  private static final long[] NO_RATES = {};

  private static TimeslotPlan plan(int source, int target, IntRows further) {
    return new TimeslotPlan(new int[1], new int[] {source}, new int[] {target}, new long[] {MB}, new int[0], NO_RATES,
        0, 0, further, further == null ? null : new IntRows.Builder().build());
  }

  private static long unusedMb(Snapshots snapshots, TimeslotPlan plan) {
    ClusterSnapshot snapshot = snapshots.build();
    return UnusedVolume.bytes(snapshot, plan) / MB;
  }

  @Test
  void roomForLessThanABlock_isNone() {
    Snapshots snapshots = new Snapshots(3, 10 * MB);
    for (int i = 0; i < 10; i++) {
      snapshots.block(50 * MB, 0);
    }
    assertEquals(50 + 50, unusedMb(snapshots, plan(0, 1, null)), "one of each node that has nothing to do");
  }

  @Test
  void blockThatIsLargerThanTheHorizon_hasRoomOnAnIdleNode() {
    Snapshots snapshots = new Snapshots(3, 10 * MB);
    snapshots.block(500 * MB, 0);
    assertEquals(60 + 60, unusedMb(snapshots, plan(0, 1, null)));
  }

  @Test
  void roomForASmallBlock_counts_whereSomeAreSmall() {
    Snapshots snapshots = new Snapshots(3, 10 * MB);
    for (int i = 0; i < 10; i++) {
      snapshots.block(i < 8 ? 50 * MB : 10 * MB, 0);
    }
    assertEquals(10 + 60 + 60, unusedMb(snapshots, plan(0, 1, null)));
  }

  /** Of 128 MB blocks and of groups of which six are read, 322 MB are room for two blocks. */
  @Test
  void roomForABlock_counts_whereOthersAreGroups() {
    Snapshots snapshots = new Snapshots(8, 75 * MB);
    for (int i = 0; i < 10; i++) {
      if (i % 2 == 0) {
        snapshots.block(128 * MB, 0);
      } else {
        snapshots.block(128 * MB, 0, 1, 2, 3, 4, 5).rebuiltFrom(6);
      }
    }
    assertEquals((7 * 3 + 2) * 128, unusedMb(snapshots, plan(0, 1, null)));
  }

  /** The group's target receives twice what each of its two sources sends. */
  @Test
  void sourcesOfGroups_haveRoomInMultiplesOfWhatEachSends() {
    Snapshots snapshots = new Snapshots(3, 10 * MB);
    for (int node = 0; node < 3; node++) {
      snapshots.in(node, 1_000 * MB);
    }
    snapshots.block(20 * MB, 0, 1).rebuiltFrom(2);
    IntRows.Builder further = new IntRows.Builder();
    further.add(1);
    further.endRow();
    assertEquals(40 + 40 + 60, unusedMb(snapshots, plan(0, 2, further.build())));
  }

  @Test
  void nodesWithoutFreeStreams_haveNoRoom() {
    Snapshots snapshots = new Snapshots(3, 10 * MB).maxIncoming(2, 0).refuses(0);
    snapshots.block(20 * MB, 0);
    assertEquals(40, unusedMb(snapshots, plan(0, 1, null)), "node 1 besides the transfer");
  }
}

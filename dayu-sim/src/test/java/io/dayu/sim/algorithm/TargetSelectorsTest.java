/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.algorithm;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.PlanningParameters;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.DayuScheduler;
import io.dayu.schedule.ProgressiveFilling;
import io.dayu.schedule.TargetSelector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Plans over one timeslot of 1 s: nodes 0 and 1 hold all blocks and receive nothing, the others receive. */
class TargetSelectorsTest {

  /** @param inBytesPerSec what nodes 2, 3, … can receive */
  private static ClusterSnapshot snapshot(int blocks, long... inBytesPerSec) {
    int nodes = inBytesPerSec.length + 2;
    long[] in = new long[nodes];
    System.arraycopy(inBytesPerSec, 0, in, 2, inBytesPerSec.length);
    long[] out = new long[nodes];
    Arrays.fill(out, 0, 2, 1_000_000);
    boolean[] accepts = new boolean[nodes];
    Arrays.fill(accepts, 2, nodes, true);
    int[] streams = new int[nodes];
    Arrays.fill(streams, 1_000_000);
    long[][] room = new long[1][nodes];
    Arrays.fill(room[0], 1 << 30);
    int[] racks = new int[nodes];
    long[] size = new long[blocks];
    Arrays.fill(size, 10);
    int[] ones = new int[blocks];
    Arrays.fill(ones, 1);
    IntRows.Builder sources = new IntRows.Builder();
    IntRows.Builder none = new IntRows.Builder();
    for (int block = 0; block < blocks; block++) {
      sources.add(0).add(1).endRow();
      none.endRow();
    }
    return new ClusterSnapshot(new PlanningParameters(1000, 1000, 0, 0), 0,
        new NodeTable(in, out, racks, 1, accepts, streams, streams, room),
        new TaskTable(size, new int[blocks], ones, sources.build(), none.build(), none.build(), new boolean[blocks], ones),
        new RunningTable(new int[0], new int[0], new int[0], new long[0], new long[0]));
  }

  private static int[] blocksByNode(TargetSelector selector, ClusterSnapshot snapshot) {
    TimeslotPlan plan = new DayuScheduler(selector, new ProgressiveFilling()).plan(snapshot);
    int[] blocks = new int[snapshot.nodes().count()];
    for (int target : plan.target()) {
      blocks[target]++;
    }
    return blocks;
  }

  @Test
  void leastLoaded_levelsTheLoads_untilANodeIsFull() {
    assertArrayEquals(new int[] {0, 0, 4, 4, 4}, blocksByNode(new LeastLoaded(), snapshot(12, 1000, 1000, 40)));
    assertArrayEquals(new int[] {0, 0, 8, 8, 4}, blocksByNode(new LeastLoaded(), snapshot(20, 1000, 1000, 40)));
  }

  @Test
  void uniform_spreadsEvenly_andByBandwidthInProportion() {
    int[] even = blocksByNode(new RandomTargets(RandomTargets.Kind.UNIFORM, 3), snapshot(3000, 100_000, 300_000));
    assertEquals(1500, even[2], 120);
    int[] weighted = blocksByNode(new RandomTargets(RandomTargets.Kind.BY_BANDWIDTH, 3), snapshot(3000, 100_000, 300_000));
    assertEquals(750, weighted[2], 100);
    assertEquals(3000, weighted[2] + weighted[3]);
  }

  @Test
  void bestOfTwo_isMoreEven_thanChance() {
    long[] nodes = new long[100];
    Arrays.fill(nodes, 100_000);
    int one = Arrays.stream(blocksByNode(new RandomTargets(RandomTargets.Kind.UNIFORM, 5), snapshot(2000, nodes))).max().orElse(0);
    int two = Arrays.stream(blocksByNode(new RandomTargets(RandomTargets.Kind.BEST_OF_TWO, 5), snapshot(2000, nodes))).max()
        .orElse(0);
    assertTrue(two <= 24 && one > 26, one + " and " + two + " for a mean of 20");
  }

  @ParameterizedTest
  @EnumSource(RandomTargets.Kind.class)
  void random_findsTheOnlyNodeThatMayReceive(RandomTargets.Kind kind) {
    long[] nodes = new long[2000];
    nodes[1234] = 1000;
    assertEquals(3, blocksByNode(new RandomTargets(kind, 7), snapshot(3, nodes))[1236]);
  }

  @ParameterizedTest
  @EnumSource(RandomTargets.Kind.class)
  void randomSources_useBothHolders(RandomTargets.Kind kind) {
    ClusterSnapshot snapshot = snapshot(1000, 1_000_000);
    TimeslotPlan plan = new RandomSources(new DayuScheduler(), kind, 1).plan(snapshot);
    assertEquals(500, Arrays.stream(plan.source()).sum(), kind == RandomTargets.Kind.BEST_OF_TWO ? 1 : 80);
    assertEquals(1000, plan.count());
  }
}

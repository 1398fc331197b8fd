/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.choice;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.PlanningParameters;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;
import org.junit.jupiter.api.Test;

import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Which node serves a block. */
class LeastLoadedSourcesTest {
  private static final long MB = 1_000_000;

  private final NodeLoads loads = new NodeLoads();
  private final LeastLoadedSources sources = new LeastLoadedSources();

  /** Four nodes of 10 MB/s that all have the one block, of which some are leaving; the horizon is 6 s. */
  private void begin(boolean... leaving) {
    long[] bandwidth = {10 * MB, 10 * MB, 10 * MB, 10 * MB};
    int[] streams = {100, 100, 100, 100};
    long[][] room = {{1L << 40, 1L << 40, 1L << 40, 1L << 40}};
    boolean[] accepts = {true, true, true, true};
    NodeTable nodes = new NodeTable(bandwidth, bandwidth, new int[4], 1, accepts, streams, streams, room, null,
        leaving, null);
    IntRows holders = new IntRows.Builder().add(0).add(1).add(2).endRow().build();
    IntRows none = new IntRows.Builder().endRow().build();
    TaskTable tasks = new TaskTable(new long[] {20 * MB}, new int[1], new int[] {1}, holders, none, none,
        new boolean[1], new int[] {1});
    loads.reset(new ClusterSnapshot(new PlanningParameters(3000, 6000, 0, 0), 0, nodes, tasks,
        new RunningTable(new int[0], new int[0], new int[0], new long[0], new long[0])));
    sources.reset(nodes, holders, loads);
  }

  /** Who serves a number of blocks of 20 MB, one after the other. */
  private int[] serve(int blocks) {
    int[] served = new int[blocks];
    for (int i = 0; i < blocks; i++) {
      served[i] = sources.select(0, 20 * MB, null);
      if (served[i] >= 0) {
        loads.assign(served[i], 3, 20 * MB);
      }
    }
    return served;
  }

  private void assertServed(int... expected) {
    assertEquals(Arrays.toString(expected), Arrays.toString(serve(expected.length)));
  }

  @Test
  void leastLoadedHolder_serves() {
    begin((boolean[]) null);
    assertServed(0, 1, 2, 0, 1, 2, 0, 1, 2, -1);
  }

  @Test
  void leavingHolder_servesUntilItIsSaturated() {
    begin(false, true, false, false);
    assertServed(1, 1, 1, 0, 2, 0, 2, 0, 2, -1);
  }

  @Test
  void twoLeavingHolders_shareTheBlocks() {
    begin(false, true, true, false);
    assertServed(1, 2, 1, 2, 1, 2, 0, 0, 0, -1);
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.algorithm;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.PlanningParameters;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.paper.algorithm.ClientChoices.Policy;
import io.dayu.schedule.choice.LeastLoadedSources;
import io.dayu.schedule.rates.ProgressiveFilling;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Which of two nodes each policy prefers (Li and Wei, slides 12 and 15 to 18). Node 0 has all blocks, so that the
 * target is node 1 or 2. Both nodes are alike, but for what a test gives them. A policy that prefers node 1 takes it
 * whenever one of its two draws is node 1, which is three times in four; one with the wrong sign takes it once in four.
 */
class ClientChoicesTest {
  private static final int SOURCE = 0;
  private static final int PLANS = 200;
  private static final int BLOCK_BYTES = 1_000_000;
  private static final long BYTES_PER_SEC = 100_000_000;

  private final long[] inBytesPerSec = {BYTES_PER_SEC, BYTES_PER_SEC, BYTES_PER_SEC};
  private final long[] roomBytes = {1L << 40, 1L << 40, 1L << 40};
  /** Bytes that are on their way to node 2. */
  private int runningBytes;

  private TimeslotPlan plan(Policy policy, int blocks, long seed) {
    int running = runningBytes > 0 ? 1 : 0;
    int rows = blocks + running;
    IntRows.Builder sources = new IntRows.Builder();
    IntRows.Builder none = new IntRows.Builder();
    long[] sizes = new long[rows];
    int[] copies = new int[rows];
    int[] types = new int[rows];
    for (int row = 0; row < rows; row++) {
      sizes[row] = row < blocks ? BLOCK_BYTES : runningBytes;
      copies[row] = row < blocks ? 1 : 0;
      types[row] = 1;
      sources.add(SOURCE);
      sources.endRow();
      none.endRow();
    }
    IntRows empty = none.build();
    NodeTable nodes = new NodeTable(inBytesPerSec, new long[] {BYTES_PER_SEC, BYTES_PER_SEC, BYTES_PER_SEC},
        new int[] {0, 1, 2}, 3, new boolean[] {true, true, true}, new int[] {1000, 1000, 1000},
        new int[] {1000, 1000, 1000}, new long[][] {roomBytes});
    RunningTable transfers = running == 0
        ? new RunningTable(new int[0], new int[0], new int[0], new long[0], new long[0])
        : new RunningTable(new int[] {blocks}, new int[] {SOURCE}, new int[] {2}, new long[1],
            new long[] {BYTES_PER_SEC / 2});
    TaskTable tasks =
        new TaskTable(sizes, new int[rows], copies, sources.build(), empty, empty, new boolean[rows], types);
    return new ClientChoices(policy, 0, new LeastLoadedSources(),
        new ProgressiveFilling(), seed)
        .plan(new ClusterSnapshot(new PlanningParameters(15_000, 15_000, 0, 0), 0, nodes, tasks, transfers));
  }

  private void assertPrefersNode1(Policy policy) {
    int chosen = 0;
    for (int seed = 0; seed < PLANS; seed++) {
      TimeslotPlan plan = plan(policy, 1, seed);
      assertEquals(1, plan.count());
      chosen += plan.target()[0] == 1 ? 1 : 0;
    }
    assertTrue(chosen > 0.65 * PLANS && chosen < 0.85 * PLANS, policy + ": node 1 " + chosen + " of " + PLANS);
  }

  @Test
  void space_prefersTheNodeWithTheMostFreeRoom() {
    roomBytes[2] = roomBytes[1] / 2;
    assertPrefersNode1(Policy.SPACE);
  }

  @Test
  void latency_prefersTheNodeWithTheLeastForeground() {
    inBytesPerSec[2] = BYTES_PER_SEC / 2;
    assertPrefersNode1(Policy.LATENCY);
  }

  @Test
  void journal_prefersTheNodeWithTheFewestBytesOnTheirWay() {
    runningBytes = 10 * BLOCK_BYTES;
    assertPrefersNode1(Policy.JOURNAL);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LATENCY")
  void blocksOfThisPlan_countAgainstTheirTarget(Policy policy) {
    TimeslotPlan plan = plan(policy, 40, 1);
    assertEquals(40, plan.count());
    long toNode1 = Arrays.stream(plan.target()).filter(node -> node == 1).count();
    assertTrue(Math.abs(toNode1 - 20) <= 3, "node 1 receives " + toNode1 + " of 40");
  }
}

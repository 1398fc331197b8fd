/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.optimum;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.PlanningParameters;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.DayuScheduler;
import io.dayu.schedule.PlanVerifier;
import io.dayu.sim.algorithm.Algorithms;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class OptimalAlgorithmsTest {
  private static final long HORIZON_MS = 1000;
  /** Bytes; the solvers count in 10^6 of them. */
  private static final long MB = 1_000_000;

  /** A random problem without running transfers; every holder is on another rack. */
  private static ClusterSnapshot problem(long seed, int nodeCount, int rackCount, int blocks, boolean oneSize) {
    SplittableRandom random = new SplittableRandom(seed);
    long[] in = new long[nodeCount];
    long[] out = new long[nodeCount];
    int[] rack = new int[nodeCount];
    boolean[] accepts = new boolean[nodeCount];
    int[] streams = new int[nodeCount];
    long[] room = new long[nodeCount];
    for (int node = 0; node < nodeCount; node++) {
      in[node] = random.nextInt(1, 6) * MB;
      out[node] = random.nextInt(1, 6) * MB;
      rack[node] = node % rackCount;
      accepts[node] = random.nextInt(8) > 0;
      streams[node] = random.nextInt(1, 9);
      room[node] = TaskTable.MAX_TOTAL_BYTES;
    }
    long[] size = new long[blocks];
    int[] types = new int[blocks];
    int[] copies = new int[blocks];
    IntRows.Builder sources = new IntRows.Builder();
    IntRows.Builder excluded = new IntRows.Builder();
    IntRows.Builder racks = new IntRows.Builder();
    for (int block = 0; block < blocks; block++) {
      size[block] = oneSize ? 2 * MB : random.nextInt(1, 5) * MB;
      types[block] = 1;
      copies[block] = 1;
      int first = random.nextInt(nodeCount);
      int second = (first + 1 + random.nextInt(rackCount - 1)) % nodeCount;
      boolean wholeRack = random.nextBoolean();
      for (int holder : new int[] {first, second}) {
        sources.add(holder);
        excluded.add(holder);
        if (wholeRack) {
          racks.add(rack[holder]);
        }
      }
      sources.endRow();
      excluded.endRow();
      racks.endRow();
    }
    TaskTable tasks = new TaskTable(size, new int[blocks], copies, sources.build(), excluded.build(), racks.build(),
        new boolean[blocks], types);
    NodeTable nodes = new NodeTable(in, out, rack, rackCount, accepts, streams, streams, new long[][] {room});
    return new ClusterSnapshot(new PlanningParameters(HORIZON_MS, HORIZON_MS, 0, 0), 0, nodes, tasks,
        new RunningTable(new int[0], new int[0], new int[0], new long[0], new long[0]));
  }

  private static TimeslotPlan plan(String algorithm, ClusterSnapshot snapshot) {
    TimeslotPlan plan = Algorithms.named(algorithm).factory().create(15_000, 1).plan(snapshot);
    PlanVerifier.verify(snapshot, plan);
    return plan;
  }

  /** The most bytes that fit, by trying all. */
  private static final class AllTried {
    private final TimeslotProblem problem;
    private final long[] out;
    private final long[] in;
    private final int[] outStreams;
    private final int[] inStreams;

    AllTried(ClusterSnapshot snapshot) {
      problem = new TimeslotProblem(snapshot);
      NodeTable nodes = snapshot.nodes();
      out = nodes.recoverOutBytesPerSec().clone();
      in = nodes.recoverInBytesPerSec().clone();
      outStreams = nodes.maxOutgoing().clone();
      inStreams = nodes.maxIncoming().clone();
    }

    long most(int row) {
      if (row == problem.tasks().count()) {
        return 0;
      }
      long most = most(row + 1);
      long size = problem.tasks().sizeBytes()[row];
      IntRows holders = problem.tasks().sources();
      for (int i = holders.start(row); i < holders.end(row); i++) {
        int from = holders.values()[i];
        for (int to = 0; to < in.length && out[from] >= size && outStreams[from] > 0; to++) {
          if (in[to] >= size && inStreams[to] > 0 && problem.mayReceive(row, to)) {
            move(from, to, size, 1);
            most = Math.max(most, size + most(row + 1));
            move(from, to, -size, -1);
          }
        }
      }
      return most;
    }

    private void move(int from, int to, long size, int streams) {
      out[from] -= size;
      in[to] -= size;
      outStreams[from] -= streams;
      inStreams[to] -= streams;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void milp_plansTheMostBytes_ofAllPlans(long seed) {
    ClusterSnapshot snapshot = problem(seed, 5, 3, 5, false);
    assertEquals(new AllTried(snapshot).most(0), plan("milp", snapshot).plannedBytes(), "seed " + seed);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void mcmf_plansTheMostBlocks_ofAllPlans(long seed) {
    ClusterSnapshot snapshot = problem(seed, 5, 3, 5, true);
    assertEquals(new AllTried(snapshot).most(0), plan("mcmf", snapshot).plannedBytes(), "seed " + seed);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void bothAgree_onBlocksOfOneSize_andNeverPlanLessThanDayu(long seed) {
    ClusterSnapshot snapshot = problem(seed, 16, 5, 60, true);
    long most = plan("milp", snapshot).plannedBytes();
    assertEquals(most, plan("mcmf", snapshot).plannedBytes(), "seed " + seed);
    long dayu = new DayuScheduler().plan(snapshot).plannedBytes();
    // Dayu may give a node one block that is larger than B·T; these problems have nodes of 1 MB/s and blocks of 2 MB.
    long tooLarge = Arrays.stream(snapshot.nodes().recoverInBytesPerSec()).filter(bytes -> bytes < 2 * MB).count()
        + Arrays.stream(snapshot.nodes().recoverOutBytesPerSec()).filter(bytes -> bytes < 2 * MB).count();
    assertTrue(most >= dayu - tooLarge * 2 * MB, "seed " + seed + ": " + most + " against " + dayu);
    assertTrue(plan("mcmf", problem(seed, 16, 5, 60, false)).count() > 0);
  }

  @Test
  void runningTransfers_goOn_andTakeTheirShareFirst() {
    ClusterSnapshot fresh = problem(3, 16, 5, 60, true);
    TimeslotPlan first = plan("mcmf", fresh);
    int running = first.count() / 2;
    int[] copies = fresh.tasks().copies().clone();
    for (int i = 0; i < running; i++) {
      copies[first.task()[i]] = 0;
    }
    TaskTable old = fresh.tasks();
    TaskTable tasks = new TaskTable(old.sizeBytes(), old.risk(), copies, old.sources(), old.excludedTargets(),
        old.forbiddenFaultDomains(), old.distinctRacks(), old.storageTypes());
    ClusterSnapshot next = new ClusterSnapshot(fresh.parameters(), 0, fresh.nodes(), tasks,
        new RunningTable(Arrays.copyOf(first.task(), running), Arrays.copyOf(first.source(), running),
            Arrays.copyOf(first.target(), running), new long[running], new long[running]));
    for (String algorithm : new String[] {"milp", "mcmf"}) {
      TimeslotPlan plan = plan(algorithm, next);
      assertEquals(first.plannedBytes(), plan.plannedBytes(),
          algorithm + ": the rest of the best plan is still the best");
      assertTrue(Arrays.equals(plan.runningSource(), next.running().source()), algorithm);
    }
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.benchmark;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.PlanningParameters;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;

import java.util.Arrays;
import java.util.Random;

/**
 * Draws the cluster that the benchmarks plan for: that of ATC'19 §2 at any number of nodes. The same numbers always
 * give the same snapshot. Stateless.
 *
 * <p>Nodes of 250 MB/s each way in racks of 40, foreground with a mean of 40 % and a coefficient of variation of about
 * 0.5, B_recover by equation 1 with α = 75 % and B_min = 30 MB/s, T = horizon = 15 s. Blocks of 64 MB, but one in four
 * is the shorter end of a file. Each has two replicas left on different racks, and neither rack may receive it. Of the
 * blocks, 1 % are at the highest risk.
 */
final class BenchmarkCluster {
  private static final long SEED = 20190710;
  private static final long MB = 1_000_000;
  private static final int RACK = 40;
  private static final int PAPER_LINK_MB_PER_SEC = 250;

  private BenchmarkCluster() {
  }

  static ClusterSnapshot draw(int nodes, int blocks, int stragglers) {
    return draw(nodes, blocks, stragglers, PAPER_LINK_MB_PER_SEC);
  }

  /** With other links; foreground and B_min in proportion. */
  static ClusterSnapshot draw(int nodes, int blocks, int stragglers, int linkMbPerSec) {
    Random random = new Random(SEED);
    int racks = (nodes + RACK - 1) / RACK;
    int[] rack = new int[nodes];
    Arrays.setAll(rack, node -> node / RACK);
    NodeTable nodeTable = drawNodes(random, rack, racks, (double) linkMbPerSec / PAPER_LINK_MB_PER_SEC);
    long[] size = new long[blocks];
    int[] risk = new int[blocks];
    int[] copies = new int[blocks];
    IntRows.Builder sources = new IntRows.Builder();
    IntRows.Builder excluded = new IntRows.Builder();
    IntRows.Builder forbidden = new IntRows.Builder();
    for (int task = 0; task < blocks; task++) {
      size[task] = random.nextInt(4) == 0 ? 1 + (long) (64 * MB * random.nextDouble()) : 64 * MB;
      risk[task] = random.nextInt(100) == 0 ? 0 : 1;
      copies[task] = task < stragglers ? 0 : 1;
      int first = random.nextInt(nodes);
      int second = random.nextInt(nodes);
      while (rack[second] == rack[first]) {
        second = random.nextInt(nodes);
      }
      sources.add(first).add(second).endRow();
      excluded.add(first).add(second).endRow();
      forbidden.add(rack[first]).add(rack[second]).endRow();
    }
    int[] storageTypes = new int[blocks];
    Arrays.fill(storageTypes, 1);
    TaskTable tasks = new TaskTable(size, risk, copies, sources.build(), excluded.build(), forbidden.build(),
        new boolean[blocks], storageTypes);
    return new ClusterSnapshot(new PlanningParameters(15_000, 15_000, MB, 0.05, true, 1.3, 1000), 1000, nodeTable,
        tasks, drawRunning(random, tasks, rack, stragglers));
  }

  private static NodeTable drawNodes(Random random, int[] rack, int racks, double faster) {
    int nodes = rack.length;
    long[] in = new long[nodes];
    long[] out = new long[nodes];
    boolean[] accepts = new boolean[nodes];
    int[] streams = new int[nodes];
    long[][] room = new long[1][nodes];
    for (int node = 0; node < nodes; node++) {
      in[node] = (long) (faster * recoverBytesPerSec(random));
      out[node] = (long) (faster * recoverBytesPerSec(random));
      accepts[node] = true;
      streams[node] = 1000;
      room[0][node] = 2_000_000 * MB;
    }
    return new NodeTable(in, out, rack, racks, accepts, streams, streams, room);
  }

  private static long recoverBytesPerSec(Random random) {
    double foreground = PAPER_LINK_MB_PER_SEC * MB / (1 + Math.exp(0.49 - 0.92 * random.nextGaussian()));
    return (long) Math.max(0.75 * PAPER_LINK_MB_PER_SEC * MB - foreground, 30 * MB);
  }

  /**
   * The first blocks are under way, between 0 and 90 % done, from their first replica to a node on a third rack, at 3
   * MB/s.
   */
  private static RunningTable drawRunning(Random random, TaskTable tasks, int[] rack, int count) {
    int[] task = new int[count];
    int[] source = new int[count];
    int[] target = new int[count];
    long[] done = new long[count];
    long[] rate = new long[count];
    for (int r = 0; r < count; r++) {
      task[r] = r;
      source[r] = tasks.sources().values()[tasks.sources().start(r)];
      do {
        target[r] = random.nextInt(rack.length);
      } while (tasks.forbiddenFaultDomains().contains(r, rack[target[r]]));
      done[r] = (long) (tasks.sizeBytes()[r] * 0.9 * random.nextDouble());
      rate[r] = 3 * MB;
    }
    return new RunningTable(task, source, target, done, rate);
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.algorithm;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.TimeslotScheduler;
import io.dayu.sim.SeedMix;

import java.util.Arrays;

/**
 * The policy of stock HDFS for replicas (BlockManager.computeBlockReconstructionWork of Hadoop 3.4), called every 3 s:
 * looks at a few blocks for each live node, draws a source by chance among the holders that send fewer than the allowed
 * streams, and a target by chance. Nothing limits the rates but the links. Not thread-safe; the same snapshot always
 * gets the same plan.
 *
 * <p>Blocks whose holders are all busy use up the number of blocks looked at, as they do in HDFS (HDFS-17569). HDFS
 * goes on with the next call where it stopped; here, without memory between calls, each call begins at a block drawn by
 * chance.
 */
public final class StockHdfs implements TimeslotScheduler {
  private static final int MAX_DRAWS = 256;

  private final int blocksPerNode;
  private final int maxStreams;
  private final long seed;

  /**
   * @param blocksPerNode dfs.namenode.replication.work.multiplier.per.iteration
   * @param maxStreams dfs.namenode.replication.max-streams; the hard limit is for blocks with a single replica, which
   *     do not occur here
   */
  public StockHdfs(int blocksPerNode, int maxStreams, long seed) {
    this.blocksPerNode = blocksPerNode;
    this.maxStreams = maxStreams;
    this.seed = seed;
  }

  @Override
  public String name() {
    return "hdfs";
  }

  @Override
  public TimeslotPlan plan(ClusterSnapshot snapshot) {
    NodeTable nodes = snapshot.nodes();
    TaskTable tasks = snapshot.tasks();
    RunningTable running = snapshot.running();
    int[] sending = new int[nodes.count()];
    for (int source : running.source()) {
      if (source >= 0) { // Else it is gone, and the transfer with it.
        sending[source]++;
      }
    }
    int live = 0;
    for (boolean accepts : nodes.acceptsTransfers()) {
      live += accepts ? 1 : 0;
    }
    int most = Math.min(live * blocksPerNode, tasks.count());
    int[] task = new int[most];
    int[] source = new int[most];
    int[] target = new int[most];
    int count = 0;
    int looked = 0;
    long state = SeedMix.seed(seed, (long) tasks.count() << Integer.SIZE | running.count());
    int first = SeedMix.below(state, Math.max(1, tasks.count()));
    for (int i = 0; i < tasks.count() && looked < most; i++) {
      int row = (first + i) % tasks.count();
      if (tasks.copies()[row] == 0) {
        continue;
      }
      looked++;
      state = SeedMix.next(state);
      int from = drawSource(tasks.sources(), row, sending, SeedMix.draw(state));
      int to = from < 0 ? -1 : drawTarget(nodes, tasks, row, SeedMix.draw(state + 1));
      if (to >= 0) {
        sending[from]++;
        task[count] = row;
        source[count] = from;
        target[count++] = to;
      }
    }
    long[] rates = new long[count];
    long[] runningRates = new long[running.count()];
    Arrays.fill(rates, NodeTable.MAX_BYTES_PER_SEC);
    Arrays.fill(runningRates, NodeTable.MAX_BYTES_PER_SEC);
    return new TimeslotPlan(Arrays.copyOf(task, count), Arrays.copyOf(source, count), Arrays.copyOf(target, count),
        rates, running.source(), runningRates, 0, 0);
  }

  private int drawSource(IntRows holders, int task, int[] sending, long state) {
    int chosen = -1;
    int free = 0;
    for (int i = holders.start(task); i < holders.end(task); i++) {
      if (sending[holders.values()[i]] < maxStreams) {
        free++;
        state = SeedMix.next(state);
        chosen = SeedMix.below(state, free) == 0 ? holders.values()[i] : chosen;
      }
    }
    return chosen;
  }

  private static int drawTarget(NodeTable nodes, TaskTable tasks, int task, long state) {
    for (int draw = 0; draw < MAX_DRAWS; draw++) {
      state = SeedMix.next(state);
      int node = SeedMix.below(state, nodes.count());
      if (nodes.acceptsTransfers()[node] && !tasks.sources().contains(task, node)
          && !tasks.excludedTargets().contains(task, node)
          && !tasks.forbiddenRacks().contains(task, nodes.rack()[node])) {
        return node;
      }
    }
    return -1;
  }
}

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
import io.dayu.sim.engine.LinkPhysics;
import io.dayu.sim.engine.MultiTargetRebuilds;

import java.util.Arrays;

/**
 * The policy of stock HDFS (Hadoop 3.4), called every {@link #CALL_MS}: for replicas as below; for erasure-coded
 * groups, and for replicas among them, as {@link StockRebuilds} says. Nothing limits the rates but the links. Draws by
 * chance from its seed. Not thread-safe; one instance for one recovery, since like stock HDFS it goes on with each call
 * where it stopped: a plan depends on the calls before it.
 *
 * <ul>
 * <li>Every 3 s {@code BlockManager.computeBlockReconstructionWork} looks at a few blocks for each live node, those
 *     of the highest risk first. It goes on in each level's queue where the call before stopped, until a call has come
 *     to the end of all queues ({@code LowRedundancyBlocks.chooseLowRedundancyBlocks}). For each block it draws a
 *     source by chance among the holders with fewer than the allowed streams in their queue, and a target by chance.
 *     Blocks whose holders are all busy use up the number of blocks looked at (HDFS-17569).
 * <li>What is scheduled waits in the source's queue on the NameNode. A heartbeat of the source takes as many transfers
 *     from it as the source sends fewer than the allowed streams ({@code DatanodeManager.handleHeartbeat}). Nodes send
 *     their heartbeats at different moments.
 * </ul>
 */
public final class StockHdfs implements TimeslotScheduler, MultiTargetRebuilds {
  /** Time between two calls. */
  public static final long CALL_MS = 500;
  /** From the call until its plan takes effect: heartbeats come at any moment of the time between two calls. */
  public static final long LEAD_MS = CALL_MS / 2;

  /** {@code dfs.namenode.redundancy.interval.seconds} is 3 s. */
  static final int CALLS_PER_RECHECK = 6;

  private final int blocksPerNode;
  private final int maxStreams;
  private final int callsPerHeartbeat;
  private final long seed;
  private long calls;
  /** By level of risk, waiting blocks that this pass over the queue has looked at and not scheduled. */
  private final int[] passedOver = new int[TaskTable.RISK_LEVELS];
  private final StockDraws draws = new StockDraws();
  private final StockRebuilds rebuilds;

  /** By node: transfers that it sends, and those in its queue. */
  private int[] sending;
  private int[] queued;

  /**
   * @param blocksPerNode dfs.namenode.replication.work.multiplier.per.iteration
   * @param maxStreams dfs.namenode.replication.max-streams
   * @param heartbeatMs dfs.heartbeat.interval, rounded to calls
   */
  public StockHdfs(int blocksPerNode, int maxStreams, long heartbeatMs, long seed) {
    this.blocksPerNode = blocksPerNode;
    this.maxStreams = maxStreams;
    callsPerHeartbeat = (int) Math.max(1, Math.round((double) heartbeatMs / CALL_MS));
    this.seed = seed;
    rebuilds = new StockRebuilds(blocksPerNode, maxStreams, callsPerHeartbeat, seed);
  }

  @Override
  public String name() {
    return "hdfs";
  }

  @Override
  public boolean plansRebuilds() {
    return true;
  }

  @Override
  public TimeslotPlan plan(ClusterSnapshot snapshot) {
    if (snapshot.tasks().width() != null) {
      return rebuilds.plan(snapshot);
    }
    RunningTable running = snapshot.running();
    sending = new int[snapshot.nodes().count()];
    queued = new int[snapshot.nodes().count()];
    for (int r = 0; r < running.count(); r++) {
      if (running.source()[r] >= 0) { // Else it is gone, and the transfer with it.
        (StockRebuilds.isQueued(running, r) ? queued : sending)[running.source()[r]]++;
      }
    }
    draws.begin(SeedMix.seed(seed, calls));
    long[] runningRates = new long[running.count()];
    for (int r = 0; r < running.count(); r++) {
      int source = running.source()[r];
      runningRates[r] =
          source >= 0 && StockRebuilds.isQueued(running, r) ? rateFromQueue(source) : NodeTable.MAX_BYTES_PER_SEC;
    }
    boolean scheduling = calls % CALLS_PER_RECHECK == 0;
    RivalPlan plan = new RivalPlan(snapshot, scheduling ? snapshot.tasks().count() : 0);
    if (scheduling) {
      schedule(snapshot, plan);
    }
    calls++;
    return plan.build(runningRates);
  }

  /** Begins the next transfer of the source's queue if its heartbeat is due and it has a stream left. */
  private long rateFromQueue(int source) {
    boolean heartbeat = (calls + source) % callsPerHeartbeat == 0;
    if (!heartbeat || sending[source] >= maxStreams) {
      return LinkPhysics.QUEUED_BYTES_PER_SEC;
    }
    sending[source]++;
    return NodeTable.MAX_BYTES_PER_SEC;
  }

  /** What one call of {@code computeBlockReconstructionWork} schedules. */
  private void schedule(ClusterSnapshot snapshot, RivalPlan plan) {
    TaskTable tasks = snapshot.tasks();
    int max = StockDraws.liveNodes(snapshot.nodes()) * blocksPerNode;
    int looked = 0;
    for (int risk = 0; risk < passedOver.length; risk++) {
      int toPass = passedOver[risk];
      for (int row = 0; row < tasks.count() && looked < max; row++) {
        if (tasks.copies()[row] == 0 || tasks.risk()[row] != risk || toPass-- > 0) {
          continue;
        }
        looked++;
        passedOver[risk] += schedule(row, snapshot, plan) ? 0 : 1;
      }
    }
    if (looked < max) {
      Arrays.fill(passedOver, 0);
    }
  }

  private boolean schedule(int row, ClusterSnapshot snapshot, RivalPlan plan) {
    TaskTable tasks = snapshot.tasks();
    int from = drawSource(tasks, row);
    int to = from < 0 ? -1 : draws.target(snapshot.nodes(), tasks, row);
    if (to < 0) {
      return false;
    }
    queued[from]++;
    plan.add(row, new int[] {from}, to, rateFromQueue(from));
    return true;
  }

  private int drawSource(TaskTable tasks, int row) {
    int max = StockDraws.maxQueued(tasks, row, maxStreams);
    IntRows holders = tasks.sources();
    int chosen = -1;
    int free = 0;
    for (int i = holders.start(row); i < holders.end(row); i++) {
      if (queued[holders.values()[i]] < max) {
        free++;
        chosen = draws.below(free) == 0 ? holders.values()[i] : chosen;
      }
    }
    return chosen;
  }
}

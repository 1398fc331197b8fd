/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.algorithm;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.NodeTable;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.sim.SeedMix;
import io.dayu.sim.engine.LinkPhysics;
import io.dayu.sim.engine.RecoverySimulation;

import java.util.Arrays;

/**
 * What stock HDFS (Hadoop 3.4) does with erasure-coded groups, and with blocks that wait in the same queue; called and
 * used as {@link StockHdfs}.
 *
 * <ul>
 * <li>Every 3 s a few groups for each live node get a target: on the rack of their first source, if that may have one
 *     more of their blocks ({@code BlockPlacementPolicyRackFaultTolerant.chooseOnce} with this source as the writer).
 *     So some racks get many rebuilds, and others few. They wait in the queue of the target on the NameNode
 *     ({@code ErasureCodingWork.addTaskToDatanode}).
 * <li>A call takes groups of the highest risk first ({@code LowRedundancyBlocks.chooseLowRedundancyBlocks}). It goes on
 *     in each level's queue where the one before stopped, until a call has come to the end of all queues.
 * <li>A rebuild makes all that its group lacks, each on another target; the first target reads and sends them. What it
 *     sends is not counted, n - 1 blocks for the k that it reads.
 * <li>A node with max-streams of them in its queue is no source, though it sends nothing for these; a group that has
 *     fewer than k other sources is passed over ({@code BlockManager.chooseSourceDatanodes}).
 * <li>A heartbeat of the target takes as many of them as max-streams exceeds the node's xmits
 *     ({@code DatanodeManager.handleHeartbeat}). A rebuild counts half of its sources in xmits
 *     ({@code dfs.datanode.ec.reconstruction.xmits.weight}), and {@code dfs.datanode.ec.reconstruction.threads} bounds
 *     how many run.
 * <li>The worker reads the first k of the sources, in the order of their indices ({@code StripedReader.initReaders}),
 *     whatever their nodes do else, and another one in place of one that is gone. It waits for a chunk of each of them,
 *     while its sockets take a little more ({@link RecoverySimulation}). The processors' time for decoding and writing
 *     is not modelled.
 * <li>Copies of blocks wait in the queue of their source, drawn by chance, and count one in its xmits. What a node has
 *     in both queues counts for the limits. A heartbeat takes both in the order in which they were scheduled; stock
 *     HDFS shares what it takes in proportion to the queues.
 * </ul>
 */
final class StockRebuilds {
  /** A transfer in the queue has received no more than this, at {@link LinkPhysics#QUEUED_BYTES_PER_SEC}. */
  private static final long MAX_QUEUED_BYTES = 64 * 1024;
  private static final double XMITS_WEIGHT = 0.5;
  private static final int THREADS = 8;

  private final int groupsPerNode;
  private final int maxStreams;
  private final int callsPerHeartbeat;
  private final long seed;
  private final StockDraws draws = new StockDraws();
  /** The call of the first pass: a DataNode dies at any moment between two of them. */
  private final int firstPass;
  private long calls;
  /** By level of risk, waiting groups that this pass over the queue has looked at and not scheduled. */
  private final int[] passedOver = new int[TaskTable.RISK_LEVELS];

  StockRebuilds(int groupsPerNode, int maxStreams, int callsPerHeartbeat, long seed) {
    this.groupsPerNode = groupsPerNode;
    this.maxStreams = maxStreams;
    this.callsPerHeartbeat = callsPerHeartbeat;
    this.seed = seed;
    draws.begin(SeedMix.seed(seed, -1));
    firstPass = draws.below(StockHdfs.CALLS_PER_RECHECK);
  }

  TimeslotPlan plan(ClusterSnapshot snapshot) {
    draws.begin(SeedMix.seed(seed, calls));
    RunningTable running = snapshot.running();
    Workers workers = new Workers(snapshot);
    long[] runningRates = new long[running.count()];
    for (int r = 0; r < running.count(); r++) {
      runningRates[r] = isQueued(running, r) ? workers.rate(worker(snapshot, r), width(snapshot, r))
          : NodeTable.MAX_BYTES_PER_SEC;
    }
    boolean scheduling = calls % StockHdfs.CALLS_PER_RECHECK == firstPass;
    RivalPlan plan = new RivalPlan(snapshot, scheduling ? Arrays.stream(snapshot.tasks().copies()).sum() : 0);
    if (scheduling) {
      schedule(snapshot, workers, plan);
    }
    calls++;
    return plan.build(runningRates);
  }

  private static int width(ClusterSnapshot snapshot, int r) {
    return snapshot.tasks().width(snapshot.running().task()[r]);
  }

  /** The node in whose queue a transfer waits; -1 if it is gone. */
  private static int worker(ClusterSnapshot snapshot, int r) {
    RunningTable running = snapshot.running();
    return width(snapshot, r) == 1 ? running.source()[r] : running.target()[r];
  }

  private void schedule(ClusterSnapshot snapshot, Workers workers, RivalPlan plan) {
    TaskTable tasks = snapshot.tasks();
    int max = StockDraws.liveNodes(snapshot.nodes()) * groupsPerNode;
    int looked = 0;
    for (int risk = 0; risk < passedOver.length; risk++) {
      int toPass = passedOver[risk];
      for (int row = 0; row < tasks.count() && looked < max; row++) {
        if (tasks.copies()[row] == 0 || tasks.risk()[row] != risk || toPass-- > 0) {
          continue;
        }
        looked++;
        passedOver[risk] += schedule(row, snapshot, workers, plan) ? 0 : 1;
      }
    }
    if (looked < max) {
      Arrays.fill(passedOver, 0);
    }
  }

  private boolean schedule(int row, ClusterSnapshot snapshot, Workers workers, RivalPlan plan) {
    TaskTable tasks = snapshot.tasks();
    int width = tasks.width(row);
    int[] sources = width == 1 ? workers.drawnSource(tasks, row) : workers.sources(tasks, row);
    int target = sources.length < width ? -1
        : width == 1 ? draws.target(snapshot.nodes(), tasks, row)
        : draws.targetNear(sources[0], snapshot.nodes(), tasks, row);
    if (target < 0) {
      return false;
    }
    long bytesPerSec = workers.rate(width == 1 ? sources[0] : target, width);
    for (int node : draws.withFurtherTargets(target, snapshot.nodes(), tasks, row)) {
      plan.add(row, sources, node, bytesPerSec);
    }
    return true;
  }

  /** The nodes' workers at this call. */
  private final class Workers {
    /** By node: rebuilds that run, and tasks that its next heartbeat may take. */
    private final int[] threads;
    private final int[] free;
    /** By node: what its queue had when the call began. What the call adds counts from the next one on. */
    private final int[] queued;

    Workers(ClusterSnapshot snapshot) {
      RunningTable running = snapshot.running();
      threads = new int[snapshot.nodes().count()];
      free = new int[snapshot.nodes().count()];
      queued = new int[snapshot.nodes().count()];
      Arrays.fill(free, maxStreams);
      for (int r = 0; r < running.count(); r++) {
        int worker = worker(snapshot, r);
        if (worker < 0) {
          continue;
        }
        if (isQueued(running, r)) {
          queued[worker]++;
        } else {
          threads[worker] += width(snapshot, r) == 1 ? 0 : 1;
          free[worker] -= xmits(width(snapshot, r));
        }
      }
    }

    /** The first k holders that are not too busy as workers; fewer if there are no more. */
    int[] sources(TaskTable tasks, int row) {
      int max = StockDraws.maxQueued(tasks, row, maxStreams);
      return Arrays.stream(tasks.sources().values(), tasks.sources().start(row), tasks.sources().end(row))
          .filter(node -> queued[node] < max).limit(tasks.width(row)).toArray();
    }

    /** One of the holders that are not too busy; none if there is none. */
    int[] drawnSource(TaskTable tasks, int row) {
      int max = StockDraws.maxQueued(tasks, row, maxStreams);
      int[] notBusy = Arrays.stream(tasks.sources().values(), tasks.sources().start(row), tasks.sources().end(row))
          .filter(node -> queued[node] < max).toArray();
      return notBusy.length == 0 ? notBusy : new int[] {notBusy[draws.below(notBusy.length)]};
    }

    private int xmits(int sources) {
      return Math.max(1, (int) (XMITS_WEIGHT * sources));
    }

    /** Begins one of the queue of the node if its heartbeat is due and it takes another one. */
    long rate(int worker, int width) {
      boolean heartbeat = worker >= 0 && (calls + worker) % callsPerHeartbeat == 0;
      if (!heartbeat || free[worker] <= 0 || width > 1 && threads[worker] >= THREADS) {
        return LinkPhysics.QUEUED_BYTES_PER_SEC;
      }
      free[worker]--;
      threads[worker] += width == 1 ? 0 : 1;
      return NodeTable.MAX_BYTES_PER_SEC;
    }
  }

  /** Whether a transfer waits in a queue of stock HDFS rather than runs. */
  static boolean isQueued(RunningTable running, int r) {
    return running.rateBytesPerSec()[r] <= LinkPhysics.QUEUED_BYTES_PER_SEC
        && running.doneBytes()[r] <= MAX_QUEUED_BYTES;
  }
}

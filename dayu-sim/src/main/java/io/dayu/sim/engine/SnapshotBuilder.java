/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;
import io.dayu.rules.WidenedHorizon;
import io.dayu.sim.Cluster;
import io.dayu.sim.placement.LostBlocks;
import io.dayu.sim.placement.RackRule;

import java.util.Arrays;

/**
 * Makes what the production scheduler sees of a simulated cluster. Nodes keep their ids; one that is gone can neither
 * send nor receive. Not thread-safe.
 */
final class SnapshotBuilder {
  /** More than any free space. */
  private static final long ROOM_BYTES = TaskTable.MAX_TOTAL_BYTES;

  private final Cluster cluster;
  private final LostBlocks lost;
  private final Replicas replicas;
  private final SimulationSettings settings;
  private final boolean multiTarget;
  private final int[] rack;
  private final boolean[] accepts;
  private final int[] streams;
  private final long[][] room;
  private int[] rowBlock;
  private int[] runningBlock;

  /** @param multiTarget whether a rebuild makes all that its group lacks, as {@link MultiTargetRebuilds} has it */
  SnapshotBuilder(Cluster cluster, LostBlocks lost, Replicas replicas, SimulationSettings settings,
      boolean multiTarget) {
    this.multiTarget = multiTarget;
    this.replicas = replicas;
    this.cluster = cluster;
    this.lost = lost;
    this.settings = settings;
    rack = new int[cluster.nodes()];
    accepts = new boolean[cluster.nodes()];
    streams = new int[cluster.nodes()];
    room = new long[1][cluster.nodes()];
    for (int node = 0; node < cluster.nodes(); node++) {
      rack[node] = cluster.rack(node);
    }
    Arrays.fill(streams, settings.execution().maxStreams());
  }

  ClusterSnapshot build(long[] foregroundIn, long[] foregroundOut, Transfers transfers, long nowMs) {
    int rows = transfers.openCount();
    rowBlock = new int[rows];
    long[] size = new long[rows];
    int[] copies = new int[rows];
    int[] risk = new int[rows];
    int[] storageTypes = new int[rows];
    boolean[] distinctRacks = new boolean[rows];
    IntRows.Builder sources = new IntRows.Builder();
    IntRows.Builder excluded = new IntRows.Builder();
    IntRows.Builder racks = new IntRows.Builder();
    int[] rowOfBlock = new int[lost.count()];
    int row = 0;
    for (int block = 0; block < rowOfBlock.length; block++) {
      if (!replicas.recoverable(block)) {
        continue;
      }
      rowBlock[row] = block;
      size[row] = lost.sizeBytes()[block];
      copies[row] = !transfers.waits(block, nowMs) ? 0
          : multiTarget && lost.width(block) > 1 ? replicas.lackingCopies(block)
          : 1;
      distinctRacks[row] = copies[row] > 1 && lost.kinds().of(block).rackRule() == RackRule.ALL_DISTINCT;
      storageTypes[row] = 1;
      risk[row] = replicas.risk(block);
      replicas.describe(block, cluster, sources, excluded, racks);
      sources.endRow();
      excluded.endRow();
      racks.endRow();
      rowOfBlock[block] = row++;
    }
    TaskTable tasks = new TaskTable(size, risk, copies, sources.build(), excluded.build(), racks.build(),
        distinctRacks, storageTypes, widths(rows));
    ClusterSnapshot snapshot = new ClusterSnapshot(settings.planning(), settings.execution().leadMs(),
        nodes(foregroundIn, foregroundOut, transfers), tasks, running(transfers.flows(), rowOfBlock, size));
    snapshot = settings.refinements().tieBreak().apply(snapshot, room[0], foregroundIn);
    return settings.refinements().widensHorizon() ? WidenedHorizon.widen(snapshot) : snapshot;
  }

  private int[] widths(int rows) {
    if (!lost.hasRebuilds()) {
      return null;
    }
    int[] width = new int[rows];
    Arrays.setAll(width, row -> lost.width(rowBlock[row]));
    return width;
  }

  private NodeTable nodes(long[] foregroundIn, long[] foregroundOut, Transfers transfers) {
    long[] in = new long[cluster.nodes()];
    long[] out = new long[cluster.nodes()];
    for (int node = 0; node < cluster.nodes(); node++) {
      room[0][node] =
          Math.min(ROOM_BYTES, Math.max(0, cluster.capacities().freeBytes()[node] - transfers.takenBytes(node)));
      accepts[node] = replicas.accepts(node) && cluster.accepts(node);
      if (!replicas.isDown(node)) {
        in[node] = settings.recoverBytesPerSec(cluster, node, foregroundIn[node]);
        out[node] = settings.recoverBytesPerSec(cluster, node, foregroundOut[node]);
      }
    }
    return new NodeTable(in, out, rack, cluster.rackCount(), accepts, streams, streams, room);
  }

  private RunningTable running(Flows flows, int[] rowOfBlock, long[] size) {
    int count = flows.count();
    int[] task = new int[count];
    long[] done = new long[count];
    long[] rate = new long[count];
    runningBlock = Arrays.copyOf(flows.block, count);
    for (int flow = 0; flow < count; flow++) {
      task[flow] = rowOfBlock[flows.block[flow]];
      done[flow] = Math.max(0, size[task[flow]] - (long) Math.ceil(flows.leftBytes[flow]));
      rate[flow] = (long) rateBytesPerSec(flows, flow);
    }
    return new RunningTable(task, Arrays.copyOf(flows.source, count), Arrays.copyOf(flows.target, count), done, rate,
        !lost.hasRebuilds() ? null : furtherSources(flows));
  }

  private static IntRows furtherSources(Flows flows) {
    IntRows.Builder further = new IntRows.Builder();
    for (int flow = 0; flow < flows.count(); flow++) {
      for (int source : flows.furtherSources[flow]) {
        further.add(source);
      }
      further.endRow();
    }
    return further.build();
  }

  /** As the NameNode takes it: what the agent measured, which is 0 for a transfer that is queued. */
  private double rateBytesPerSec(Flows flows, int flow) {
    return settings.refinements().shapes() ? flows.achievedBytesPerSec[flow] : flows.rateBytesPerSec[flow];
  }

  /** The block of each row of the last snapshot. */
  int[] rowBlock() {
    return rowBlock;
  }

  /** The block of each transfer under way in the last snapshot. */
  int[] runningBlock() {
    return runningBlock;
  }
}

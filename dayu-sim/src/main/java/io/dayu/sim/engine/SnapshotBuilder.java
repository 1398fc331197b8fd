/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;
import io.dayu.sim.Cluster;
import io.dayu.sim.placement.LostBlocks;
import io.dayu.sim.placement.RackRule;

import java.util.Arrays;

/**
 * Makes what the production scheduler sees of a simulated cluster. Nodes keep their ids; the failed one can neither send nor receive.
 * A block goes to any rack that its {@link RackRule} allows. Not thread-safe.
 */
final class SnapshotBuilder {
  /** Room is no concern of the paper's. */
  private static final long ROOM_BYTES = TaskTable.MAX_TOTAL_BYTES;

  private final Cluster cluster;
  private final LostBlocks lost;
  private final SimulationSettings settings;
  private final int[] rack;
  private final boolean[] accepts;
  private final int[] streams;
  private final long[][] room;
  private int[] rowBlock;

  SnapshotBuilder(Cluster cluster, LostBlocks lost, SimulationSettings settings) {
    this.cluster = cluster;
    this.lost = lost;
    this.settings = settings;
    rack = new int[cluster.nodes()];
    accepts = new boolean[cluster.nodes()];
    streams = new int[cluster.nodes()];
    room = new long[1][cluster.nodes()];
    for (int node = 0; node < cluster.nodes(); node++) {
      rack[node] = cluster.rack(node);
      accepts[node] = node != lost.failedNode() && cluster.accepts(node);
    }
    Arrays.fill(streams, settings.maxStreams());
    Arrays.fill(room[0], ROOM_BYTES);
  }

  /**
   * @param recovered by block, whether it needs no copy any more
   * @param flowOfBlock by block, its transfer under way, or -1
   */
  ClusterSnapshot build(long[] foregroundIn, long[] foregroundOut, boolean[] recovered, int[] flowOfBlock, Flows flows) {
    int rows = 0;
    for (boolean done : recovered) {
      rows += done ? 0 : 1;
    }
    rowBlock = new int[rows];
    long[] size = new long[rows];
    int[] copies = new int[rows];
    int[] storageTypes = new int[rows];
    IntRows.Builder sources = new IntRows.Builder();
    IntRows.Builder excluded = new IntRows.Builder();
    IntRows.Builder racks = new IntRows.Builder();
    int[] rowOfFlow = new int[flows.count()];
    int row = 0;
    for (int block = 0; block < recovered.length; block++) {
      if (recovered[block]) {
        continue;
      }
      rowBlock[row] = block;
      size[row] = lost.sizeBytes()[block];
      copies[row] = flowOfBlock[block] < 0 ? 1 : 0;
      storageTypes[row] = 1;
      for (int replica = 0; replica < lost.holdersPerBlock() && lost.holder(block, replica) >= 0; replica++) {
        sources.add(lost.holder(block, replica));
        if (lost.rackRule() != RackRule.ALL_DISTINCT) {
          excluded.add(lost.holder(block, replica)); // Else its rack is forbidden, and so is the node.
        }
      }
      lost.rackRule().forbid(lost, block, cluster, racks);
      sources.endRow();
      excluded.endRow();
      racks.endRow();
      if (flowOfBlock[block] >= 0) {
        rowOfFlow[flowOfBlock[block]] = row;
      }
      row++;
    }
    TaskTable tasks = new TaskTable(size, new int[rows], copies, sources.build(), excluded.build(), racks.build(),
        new boolean[rows], storageTypes);
    return new ClusterSnapshot(settings.planning(), settings.leadMs(), nodes(foregroundIn, foregroundOut), tasks,
        running(flows, rowOfFlow, size));
  }

  private NodeTable nodes(long[] foregroundIn, long[] foregroundOut) {
    long[] in = new long[cluster.nodes()];
    long[] out = new long[cluster.nodes()];
    for (int node = 0; node < cluster.nodes(); node++) {
      if (node != lost.failedNode()) {
        in[node] = settings.recoverBytesPerSec(cluster.bandwidthBytesPerSec(), foregroundIn[node]);
        out[node] = settings.recoverBytesPerSec(cluster.bandwidthBytesPerSec(), foregroundOut[node]);
      }
    }
    return new NodeTable(in, out, rack, cluster.rackCount(), accepts, streams, streams, room);
  }

  private static RunningTable running(Flows flows, int[] rowOfFlow, long[] size) {
    int count = flows.count();
    int[] source = Arrays.copyOf(flows.source, count);
    int[] target = Arrays.copyOf(flows.target, count);
    long[] done = new long[count];
    long[] rate = new long[count];
    for (int flow = 0; flow < count; flow++) {
      done[flow] = Math.max(0, size[rowOfFlow[flow]] - (long) Math.ceil(flows.leftBytes[flow]));
      rate[flow] = (long) flows.rateBytesPerSec[flow];
    }
    return new RunningTable(rowOfFlow, source, target, done, rate);
  }

  /** The block of each row of the last snapshot. */
  int[] rowBlock() {
    return rowBlock;
  }
}

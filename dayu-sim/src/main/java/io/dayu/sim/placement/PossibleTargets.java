/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import io.dayu.model.IntRows;
import io.dayu.sim.Cluster;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Which blocks have a node to go to at all: in a small cluster there may be none. Static methods only, hence
 * thread-safe.
 */
public final class PossibleTargets {
  private PossibleTargets() {
  }

  /** By block, whether a node that is left may take it: one without a replica, on a rack that is allowed, with room. */
  public static boolean[] of(LostBlocks lost, Cluster cluster) {
    int[] onRack = new int[cluster.rackCount()];
    long minRoom = Long.MAX_VALUE;
    int all = 0;
    for (int node = 0; node < cluster.nodes(); node++) {
      if (node != lost.failedNode() && cluster.accepts(node)) {
        onRack[cluster.rack(node)]++;
        minRoom = Math.min(minRoom, cluster.capacities().freeBytes()[node]);
        all++;
      }
    }
    boolean[] found = new boolean[lost.count()];
    for (int block = 0; block < found.length; block++) {
      // What a block cannot have at most: where other nodes are left, no rule has to be asked.
      int excluded = lost.holderCount(block);
      for (int i = lost.holderCount(block) - 1; i >= 0; i--) {
        excluded += onRack[cluster.rack(lost.holder(block, i))];
      }
      found[block] = all > excluded && minRoom >= lost.sizeBytes()[block] || search(lost, block, cluster);
    }
    return found;
  }

  private static boolean search(LostBlocks lost, int block, Cluster cluster) {
    return stream(lost, block, cluster).findAny().isPresent();
  }

  /** Nodes that are left and may take the block. */
  public static int[] of(LostBlocks lost, int block, Cluster cluster) {
    return stream(lost, block, cluster).toArray();
  }

  private static IntStream stream(LostBlocks lost, int block, Cluster cluster) {
    int[] holders = new int[lost.holderCount(block)];
    Arrays.setAll(holders, i -> lost.holder(block, i));
    IntRows.Builder racks = new IntRows.Builder();
    lost.kinds().of(block).rackRule().forbid(holders, holders.length, cluster, racks);
    int[] forbidden = racks.endRow().build().values();
    return IntStream.range(0, cluster.nodes())
        .filter(node -> node != lost.failedNode() && cluster.accepts(node)
            && cluster.capacities().freeBytes()[node] >= lost.sizeBytes()[block])
        .filter(node -> IntStream.of(holders).noneMatch(holder -> holder == node)
            && IntStream.of(forbidden).noneMatch(rack -> rack == cluster.rack(node)));
  }
}

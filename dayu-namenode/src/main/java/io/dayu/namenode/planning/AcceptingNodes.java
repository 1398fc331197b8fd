/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.model.NodeTable;
import org.apache.hadoop.fs.StorageType;

import java.util.Arrays;

/**
 * Says which blocks of a timeslot some agent could receive by its rack, its room and its replicas. Counts of the nodes
 * that could receive the largest block, by storage type and rack, answer for most blocks; for the others each node is
 * looked at. Immutable.
 */
final class AcceptingNodes {
  private static final int TYPES = StorageType.values().length;

  private final NodeTable table;
  private final boolean[] accepts;
  private final SelectedBlocks candidates;
  /**
   * Agents that could receive the largest block, by storage type and rack or upgrade domain; the last column is of all.
   */
  private final int[][] acceptingByRack;
  /** The most room that an agent has, by storage type. */
  private final long[] maxRoomBytes;
  private final long maxBlockBytes;

  /**
   * @param accepts the nodes that may be targets of the blocks that are asked about
   * @param candidates these blocks, and maybe others, with the numbers of {@code table}
   */
  AcceptingNodes(NodeTable table, boolean[] accepts, SelectedBlocks candidates) {
    this.table = table;
    this.accepts = accepts;
    this.candidates = candidates;
    this.maxBlockBytes = candidates.maxBytes();
    this.acceptingByRack = new int[TYPES][table.rackCount() + 1];
    this.maxRoomBytes = new long[TYPES];
    countNodes();
  }

  /** Those of these nodes that are among others, too. */
  AcceptingNodes only(boolean[] among) {
    boolean[] both = new boolean[accepts.length];
    for (int node = 0; node < both.length; node++) {
      both[node] = accepts[node] && among[node];
    }
    return Arrays.equals(both, accepts) ? this : new AcceptingNodes(table, both, candidates);
  }

  private void countNodes() {
    for (int node = 0; node < table.count(); node++) {
      for (int type = 0; type < TYPES; type++) {
        if (accepts(node, type, maxBlockBytes)) {
          acceptingByRack[type][table.rack()[node]]++;
          if (table.domain() != null && table.domain()[node] != table.rack()[node]) {
            acceptingByRack[type][table.domain()[node]]++;
          }
          acceptingByRack[type][table.rackCount()]++;
        }
        if (accepts[node]) {
          maxRoomBytes[type] = Math.max(maxRoomBytes[type], table.roomBytes()[type][node]);
        }
      }
    }
  }

  private boolean accepts(int node, int type, long bytes) {
    return accepts[node] && table.roomBytes()[type][node] >= Math.max(1, bytes);
  }

  /** Whether an agent could receive the block of this index by its rack, its room and its replicas. */
  boolean isPlaceable(int block) {
    int type = Integer.numberOfTrailingZeros(candidates.storageTypes(block));
    if (acceptingMaxBlock(block, type) > 0) {
      return true;
    }
    // A node without room for the largest block may have room for this one, and a node may be in both a forbidden rack
    // and a forbidden domain.
    long bytes = candidates.numBytes(block);
    boolean mustSearch =
        (bytes < maxBlockBytes || table.domain() != null) && maxRoomBytes[type] >= Math.max(1, bytes);
    for (int node = 0; mustSearch && node < table.count(); node++) {
      if (accepts(node, type, bytes) && !isHolder(block, node) && !isForbidden(block, node)) {
        return true;
      }
    }
    return false;
  }

  /**
   * How many agents, at least, could receive the largest of all blocks and, as far as racks and replicas go, this one;
   * 0 if none.
   */
  private int acceptingMaxBlock(int block, int type) {
    int accepting = acceptingByRack[type][table.rackCount()];
    for (int k = 0; k < candidates.forbiddenCount(block); k++) {
      int domain = candidates.forbidden(block, k);
      accepting -= domain < 0 ? 0 : acceptingByRack[type][domain];
    }
    int holders = candidates.holderCount(block);
    if (accepting > holders) {
      return accepting - holders;
    }
    for (int k = 0; k < holders; k++) {
      int node = candidates.holder(block, k);
      if (node >= 0 && accepts(node, type, maxBlockBytes) && !isForbidden(block, node)) {
        accepting--;
      }
    }
    return accepting;
  }

  private boolean isHolder(int block, int node) {
    for (int k = 0; k < candidates.holderCount(block); k++) {
      if (candidates.holder(block, k) == node) {
        return true;
      }
    }
    return false;
  }

  private boolean isForbidden(int block, int node) {
    for (int k = 0; k < candidates.forbiddenCount(block); k++) {
      int domain = candidates.forbidden(block, k);
      if (domain >= 0 && (domain == table.rack()[node] || table.domain() != null && domain == table.domain()[node])) {
        return true;
      }
    }
    return false;
  }
}

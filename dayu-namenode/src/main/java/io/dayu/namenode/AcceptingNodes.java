/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.blocks.LiveNode;
import io.dayu.blocks.NeededBlock;
import io.dayu.model.NodeTable;
import org.apache.hadoop.fs.StorageType;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Which blocks of a timeslot some agent could receive, as far as racks, room and replicas go. Counts of the nodes that
 * could receive the largest block, by storage type and rack, answer for most blocks; for the others each node is looked
 * at. Immutable.
 */
final class AcceptingNodes {
  private static final int TYPES = StorageType.values().length;

  private final List<LiveNode> nodes;
  private final Map<String, Integer> nodeIds;
  private final Map<String, Integer> rackIds;
  private final NodeTable table;
  /**
   * Agents that could receive the largest block, by storage type and rack or upgrade domain; the last column is of all.
   */
  private final int[][] acceptingByRack;
  /** The most room that an agent has, by storage type. */
  private final long[] maxRoomBytes;
  private final long maxBlockBytes;

  /**
   * @param nodes the rows of {@code table}
   * @param nodeIds their rows by UUID
   * @param rackIds the numbers of racks and upgrade domains in {@code table}, by name
   * @param candidates the blocks that are asked about
   */
  AcceptingNodes(List<LiveNode> nodes, Map<String, Integer> nodeIds, Map<String, Integer> rackIds, NodeTable table,
      Collection<NeededBlock> candidates) {
    this.nodes = nodes;
    this.nodeIds = nodeIds;
    this.rackIds = rackIds;
    this.table = table;
    this.maxBlockBytes = candidates.stream().mapToLong(NeededBlock::numBytes).max().orElse(0);
    this.acceptingByRack = new int[TYPES][table.rackCount() + 1];
    this.maxRoomBytes = new long[TYPES];
    countNodes();
  }

  private void countNodes() {
    for (int node = 0; node < nodes.size(); node++) {
      for (int type = 0; type < TYPES; type++) {
        if (accepts(node, type, maxBlockBytes)) {
          acceptingByRack[type][table.rack()[node]]++;
          if (table.domain() != null && table.domain()[node] != table.rack()[node]) {
            acceptingByRack[type][table.domain()[node]]++;
          }
          acceptingByRack[type][table.rackCount()]++;
        }
        if (table.acceptsTransfers()[node]) {
          maxRoomBytes[type] = Math.max(maxRoomBytes[type], table.roomBytes()[type][node]);
        }
      }
    }
  }

  private boolean accepts(int node, int type, long bytes) {
    return table.acceptsTransfers()[node] && table.roomBytes()[type][node] >= Math.max(1, bytes);
  }

  /** Whether an agent could receive the block as far as racks, room and replicas go. */
  boolean isPlaceable(NeededBlock block) {
    if (acceptingMaxBlock(block) > 0) {
      return true;
    }
    // A node without room for the largest block may have room for this one, and a node may be in both a forbidden rack
    // and a forbidden domain.
    int type = Integer.numberOfTrailingZeros(block.storageTypes());
    boolean mustSearch = (block.numBytes() < maxBlockBytes || table.domain() != null)
        && maxRoomBytes[type] >= Math.max(1, block.numBytes());
    for (int node = 0; mustSearch && node < nodes.size(); node++) {
      if (accepts(node, type, block.numBytes()) && !block.holders().contains(nodes.get(node).uuid())
          && !nodes.get(node).isForbidden(block)) {
        return true;
      }
    }
    return false;
  }

  /**
   * How many agents, at least, could receive the largest of all blocks and, as far as racks and replicas go, this one;
   * 0 if none.
   */
  private int acceptingMaxBlock(NeededBlock block) {
    int type = Integer.numberOfTrailingZeros(block.storageTypes());
    int accepting = acceptingByRack[type][table.rackCount()];
    for (String domain : block.forbiddenFaultDomains()) {
      Integer id = rackIds.get(domain);
      accepting -= id == null ? 0 : acceptingByRack[type][id];
    }
    if (accepting > block.holders().size()) {
      return accepting - block.holders().size();
    }
    for (String holder : block.holders()) {
      Integer node = nodeIds.get(holder);
      if (node != null && accepts(node, type, maxBlockBytes) && !nodes.get(node).isForbidden(block)) {
        accepting--;
      }
    }
    return accepting;
  }
}

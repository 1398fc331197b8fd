/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.net.NetworkTopology;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The racks that may get no further internal block of a group, by the rules of the placement policy of groups: a rack
 * without one first, then those with the fewest. Where no node there may get it or has room, the next ones may, as
 * stock does it (chooseEvenlyFromRemainingRacks): else nothing could be rebuilt or leave while a rack is gone or
 * leaves. A node without an agent counts: it is where the policy wants the internal block, and stock HDFS can make it
 * there. Immutable.
 */
final class GroupRacks {
  private final List<String> forbidden = new ArrayList<>();
  private final boolean distinct;
  private final Map<String, Integer> used;

  /**
   * @param copies how many internal blocks are planned at once
   * @param bytes how much room each needs
   * @param type of storage that has to have it
   * @param holders nodes that have one, or may not get one for another reason
   */
  GroupRacks(BlockManager blocks, GroupReplicas replicas, int copies, long bytes, StorageType type,
      Collection<String> holders, FreeRacks.Targets targets) {
    NetworkTopology topology = blocks.getDatanodeManager().getNetworkTopology();
    int racks = topology.getNumOfNonEmptyRacks();
    this.used = used(blocks, replicas);
    FreeRacks free = targets.without(holders, Math.max(1, bytes), type);
    BlockPlacementPolicy policy = blocks.getStriptedBlockPlacementPolicy();
    boolean spread = policy instanceof BlockPlacementPolicyRackFaultTolerant;
    int total = Math.max(replicas.chosen().size() + copies, replicas.total());
    boolean newRackNeeded = racks > 1 && (used.size() == 1 || spread && used.size() < racks);
    int limit = newRackNeeded ? 1 : RackRules.maxNodesPerRack(policy, total, racks);
    while (limit < total && !free.isEmpty() && !hasRoom(free, limit)) {
      limit++;
    }
    for (Map.Entry<String, Integer> rack : used.entrySet()) {
      if (racks > 1 && rack.getValue() >= limit) {
        forbidden.add(rack.getKey());
      }
    }
    this.distinct =
        spread && used.size() + copies <= racks && (free.isEmpty() || copies <= free.beside(used.keySet()));
  }

  /** How many internal blocks in service or pending each rack has. */
  private static Map<String, Integer> used(BlockManager blocks, GroupReplicas replicas) {
    Map<String, Integer> used = new LinkedHashMap<>();
    for (DatanodeStorageInfo storage : replicas.chosen()) {
      used.merge(RackRules.rackOf(blocks, storage.getDatanodeDescriptor()), 1, Integer::sum);
    }
    return used;
  }

  private boolean hasRoom(FreeRacks free, int limit) {
    return free.beside(used.keySet()) > 0
        || used.entrySet().stream().anyMatch(rack -> rack.getValue() < limit && free.contains(rack.getKey()));
  }

  List<String> forbidden() {
    return forbidden;
  }

  /** Whether further ones must all be on different racks. */
  boolean distinct() {
    return distinct;
  }

  /** The racks that have most internal blocks. */
  static List<String> fullest(BlockManager blocks, GroupReplicas replicas) {
    Map<String, Integer> used = used(blocks, replicas);
    int most = used.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    return used.entrySet().stream().filter(rack -> rack.getValue() == most).map(Map.Entry::getKey).toList();
  }
}

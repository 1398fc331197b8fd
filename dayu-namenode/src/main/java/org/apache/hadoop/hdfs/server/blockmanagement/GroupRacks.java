/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.LiveNode;
import org.apache.hadoop.net.NetworkTopology;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The racks that may get no further internal block of a group, by the rules of the placement policy of groups: a rack
 * without one first, then those with the fewest. Where no node there may get it, the next ones may, as stock does it
 * (chooseEvenlyFromRemainingRacks): else nothing could be rebuilt or leave while a rack is gone or leaves. Immutable.
 */
final class GroupRacks {
  /** The nodes that may get blocks. */
  static final class Targets {
    static final Targets UNKNOWN = new Targets(List.of());

    private final Map<String, Integer> byRack = new HashMap<>();
    private final Set<String> uuids = new HashSet<>();

    Targets(List<LiveNode> nodes) {
      for (LiveNode node : nodes) {
        byRack.merge(node.rack(), 1, Integer::sum);
        uuids.add(node.uuid());
      }
    }
  }

  private final List<String> forbidden = new ArrayList<>();
  private final boolean distinct;
  private final Map<String, Integer> used = new LinkedHashMap<>();

  /**
   * @param copies how many internal blocks are planned at once
   * @param holders nodes that have one, or may not get one for another reason
   */
  GroupRacks(BlockManager blocks, GroupReplicas replicas, int copies, Collection<String> holders, Targets targets) {
    NetworkTopology topology = blocks.getDatanodeManager().getNetworkTopology();
    int racks = topology.getNumOfNonEmptyRacks();
    for (DatanodeStorageInfo storage : replicas.chosen()) {
      used.merge(RackRules.rackOf(blocks, storage.getDatanodeDescriptor()), 1, Integer::sum);
    }
    Map<String, Integer> free = new HashMap<>(targets.byRack);
    for (String holder : holders) {
      DatanodeDescriptor node = targets.uuids.contains(holder) ? blocks.getDatanodeManager().getDatanode(holder) : null;
      if (node != null) {
        free.merge(RackRules.rackOf(blocks, node), -1, Integer::sum);
      }
    }
    free.values().removeIf(count -> count <= 0);
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
    long unused = free.keySet().stream().filter(rack -> !used.containsKey(rack)).count();
    this.distinct = spread && used.size() + copies <= racks && (free.isEmpty() || copies <= unused);
  }

  private boolean hasRoom(Map<String, Integer> free, int limit) {
    return free.keySet().stream().anyMatch(rack -> used.getOrDefault(rack, 0) < limit);
  }

  List<String> forbidden() {
    return forbidden;
  }

  /** Whether further ones must all be on different racks. */
  boolean distinct() {
    return distinct;
  }

  /** The racks that have most internal blocks. */
  List<String> fullest() {
    int most = used.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    return used.entrySet().stream().filter(rack -> rack.getValue() == most).map(Map.Entry::getKey).toList();
  }
}

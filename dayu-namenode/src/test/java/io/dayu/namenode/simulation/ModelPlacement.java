/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Where a modelled NameNode wants replicas: racks and room, by HDFS's default placement policy. Not thread-safe. */
final class ModelPlacement {
  /** Clusters of sequences have no more. */
  static final int MAX_RACKS = 3;

  private final ModelBlockMap map;

  ModelPlacement(ModelBlockMap map) {
    this.map = map;
  }

  int racks() {
    List<String> racks = new ArrayList<>(MAX_RACKS);
    for (ModelNode node : map.nodes.values()) {
      if (node.inService() && !racks.contains(node.rack)) {
        racks.add(node.rack);
      }
    }
    return racks.size();
  }

  /**
   * How many further racks the placement policy wants these replicas on. Asked for each block after each step, so in
   * most cases it counts nothing that it need not.
   */
  int racksMissing(ModelBlock block, List<String> replicas) {
    String first = null;
    for (String uuid : replicas) {
      String rack = map.nodes.get(uuid).rack;
      if (first != null && !rack.equals(first)) {
        return 0;
      }
      first = rack;
    }
    int used = first == null ? 0 : 1;
    int missing = Math.min(2, block.expected) - used;
    return missing <= 0 || used >= racks() ? 0 : missing;
  }

  /** BlockPlacementPolicyDefault.getMaxNodesPerRack. */
  static int maxOnRack(int replicas, int racks) {
    if (racks <= 1 || replicas <= 1) {
      return replicas;
    }
    int max = (replicas - 1) / racks + 2;
    return max == replicas ? max - 1 : max;
  }

  boolean refusesRack(ModelBlock block, ModelNode target, Predicate<ModelNode> isTarget) {
    List<String> before = map.chosen(block);
    List<String> after = new ArrayList<>(before);
    after.add(target.uuid);
    int missing = racksMissing(block, after);
    if (missing > 0 && missing >= racksMissing(block, before) && !mayStayInRack(block, isTarget)) {
      return true;
    }
    long onRack = after.stream().filter(uuid -> map.nodes.get(uuid).rack.equals(target.rack)).count();
    return onRack > maxOnRack(Math.max(after.size(), block.expected), racks());
  }

  /**
   * Whether a copy may go to the only rack that has replicas: the block lacks replicas, not only racks, and no target
   * elsewhere has room.
   */
  boolean mayStayInRack(ModelBlock block, Predicate<ModelNode> isTarget) {
    List<String> chosen = map.chosen(block);
    if (chosen.isEmpty() || chosen.size() >= map.wanted(block)
        || chosen.size() >= maxOnRack(Math.max(chosen.size() + 1, block.expected), racks())) {
      return false;
    }
    String rack = map.nodes.get(chosen.get(0)).rack;
    return chosen.stream().allMatch(uuid -> map.nodes.get(uuid).rack.equals(rack))
        && map.nodes.values().stream().noneMatch(node -> !node.rack.equals(rack) && isTarget.test(node)
            && node.couldHold(block) && !map.holdsOrAwaits(block, node.uuid));
  }

  /** Whether the block could go to any of these targets, by the placement policy and by their room. */
  boolean hasTarget(ModelBlock block, Predicate<ModelNode> isTarget) {
    return map.nodes.values().stream().anyMatch(node -> isTarget.test(node) && !map.holdsOrAwaits(block, node.uuid)
        && node.hasRoom(block.storageType, block.numBytes) && !refusesRack(block, node, isTarget));
  }
}

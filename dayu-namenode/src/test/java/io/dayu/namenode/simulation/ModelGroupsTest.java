/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The model has the rules of HDFS that make groups hard: what an entry and a report say, and what stock does. */
class ModelGroupsTest {
  private static final SequenceSettings SETTINGS =
      new SequenceSettings(9, 3, false, 0, 0, 8_000, 40_000, "dayu", 1, ModelGroup.RS_3_2);

  private final SimulatedCluster cluster = new SimulatedCluster(SETTINGS, new Random(1));
  private final ModelBlockMap map = cluster.active().map;
  private final ModelGroups groups = map.groups;
  private final ModelGroup group = groups.all.values().iterator().next();

  private String holder(int index) {
    return group.holders.entrySet().stream().filter(one -> one.getValue() == index).findFirst().orElseThrow().getKey();
  }

  private void lose(int index) {
    groups.deleted(holder(index), group.internalId(index));
  }

  private ModelNode target() {
    return map.nodes.values().stream().filter(this::isFree).findFirst().orElseThrow();
  }

  private boolean isFree(ModelNode node) {
    return node.inService() && !group.holders.containsKey(node.uuid)
        && !groups.pendingTargets(group).contains(node.uuid);
  }

  private void receive(String uuid, int index) {
    map.replicas.received(uuid, group.internalId(index), group.generationStamp);
  }

  @Test
  void reportOfAnyIndex_endsTheEntryOfItsNode() {
    lose(2);
    ModelNode target = target();
    groups.register(group, 2, target, "adoption");
    assertFalse(map.needed.containsKey(group.id));
    receive(target.uuid, 4);
    assertEquals(List.of(), groups.pendingTargets(group));
    assertEquals(0, target.scheduled());
    assertEquals(4, group.holders.get(target.uuid));
    // Index 4 is there twice, index 2 is still lost.
    assertTrue(map.needed.containsKey(group.id));
    assertEquals(1, group.excess.size());
  }

  @Test
  void secondIndexOnANode_endsTheEntryAndIsNeverKnown() {
    lose(2);
    ModelNode node = map.nodes.get(holder(0));
    groups.register(group, 2, node, "adoption");
    receive(node.uuid, 2);
    assertEquals(List.of(), groups.pendingTargets(group));
    assertEquals(0, group.holders.get(node.uuid));
    // In no queue until somebody looks at all blocks.
    assertFalse(map.needed.containsKey(group.id));
    Map<Long, Long> both = Map.of(group.internalId(0), group.generationStamp, group.internalId(2),
        group.generationStamp);
    map.replicas.report(node.uuid, both);
    assertEquals(0, group.holders.get(node.uuid));
    assertEquals(4, groups.live(group));
  }

  @Test
  void stock_rebuildsOnItsTarget_andNothingBesidePendingEntries() {
    lose(1);
    assertTrue(groups.scheduleByStock(group, this::isFree));
    List<String> targets = groups.pendingTargets(group);
    assertEquals(1, targets.size());
    ModelNode.StockRebuild task = map.nodes.get(targets.get(0)).toRebuild.get(0);
    assertEquals(targets, task.targets());
    assertEquals(4, task.sources().size());
    lose(4);
    assertFalse(groups.scheduleByStock(group, this::isFree));
    assertEquals(targets, groups.pendingTargets(group));
  }

  @Test
  void stock_copiesFromALeavingNode_ifNothingIsLost() {
    String leaving = holder(3);
    map.nodes.get(leaving).admin = ModelNode.Admin.DECOMMISSIONING;
    map.refreshAll();
    assertTrue(groups.scheduleByStock(group, this::isFree));
    ModelNode.StockCopy copy = map.nodes.get(leaving).toSend.get(0);
    assertEquals(group.internalId(3), copy.blockId());
    assertEquals(List.of(copy.target()), groups.pendingTargets(group));
  }

  @Test
  void groupOnTooFewRacks_isQueued_andStockRegistersATargetForEachMissingRack() {
    String rack = map.nodes.get(holder(0)).rack;
    Set<String> racks = new HashSet<>();
    for (int index : group.indices()) {
      String uuid = holder(index);
      group.forget(uuid);
      ModelNode node = map.nodes.values().stream()
          .filter(one -> !one.rack.equals(rack) && !group.holders.containsKey(one.uuid)).findFirst().orElseThrow();
      group.holders.put(node.uuid, index);
      racks.add(node.rack);
    }
    assertEquals(2, racks.size());
    groups.updateNeeded(group);
    assertEquals(3, map.needed.get(group.id));
    assertTrue(groups.scheduleByStock(group, this::isFree));
    assertEquals(3, groups.pendingTargets(group).size());
    assertEquals(1, map.nodes.values().stream().mapToInt(node -> node.toSend.size()).sum());
  }

  @Test
  void duplicate_isDeleted_whenAllHoldersHaveReported() {
    ModelNode other = target();
    receive(other.uuid, 2);
    assertEquals(1, group.excess.size());
    String extra = group.excess.iterator().next();
    assertTrue(map.nodes.get(extra).toDelete.contains(group.internalId(2)));
    assertEquals(5, groups.live(group));
  }
}

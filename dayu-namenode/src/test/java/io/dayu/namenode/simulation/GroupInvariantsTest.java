/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.TransferRequest;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** As {@link InvariantsTest}, for those of erasure-coded groups. */
class GroupInvariantsTest extends BrokenInvariants {
  private static final SequenceSettings SETTINGS =
      new SequenceSettings(9, 2, false, 2, 0, LEASE_MS, 40_000, "dayu", 4, ModelGroup.RS_3_2);

  private final ModelGroups groups = active.map.groups;
  private final ModelGroup group = groups.all.values().iterator().next();

  GroupInvariantsTest() {
    super(SETTINGS);
    cluster.threadsStandStill = false;
    run(3_000);
  }

  private String holder(int index) {
    return group.holders.entrySet().stream().filter(one -> one.getValue() == index).findFirst().orElseThrow().getKey();
  }

  private ModelNode freeNode() {
    return active.map.nodes.values().stream()
        .filter(node -> node.inService() && !group.holders.containsKey(node.uuid)
            && !groups.pendingTargets(group).contains(node.uuid))
        .findFirst().orElseThrow();
  }

  /** The NameNode believes from now on that nobody has this index. */
  private void lose(int index) {
    groups.deleted(holder(index), group.internalId(index));
  }

  /** A DataNode that rebuilds an internal block of the group. */
  private SimulatedDataNode rebuildingNode() {
    cluster.dataNode(holder(0)).kill();
    runUntil(() -> rebuilding() != null);
    return rebuilding();
  }

  private SimulatedDataNode rebuilding() {
    return cluster.dataNodes.stream().filter(node -> node.receiving().stream()
        .anyMatch(transfer -> transfer.blockId() == group.internalId(0))).findFirst().orElse(null);
  }

  private TransferRequest rebuildOf(int index, String target) {
    List<IndexedNode> sources = group.holders.entrySet().stream().filter(one -> one.getValue() != index)
        .map(one -> new IndexedNode(one.getKey(), one.getValue())).limit(group.width()).toList();
    return new TransferRequest(new BlockKey(group.id, group.generationStamp), group.bytes(index), 0,
        sources.get(0).node(), target, 1 << StorageType.DISK.ordinal(),
        new GroupTransfer(group.policy, group.numBytes, index, sources));
  }

  @Test
  void clusterWithoutFaults_violatesNothing() {
    run(MAX_MS);
    assertNull(cluster.invariants.goals.unfinished());
  }

  @Test
  void groupsThatHaveLostTwo_areRebuiltByDayu() {
    cluster.dataNode(holder(0)).kill();
    cluster.dataNode(holder(3)).kill();
    FaultSequence.recover(cluster);
    assertTrue(cluster.situations.contains(MetSituation.REBUILT_BY_DAYU), cluster.situations::toString);
  }

  @Test
  void internalBlocksOnALeavingNode_goElsewhere() {
    cluster.setAdmin(cluster.dataNode(holder(0)), ModelNode.Admin.DECOMMISSIONING);
    FaultSequence.recover(cluster);
    assertTrue(cluster.situations.contains(MetSituation.COPIED_BY_DAYU), cluster.situations::toString);
  }

  @Test
  void corruptInternalBlock_isRebuiltElsewhereAndDeleted() {
    SimulatedDataNode node = cluster.dataNode(holder(1));
    node.corrupt(group.internalId(1));
    node.reportCorrupt(node.uuid, group.internalId(1));
    runUntil(() -> !group.corrupt.isEmpty());
    FaultSequence.recover(cluster);
    assertEquals(List.of(), node.indicesOf(group.id));
    assertEquals(5, groups.live(group));
  }

  @Test
  void groupsWhole_isViolated_byAGroupThatLacksAnIndex() {
    runUntil(() -> cluster.invariants.goals.unfinished() == null);
    lose(2);
    assertUnfinished(Invariants.GROUPS_WHOLE, "pending on []");
  }

  @Test
  void groupsWhole_isViolated_byADuplicateThatStays() {
    runUntil(() -> cluster.invariants.goals.unfinished() == null);
    group.excess.add(holder(2));
    assertUnfinished(Invariants.GROUPS_WHOLE, "excess");
  }

  @Test
  void noBlockForgotten_isViolated_byAGroupInNoQueue() {
    lose(2);
    active.map.needed.remove(group.id);
    assertViolates(Invariants.NO_BLOCK_FORGOTTEN, "in no queue");
  }

  @Test
  void noBlockForgotten_isViolated_byARebuildThatDayuDoesNotKnow() {
    lose(2);
    groups.register(group, 2, freeNode(), "Dayu");
    assertViolates(Invariants.NO_BLOCK_FORGOTTEN, "Dayu knows nothing");
  }

  @Test
  void countersZero_isViolated_byAnEntryWhoseIndexStaysKnown() {
    runUntil(() -> cluster.invariants.goals.unfinished() == null);
    lose(2);
    ModelNode target = freeNode();
    assertTrue(active.management.adopt(List.of(rebuildOf(2, target.uuid))).get(0).committed());
    active.map.replicas.received(target.uuid, group.internalId(2), group.generationStamp);
    assertUnfinished(Invariants.COUNTERS_ZERO, "knows the indices of 1");
  }

  @Test
  void targetsAtOnce_isViolated_byATargetForAGroupThatHasEnough() {
    groups.register(group, 2, freeNode(), "adoption");
    assertViolates(Invariants.TARGETS_AT_ONCE, "gets target");
  }

  @Test
  void registrationKeptFresh_isViolated_byARebuildThatTimesOut() {
    rebuildingNode();
    cluster.events.run(1);
    active.map.timeOutPending(0);
    assertViolates(Invariants.REGISTRATION_KEPT_FRESH, "has timed out");
  }

  @Test
  void indexMadeOnce_isViolated_byAnIndexThatIsInService() {
    lose(2);
    groups.register(group, 3, freeNode(), "Dayu");
    assertViolates(Invariants.INDEX_MADE_ONCE, "gets index 3 again");
  }

  @Test
  void indexMadeOnce_isViolated_byASecondTargetWhileTheFirstGoesOn() {
    SimulatedDataNode first = rebuildingNode();
    groups.unregister(group, first.uuid);
    groups.register(group, 0, active.map.nodes.values().stream().filter(node -> node.inService()
        && !group.holders.containsKey(node.uuid) && !node.uuid.equals(first.uuid)).findFirst().orElseThrow(), "Dayu");
    assertViolates(Invariants.INDEX_MADE_ONCE, "while " + first.uuid);
  }

  @Test
  void indexMadeOnce_isViolated_byStockBesideARebuildThatGoesOn() {
    SimulatedDataNode first = rebuildingNode();
    groups.unregister(group, first.uuid);
    assertTrue(groups.scheduleByStock(group, node -> node.inService() && !node.uuid.equals(first.uuid)));
    assertViolates(Invariants.INDEX_MADE_ONCE, "by stock");
  }

  @Test
  void oneIndexOnANode_isViolated_byATargetThatHasOne() {
    lose(2);
    groups.register(group, 2, active.map.nodes.get(holder(0)), "Dayu");
    assertViolates(Invariants.ONE_INDEX_ON_A_NODE, "beside another one");
  }

  @Test
  void oneIndexOnANode_isViolated_byAnAgentThatMakesASecondOne() {
    SimulatedDataNode first = rebuildingNode();
    first.replicas.put(group.internalId(3), group.generationStamp);
    cluster.invariants.agents.making(first, first.receiving().get(0));
    assertViolates(Invariants.ONE_INDEX_ON_A_NODE, "has [3] of the group");
  }

  @Test
  void oneIndexOnANode_isViolated_byATargetThatIsToDeleteOne() {
    lose(2);
    ModelNode target = freeNode();
    target.toDelete.add(group.internalId(3));
    groups.register(group, 2, target, "Dayu");
    assertViolates(Invariants.ONE_INDEX_ON_A_NODE, "is to delete another");
  }

  /** Where HDFS deletes a corrupt internal block, its DataNode is no longer a holder. */
  @Test
  void nodeThatIsToDeleteAnInternalBlock_isNoTarget() {
    lose(2);
    ModelNode target = freeNode();
    target.toDelete.add(group.internalId(3));
    CommitResult refused = active.management.commit(List.of(rebuildOf(2, target.uuid)), () -> true).get(0);
    assertEquals(CommitResult.Verdict.TARGET_DELETES, refused.verdict(), refused::toString);
    target.toDelete.clear();
    assertTrue(active.management.commit(List.of(rebuildOf(2, target.uuid)), () -> true).get(0).committed());
  }

  /** The NameNode has told it to delete the internal block, and waits for its report. */
  @Test
  void nodeThatStillHasAnInternalBlock_makesNoOther() {
    SimulatedDataNode first = rebuildingNode();
    first.replicas.put(group.internalId(3), group.generationStamp);
    FaultSequence.recover(cluster);
    assertEquals(List.of(3), first.indicesOf(group.id));
    assertEquals(5, groups.live(group));
  }

  @Test
  void indicesKept_isViolated_byTheDeletionOfTheOnlyOne() {
    active.map.nodes.get(holder(2)).toDelete.add(group.internalId(2));
    assertViolates(Invariants.INDICES_KEPT, "has deleted index 2", () -> run(2_000));
  }

  /** An internal block that was lost with its storage, and made again on another DataNode. */
  private SimulatedDataNode madeAgain(long lost) {
    SimulatedDataNode first = cluster.dataNode(holder(2));
    first.replicas.remove(lost);
    cluster.invariants.agents.lost(first.uuid, lost);
    SimulatedDataNode second = cluster.dataNode(freeNode().uuid);
    second.replicas.put(lost, group.generationStamp);
    cluster.invariants.agents.made(second.uuid, lost);
    return second;
  }

  /** Stock HDFS has one deleted where it believes in two, and cannot know that one of them is gone with its storage. */
  @Test
  void indicesKept_isNotViolated_ifTheNameNodeBelievedInALostOne() {
    long lost = group.internalId(2);
    SimulatedDataNode second = madeAgain(lost);
    ModelNode node = active.map.nodes.get(second.uuid);
    node.toDelete.add(lost);
    node.toDeleteBeside.put(lost, Set.of(holder(2)));
    run(2_000);
    assertEquals(List.of(), second.indicesOf(group.id));
  }

  @Test
  void indicesKept_isViolated_ifOnlyAnotherNameNodeBelievesInTheLostOne() {
    long lost = group.internalId(2);
    SimulatedDataNode second = madeAgain(lost);
    groups.deleted(holder(2), lost);
    active.map.nodes.get(second.uuid).toDelete.add(lost);
    assertViolates(Invariants.INDICES_KEPT, "has deleted index 2", () -> run(2_000));
  }
}

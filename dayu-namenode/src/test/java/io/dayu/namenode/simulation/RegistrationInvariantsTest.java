/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.CorruptReplica;
import io.dayu.blocks.TransferRequest;
import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.Snapshots;
import io.dayu.schedule.TimeslotScheduler;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A NameNode plans, grants or registers one thing wrong, which is reported by name. */
class RegistrationInvariantsTest extends BrokenBlockInvariants {
  private static TimeslotPlan emptyPlan(long volumeBytes) {
    return new TimeslotPlan(new int[0], new int[0], new int[0], new long[0], new int[0], new long[0], 0, volumeBytes);
  }

  private PlanObserver observePlan(ClusterSnapshot snapshot, TimeslotPlan plan) {
    PlanObserver observer = new PlanObserver(cluster, active.management);
    observer.observe(new TimeslotScheduler() {
      @Override
      public String name() {
        return "by hand";
      }

      @Override
      public TimeslotPlan plan(ClusterSnapshot asked) {
        return plan;
      }
    }).plan(snapshot);
    return observer;
  }

  @Test
  void noBlockForgotten_isViolated_byABlockInNoQueue() {
    run(3_000);
    ModelBlock block = blockThatLacksAReplica(active);
    active.map.needed.remove(block.id);
    assertViolates(Invariants.NO_BLOCK_FORGOTTEN, "in no queue");
  }

  @Test
  void noBlockForgotten_isViolated_byACopyThatDayuDoesNotKnow() {
    run(3_000);
    ModelBlock block = blockThatLacksAReplica(active);
    active.map.register(block, freeNode(active, block), "Dayu");
    assertViolates(Invariants.NO_BLOCK_FORGOTTEN, "Dayu knows nothing");
  }

  @Test
  void targetsAtOnce_isViolated_byATargetForABlockThatHasEnough() {
    run(3_000);
    ModelBlock block = anyBlock(active);
    active.map.register(block, freeNode(active, block), "Dayu");
    assertViolates(Invariants.TARGETS_AT_ONCE, "gets target");
  }

  @Test
  void nodeBudget_isViolated_byAPlanAboveIt() {
    Snapshots snapshots = new Snapshots(6, Snapshots.MB);
    snapshots.block(Snapshots.MB, 0);
    observePlan(snapshots.build(), new TimeslotPlan(new int[] {0}, new int[] {0}, new int[] {1},
        new long[] {Snapshots.MB + 1}, new int[0], new long[0], Snapshots.MB, 6 * Snapshots.MB * 6));
    assertViolates(Invariants.NODE_BUDGET, "of 1000000 bytes/s");
  }

  @Test
  void nodeBudget_isViolated_byMoreThanAlphaOfALink() {
    run(3_000);
    observePlan(new Snapshots(6, 50 * Snapshots.MB).build(), emptyPlan(6 * 50 * Snapshots.MB * 6));
    assertViolates(Invariants.NODE_BUDGET, "alpha of its links");
  }

  @Test
  void nodeBudget_isViolated_byMoreThanWasPlanned() {
    receivingNode();
    PlanObserver observer = observePlan(new Snapshots(active.management.lastLiveNodes.size(), 0).build(), emptyPlan(0));
    observer.checkPublished(active.recovery);
    assertViolates(Invariants.NODE_BUDGET, "its budget is 0");
  }

  @Test
  void nodeLink_isViolated_byGrantsThatExceedItForLongerThanALease() {
    run(3_000);
    ModelBlock block = anyBlock(active);
    SimulatedDataNode target = cluster.dataNode(freeNode(active, block).uuid);
    // So nobody tells its agent to stop.
    Arrays.fill(target.cutFromNameNode, true);
    target.beginTransfer(SimulatedAgent.OTHER_POOL, grant(block, Integer.MAX_VALUE, 50 * Snapshots.MB, MAX_MS));
    run(LEASE_MS - 1_000);
    assertViolates(Invariants.NODE_LINK, "bytes/s", () -> run(2_000));
  }

  @Test
  void leaseOverlap_isViolated_byASecondTargetWhileTheFirstGoesOn() {
    SimulatedDataNode first = receivingNode();
    ModelBlock block = active.map.blocks.get(first.receiving().get(0).blockId());
    active.map.unregister(block, first.uuid);
    active.map.register(block, freeNode(active, block, first.uuid), "Dayu");
    assertViolates(Invariants.LEASE_OVERLAP, "while " + first.uuid);
  }

  @Test
  void nothingBegunBeforeAdoption_isViolated_byATransferRightAfterAFailover() {
    SimulatedDataNode first = receivingNode();
    cluster.activate(standby);
    ModelBlock block = blockThatLacksAReplica(standby);
    standby.map.register(block, freeNode(standby, block, first.uuid), "Dayu");
    assertViolates(Invariants.NOTHING_BEGUN_BEFORE_ADOPTION, "while " + first.uuid);
  }

  /** A corrupt replica of a block that every DataNode has. */
  private CorruptReplica corruptReplicaInTheWay() {
    run(3_000);
    ModelBlock block = anyBlock(active);
    active.map.nodes.keySet().forEach(uuid -> cluster.dataNode(uuid).replicas.put(block.id, block.generationStamp));
    cluster.dataNodes.forEach(node -> active.map.replicas.received(node.uuid, block.id, block.generationStamp));
    active.map.setReplication(block, cluster.dataNodes.size());
    String corrupt = block.replicas.iterator().next();
    active.map.replicas.markCorrupt(corrupt, block.id);
    CorruptReplica replica =
        active.management.corruptReplica(new BlockKey(block.id, block.generationStamp));
    assertEquals(corrupt, replica.node());
    return replica;
  }

  @Test
  void corruptMakesRoom_isViolated_whereNoAgentHasReadTheOthers() {
    CorruptReplica replica = corruptReplicaInTheWay();
    assertTrue(active.management.removeCorruptReplica(replica, Set.copyOf(replica.holders())));
    assertViolates(Invariants.CORRUPT_MAKES_ROOM, "have found 0 others good");
  }

  @Test
  void corruptMakesRoom_isViolated_byReadingsOfAnotherGeneration_orForgottenOnes() {
    CorruptReplica replica = corruptReplicaInTheWay();
    List<SimulatedDataNode> holders = replica.holders().stream().map(cluster::dataNode).toList();
    long id = replica.block().blockId();
    holders.forEach(holder -> cluster.invariants.agents.verified(holder, id, replica.block().generationStamp(), true));
    holders.subList(1, holders.size()).forEach(holder -> cluster.invariants.agents.forgotten(holder, id));
    cluster.invariants.agents.verified(holders.get(1), id, replica.block().generationStamp() - 1, true);
    assertTrue(active.management.removeCorruptReplica(replica, Set.copyOf(replica.holders())));
    assertViolates(Invariants.CORRUPT_MAKES_ROOM, "have found 1 others good");
  }

  @Test
  void corruptMakesRoom_holds_whereAgentsHaveReadEnoughOfTheOthers() {
    CorruptReplica replica = corruptReplicaInTheWay();
    replica.holders().stream().limit(replica.goodNeeded()).map(cluster::dataNode)
        .forEach(holder -> cluster.invariants.agents
            .verified(holder, replica.block().blockId(), replica.block().generationStamp(), true));
    assertTrue(active.management.removeCorruptReplica(replica, Set.copyOf(replica.holders())));
    cluster.invariants.check();
  }

  /** Has Dayu commit copies of a block to a node of which it was told that it has room for so many bytes. */
  private void commit(ModelBlock block, long roomBytes, int copies) {
    ModelNode target = freeNode(active, block);
    target.roomBytes[StorageType.DISK.ordinal()] = roomBytes;
    active.management.liveNodes();
    TransferRequest request = new TransferRequest(new BlockKey(block.id, block.generationStamp), block.numBytes, 0,
        block.replicas.iterator().next(), target.uuid, 1 << StorageType.DISK.ordinal());
    active.management.commit(Collections.nCopies(copies, request), () -> false);
  }

  @Test
  void roomKept_isViolated_byACopyToADataNodeThatIsFull() {
    ModelBlock block = anyBlock(active);
    commit(block, block.numBytes, 1);
    cluster.invariants.check();
    commit(block, block.numBytes - 1, 1);
    assertViolates(Invariants.ROOM_KEPT, "was told of room for " + (block.numBytes - 1));
  }

  @Test
  void roomKept_isViolated_byTheSecondCopyOfAPlan() {
    ModelBlock block = anyBlock(active);
    commit(block, 2 * block.numBytes, 2);
    cluster.invariants.check();
    commit(block, 2 * block.numBytes - 1, 2);
    assertViolates(Invariants.ROOM_KEPT, "was told of room for " + (block.numBytes - 1));
  }

  @Test
  void registrationKeptFresh_isViolated_byARegistrationThatTimesOut() {
    receivingNode();
    cluster.events.run(1);
    active.map.timeOutPending(0);
    assertViolates(Invariants.REGISTRATION_KEPT_FRESH, "has timed out");
  }

  @Test
  void nothingBegunInAPause_isViolated_byATransferThatBegins() {
    run(3_000);
    cluster.pause(true);
    ModelBlock block = blockThatLacksAReplica(active);
    active.map.register(block, freeNode(active, block), "Dayu");
    assertViolates(Invariants.NOTHING_BEGUN_IN_A_PAUSE, "gets target");
  }
}

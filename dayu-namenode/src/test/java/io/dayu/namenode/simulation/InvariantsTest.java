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
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import io.dayu.schedule.Snapshots;
import io.dayu.schedule.TimeslotScheduler;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Shows that each invariant of {@link Invariants} can be violated: in a small cluster without faults one thing is put
 * wrong by hand, and must be reported by the invariant's name.
 */
class InvariantsTest extends BrokenInvariants {
  private static final SequenceSettings SETTINGS =
      new SequenceSettings(6, 2, false, 8, 0, LEASE_MS, 40_000, "dayu");

  private final SimulatedNameNode standby = cluster.nameNodes.get(1);

  InvariantsTest() {
    super(SETTINGS);
  }

  private void runUntilFinished() {
    runUntil(() -> cluster.invariants.unfinished() == null);
  }

  private static ModelBlock anyBlock(SimulatedNameNode nameNode) {
    return nameNode.map.blocks.values().iterator().next();
  }

  /** A block of which this NameNode believes that a replica is gone. */
  private static ModelBlock blockThatLacksAReplica(SimulatedNameNode nameNode) {
    ModelBlock block = anyBlock(nameNode);
    nameNode.map.deleted(block.replicas.iterator().next(), block.id);
    return block;
  }

  /** A node in service that has nothing to do with the block. */
  private static ModelNode freeNode(SimulatedNameNode nameNode, ModelBlock block, String... others) {
    return nameNode.map.nodes.values().stream()
        .filter(node -> node.inService() && !block.replicas.contains(node.uuid)
            && !Arrays.asList(others).contains(node.uuid))
        .reduce((first, second) -> second).orElseThrow();
  }

  /** A DataNode that receives a block by Dayu, since another one has died. */
  private SimulatedDataNode receivingNode() {
    cluster.dataNodes.get(0).kill();
    runUntil(() -> cluster.dataNodes.stream().anyMatch(node -> !node.receiving().isEmpty()));
    return cluster.dataNodes.stream().filter(node -> !node.receiving().isEmpty()).findFirst().orElseThrow();
  }

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

  private static GrantProto grant(ModelBlock block, long numBytes, long rateBytesPerSec, long leaseMs) {
    String source = block.replicas.iterator().next();
    return GrantProto.newBuilder().setAttempt(1)
        .setBlock(BlockSpecProto.newBuilder().setBlockId(block.id).setGenerationStamp(block.generationStamp)
            .setNumBytes(numBytes))
        .setSource(SourceProto.newBuilder().setDatanodeUuid(source).setIpAddress("10.0.0.1").setHostName(source)
            .setTransferPort(9866))
        .setStorageType("DISK").setRateBytesPerSec(rateBytesPerSec).setLeaseMs((int) leaseMs).build();
  }

  private SimulatedTransfer transfer(ModelBlock block, long leaseMs) {
    SimulatedAgent agent = new SimulatedAgent(cluster.dataNode(freeNode(active, block).uuid), cluster);
    return new SimulatedTransfer(agent, SimulatedAgent.POOL, grant(block, 1_000, Snapshots.MB, leaseMs),
        cluster.events.nowNs(), end -> {});
  }

  @Test
  void everyInvariant_hasATestHere_orAmongThoseOfGroups() throws IllegalAccessException {
    List<String> tests = Stream.of(InvariantsTest.class, GroupInvariantsTest.class)
        .flatMap(tested -> Arrays.stream(tested.getDeclaredMethods())).map(Method::getName).toList();
    for (Field field : Invariants.class.getDeclaredFields()) {
      if (field.getType() == String.class) {
        String invariant = (String) field.get(null);
        String prefix = invariant.replace("-", "") + "_";
        assertTrue(tests.stream().anyMatch(test -> test.toLowerCase(Locale.ROOT).startsWith(prefix)),
            invariant);
      }
    }
  }

  @Test
  void clusterWithoutFaults_violatesNothing() {
    run(MAX_MS);
    assertNull(cluster.invariants.unfinished());
  }

  @Test
  void clusterThatHasLostANode_violatesNothing() {
    receivingNode();
    FaultSequence.recover(cluster);
  }

  /** A block of three replicas that has one of them on a dead DataNode in maintenance. */
  private ModelBlock blockInMaintenance() {
    runUntilFinished();
    ModelBlock block =
        active.map.blocks.values().stream().filter(one -> one.replicas.size() == 3).findFirst().orElseThrow();
    // The other two are on two racks, so that no further one is wanted.
    SimulatedDataNode maintained = block.replicas.stream().map(cluster::dataNode)
        .filter(holder -> block.replicas.stream().filter(uuid -> !uuid.equals(holder.uuid))
            .map(uuid -> cluster.dataNode(uuid).rack).distinct().count() == 2)
        .findFirst().orElseThrow();
    cluster.setAdmin(maintained, ModelNode.Admin.ENTERING_MAINTENANCE);
    runUntil(() -> active.map.nodes.get(maintained.uuid).admin == ModelNode.Admin.IN_MAINTENANCE);
    maintained.kill();
    run(SETTINGS.deadMs() + 3_000);
    return block;
  }

  @Test
  void maintenanceGoal_isViolated_byABlockThatNobodyCopies() {
    ModelBlock block = blockInMaintenance();
    runUntilFinished();
    active.map.live(block).forEach(holder -> {
      if (active.map.live(block).size() > 1) {
        active.map.deleted(holder, block.id);
      }
    });
    assertUnfinished(Invariants.MAINTENANCE_GOAL, "wanted");
  }

  @Test
  void deadNodeInMaintenance_itsReplicasCount_untilMaintenanceEnds() {
    ModelBlock block = blockInMaintenance();
    runUntilFinished();
    assertEquals(1, active.map.inMaintenance(block));
    SimulatedDataNode dead = cluster.dataNodes.stream().filter(node -> !node.up).findFirst().orElseThrow();
    assertFalse(active.map.sources(block).contains(dead.uuid));
    cluster.setAdmin(dead, ModelNode.Admin.IN_SERVICE);
    assertUnfinished(Invariants.REPLICATION_GOAL);
    runUntilFinished();
    assertEquals(3, active.map.live(block).size());
  }

  @Test
  void replicationGoal_isViolated_byABlockThatNobodyCopies() {
    run(3_000);
    cluster.pause(true);
    cluster.dataNodes.get(0).kill();
    run(SETTINGS.deadMs() + 3_000);
    assertViolates(Invariants.REPLICATION_GOAL, "wanted", () -> FaultSequence.recover(cluster));
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
  void countersZero_isViolated_byAScheduledCopyThatIsLeft() {
    runUntilFinished();
    active.map.nodes.get("dn1").scheduled[StorageType.DISK.ordinal()]++;
    assertUnfinished(Invariants.COUNTERS_ZERO);
  }

  @Test
  void countersZero_isViolated_onAStandby() {
    runUntilFinished();
    standby.map.nodes.get("dn1").scheduled[StorageType.DISK.ordinal()]++;
    assertUnfinished(Invariants.COUNTERS_ZERO);
  }

  @Test
  void noPartialStays_isViolated_byACopyThatNobodyWaitsFor() {
    runUntilFinished();
    ModelBlock block = active.map.blocks.values().stream().max(Comparator.comparingLong(b -> b.numBytes)).orElseThrow();
    active.map.nodes.get(block.replicas.iterator().next()).toSend
        .add(new ModelNode.StockCopy(block.id, block.generationStamp, freeNode(active, block).uuid));
    run(1_100);
    assertUnfinished(Invariants.NO_PARTIAL_STAYS);
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

  @Test
  void successorAlone_isViolated_byATransferOfTheOtherActiveNameNode() {
    SimulatedDataNode first = receivingNode();
    cluster.activateBeside(standby);
    cluster.dataNodes.stream().filter(node -> node.up && node != first).findFirst().orElseThrow().kill();
    runUntil(() -> standby.recovery.status().getTotalPlanned() > 0);
    cluster.invariants.beginning(first, active.term);
    assertViolates(Invariants.SUCCESSOR_ALONE, "granted in term 1");
  }

  /** A corrupt replica of a block that every DataNode has. */
  private CorruptReplica corruptReplicaInTheWay() {
    run(3_000);
    ModelBlock block = anyBlock(active);
    active.map.nodes.keySet().forEach(uuid -> cluster.dataNode(uuid).replicas.put(block.id, block.generationStamp));
    cluster.dataNodes.forEach(node -> active.map.received(node.uuid, block.id, block.generationStamp));
    active.map.setReplication(block, cluster.dataNodes.size());
    String corrupt = block.replicas.iterator().next();
    active.map.markCorrupt(corrupt, block.id);
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
    holders.forEach(holder -> cluster.invariants.verified(holder, id, replica.block().generationStamp(), true));
    holders.subList(1, holders.size()).forEach(holder -> cluster.invariants.forgotten(holder, id));
    cluster.invariants.verified(holders.get(1), id, replica.block().generationStamp() - 1, true);
    assertTrue(active.management.removeCorruptReplica(replica, Set.copyOf(replica.holders())));
    assertViolates(Invariants.CORRUPT_MAKES_ROOM, "have found 1 others good");
  }

  @Test
  void corruptMakesRoom_holds_whereAgentsHaveReadEnoughOfTheOthers() {
    CorruptReplica replica = corruptReplicaInTheWay();
    replica.holders().stream().limit(replica.goodNeeded()).map(cluster::dataNode).forEach(holder -> cluster.invariants
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
  void storageType_isViolated_byATransferToAnother() {
    run(3_000);
    ModelBlock block = anyBlock(active);
    SimulatedDataNode target = cluster.dataNode(freeNode(active, block).uuid);
    target.addStorage(StorageType.ARCHIVE);
    // So nobody tells its agent to stop.
    Arrays.fill(target.cutFromNameNode, true);
    target.beginTransfer(SimulatedAgent.OTHER_POOL, grant(block, Integer.MAX_VALUE, 1, MAX_MS).toBuilder()
        .setStorageType(StorageType.ARCHIVE.name()).build());
    assertViolates(Invariants.STORAGE_TYPE, "on ARCHIVE, and its policy wants DISK", () -> run(1_000));
  }

  @Test
  void poolsApart_isViolated_byCommandsThatEndATransferOfAnotherPool() {
    SimulatedAgent agent = new SimulatedAgent(cluster.dataNodes.get(0), cluster);
    SimulatedTransfer transfer = transfer(anyBlock(active), LEASE_MS);
    agent.obeyingAs(SimulatedAgent.POOL);
    cluster.invariants.stopping(agent, transfer, Outcome.CANCELLED);
    cluster.invariants.check();
    agent.obeyingAs(OtherNamespace.POOL);
    cluster.invariants.stopping(agent, transfer, Outcome.CANCELLED);
    assertViolates(Invariants.POOLS_APART, "by commands of " + OtherNamespace.POOL);
  }

  @Test
  void bandwidthDivided_isViolated_byAReportOfAllOfIt() {
    SimulatedDataNode node = cluster.dataNodes.get(0);
    ReportProto.Builder report = ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId(SimulatedAgent.POOL)
        .setDatanodeUuid(node.uuid).setAgentIncarnation(1).setAgentStartMs(1).setReportSequence(1);
    Set<String> pools = Set.of(SimulatedAgent.POOL, OtherNamespace.POOL);
    cluster.invariants.reporting(node, report.setLoad(capacity(node.bandwidthBytesPerSec / 2)).build(), pools);
    cluster.invariants.check();
    cluster.invariants.reporting(node, report.setLoad(capacity(node.bandwidthBytesPerSec)).build(), pools);
    assertViolates(Invariants.BANDWIDTH_DIVIDED, "tells NameNodes of " + SimulatedAgent.POOL);
  }

  private static LoadProto capacity(long bytesPerSec) {
    return LoadProto.newBuilder().setCapacityInBytesPerSec(bytesPerSec).setCapacityOutBytesPerSec(bytesPerSec)
        .setForegroundInBytesPerSec(0).setForegroundOutBytesPerSec(0).build();
  }

  @Test
  void transfersAtOnce_isViolated_byOneMoreThanTheLimit() {
    SimulatedTransfer transfer = transfer(anyBlock(active), LEASE_MS);
    cluster.invariants.running(cluster.dataNodes.get(0), Collections.nCopies(2, transfer), 2);
    cluster.invariants.check();
    cluster.invariants.running(cluster.dataNodes.get(0), Collections.nCopies(3, transfer), 2);
    assertViolates(Invariants.TRANSFERS_AT_ONCE, "more than 2");
  }

  @Test
  void leaseKept_isViolated_byATransferThatGoesOn() {
    SimulatedTransfer transfer = transfer(anyBlock(active), LEASE_MS);
    transfer.leaseEndNs = cluster.events.nowNs();
    transfer.isLeaseOver(cluster.events.nowNs());
    assertViolates(Invariants.LEASE_KEPT, "goes on after its lease");
  }

  @Test
  void leaseKept_isViolated_byATransferThatNobodyEnds() {
    SimulatedTransfer transfer = transfer(anyBlock(active), 0);
    transfer.start();
    transfer.checkLease();
    assertViolates(Invariants.LEASE_KEPT, "goes on after its lease");
  }

  @Test
  void leaseKept_isViolated_byATransferThatEndsTooSoon() {
    SimulatedTransfer transfer = transfer(anyBlock(active), 0);
    transfer.leaseEndNs += EventQueue.MS;
    transfer.isLeaseOver(cluster.events.nowNs());
    assertViolates(Invariants.LEASE_KEPT, "ends before its lease");
  }

  @Test
  void leaseKept_isViolated_byAReplicaThatIsMadeTooLate() {
    ModelBlock block = anyBlock(active);
    SimulatedTransfer transfer = transfer(block, LEASE_MS);
    transfer.leaseEndNs = cluster.events.nowNs();
    transfer.advance(Snapshots.MB, STEP_MS);
    assertViolates(Invariants.LEASE_KEPT, "makes a replica after its lease");
  }

  @Test
  void noStaleCommands_isViolated_byCommandsOfAnEarlierTerm() {
    run(3_000);
    active.termsOfActivations.replaceAll((activation, term) -> term - 1);
    assertViolates(Invariants.NO_STALE_COMMANDS, " after ", () -> run(3_000));
  }

  @Test
  void noStaleCommands_isViolated_byCommandsOfTheStandby() {
    run(3_000);
    SimulatedAgent agent = new SimulatedAgent(cluster.dataNodes.get(0), cluster);
    agent.noteObeyed(new SimulatedAgent.Issued(1, 1, 1), cluster.nameNodes.indexOf(standby));
    assertViolates(Invariants.NO_STALE_COMMANDS, "does not consider active");
  }

  @Test
  void unnamedStops_isViolated_byATransferThatNoNameNodeKnows() {
    run(3_000);
    ModelBlock block = anyBlock(active);
    cluster.dataNode(freeNode(active, block).uuid)
        .beginTransfer(SimulatedAgent.OTHER_POOL, grant(block, Integer.MAX_VALUE, 1, MAX_MS));
    assertViolates(Invariants.UNNAMED_STOPS, "goes on with", () -> run(15_000));
  }

  @Test
  void unnamedStops_isViolated_byAnAgentThatSaysItHasObeyed_andStillHasTheTransfer() {
    // After its start the NameNode waits for block reports, and has nothing to tell.
    run(30_000);
    ModelBlock block = anyBlock(active);
    cluster.dataNode(freeNode(active, block).uuid)
        .beginTransfer(SimulatedAgent.POOL, grant(block, Integer.MAX_VALUE, 1, MAX_MS));
    assertViolates(Invariants.UNNAMED_STOPS, "says that it has obeyed", () -> run(15_000));
  }

  @Test
  void registrationKeptFresh_isViolated_byARegistrationThatTimesOut() {
    receivingNode();
    cluster.events.run(1);
    active.map.timeOutPending(0);
    assertViolates(Invariants.REGISTRATION_KEPT_FRESH, "has timed out");
  }

  @Test
  void somebodyRecovers_isViolated_ifStockIsSuspendedInItsOwnState() {
    run(3_000);
    cluster.dataNodes.forEach(SimulatedDataNode::stopAgent);
    runUntil(() -> active.recovery.status().getState().equals("STOCK"));
    active.map.workMultiplier = 0;
    assertViolates(Invariants.SOMEBODY_RECOVERS, "in state STOCK");
  }

  @Test
  void somebodyRecovers_isViolated_ifNobodySeesThatTheLoopHangs() {
    run(3_000);
    active.loopHangs = true;
    active.watchdogHangs = true;
    assertViolates(Invariants.SOMEBODY_RECOVERS, "the loop is silent", () -> run(3 * SequenceSettings.WATCHDOG_MS));
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

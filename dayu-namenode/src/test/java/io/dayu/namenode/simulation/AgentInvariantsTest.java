/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.schedule.Snapshots;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Collections;
import java.util.Set;

/** An agent or its DataNode does one thing wrong, which {@link AgentInvariants} or the agent itself reports by name. */
class AgentInvariantsTest extends BrokenBlockInvariants {
  @Test
  void successorAlone_isViolated_byATransferOfTheOtherActiveNameNode() {
    SimulatedDataNode first = receivingNode();
    cluster.activateBeside(standby);
    cluster.dataNodes.stream().filter(node -> node.up && node != first).findFirst().orElseThrow().kill();
    runUntil(() -> standby.recovery.status().getTotalPlanned() > 0);
    cluster.invariants.agents.beginning(first, active.term);
    assertViolates(Invariants.SUCCESSOR_ALONE, "granted in term 1");
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
    cluster.invariants.agents.stopping(agent, transfer, Outcome.CANCELLED);
    cluster.invariants.check();
    agent.obeyingAs(OtherNamespace.POOL);
    cluster.invariants.agents.stopping(agent, transfer, Outcome.CANCELLED);
    assertViolates(Invariants.POOLS_APART, "by commands of " + OtherNamespace.POOL);
  }

  @Test
  void bandwidthDivided_isViolated_byAReportOfAllOfIt() {
    SimulatedDataNode node = cluster.dataNodes.get(0);
    ReportProto.Builder report = ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId(SimulatedAgent.POOL)
        .setDatanodeUuid(node.uuid).setAgentIncarnation(1).setAgentStartMs(1).setReportSequence(1);
    Set<String> pools = Set.of(SimulatedAgent.POOL, OtherNamespace.POOL);
    cluster.invariants.agents.reporting(node, report.setLoad(capacity(node.bandwidthBytesPerSec / 2)).build(), pools);
    cluster.invariants.check();
    cluster.invariants.agents.reporting(node, report.setLoad(capacity(node.bandwidthBytesPerSec)).build(), pools);
    assertViolates(Invariants.BANDWIDTH_DIVIDED, "tells NameNodes of " + SimulatedAgent.POOL);
  }

  private static LoadProto capacity(long bytesPerSec) {
    return LoadProto.newBuilder().setCapacityInBytesPerSec(bytesPerSec).setCapacityOutBytesPerSec(bytesPerSec)
        .setForegroundInBytesPerSec(0).setForegroundOutBytesPerSec(0).build();
  }

  @Test
  void transfersAtOnce_isViolated_byOneMoreThanTheLimit() {
    SimulatedTransfer transfer = transfer(anyBlock(active), LEASE_MS);
    cluster.invariants.agents.running(cluster.dataNodes.get(0), Collections.nCopies(2, transfer), 2);
    cluster.invariants.check();
    cluster.invariants.agents.running(cluster.dataNodes.get(0), Collections.nCopies(3, transfer), 2);
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
    // After its start the NameNode waits for block reports, and has nothing to tell. An answer has just come.
    run(30_100);
    ModelBlock block = anyBlock(active);
    cluster.dataNode(freeNode(active, block).uuid)
        .beginTransfer(SimulatedAgent.POOL, grant(block, Integer.MAX_VALUE, 1, MAX_MS));
    assertViolates(Invariants.UNNAMED_STOPS, "says that it has obeyed", () -> run(15_000));
  }
}

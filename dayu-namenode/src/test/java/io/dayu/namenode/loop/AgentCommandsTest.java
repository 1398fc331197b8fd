/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.PendingCheck.State;
import io.dayu.blocks.TransferRequest;
import io.dayu.namenode.agents.WireMessages;
import io.dayu.namenode.exchange.Grant;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.SourceAddress;
import io.dayu.namenode.transfers.AgentCommands;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.when;

/** What agents are told: grants with their order, rates and sources, and what a restart or a new activation changes. */
final class AgentCommandsTest extends TransferCoordinatorFixture {
  @Test
  void grant_isPublishedWithItsSource() {
    Attempt attempt = grant();
    AgentCommandsProto commands = publish();
    assertTrue(commands.getAuthoritative());
    assertEquals(1, commands.getGrantsCount());
    GrantProto grant = commands.getGrants(0);
    assertEquals(attempt.id(), grant.getAttempt());
    assertEquals("source", grant.getSource().getDatanodeUuid());
    assertEquals(10, grant.getRateBytesPerSec());
  }

  @Test
  void grants_areInTheOrderInWhichTheAgentStartsThem() {
    List<TransferRequest> requests = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      requests.add(new TransferRequest(new BlockKey(100 + i, 1), 100, i % 3, "source", "target", 4));
    }
    requests.forEach(
        request -> tracker.grant(request, needed(List.of("source", "other")), CommitResult.committed("DS-1", "DISK"),
            10, 0));
    List<Long> started = publish().getGrantsList().stream().map(grant -> grant.getBlock().getBlockId()).toList();
    requests.sort(Comparator.comparingInt(TransferRequest::risk));
    assertEquals(requests.stream().map(request -> request.block().blockId()).toList(), started);
  }

  /** Among those at the lowest risk: a replica is lost after the transfer was planned. */
  @Test
  void transferFromTheLastReplica_goesFirst_asSoonAsTheBlockMapSaysSo() {
    Attempt before = grant(List.of("source", "other"));
    Attempt last = grant(List.of("source", "other"));
    assertFalse(publish().getGrants(1).getHighestRisk());
    checks.add(new PendingCheck(State.WANTED, List.of("source", "other")));
    checks.add(new PendingCheck(State.WANTED, List.of("source")));
    audit(false, startNs);
    assertEquals(0, last.risk());
    List<GrantProto> grants = publish().getGrantsList();
    assertEquals(List.of(last.id(), before.id()), grants.stream().map(GrantProto::getAttempt).toList());
    assertEquals(List.of(true, false), grants.stream().map(GrantProto::getHighestRisk).toList());
    assertFalse(grants.get(1).hasHighestRisk(), "as older NameNodes say it");
  }

  @Test
  void grant_mayExceedItsRateOnlyWhereItsSourceHasAnAgent() {
    target.reportedLoad = load(1000, 500);
    grant();
    assertFalse(publish().getGrants(0).hasMaxBytesPerSec());
    agents.register("source", startNs).reportedLoad = load(1000, 500);
    updates.changed("target");
    assertEquals(475, publish().getGrants(0).getMaxBytesPerSec(), "0.95 of the slower link");
  }

  @Test
  void grant_namesTwoOtherSources_thatHaveAnAgent_andAreNotAvoided() {
    List<String> sources = List.of("source", "other", "silent", "avoided", "third", "fourth");
    for (String node : sources) {
      nodes.put(node, node(node));
      agents.register(node, startNs).reportedLoad = node.equals("silent") ? null : load(1000, 500);
    }
    grant(sources);
    Grant grant = AgentCommands
        .of(target, tracker, ACTIVATION, 1, nodes, agents, "avoided"::equals, OptionalDouble.empty()).grants().get(0);
    assertEquals(List.of("other", "third"), grant.alternates().stream().map(SourceAddress::uuid).toList());
  }

  @Test
  void replicaThatIsToBeRead_isNamed_untilThatIsOver() {
    updates.verify("target", BLOCK, 100);
    assertEquals(List.of(BlockSpecProto.newBuilder().setBlockId(7).setGenerationStamp(1001).setNumBytes(100).build()),
        publish().getVerificationsList());
    updates.endVerification("target", BLOCK);
    assertEquals(List.of(), publish().getVerificationsList());
  }

  @Test
  void grant_isHeldToItsRate_withTheRatesOfThePaper() {
    target.reportedLoad = load(1000, 500);
    agents.register("source", startNs).reportedLoad = load(1000, 500);
    grant();
    Grant grant = AgentCommands
        .of(target, tracker, ACTIVATION, 1, nodes, agents, source -> false, OptionalDouble.empty())
        .grants().get(0);
    assertEquals(10, grant.rateBytesPerSec());
    assertEquals(OptionalLong.empty(), grant.maxBytesPerSec());
  }

  @Test
  void agentsThatShareAMeter_arePlannedWithTheirShare_andHearHowManyTheyAre() {
    when(blocks.addressOf("sibling")).thenReturn("10.0.0.9");
    LoadProto shared = LoadProto.newBuilder().setCapacityInBytesPerSec(1000).setCapacityOutBytesPerSec(1000)
        .setForegroundInBytesPerSec(0).setForegroundOutBytesPerSec(0).setMeterId(7).setNetworkBytesPerSec(1000).build();
    read(report(1).setLoad(shared), startNs);
    assertEquals(WireMessages.load(shared), target.load);
    assertFalse(publish().hasMeterSharers());
    AgentState sibling = agents.register("sibling", startNs);
    sibling.offer(report(1).setDatanodeUuid("sibling").setLoad(shared).build(), startNs);
    coordinator.read(sibling, sibling.takeReport(), startNs);
    read(report(2).setLoad(shared), startNs);
    assertEquals(500, target.load.in().capacityBytesPerSec());
    assertEquals(WireMessages.load(shared), target.reportedLoad);
    assertEquals(2, publish().getMeterSharers());
  }

  private static NodeLoad load(long inBytesPerSec, long outBytesPerSec) {
    return new NodeLoad(new NodeLoad.Link(inBytesPerSec, 0), new NodeLoad.Link(outBytesPerSec, 0), 0, 0);
  }

  @Test
  void unchangedCommands_areNotPublishedAgain() {
    grant();
    AgentCommandsProto first = publish();
    assertEquals(first, publish());
  }

  @Test
  void endOfATransfer_changesNothingElseThatIsGranted() {
    Attempt ended = grant();
    Attempt other = grant();
    AgentCommandsProto before = publish();
    read(report(before.getSequence()).addFinished(finished(ended.id(), Outcome.DONE))
        .addRunning(running(other.id(), "source", 50)), startNs);
    assertTrue(updates.hasOnlyEnded("target"));
    AgentCommandsProto after = publish();
    assertEquals(before.getGrantsList().subList(1, 2), after.getGrantsList());
    assertEquals(List.of(ended.id()), after.getAcknowledgedList());
    assertTrue(after.getSequence() > before.getSequence());
  }

  @Test
  void restartedAgent_isDirectedAnew_alsoWhenItHadNothingToDo() {
    publish();
    assertNotNull(target.commandsFor(1));
    read(report(0).setAgentIncarnation(2), startNs + 1);
    publish();
    assertNotNull(target.commandsFor(2));
  }

  @Test
  void failedSource_isToldToCheckItsReplicaUntilItHasObeyed() {
    AgentState source = agents.register("source", startNs);
    source.offer(sourceReport(0), startNs);
    coordinator.read(source, source.takeReport(), startNs);
    grant();
    long attempt = publish().getGrants(0).getAttempt();
    read(report(0).addRunning(running(attempt, "source", 40).toBuilder().setFailedSourceUuid("source")), startNs + 1);
    publish();
    AgentCommandsProto asked = source.commands();
    assertEquals(List.of(BlockSpecProto.newBuilder().setBlockId(7).setGenerationStamp(1001).setNumBytes(100).build()),
        asked.getSuspectsList());
    source.offer(sourceReport(asked.getSequence()), startNs + 2);
    coordinator.read(source, source.takeReport(), startNs + 2);
    publish();
    assertEquals(List.of(), source.commands().getSuspectsList());
  }

  private static ReportProto sourceReport(long obeyedSequence) {
    return ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId("bp").setDatanodeUuid("source")
        .setAgentIncarnation(2).setReportSequence(obeyedSequence + 1).setObeyedActivation(ACTIVATION)
        .setObeyedSequence(obeyedSequence).build();
  }

  @Test
  void agentThatWasForgotten_isDirectedWithHigherSequencesThanBefore() {
    grant();
    long before = publish().getSequence();
    tracker.cancel(tracker.all().iterator().next(), "test", startNs);
    read(report(publish().getSequence()), startNs);
    long forgetNs = TimeUnit.HOURS.toNanos(1);
    agents.forgetIf(agent -> tracker.of(agent.uuid).isEmpty() && agent.lastReportNs() - forgetNs < 0);
    target = agents.register("target", forgetNs);
    read(report(before), forgetNs);
    Attempt attempt = grant();
    assertTrue(publish().getSequence() > before);
    read(report(before + 1), forgetNs);
    assertTrue(tracker.all().contains(attempt), "commands of before do not cover the new grant");
  }

  @Test
  void idsOfALaterActivation_areAboveThoseOfAnEarlierOne() {
    long first = grant().id();
    coordinator.activate(ACTIVATION + 1);
    read(report(0), startNs);
    assertTrue(grant().id() > first);
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.NeededBlock;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.PendingCheck.State;
import io.dayu.blocks.TransferRequest;
import io.dayu.conf.Settings;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.agents.ReportResponder;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** An attempt from its grant to its end, with an agent played by hand and a block map that says what the test wants. */
final class RecoveryExecutorTest {
  private static final long LEASE_NS = TimeUnit.SECONDS.toNanos(10);
  private static final long ACTIVATION = 1_000;
  private static final BlockKey BLOCK = new BlockKey(7, 1001);
  private static final TransferRequest REQUEST = new TransferRequest(BLOCK, 100, 2, "source", "target", 4);

  private final BlockManagement blocks = mock(BlockManagement.class);
  private final DayuStatus status = new DayuStatus();
  private final PendingRegistrations registrations = new PendingRegistrations(blocks);
  private final BlockHistory history = new BlockHistory();
  private final Map<String, LiveNode> nodes =
      new HashMap<>(Map.of("source", node("source"), "other", node("other"), "target", node("target")));
  private final List<PendingCheck> checks = new ArrayList<>();
  private final AgentRegistry<AgentState> agents = new AgentRegistry<>(AgentState::new);
  private final AgentUpdates updates = new AgentUpdates(agents);
  private final TransferTracker tracker = new TransferTracker(updates);
  private RecoveryExecutor executor;
  private AgentState target;
  private long reportSequence;

  private static LiveNode node(String uuid) {
    return new LiveNode(uuid, "10.0.0.1", uuid + ".example", 9866, "/rack", true, new long[6], new int[6]);
  }

  @BeforeEach
  void startWithOneAgent() throws Exception {
    when(blocks.addressOf("target")).thenReturn("10.0.0.9");
    when(blocks.check(anyList())).thenAnswer(call -> {
      List<TransferRequest> asked = call.getArgument(0);
      return asked.isEmpty() ? List.of() : List.copyOf(checks);
    });
    ReportResponder responder =
        new ReportResponder(agents, Settings.read(new Configuration(false)), "nn", System::nanoTime,
            mock(ScheduledExecutorService.class));
    executor = new RecoveryExecutor(blocks, new StockSuspension(blocks), registrations, agents, responder, status, "nn",
        history, tracker, updates, Settings.read(new Configuration(false)));
    executor.activate(ACTIVATION);
    tracker.leaseNs(LEASE_NS);
    target = agents.register("target", 0);
    read(report(0), 0);
  }

  private ReportProto.Builder report(long obeyedSequence) {
    return ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId("bp").setDatanodeUuid("target")
        .setAgentIncarnation(1)
        .setReportSequence(++reportSequence).setObeyedActivation(ACTIVATION).setObeyedSequence(obeyedSequence);
  }

  private void read(ReportProto.Builder report, long nowNs) {
    target.offer(report.build(), nowNs);
    executor.read(target, target.takeReport(), nowNs);
    executor.settle();
  }

  private AgentCommandsProto publish() {
    executor.publish(nodes);
    return target.commands();
  }

  private static RunningTransferProto running(long attempt, String source, long doneBytes) {
    return RunningTransferProto.newBuilder().setAttempt(attempt)
        .setBlock(BlockSpecProto.newBuilder().setBlockId(7).setGenerationStamp(1001).setNumBytes(100))
        .setSource(SourceProto.newBuilder().setDatanodeUuid(source).setIpAddress("10.0.0.1").setHostName("h")
            .setTransferPort(9866))
        .setStorageType("DISK").setDoneBytes(doneBytes).setRateBytesPerSec(10).setAchievedBytesPerSec(9).build();
  }

  private static FinishedTransferProto finished(long attempt, Outcome outcome) {
    return FinishedTransferProto.newBuilder().setAttempt(attempt).setOutcome(outcome).setBlockId(7).setMessage("why")
        .build();
  }

  private void redirect(Attempt attempt, String source, long rateBytesPerSec) {
    when(blocks.commit(anyList(), any())).thenReturn(List.of());
    executor.carryOut(new TimeslotDecision(List.of(),
        List.of(new TimeslotDecision.Redirection(attempt, source, rateBytesPerSec)), List.of(),
        List.of(), 0, 0, 0), 0);
  }

  private static NeededBlock needed(List<String> sources) {
    return new NeededBlock(BLOCK, 100, 2, 1, sources, sources, List.of(), false, 4, false);
  }

  private Attempt grant() {
    return grant(List.of("source"));
  }

  private Attempt grant(List<String> sources) {
    when(blocks.commit(anyList(), any())).thenReturn(List.of(CommitResult.committed("DS-1", "DISK")));
    executor.carryOut(new TimeslotDecision(List.of(), List.of(),
        List.of(new TimeslotDecision.Copy(REQUEST, needed(sources), 10)), List.of(), 100, 100, 0), 0);
    return tracker.all().get(tracker.all().size() - 1);
  }

  @Test
  void grant_isPublishedWithItsSource() {
    Attempt attempt = grant();
    AgentCommandsProto commands = publish();
    assertTrue(commands.getAuthoritative());
    assertEquals(1, commands.getGrantsCount());
    GrantProto grant = commands.getGrants(0);
    assertEquals(attempt.id, grant.getAttempt());
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
        request -> tracker.grant(request, needed(List.of("source")), CommitResult.committed("DS-1", "DISK"), 10, 0));
    List<Long> started = publish().getGrantsList().stream().map(grant -> grant.getBlock().getBlockId()).toList();
    requests.sort(Comparator.comparingInt(TransferRequest::risk));
    assertEquals(requests.stream().map(request -> request.block().blockId()).toList(), started);
  }

  @Test
  void grant_mayExceedItsRateOnlyWhereItsSourceHasAnAgent() {
    target.reportedLoad = load(1000, 500);
    grant();
    assertFalse(publish().getGrants(0).hasMaxBytesPerSec());
    agents.register("source", 0).reportedLoad = load(1000, 500);
    updates.changed("target");
    assertEquals(475, publish().getGrants(0).getMaxBytesPerSec(), "0.95 of the slower link");
  }

  @Test
  void agentsThatShareAMeter_arePlannedWithTheirShare_andHearHowManyTheyAre() {
    LoadProto shared = load(1000, 1000).toBuilder().setMeterId(7).setNetworkBytesPerSec(1000).build();
    read(report(1).setLoad(shared), 0);
    assertEquals(shared, target.load);
    assertFalse(publish().hasMeterSharers());
    executor.read(agents.register("sibling", 0), report(1).setDatanodeUuid("sibling").setLoad(shared).build(), 0);
    read(report(2).setLoad(shared), 0);
    assertEquals(500, target.load.getCapacityInBytesPerSec());
    assertEquals(shared, target.reportedLoad);
    assertEquals(2, publish().getMeterSharers());
  }

  private static LoadProto load(long inBytesPerSec, long outBytesPerSec) {
    return LoadProto.newBuilder().setCapacityInBytesPerSec(inBytesPerSec).setCapacityOutBytesPerSec(outBytesPerSec)
        .setForegroundInBytesPerSec(0).setForegroundOutBytesPerSec(0).build();
  }

  @Test
  void blockWhoseTransferHasFailed_returnsOnceItsRegistrationIsSettled() {
    Attempt attempt = grant();
    publish();
    assertEquals(List.of(), executor.takeReturned());
    target.offer(report(1).addFinished(finished(attempt.id, Outcome.TARGET_FAILED)).build(), 0);
    executor.read(target, target.takeReport(), 0);
    assertEquals(List.of(), executor.takeReturned(), "HDFS still counts its copy");
    executor.settle();
    assertEquals(List.of(attempt.block()), executor.takeReturned());
    assertEquals(List.of(), executor.takeReturned());
  }

  @Test
  void unchangedDirections_areNotPublishedAgain() {
    grant();
    AgentCommandsProto first = publish();
    assertEquals(first, publish());
  }

  @Test
  void doneAttempt_waitsForTheBlockMapAndIsNotGrantedAgain() {
    Attempt attempt = grant();
    publish();
    read(report(1).addFinished(finished(attempt.id, Outcome.DONE)), 0);
    AgentCommandsProto commands = publish();
    assertEquals(0, commands.getGrantsCount());
    assertEquals(List.of(attempt.id), commands.getAcknowledgedList());
    assertEquals(0, status.getTotalFinished(), "an agent's word is not enough");

    checks.add(new PendingCheck(State.COMPLETE, List.of()));
    executor.audit(1);
    executor.settle();
    assertEquals(1, status.getTotalFinished());
    assertEquals(100, status.getRecoveredBytes());
    assertTrue(tracker.isEmpty());
    assertEquals(0, registrations.size());
  }

  @Test
  void doneAttemptThatTheBlockMapNeverSees_isGivenUpAfterHdfssPendingTimeout() {
    when(blocks.pendingTimeoutMs()).thenReturn(300_000L);
    Attempt attempt = grant();
    publish();
    read(report(1).addFinished(finished(attempt.id, Outcome.DONE)), 0);
    checks.add(new PendingCheck(State.WANTED, List.of("source")));
    long endNs = TimeUnit.SECONDS.toNanos(300);
    target.offer(report(1).build(), endNs);
    executor.audit(endNs);
    assertFalse(tracker.isEmpty(), "its block report may still come");
    executor.audit(endNs + 1);
    assertTrue(tracker.isEmpty());
    assertEquals(1, status.getTotalFailed());
  }

  @Test
  void doneAttemptOfABlockThatIsGoneSince_isCounted() {
    Attempt attempt = grant();
    publish();
    read(report(1).addFinished(finished(attempt.id, Outcome.DONE)), 0);
    checks.add(new PendingCheck(State.GONE, List.of()));
    executor.audit(1);
    executor.settle();
    assertEquals(1, status.getTotalFinished(), "the replica was made");
    assertEquals(100, status.getRecoveredBytes());
    assertTrue(tracker.isEmpty());
    assertEquals(0, registrations.size());
  }

  @Test
  void attemptThatIsDoneWhenItsBlockIsLongGone_isNotCounted() {
    Attempt attempt = grant();
    publish();
    checks.add(new PendingCheck(State.GONE, List.of()));
    executor.audit(1);
    read(report(1).addFinished(finished(attempt.id, Outcome.DONE)), 2);
    checks.add(new PendingCheck(State.GONE, List.of()));
    executor.audit(3);
    executor.settle();
    assertEquals(0, status.getTotalFinished(), "it was cancelled first");
    assertTrue(tracker.isEmpty());
    assertEquals(0, registrations.size());
  }

  @Test
  void doneAttemptThatTheBlockMapDoesWithout_isNotCounted() {
    Attempt attempt = grant();
    publish();
    read(report(1).addFinished(finished(attempt.id, Outcome.DONE)), 0);
    checks.add(new PendingCheck(State.UNWANTED, List.of()));
    executor.audit(1);
    assertEquals(0, status.getTotalFinished());
    assertEquals(0, status.getTotalFailed());
    assertTrue(tracker.isEmpty());
  }

  @Test
  void cancelledAttempt_isHeldUntilTheAgentHasObeyed() {
    Attempt attempt = grant();
    long granted = publish().getSequence();
    read(report(granted).addRunning(running(attempt.id, "source", 40)), 0);
    tracker.cancel(attempt, "test", 0);
    long cancelled = publish().getSequence();
    assertEquals(0, target.commands().getGrantsCount());

    read(report(granted).addRunning(running(attempt.id, "source", 50)), 1);
    assertFalse(tracker.isEmpty(), "the agent is still at it");
    read(report(cancelled), 2);
    assertTrue(tracker.isEmpty());
    assertEquals(0, registrations.size());
    assertEquals(0, status.getTotalFailed(), "a wanted end is no failure");
    assertEquals(50, status.getWastedBytes(), "what had been received");
  }

  @Test
  void cancelledAttempt_whoseAgentFallsSilentOrRestarts_isNoFailure() {
    tracker.cancel(grant(), "test", 0);
    executor.audit(LEASE_NS);
    assertFalse(tracker.isEmpty(), "its agent may still be at it");
    executor.audit(tracker.leaseNs() + 1);
    assertTrue(tracker.isEmpty());
    read(report(1), tracker.leaseNs() + 2);
    tracker.cancel(grant(), "test", tracker.leaseNs() + 2);
    read(report(1).setAgentIncarnation(2), tracker.leaseNs() + 3);
    assertTrue(tracker.isEmpty());
    assertEquals(0, status.getTotalFailed());
    verify(blocks, never()).countTimedOut();
  }

  @Test
  void cancelledAttemptThatWasDoneBeforeTheAgentObeyed_isCountedAndNotHeldForALease() {
    Attempt attempt = grant();
    publish();
    tracker.cancel(attempt, "test", 0);
    read(report(publish().getSequence()).addFinished(finished(attempt.id, Outcome.DONE)), 0);
    assertFalse(tracker.isEmpty(), "an agent's word is not enough");
    checks.add(new PendingCheck(State.COMPLETE, List.of()));
    executor.audit(1);
    executor.settle();
    assertEquals(1, status.getTotalFinished());
    assertTrue(tracker.isEmpty());
    assertEquals(0, registrations.size());
  }

  @Test
  void cancelledAttempt_isHeldWhileItIsListedThoughDirectionsWereObeyed() {
    Attempt attempt = grant();
    publish();
    tracker.cancel(attempt, "test", 0);
    long cancelled = publish().getSequence();
    read(report(cancelled).addRunning(running(attempt.id, "source", 50)), 1);
    assertFalse(tracker.isEmpty());
  }

  @Test
  void silentAgent_losesItsAttemptsWhenTheLeaseEndsAndNotBefore() {
    Attempt attempt = grant();
    publish();
    read(report(1).addRunning(running(attempt.id, "source", 40)), 5);
    checks.add(new PendingCheck(State.WANTED, List.of("source")));
    long endNs = 5 + LEASE_NS + TimeUnit.SECONDS.toNanos(2);
    executor.audit(endNs);
    assertFalse(tracker.isEmpty());
    executor.audit(endNs + 1);
    assertTrue(tracker.isEmpty());
    assertEquals(1, status.getTotalFailed());
    assertEquals(List.of("target"), history.refusedTargets(BLOCK, endNs + 1));
  }

  @Test
  void restartedAgent_hasForgottenItsAttempts() {
    Attempt attempt = grant();
    publish();
    read(report(1).addRunning(running(attempt.id, "source", 40)), 0);
    read(report(0).setAgentIncarnation(2), 1);
    assertTrue(tracker.isEmpty());
    assertEquals(1, status.getTotalFailed());
  }

  @Test
  void restartedAgent_isDirectedAnew_alsoWhenItHadNothingToDo() {
    publish();
    assertNotNull(target.commandsFor(1));
    read(report(0).setAgentIncarnation(2), 1);
    publish();
    assertNotNull(target.commandsFor(2));
  }

  @Test
  void lateReportOfAnAgentBeforeItsRestart_endsNothing() {
    read(report(0).setAgentIncarnation(2), 0);
    Attempt attempt = grant();
    long granted = publish().getSequence();
    read(report(granted).setAgentIncarnation(2).addRunning(running(attempt.id, "source", 40)), 1);
    assertFalse(target.offer(report(0).setAgentIncarnation(1).build(), 2));
    assertNull(target.takeReport());
    assertTrue(tracker.all().contains(attempt), "the agent of now is still at it");
    assertEquals(2, target.incarnation);
  }

  @Test
  void attemptThatWasGrantedButNotFetchedYet_isNotTakenForLost() {
    grant();
    publish();
    read(report(0), 1);
    assertFalse(tracker.isEmpty());
  }

  /** The agent goes on reporting these transfers, each second until {@code untilSec}. */
  private void goOn(long fromSec, long untilSec, RunningTransferProto... running) {
    for (long sec = fromSec; sec <= untilSec; sec++) {
      read(report(1).addAllRunning(List.of(running)), TimeUnit.SECONDS.toNanos(sec));
      checks.clear();
      tracker.all().forEach(attempt -> checks.add(new PendingCheck(State.WANTED, attempt.candidateSources)));
      executor.audit(TimeUnit.SECONDS.toNanos(sec));
    }
  }

  @Test
  void transferWithoutProgress_getsAnotherSource_andIsGivenUpTheSecondTime() {
    Attempt attempt = grant(List.of("source", "other"));
    publish();
    goOn(1, 60, running(attempt.id, "source", 10));
    assertFalse(attempt.sourceLost, "it has had progress a minute ago");
    goOn(61, 125, running(attempt.id, "source", 10));
    assertTrue(attempt.sourceLost);
    assertTrue(tracker.takeNeedsPlan());
    redirect(attempt, "other", 10);
    goOn(126, 190, running(attempt.id, "other", 10));
    assertFalse(attempt.live());
    assertEquals(List.of("target"), history.refusedTargets(BLOCK, TimeUnit.SECONDS.toNanos(191)));
    assertTrue(target.avoided(TimeUnit.SECONDS.toNanos(191)), "nothing gets on there");
    assertFalse(target.avoided(TimeUnit.SECONDS.toNanos(600)));
  }

  @Test
  void targetThatCompletesWhatItBeginsBetweenTwoReports_getsOn() {
    Attempt attempt = grant();
    publish();
    long nowNs = TimeUnit.SECONDS.toNanos(100);
    read(report(1).addFinished(finished(attempt.id, Outcome.DONE)), nowNs);
    assertEquals(nowNs, target.progressNs);
  }

  @Test
  void transferThatWaitsInTheAgentsQueue_isLeftAloneWhileOthersGetOn() {
    Attempt first = grant();
    Attempt queued = grant();
    publish();
    for (int sec = 1; sec < 200; sec += 10) {
      goOn(sec, sec + 9, running(first.id, "source", sec / 10 + 60), running(queued.id, "source", 0));
    }
    assertTrue(queued.live());
    goOn(201, 320, running(first.id, "source", 79), running(queued.id, "source", 0));
    assertFalse(queued.live());
  }

  @Test
  void transferThatTakesTooLong_isGivenUpHoweverItGetsOn() {
    Attempt attempt = grant();
    publish();
    for (int sec = 1; sec < 600; sec += 10) {
      goOn(sec, sec + 9, running(attempt.id, "source", 1 + sec / 10));
    }
    assertTrue(attempt.live());
    goOn(601, 602, running(attempt.id, "source", 62));
    assertFalse(attempt.live());
  }

  @Test
  void failedSource_asksForAPlanAndIsNoCandidateAnyMore() {
    Attempt attempt = grant();
    publish();
    read(report(1).addRunning(running(attempt.id, "source", 40).toBuilder().setFailedSourceUuid("source")
        .setFailure("gone")), 0);
    assertTrue(attempt.sourceLost);
    assertTrue(tracker.takeNeedsPlan());
    assertFalse(tracker.takeNeedsPlan(), "asking resets it");
    assertTrue(attempt.failedSources.contains("source"));

    redirect(attempt, "other", 20);
    GrantProto grant = publish().getGrants(0);
    assertEquals("other", grant.getSource().getDatanodeUuid());
    assertEquals(20, grant.getRateBytesPerSec());
    assertEquals(1, status.getTotalResumed());
  }

  @Test
  void failedSource_isToldToCheckItsReplicaUntilItHasObeyed() {
    AgentState source = agents.register("source", 0);
    source.offer(sourceReport(0), 0);
    executor.read(source, source.takeReport(), 0);
    grant();
    long attempt = publish().getGrants(0).getAttempt();
    read(report(0).addRunning(running(attempt, "source", 40).toBuilder().setFailedSourceUuid("source")), 1);
    publish();
    AgentCommandsProto asked = source.commands();
    assertEquals(List.of(BlockSpecProto.newBuilder().setBlockId(7).setGenerationStamp(1001).setNumBytes(100).build()),
        asked.getSuspectsList());
    source.offer(sourceReport(asked.getSequence()), 2);
    executor.read(source, source.takeReport(), 2);
    publish();
    assertEquals(List.of(), source.commands().getSuspectsList());
  }

  private static ReportProto sourceReport(long obeyedSequence) {
    return ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId("bp").setDatanodeUuid("source")
        .setAgentIncarnation(2).setReportSequence(obeyedSequence + 1).setObeyedActivation(ACTIVATION)
        .setObeyedSequence(obeyedSequence).build();
  }

  @Test
  void sourceThatLeavesTheBlockMap_isReplacedWithoutWaitingForTheAgent() {
    Attempt attempt = grant();
    publish();
    checks.add(new PendingCheck(State.WANTED, List.of("other")));
    executor.audit(1);
    assertTrue(attempt.sourceLost);
    assertTrue(tracker.takeNeedsPlan());
  }

  @ParameterizedTest
  @EnumSource(names = {"GONE", "UNWANTED"})
  void attemptThatIsNotWantedAnyMore_isCancelled(State state) {
    Attempt attempt = grant();
    publish();
    checks.add(new PendingCheck(state, List.of()));
    executor.audit(1);
    assertEquals(Attempt.Phase.CANCELLED, attempt.phase);
    assertEquals(0, publish().getGrantsCount());
  }

  @Test
  void targetFailure_countsAgainstTheTarget_sourceFailureDoesNot() {
    Attempt first = grant();
    publish();
    read(report(1).addFinished(finished(first.id, Outcome.SOURCE_FAILED)), 0);
    assertEquals(List.of(), history.refusedTargets(BLOCK, 0));
    Attempt second = grant();
    publish();
    read(report(2).addFinished(finished(second.id, Outcome.TARGET_FAILED)), 0);
    assertEquals(List.of("target"), history.refusedTargets(BLOCK, 0));
  }

  @Test
  void outcomeThatOnlyANewerAgentKnows_isAFailure() {
    Attempt attempt = grant();
    publish();
    read(report(1).addFinished(FinishedTransferProto.newBuilder().setAttempt(attempt.id).setBlockId(7)), 0);
    assertTrue(tracker.isEmpty());
    assertEquals(1, status.getTotalFailed());
  }

  @Test
  void transferToAStorageTypeThatOnlyANewerHadoopKnows_isNotAdopted() {
    AgentState newer = agents.register("newer", 0);
    newer.offer(ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId("bp").setDatanodeUuid("newer")
        .setAgentIncarnation(3)
        .setReportSequence(1).addRunning(running(9, "source", 40).toBuilder().setStorageType("TAPE")).build(), 0);
    executor.read(newer, newer.takeReport(), 0);
    assertTrue(newer.adopted);
    assertTrue(tracker.isEmpty());
  }

  @Test
  void runningTransfersOfThePredecessor_areAdoptedWithTheirProgress() {
    when(blocks.adopt(anyList())).thenReturn(List.of(CommitResult.committed("DS-1", "DISK")));
    executor.activate(ACTIVATION + 1);
    read(report(0).addRunning(running(99, "source", 60)), 0);
    Attempt adopted = tracker.all().iterator().next();
    assertEquals(99, adopted.id);
    assertEquals(60, adopted.doneBytes);
    assertEquals(1, status.getTotalAdopted());
    assertEquals(99, publish().getGrants(0).getAttempt());

    read(report(1).addFinished(finished(99, Outcome.DONE)), 0);
    checks.add(new PendingCheck(State.COMPLETE, List.of()));
    executor.audit(1);
    assertEquals(100, status.getRecoveredBytes());
    assertEquals(60, status.earlierBytes());
  }

  @Test
  void transferThatIsNotAdopted_isNotGranted() {
    when(blocks.adopt(anyList())).thenReturn(List.of(CommitResult.rejected(CommitResult.Verdict.NOT_NEEDED, "enough")));
    executor.activate(ACTIVATION + 1);
    read(report(0).addRunning(running(99, "source", 60)), 0);
    assertTrue(tracker.isEmpty());
    assertNotNull(publish());
    assertEquals(0, target.commands().getGrantsCount());
  }

  @Test
  void agentThatWasForgotten_isDirectedWithHigherSequencesThanBefore() {
    grant();
    long before = publish().getSequence();
    tracker.cancel(tracker.all().iterator().next(), "test", 0);
    read(report(publish().getSequence()), 0);
    long forgetNs = TimeUnit.HOURS.toNanos(1);
    agents.forgetIf(agent -> tracker.of(agent.uuid).isEmpty() && agent.lastReportNs() - forgetNs < 0);
    target = agents.register("target", forgetNs);
    read(report(before), forgetNs);
    Attempt attempt = grant();
    assertTrue(publish().getSequence() > before);
    read(report(before + 1), forgetNs);
    assertTrue(tracker.all().contains(attempt), "directions of before do not cover the new grant");
  }

  @Test
  void reportOfBeforeTheActivation_saysNothingAboutIt() {
    target.offer(report(0).build(), 0);
    executor.activate(ACTIVATION + 1);
    assertEquals(null, target.takeReport());
    assertFalse(target.adopted);
  }

  @Test
  void sourceThatDeliversAgain_isNoLongerLost() {
    Attempt attempt = grant();
    publish();
    read(report(1).addRunning(running(attempt.id, "source", 40).toBuilder().setFailedSourceUuid("source")
        .setFailure("gone")), 0);
    assertTrue(attempt.sourceLost);
    read(report(1).addRunning(running(attempt.id, "source", 50)), 0);
    assertFalse(attempt.sourceLost);
    assertTrue(attempt.failedSources.isEmpty());
  }

  @Test
  void idsOfALaterActivation_areAboveThoseOfAnEarlierOne() {
    long first = grant().id;
    executor.activate(ACTIVATION + 1);
    read(report(0), 0);
    assertTrue(grant().id > first);
  }
}

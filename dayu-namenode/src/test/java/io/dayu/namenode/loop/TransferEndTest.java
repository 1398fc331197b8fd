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
import io.dayu.namenode.planning.FailedCopies.FailedCopy;
import io.dayu.namenode.planning.TimeslotDecision;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.AvoidedNodes;
import io.dayu.namenode.transfers.AvoidedNodes.Role;
import io.dayu.namenode.transfers.BlockMapDelay;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.doNothing;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** How a transfer ends: done, cancelled, failed or with its lease, and what counts then. */
final class TransferEndTest extends TransferCoordinatorFixture {
  @Test
  void blockWhoseTransferHasFailed_returnsOnceItIsUnregistered() {
    Attempt attempt = grant();
    publish();
    assertEquals(List.of(), coordinator.unregisterEnded());
    target.offer(report(1).addFinished(finished(attempt.id(), Outcome.TARGET_FAILED)).build(), startNs);
    doThrow(new IllegalStateException("HDFS still counts its copy")).when(blocks).unregister(List.of(REQUEST));
    coordinator.read(target, target.takeReport(), startNs);
    assertThrows(IllegalStateException.class, coordinator::unregisterEnded);
    doNothing().when(blocks).unregister(anyList());
    assertEquals(List.of(attempt.block()), coordinator.unregisterEnded());
    assertEquals(List.of(), coordinator.unregisterEnded());
    assertEquals(List.of(new FailedCopy("target", List.of("source"), "its agent reports TARGET_FAILED: why", startNs)),
        history.failedCopies().of(attempt.block()));
  }

  @Test
  void transferThatHasEnded_cannotEndAgain() {
    Attempt ended = grant();
    Attempt other = grant();
    tracker.withdraw(ended, false);
    assertThrows(IllegalStateException.class, () -> tracker.finish(ended));
    assertEquals(List.of(other), tracker.all());
    assertEquals(1, tracker.liveCount());
    tracker.finish(other);
    assertThrows(IllegalStateException.class, () -> tracker.finish(other));
  }

  @Test
  void doneAttempt_waitsForTheBlockMapAndIsNotGrantedAgain() {
    Attempt attempt = grant();
    publish();
    read(report(1).addFinished(finished(attempt.id(), Outcome.DONE)), startNs);
    AgentCommandsProto commands = publish();
    assertEquals(0, commands.getGrantsCount());
    assertEquals(List.of(attempt.id()), commands.getAcknowledgedList());
    assertEquals(0, status.getTotalFinished(), "an agent's word is not enough");

    checks.add(new PendingCheck(State.COMPLETE, List.of()));
    audit(false, startNs + 1);
    assertEquals(List.of(), coordinator.unregisterEnded(), "nothing is to be planned again");
    assertEquals(1, status.getTotalFinished());
    assertEquals(100, status.getRecoveredBytes());
    assertTrue(tracker.isEmpty());
    assertEquals(0, registrations.size());
  }

  @Test
  void doneAttemptThatTheBlockMapNeverSees_isGivenUpAfterAMinute() {
    when(blocks.pendingTimeoutMs()).thenReturn(300_000L);
    Attempt attempt = grant();
    publish();
    read(report(1).addFinished(finished(attempt.id(), Outcome.DONE)), startNs);
    checks.add(new PendingCheck(State.WANTED, List.of("source")));
    long endNs = startNs + BlockMapDelay.OVERDUE_ALONE_NS;
    target.offer(report(1).build(), endNs);
    audit(false, endNs);
    assertFalse(tracker.isEmpty(), "its block report may still come");
    audit(false, endNs + 1);
    assertTrue(tracker.isEmpty());
    assertEquals(1, status.getTotalFailed());
  }

  /** A transfer to another target, which says that it is done and is, then or later. */
  private void anotherTargetFinishes(long doneNs, long confirmedNs) {
    AgentState honest = agents.register("honest", startNs);
    honest.offer(report(0).setDatanodeUuid("honest").build(), startNs);
    coordinator.read(honest, honest.takeReport(), startNs);
    BlockKey key = new BlockKey(8, 1001);
    TransferRequest request = new TransferRequest(key, 100, 2, "source", "honest", 4);
    when(blocks.commit(anyList(), any())).thenReturn(List.of(CommitResult.committed("DS-2", "DISK")));
    coordinator.carryOut(new TimeslotDecision(List.of(), List.of(),
        List.of(new TimeslotDecision.Copy(request, needed(List.of("source")), 10)), List.of(), List.of(), 100, 100, 0),
        startNs);
    long attempt = tracker.of("honest").get(0).id();
    honest.offer(report(1).setDatanodeUuid("honest").addFinished(finished(attempt, Outcome.DONE)).build(), doneNs);
    coordinator.read(honest, honest.takeReport(), doneNs);
    checks.clear();
    checks.add(new PendingCheck(State.WANTED, List.of("source")));
    checks.add(new PendingCheck(State.COMPLETE, List.of()));
    audit(false, confirmedNs);
    checks.remove(1);
  }

  @Test
  void doneAttemptWithoutAReplica_isGivenUpInSeconds_ifALaterOneHasItsReplica() {
    LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger(AvoidedNodes.class));
    when(blocks.pendingTimeoutMs()).thenReturn(300_000L);
    Attempt attempt = grant();
    publish();
    read(report(1).addFinished(finished(attempt.id(), Outcome.DONE)), startNs);
    anotherTargetFinishes(atNs(1), atNs(2));
    assertTrue(coordinator.avoided().planned(node("target"), atNs(2)).target());
    audit(false, atNs(4));
    assertFalse(coordinator.avoided().planned(node("target"), atNs(4)).target(), "it has to be confirmed first");
    assertEquals("", log.getOutput());
    assertEquals(List.of(attempt), tracker.all());
    audit(false, atNs(11));
    log.stopCapturing();
    assertTrue(tracker.isEmpty());
    assertTrue(coordinator.avoided().isAvoided(Role.TARGET, "target", atNs(11)));
    assertTrue(
        log.getOutput().contains("DataNode 10.0.0.9 (target) gets no new transfers for 10 s: it says that it has "
            + "received a block, and the block map does not have it"),
        log::getOutput);
    assertEquals(List.of("target"), history.refusedTargets(BLOCK, atNs(11)));
  }

  /** Its block report may be in a socket since. */
  @Test
  void doneAttempt_isNotGivenUpForTheTimeThatTheNameNodeStoodStill() {
    when(blocks.pendingTimeoutMs()).thenReturn(300_000L);
    Attempt attempt = grant();
    publish();
    read(report(1).addFinished(finished(attempt.id(), Outcome.DONE)), startNs);
    agents.pauses().noteRunning(atNs(1));
    agents.pauses().noteRunning(atNs(31));
    target.offer(report(1).build(), atNs(31));
    anotherTargetFinishes(atNs(1), atNs(31));
    assertTrue(coordinator.avoided().planned(node("target"), atNs(31)).target());
    audit(false, atNs(35));
    assertFalse(coordinator.avoided().planned(node("target"), atNs(35)).target(), "the usual delay is as before");
    audit(false, atNs(39));
    assertEquals(List.of(attempt), tracker.all());
    audit(false, atNs(40));
    assertTrue(tracker.isEmpty());
  }

  /** The first tick after a longer pause than a lease comes before any report. */
  @Test
  void doneAttempt_needsNoLease_forTheTimeThatTheNameNodeStoodStill() {
    tracker.raiseMaxLease(TimeUnit.SECONDS.toNanos(60));
    when(blocks.pendingTimeoutMs()).thenReturn(300_000L);
    Attempt attempt = grant();
    publish();
    read(report(1).addFinished(finished(attempt.id(), Outcome.DONE)), startNs);
    checks.add(new PendingCheck(State.WANTED, List.of("source")));
    agents.pauses().noteRunning(startNs);
    agents.pauses().noteRunning(atNs(70));
    audit(false, atNs(70));
    assertEquals(List.of(attempt), tracker.all());
  }

  @Test
  void doneAttemptOfAnAgentThatIsGone_endsWithItsLease() {
    when(blocks.pendingTimeoutMs()).thenReturn(300_000L);
    Attempt attempt = grant();
    publish();
    read(report(1).addFinished(finished(attempt.id(), Outcome.DONE)), startNs);
    checks.add(new PendingCheck(State.WANTED, List.of("source")));
    audit(false, startNs + tracker.maxLeaseNs());
    assertEquals(List.of(attempt), tracker.all());
    audit(false, startNs + tracker.maxLeaseNs() + 1);
    assertTrue(tracker.isEmpty());
  }

  /** Nor does HDFS's own limit count that time. */
  @Test
  void doneAttempt_isNotGivenUp_ifTheNameNodeStoodStillForHdfssLimit() {
    when(blocks.pendingTimeoutMs()).thenReturn(60_000L);
    Attempt attempt = grant();
    publish();
    read(report(1).addFinished(finished(attempt.id(), Outcome.DONE)), startNs);
    checks.add(new PendingCheck(State.WANTED, List.of("source")));
    agents.pauses().noteRunning(startNs);
    agents.pauses().noteRunning(atNs(61));
    target.offer(report(1).build(), atNs(61));
    audit(false, atNs(61));
    assertEquals(List.of(attempt), tracker.all());
  }

  @Test
  void doneAttemptOfABlockThatIsGoneSince_isCounted() {
    Attempt attempt = grant();
    publish();
    read(report(1).addFinished(finished(attempt.id(), Outcome.DONE)), startNs);
    checks.add(new PendingCheck(State.GONE, List.of()));
    audit(false, startNs + 1);
    coordinator.unregisterEnded();
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
    audit(false, startNs + 1);
    read(report(1).addFinished(finished(attempt.id(), Outcome.DONE)), startNs + 2);
    checks.add(new PendingCheck(State.GONE, List.of()));
    audit(false, startNs + 3);
    coordinator.unregisterEnded();
    assertEquals(0, status.getTotalFinished(), "it was cancelled first");
    assertTrue(tracker.isEmpty());
    assertEquals(0, registrations.size());
  }

  @Test
  void doneAttemptThatTheBlockMapDoesWithout_isNotCounted() {
    Attempt attempt = grant();
    publish();
    read(report(1).addFinished(finished(attempt.id(), Outcome.DONE)), startNs);
    checks.add(new PendingCheck(State.UNWANTED, List.of()));
    audit(false, startNs + 1);
    assertEquals(0, status.getTotalFinished());
    assertEquals(0, status.getTotalFailed());
    assertTrue(tracker.isEmpty());
  }

  @Test
  void cancelledAttempt_isHeldUntilTheAgentHasObeyed() {
    Attempt attempt = grant();
    long granted = publish().getSequence();
    read(report(granted).addRunning(running(attempt.id(), "source", 40)), startNs);
    tracker.cancel(attempt, "test", startNs);
    long cancelled = publish().getSequence();
    assertEquals(0, target.commands().getGrantsCount());

    read(report(granted).addRunning(running(attempt.id(), "source", 50)), startNs + 1);
    assertFalse(tracker.isEmpty(), "the agent is still at it");
    read(report(cancelled), startNs + 2);
    assertTrue(tracker.isEmpty());
    assertEquals(0, registrations.size());
    assertEquals(0, status.getTotalFailed(), "a wanted end is no failure");
    assertEquals(50, status.getWastedBytes(), "what had been received");
  }

  @Test
  void cancelledAttempt_whoseAgentFallsSilentOrRestarts_isNoFailure() {
    tracker.cancel(grant(), "test", startNs);
    audit(false, LEASE_NS);
    assertFalse(tracker.isEmpty(), "its agent may still be at it");
    audit(false, startNs + tracker.maxLeaseNs() + 1);
    assertTrue(tracker.isEmpty());
    read(report(1), startNs + tracker.maxLeaseNs() + 2);
    tracker.cancel(grant(), "test", startNs + tracker.maxLeaseNs() + 2);
    read(report(1).setAgentIncarnation(2), startNs + tracker.maxLeaseNs() + 3);
    assertTrue(tracker.isEmpty());
    assertEquals(0, status.getTotalFailed());
    verify(blocks, never()).countTimedOut();
  }

  @Test
  void cancelledAttemptThatWasDoneBefore_isCounted_andNotHeldForALease() {
    Attempt attempt = grant();
    publish();
    tracker.cancel(attempt, "test", startNs);
    read(report(publish().getSequence()).addFinished(finished(attempt.id(), Outcome.DONE)), startNs);
    assertFalse(tracker.isEmpty(), "an agent's word is not enough");
    checks.add(new PendingCheck(State.COMPLETE, List.of()));
    audit(false, startNs + 1);
    coordinator.unregisterEnded();
    assertEquals(1, status.getTotalFinished());
    assertTrue(tracker.isEmpty());
    assertEquals(0, registrations.size());
  }

  @Test
  void cancelledAttempt_isHeldWhileItIsListed_thoughCommandsWereObeyed() {
    Attempt attempt = grant();
    publish();
    tracker.cancel(attempt, "test", startNs);
    long cancelled = publish().getSequence();
    read(report(cancelled).addRunning(running(attempt.id(), "source", 50)), startNs + 1);
    assertFalse(tracker.isEmpty());
  }

  @Test
  void silentAgent_losesItsAttemptsWhenTheLeaseEndsAndNotBefore() {
    Attempt attempt = grant();
    publish();
    read(report(1).addRunning(running(attempt.id(), "source", 40)), startNs + 5);
    checks.add(new PendingCheck(State.WANTED, List.of("source")));
    long endNs = startNs + 5 + LEASE_NS + TimeUnit.SECONDS.toNanos(2);
    audit(false, endNs);
    assertFalse(tracker.isEmpty());
    audit(false, endNs + 1);
    assertEquals("no report from its agent within " + (LEASE_NS / 1_000_000_000 + 2) + " s: its lease has ended",
        history.failedCopies().of(attempt.block()).get(0).reason());
    assertTrue(tracker.isEmpty());
    assertEquals(1, status.getTotalFailed());
    assertEquals(List.of("target"), history.refusedTargets(BLOCK, endNs + 1));
  }

  @Test
  void deadTarget_losesItsAttemptsAtOnce() {
    Attempt attempt = grant();
    publish();
    read(report(1).addRunning(running(attempt.id(), "source", 40)), startNs);
    checks.add(new PendingCheck(State.WANTED, List.of("source")));
    audit(false, startNs + 1);
    assertFalse(tracker.isEmpty());
    when(blocks.isDead("target")).thenReturn(true);
    audit(false, startNs + 2);
    assertTrue(tracker.isEmpty());
    assertEquals(List.of("target"), history.refusedTargets(BLOCK, startNs + 2));
  }

  @Test
  void restartedAgent_hasForgottenItsAttempts() {
    Attempt attempt = grant();
    publish();
    read(report(1).addRunning(running(attempt.id(), "source", 40)), startNs);
    read(report(0).setAgentIncarnation(2), startNs + 1);
    assertTrue(tracker.isEmpty());
    assertEquals(1, status.getTotalFailed());
  }

  @Test
  void lateReportOfAnAgentBeforeItsRestart_endsNothing() {
    read(report(0).setAgentIncarnation(2), startNs);
    Attempt attempt = grant();
    long granted = publish().getSequence();
    read(report(granted).setAgentIncarnation(2).addRunning(running(attempt.id(), "source", 40)), startNs + 1);
    assertFalse(target.offer(report(0).setAgentIncarnation(1).build(), startNs + 2));
    assertNull(target.takeReport());
    assertTrue(tracker.all().contains(attempt), "the agent of now is still at it");
    assertEquals(2, target.incarnation);
  }

  @Test
  void attemptThatWasGrantedButNotFetchedYet_isNotTakenForLost() {
    grant();
    publish();
    read(report(0), startNs + 1);
    assertFalse(tracker.isEmpty());
  }

  @ParameterizedTest
  @EnumSource(names = {"GONE", "UNWANTED"})
  void attemptThatIsNotWantedAnyMore_isCancelled(State state) {
    Attempt attempt = grant();
    publish();
    checks.add(new PendingCheck(state, List.of()));
    audit(false, startNs + 1);
    assertEquals(Attempt.Phase.CANCELLED, attempt.phase());
    assertEquals(0, publish().getGrantsCount());
  }

  @Test
  void targetFailure_countsAgainstTheTarget_sourceFailureDoesNot() {
    Attempt first = grant();
    publish();
    read(report(1).addFinished(finished(first.id(), Outcome.SOURCE_FAILED)), startNs);
    assertEquals(List.of(), history.refusedTargets(BLOCK, startNs));
    Attempt second = grant();
    publish();
    read(report(2).addFinished(finished(second.id(), Outcome.TARGET_FAILED)), startNs);
    assertEquals(List.of("target"), history.refusedTargets(BLOCK, startNs));
  }

  @Test
  void outcomeThatOnlyANewerAgentKnows_isAFailure() {
    Attempt attempt = grant();
    publish();
    read(report(1).addFinished(FinishedTransferProto.newBuilder().setAttempt(attempt.id()).setBlockId(7)), startNs);
    assertTrue(tracker.isEmpty());
    assertEquals(1, status.getTotalFailed());
  }
}

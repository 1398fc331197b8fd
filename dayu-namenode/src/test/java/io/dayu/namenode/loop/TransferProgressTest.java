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
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.NodeLoad.Link;
import io.dayu.namenode.planning.TimeslotDecision;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.AvoidedNodes;
import io.dayu.namenode.transfers.AvoidedNodes.Role;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import io.dayu.protocol.DayuProtos.VolumeProto;
import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** A transfer that makes no progress or loses its source goes on from another one, or is given up. */
final class TransferProgressTest extends TransferCoordinatorFixture {
  private void redirect(Attempt attempt, String source, long rateBytesPerSec) {
    when(blocks.commit(anyList(), any())).thenReturn(List.of());
    coordinator.carryOut(new TimeslotDecision(List.of(),
        List.of(new TimeslotDecision.Redirection(attempt, List.of(source), rateBytesPerSec)), List.of(),
        List.of(), List.of(), 0, 0, 0), startNs);
  }

  private boolean isAvoided(long sec) {
    return coordinator.avoided().isAvoided(Role.TARGET, "target", atNs(sec));
  }

  /** The agent goes on reporting these transfers, each second until {@code untilSec}. */
  private void goOn(long fromSec, long untilSec, RunningTransferProto... running) {
    goOn(false, fromSec, untilSec, running);
  }

  private void goOn(boolean areLast, long fromSec, long untilSec, RunningTransferProto... running) {
    for (long sec = fromSec; sec <= untilSec; sec++) {
      read(report(1).addAllRunning(List.of(running)), atNs(sec));
      checks.clear();
      tracker.all().forEach(attempt -> checks.add(new PendingCheck(State.WANTED, attempt.candidateSources())));
      audit(areLast, atNs(sec));
    }
  }

  /** Whether a plan is needed; then one is made. */
  private boolean needsPlan() {
    boolean needed = tracker.needsPlan();
    tracker.planned();
    return needed;
  }

  /** Whatever length of the block the agent names, too. */
  @Test
  void reportedProgress_isBoundedByTheBlock() {
    Attempt attempt = grant();
    publish();
    RunningTransferProto honest = running(attempt.id(), "source", 10);
    goOn(1, 2, honest.toBuilder().setDoneBytes(1L << 40)
        .setBlock(honest.getBlock().toBuilder().setNumBytes(1L << 50)).build());
    assertEquals(REQUEST.numBytes(), attempt.doneBytes());
  }

  @Test
  void transferWithoutProgress_getsAnotherSource_andIsGivenUpTheSecondTime() {
    Attempt attempt = grant(List.of("source", "other"));
    publish();
    goOn(1, 60, running(attempt.id(), "source", 10));
    assertFalse(attempt.sourceLost(), "it has had progress a minute ago");
    goOn(61, 125, running(attempt.id(), "source", 10));
    assertTrue(attempt.sourceLost());
    assertTrue(needsPlan());
    redirect(attempt, "other", 10);
    LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger(AvoidedNodes.class));
    goOn(126, 190, running(attempt.id(), "other", 10));
    log.stopCapturing();
    assertTrue(log.getOutput().contains("DataNode 10.0.0.9 (target) gets no new transfers for 300 s"), log::getOutput);
    assertFalse(attempt.live());
    verify(blocks).countTimedOut();
    assertEquals(List.of("target"), history.refusedTargets(BLOCK, atNs(191)));
    assertTrue(isAvoided(191), "nothing gets on there");
    assertFalse(isAvoided(600));
  }

  @Test
  void transferBehindOneAtTheHighestRisk_keepsItsSource() {
    Attempt attempt = grant(List.of("source", "other"));
    Attempt complete = grant();
    Attempt first = grant();
    publish();
    RunningTransferProto slow = running(attempt.id(), "source", 10);
    RunningTransferProto fast = running(first.id(), "source", 10);
    read(report(1).addRunning(slow).addRunning(fast).addFinished(finished(complete.id(), Outcome.DONE)), atNs(60));
    tracker.all().forEach(one -> checks.add(new PendingCheck(one == complete ? State.COMPLETE : State.WANTED,
        one.candidateSources())));
    audit(false, atNs(60));
    assertEquals(1, status.getTotalFinished());
    goOn(61, 125, slow, fast);
    assertFalse(attempt.sourceLost(), "one of these was completed a minute before");
  }

  @Test
  void transferThatAnEarlierActivationCompleted_excusesNoneOfThisOne() {
    Attempt complete = grant();
    publish();
    read(report(1).addFinished(finished(complete.id(), Outcome.DONE)), atNs(60));
    checks.add(new PendingCheck(State.COMPLETE, List.of()));
    audit(false, atNs(60));
    assertEquals(1, status.getTotalFinished());
    coordinator.activate(ACTIVATION);
    tracker.raiseMaxLease(LEASE_NS);
    read(report(0), atNs(60));
    Attempt attempt = grant(List.of("source", "other"));
    Attempt first = grant();
    publish();
    goOn(60, 125, running(attempt.id(), "source", 10), running(first.id(), "source", 10));
    assertTrue(attempt.sourceLost());
  }

  @Test
  void stalledTransfer_hasItsSourceCheckItsReplica() {
    AgentState source = agents.register("source", startNs);
    Attempt attempt = grant(List.of("source", "other"));
    publish();
    goOn(1, 125, running(attempt.id(), "source", 10));
    assertTrue(attempt.sourceLost());
    List<BlockKey> suspects = new ArrayList<>();
    source.suspects.forEach((block, bytes) -> suspects.add(block));
    assertEquals(List.of(BLOCK), suspects);
  }

  /** Two transfers of 100 bytes, with 10 bytes/s each and from two sources. */
  @Test
  void targetThatCompletesNothing_isLeft_unlessItIsMostOfTheAgents() {
    agents.register("silent", startNs);
    Attempt first = grant();
    Attempt second = tracker.grant(new TransferRequest(new BlockKey(8, 1), 100, 2, "other", "target", 4),
        waitingBlock(8).on("other").build(), CommitResult.committed("DS-1", "DISK"), 10, startNs);
    publish();
    for (int sec = 1; sec <= 40; sec++) {
      goOn(sec, sec, running(first.id(), "source", sec), running(second.id(), "other", sec));
    }
    assertTrue(first.live() && second.live(), "it is the only agent that has said what it runs");
    agents.register("another", startNs).adopted = true;
    for (int sec = 41; sec <= 80; sec++) {
      goOn(sec, sec, running(first.id(), "source", sec), running(second.id(), "other", sec));
    }
    assertFalse(first.live() || second.live());
    assertEquals(List.of("target"), history.refusedTargets(BLOCK, atNs(80)));
    assertEquals(TransferBlame.UNPRODUCTIVE_TARGET, history.failedCopies().of(BLOCK).get(0).reason());
  }

  @Test
  void whatTheDisksTake_isReadFromReports_andCountsForAMinuteMore() {
    LoadProto load = LoadProto.newBuilder().setCapacityInBytesPerSec(100 << 20).setCapacityOutBytesPerSec(100 << 20)
        .setForegroundInBytesPerSec(0).setForegroundOutBytesPerSec(0).setVolumesId(1)
        .addVolumes(VolumeProto.newBuilder().setStorageId("DS-1").setStorageType("DISK").setMaxStreams(8)).build();
    read(report(1).setLoad(load.toBuilder().setDisksBytesPerSec(5 << 20)), atNs(1));
    assertEquals(5 << 20, target.load.disksBytesPerSec());
    read(report(1).setLoad(load), atNs(61));
    assertEquals(5 << 20, target.load.disksBytesPerSec());
    assertEquals(0, target.reportedLoad.disksBytesPerSec());
    read(report(1).setLoad(load), atNs(62));
    assertEquals(0, target.load.disksBytesPerSec());
  }

  /** A transfer from "source", which "other" could serve too, at 1 MB/s on links of ten times that. */
  private Attempt grantAmongIdleNodes() {
    for (String uuid : List.of("target", "source", "other")) {
      agents.register(uuid, startNs).load = new NodeLoad(new Link(10_000_000, 0), new Link(10_000_000, 0), 0, 0);
    }
    Attempt attempt = grant(List.of("source", "other"));
    publish();
    redirect(attempt, "source", 1_000_000);
    return attempt;
  }

  @Test
  void lastTransferThatIsSlow_getsAnotherSource_andThenAnotherTarget() throws Exception {
    Attempt attempt = grantAmongIdleNodes();
    goOn(true, 1, 6, running(attempt.id(), "source", 10));
    assertTrue(attempt.sourceLost());
    assertTrue(needsPlan());
    target.suspects.forEach((block, bytes) -> fail("a slow source's replica is not suspect"));
    redirect(attempt, "other", 1_000_000);
    goOn(true, 7, 13, running(attempt.id(), "other", 10));
    assertFalse(attempt.live());
    assertEquals(List.of("target"), history.refusedTargets(BLOCK, atNs(14)));
    assertFalse(history.isLeftToStock(BLOCK, atNs(14)));
    verify(blocks, never()).countTimedOut();
  }

  @Test
  void transferIsSlowAtTheEnd_onlyWhileNothingWaits() {
    Attempt attempt = grantAmongIdleNodes();
    goOn(true, 1, 5, running(attempt.id(), "source", 10));
    goOn(false, 6, 6, running(attempt.id(), "source", 10));
    goOn(true, 7, 11, running(attempt.id(), "source", 10));
    assertFalse(attempt.sourceLost());
    goOn(true, 12, 12, running(attempt.id(), "source", 10));
    assertTrue(attempt.sourceLost());
  }

  @Test
  void targetThatCompletesBetweenTwoReports_getsOn_onceTheBlockMapHasTheBlock() {
    Attempt attempt = grant();
    publish();
    long nowNs = atNs(100);
    read(report(1).addFinished(finished(attempt.id(), Outcome.DONE)), nowNs);
    assertEquals(startNs, target.progressNs, "an agent's word is not enough");
    checks.add(new PendingCheck(State.COMPLETE, List.of()));
    audit(false, nowNs + 1);
    assertEquals(nowNs + 1, target.progressNs);
  }

  @Test
  void transferThatWaitsInTheAgentsQueue_isLeftAloneWhileOthersGetOn() {
    Attempt first = grant();
    Attempt queued = grant();
    publish();
    for (int sec = 1; sec < 200; sec += 10) {
      goOn(sec, sec + 9, running(first.id(), "source", sec / 10 + 60), running(queued.id(), "source", 0));
    }
    assertTrue(queued.live());
    goOn(201, 320, running(first.id(), "source", 79), running(queued.id(), "source", 0));
    assertFalse(queued.live());
  }

  @Test
  void transferThatTakesTooLong_isGivenUpHoweverItGetsOn() {
    Attempt attempt = grant();
    publish();
    for (int sec = 1; sec < 600; sec += 10) {
      goOn(sec, sec + 9, running(attempt.id(), "source", 1 + sec / 10));
    }
    assertTrue(attempt.live());
    goOn(601, 602, running(attempt.id(), "source", 62));
    assertFalse(attempt.live());
  }

  @Test
  void failedSource_asksForAPlanAndIsNoCandidateAnyMore() {
    Attempt attempt = grant();
    publish();
    read(report(1).addRunning(running(attempt.id(), "source", 40).toBuilder().setFailedSourceUuid("source")
        .setFailure("gone")), startNs);
    assertTrue(attempt.sourceLost());
    assertTrue(needsPlan());
    assertFalse(needsPlan(), "planned");
    assertEquals(List.of(), attempt.usableSources());

    redirect(attempt, "other", 20);
    GrantProto grant = publish().getGrants(0);
    assertEquals("other", grant.getSource().getDatanodeUuid());
    assertEquals(20, grant.getRateBytesPerSec());
    assertEquals(1, status.getTotalResumed());
  }

  @Test
  void agentThatGoesOnFromAnAlternate_isFollowed() {
    for (String uuid : List.of("source", "other")) {
      agents.register(uuid, startNs).reportedLoad = new NodeLoad(new Link(1, 0), new Link(1, 0), 0, 0);
    }
    Attempt attempt = grant(List.of("source", "other"));
    GrantProto grant = publish().getGrants(0);
    assertEquals(List.of("other"), grant.getAlternatesList().stream().map(SourceProto::getDatanodeUuid).toList());
    read(report(1).addRunning(running(attempt.id(), "other", 40).toBuilder().setFailedSourceUuid("source")
        .setFailure("gone")), startNs);
    assertEquals("other", attempt.source());
    assertFalse(attempt.sourceLost());
    assertFalse(needsPlan(), "it goes on without a plan");
    assertEquals(List.of("other"), attempt.usableSources());
    GrantProto next = publish().getGrants(0);
    assertEquals("other", next.getSource().getDatanodeUuid());
    assertEquals(0, next.getAlternatesCount());
  }

  @Test
  void agentWhoseAlternateIsNoSource_getsAnotherOneByThePlan() {
    Attempt attempt = grant(List.of("source", "other"));
    publish();
    read(report(1).addRunning(running(attempt.id(), "third", 40).toBuilder().setFailedSourceUuid("source")
        .setFailure("gone")), startNs);
    assertTrue(attempt.sourceLost());
    assertTrue(needsPlan());
  }

  @Test
  void sourceThatLeavesTheBlockMap_isReplacedWithoutWaitingForTheAgent() {
    Attempt attempt = grant();
    publish();
    checks.add(new PendingCheck(State.WANTED, List.of("other")));
    audit(false, startNs + 1);
    assertTrue(attempt.sourceLost());
    assertTrue(needsPlan());
  }

  @Test
  void sourceThatDeliversAgain_isNoLongerLost() {
    Attempt attempt = grant();
    publish();
    read(report(1).addRunning(running(attempt.id(), "source", 40).toBuilder().setFailedSourceUuid("source")
        .setFailure("gone")), startNs);
    assertTrue(attempt.sourceLost());
    read(report(1).addRunning(running(attempt.id(), "source", 50)), startNs);
    assertFalse(attempt.sourceLost());
    assertEquals(List.of("source"), attempt.usableSources());
  }

  @Test
  void slowSource_isUsedAgainWhereNoOtherIsLeft() {
    Attempt attempt = grant(List.of("source", "other"));
    publish();
    tracker.leaveSlowSource(attempt, attempt.slowestSource());
    assertEquals(List.of("other"), attempt.usableSources());
    redirect(attempt, "other", 10);
    read(report(1).addRunning(running(attempt.id(), "other", 40).toBuilder().setFailedSourceUuid("other")
        .setFailure("gone")), startNs);
    assertTrue(attempt.sourceLost());
    assertEquals(List.of("source"), attempt.usableSources());
  }

  @Test
  void slowSourceThatDelivers_isStillToBeReplaced_unlessThereIsNoOther() {
    Attempt attempt = grant(List.of("source", "other"));
    publish();
    tracker.leaveSlowSource(attempt, attempt.slowestSource());
    read(report(1).addRunning(running(attempt.id(), "source", 40)), startNs);
    assertTrue(attempt.sourceLost());
    checks.add(new PendingCheck(State.WANTED, List.of("source")));
    audit(false, startNs);
    read(report(1).addRunning(running(attempt.id(), "source", 50)), startNs);
    assertFalse(attempt.sourceLost());
  }
}

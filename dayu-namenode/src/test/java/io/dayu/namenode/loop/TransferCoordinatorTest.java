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
import io.dayu.blocks.CommitResult.Verdict;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import io.dayu.conf.Setting;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.planning.BlockHistory;
import io.dayu.namenode.planning.TimeslotDecision;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.Attempt.Phase;
import io.dayu.namenode.transfers.AvoidedNodes.Role;
import io.dayu.namenode.transfers.EndedTransfer;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** What is registered, counted, handed over, published and forgotten besides the transfers themselves. */
final class TransferCoordinatorTest extends TransferCoordinatorFixture {
  private AgentState adoptedAgent(String uuid) {
    AgentState agent = agents.register(uuid, startNs);
    agent.adopted = true;
    return agent;
  }

  private List<EndedTransfer> reported(Attempt attempt, Outcome outcome) {
    target.offer(report(1).addFinished(finished(attempt.id(), outcome).toBuilder().setWastedBytes(60)).build(),
        startNs);
    return coordinator.read(target, target.takeReport(), startNs);
  }

  @Test
  void activation_andItsEnd_forgetTransfersRegistrationsAndAvoidedNodes() {
    for (Runnable change : List.<Runnable>of(() -> coordinator.activate(ACTIVATION), coordinator::clear)) {
      target.adopted = true;
      Attempt failed = grant();
      publish();
      assertEquals(1, reported(failed, Outcome.SOURCE_FAILED).size());
      grant();
      coordinator.avoided().avoidIdleTarget("target", LEASE_NS, startNs);
      change.run();
      assertTrue(tracker.isEmpty());
      assertEquals(0, registrations.size());
      assertEquals(List.of(), coordinator.unregisterEnded());
      assertFalse(coordinator.avoided().isAvoided(Role.TARGET, "target", startNs));
      assertFalse(target.adopted);
    }
  }

  /** Block reports that were sixteen minutes late, say, while this NameNode was active before. */
  @Test
  void delaysOfAnEarlierActivation_doNotCount() {
    when(blocks.pendingTimeoutMs()).thenReturn(3_600_000L);
    Attempt late = grant();
    reported(late, Outcome.DONE);
    checks.add(new PendingCheck(PendingCheck.State.COMPLETE, List.of()));
    assertEquals(1, coordinator.check(atNs(1_000)).size());
    coordinator.activate(ACTIVATION);
    tracker.raiseMaxLease(LEASE_NS);
    grant();
    publish();
    reported(tracker.all().get(0), Outcome.DONE);
    target.offer(report(1).build(), atNs(61));
    assertEquals(1, coordinator.expire(atNs(61)).size());
  }

  @Test
  void nodeThatWasAvoidedLongAgo_isForgotten() {
    coordinator.avoided().avoidIdleTarget("target", LEASE_NS, startNs);
    coordinator.judge(false, atNs(3_600));
    assertTrue(coordinator.avoided().isOnTrial("target"));
    coordinator.judge(false, atNs(3_611));
    assertFalse(coordinator.avoided().isOnTrial("target"));
  }

  @Test
  void adoptedTransfer_isRegistered_andOthersAreCounted() {
    when(blocks.adopt(anyList())).thenReturn(List.of(CommitResult.committed("DS-1", "DISK")))
        .thenReturn(List.of(CommitResult.rejected(CommitResult.Verdict.NOT_NEEDED, "enough")));
    coordinator.activate(ACTIVATION + 1);
    try (InfoLog log = new InfoLog(TransferCoordinator.class)) {
      coordinator.logAdopted();
      assertEquals(List.of(), log.lines());
      read(report(0).addRunning(running(99, "source", 60)), startNs);
      assertEquals(1, registrations.size());
      target.adopted = false;
      read(report(0).addRunning(running(99, "source", 60)).addRunning(running(98, "source", 60)), startNs);
      assertEquals(1, registrations.size());
      coordinator.logAdopted();
      assertEquals(List.of("INFO - Dayu: adopted 1 transfers that 2 agents are running, and 1 not"), log.lines());
    }
  }

  @Test
  void registrationThatHdfsHasEndedItself_isNotEndedAgain() {
    for (boolean unregistered : new boolean[] {true, false}) {
      Attempt attempt = grant();
      publish();
      reported(attempt, Outcome.DONE);
      checks.clear();
      checks.add(PendingCheck.complete(unregistered));
      assertEquals(List.of(attempt), coordinator.check(atNs(1)).stream().map(EndedTransfer::attempt).toList());
      assertEquals(unregistered ? 0 : 1, registrations.size());
      coordinator.unregisterEnded();
      assertEquals(0, registrations.size());
    }
  }

  @Test
  void transferOfASilentAgent_isReturned_whenItsLeaseIsOver() {
    when(blocks.pendingTimeoutMs()).thenReturn(300_000L);
    Attempt attempt = grant();
    publish();
    assertEquals(List.of(), coordinator.expire(atNs(1)));
    assertEquals(List.of(attempt), coordinator.expire(atNs(3_600)).stream().map(EndedTransfer::attempt).toList());
  }

  @Test
  void failedTransfer_isCounted_withWhatItHasReceivedInVain() {
    Attempt attempt = grant();
    publish();
    assertEquals(List.of(attempt),
        reported(attempt, Outcome.SOURCE_FAILED).stream().map(EndedTransfer::attempt).toList());
    assertEquals(60, status.getWastedBytes());
    verify(blocks).countTimedOut();
  }

  @Test
  void evictedTransfer_isCancelled_andItsBlockHasFailed() {
    for (int i = 0; i < 10; i++) {
      Attempt attempt = grant();
      when(blocks.commit(anyList(), any())).thenReturn(List.of());
      coordinator.carryOut(new TimeslotDecision(List.of(attempt), List.of(), List.of(), List.of(), List.of(), 0, 0, 0),
          atNs(60 * i));
      assertEquals(Phase.CANCELLED, attempt.phase());
    }
    assertTrue(history.isLeftToStock(BLOCK, atNs(600)));
    assertFalse(coordinator.avoided().isAvoided(Role.TARGET, "target", atNs(600)));
  }

  @Test
  void resultsOfCommits_areReturnedInOrder() {
    List<CommitResult> results = List.of(CommitResult.committed("DS-1", "DISK"),
        CommitResult.rejected(CommitResult.Verdict.CHANGED, "a test"));
    when(blocks.commit(anyList(), any())).thenReturn(results);
    TimeslotDecision.Copy copy = new TimeslotDecision.Copy(REQUEST, needed(List.of("source")), 10);
    assertEquals(results, coordinator.carryOut(
        new TimeslotDecision(List.of(), List.of(), List.of(copy, copy), List.of(), List.of(), 0, 0, 0), startNs));
    assertEquals(1, tracker.liveCount());
  }

  @Test
  void commitThatIsRejected_countsAgainstTheTargetOnlyIfItIsTheReason() {
    for (Verdict verdict : List.of(Verdict.CHANGED, Verdict.TARGET_FULL)) {
      when(blocks.commit(anyList(), any())).thenReturn(List.of(CommitResult.rejected(verdict, "a test")));
      coordinator.carryOut(new TimeslotDecision(List.of(), List.of(),
          List.of(new TimeslotDecision.Copy(REQUEST, needed(List.of("source")), 10)), List.of(), List.of(), 0, 0, 0),
          startNs);
      assertEquals(verdict == Verdict.CHANGED ? List.of() : List.of("target"),
          history.refusedTargets(BLOCK, startNs));
    }
    assertTrue(tracker.isEmpty());
    assertEquals(0, registrations.size());
  }

  @Test
  void blockWithACopyOnItsWay_isNotPassedOver() {
    BlockHistory planned = mock(BlockHistory.class);
    coordinator = coordinator(planned, false);
    grant();
    verify(planned).planned(BLOCK);
  }

  /** The queues of HDFS have the others, too. */
  @Test
  void blocksThatReturn_areBounded() {
    when(blocks.pendingTimeoutMs()).thenReturn(300_000L);
    for (int i = 0; i <= 10_000; i++) {
      tracker.grant(new TransferRequest(new BlockKey(100 + i, 1), 100, 2, "source", "target", 4),
          needed(List.of("source")), CommitResult.committed("DS-1", "DISK"), 10, startNs);
    }
    assertEquals(10_001, coordinator.expire(atNs(3_600)).size());
    assertEquals(10_000, coordinator.unregisterEnded().size());
  }

  private static NodeLoad load(long inBytesPerSec, long outBytesPerSec) {
    return new NodeLoad(new NodeLoad.Link(inBytesPerSec, 0), new NodeLoad.Link(outBytesPerSec, 0), 0, 0);
  }

  private OptionalLong publishedMaxBytesPerSec() {
    GrantProto grant = publish().getGrants(0);
    return grant.hasMaxBytesPerSec() ? OptionalLong.of(grant.getMaxBytesPerSec()) : OptionalLong.empty();
  }

  @Test
  void rateThatMayBeExceeded_followsTheSettings_andIsHeldWhereAllAreLimited() throws Exception {
    target.reportedLoad = load(1000, 500);
    agents.register("source", startNs).reportedLoad = load(1000, 500);
    grant();
    assertEquals(OptionalLong.of(475), publishedMaxBytesPerSec());
    settings.change(Setting.MAX_UTILIZATION, "0.5", "set by a test", 1);
    assertEquals(OptionalLong.of(450), publishedMaxBytesPerSec(), "though nothing else of the grant has changed");
    settings.change(Setting.MAX_TOTAL_BANDWIDTH, "1", "set by a test", 2);
    assertEquals(OptionalLong.empty(), publishedMaxBytesPerSec());
    settings.change(Setting.MAX_TOTAL_BANDWIDTH, "0", "set by a test", 3);
    assertEquals(OptionalLong.of(450), publishedMaxBytesPerSec());
    coordinator = coordinator(history, true);
    updates.changed("target");
    assertEquals(OptionalLong.empty(), publishedMaxBytesPerSec(), "the algorithm has each transfer held to its rate");
  }

  @Test
  void sourceThatIsAvoided_isNoAlternate() {
    agents.register("other", startNs).reportedLoad = load(1000, 500);
    grant(List.of("source", "other"));
    assertEquals(1, publish().getGrants(0).getAlternatesCount());
    for (int i = 0; i < 8; i++) {
      coordinator.avoided().failed("other", "target", atNs(i) - LEASE_NS);
    }
    assertTrue(coordinator.avoided().isAvoided(Role.SOURCE, "other", startNs));
    updates.changed("target");
    assertEquals(0, publish().getGrants(0).getAlternatesCount());
  }

  @Test
  void agentWhoseTransfersAreNotKnownYet_isToldNothing() {
    AgentState unread = agents.register("unread", startNs);
    updates.changed("unread");
    updates.changed("forgotten");
    publish();
    assertNull(unread.commands());
    assertEquals(List.of(), updates.changed());
  }

  private StockHandover handover(List<WaitingBlock> blocksForStock) {
    StockHandover handover = new StockHandover();
    handover.offer(blocksForStock.stream()
        .map(block -> new TimeslotDecision.ForStock(block, WaitReason.NOTHING_PLANNED)).toList(), startNs);
    handover.begin(startNs, 1_000);
    return handover;
  }

  @Test
  void blockWhoseFirstCopyIsOnItsWay_isNotHandedToStock() {
    grant();
    WaitingBlock other = waitingBlock(8).risk(0).on("source").build();
    when(blocks.scheduleByStock(anyList())).thenReturn(1);
    coordinator.handOver(handover(List.of(waitingBlock(BLOCK).risk(0).on("source").build(), other)), () -> 0, startNs);
    verify(blocks).scheduleByStock(List.of(other));
    assertEquals(1, status.getTotalHandedToStock());
  }

  @Test
  void handover_goesOnLater_whenItsTimeIsOver() {
    StockHandover handover = handover(
        LongStream.range(1, 1_001).mapToObj(id -> waitingBlock(id).risk(2).on("source", "other").build()).toList());
    AtomicLong stopwatchNs = new AtomicLong();
    coordinator.handOver(handover, () -> stopwatchNs.getAndAdd(TimeUnit.MILLISECONDS.toNanos(100)), startNs);
    verify(blocks, times(1)).scheduleByStock(anyList());
    assertFalse(handover.next().isEmpty());
  }

  /** Of whose nodes nothing can be learned. */
  private static Map<String, LiveNode> broken() {
    return new HashMap<>() {
      @Override
      public LiveNode get(Object uuid) {
        throw new IllegalStateException("a test");
      }
    };
  }

  @Test
  void agentWhoseCommandsCannotBeMade_getsNone_untilTheyCan() {
    Attempt attempt = grant();
    assertEquals(1, publish().getGrantsCount());
    tracker.redirect(attempt, List.of("source"), 20);
    coordinator.publish(broken(), startNs);
    assertNull(target.commands());
    assertEquals(20, publish().getGrants(0).getRateBytesPerSec());
  }

  @Test
  void failureForSeveralAgents_isOneOfTheLoop_ifItIsOneForAll() {
    adoptedAgent("second");
    grant();
    tracker.grant(new TransferRequest(new BlockKey(8, 1), 100, 2, "source", "second", 4),
        waitingBlock(8).on("source").build(), CommitResult.committed("DS-1", "DISK"), 10, startNs);
    assertThrows(IllegalStateException.class, () -> coordinator.publish(broken(), startNs));
    adoptedAgent("idle");
    updates.changed("idle");
    coordinator.publish(broken(), startNs);
    assertEquals(1, publish().getGrantsCount());
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.CommitResult;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import io.dayu.conf.Profile;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.atLeast;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** Timeslots of the loop: when it plans them, with what it knows, and what becomes of what they decide. */
class RecoveryTimeslotsTest extends RecoveryControllerFixture {
  private static final List<String> NODES = List.of("source", "other", "target");

  /** What HDFS's queues have; a block leaves them once a copy of it is registered. */
  private final List<WaitingBlock> queue = new ArrayList<>();
  private final List<TransferRequest> committed = new ArrayList<>();
  private boolean acceptsCommits = true;
  private int multiplier = 2;
  private Settings settings;

  @BeforeEach
  void threeNodes() {
    when(blocks.liveNodes()).thenReturn(NODES.stream().map(RecoveryControllerFixture::nodeWithRoom).toList());
    when(blocks.liveNodeCount()).thenReturn(NODES.size());
    when(blocks.waitingBlocks()).thenAnswer(call -> (long) queue.size());
    when(blocks.readNext(anyList())).thenAnswer(call -> {
      call.<List<WaitingBlock>>getArgument(0).addAll(queue);
      return true;
    });
    when(blocks.readHighestRisk(anyInt()))
        .thenAnswer(call -> queue.stream().filter(block -> block.risk() == 0).toList());
    when(blocks.readAgain(anyList()))
        .thenAnswer(call -> queue.stream().filter(b -> call.<List<?>>getArgument(0).contains(b.key())).toList());
    when(blocks.commit(anyList(), any())).thenAnswer(call -> call.<List<TransferRequest>>getArgument(0).stream()
        .map(request -> commit(request)).toList());
    when(blocks.stockMultiplier()).thenAnswer(call -> multiplier);
    doAnswer(call -> {
      multiplier = call.getArgument(0);
      return null;
    }).when(blocks).setStockMultiplier(anyInt());
  }

  private CommitResult commit(TransferRequest request) {
    if (!acceptsCommits) {
      return CommitResult.rejected(CommitResult.Verdict.CHANGED, "a test");
    }
    committed.add(request);
    queue.removeIf(block -> block.key().equals(request.block()));
    return CommitResult.committed("DS", "DISK");
  }

  private long atMs(long ms) {
    return startNs + TimeUnit.MILLISECONDS.toNanos(ms);
  }

  private void report(String uuid, long ms) {
    report(report(uuid), ms);
  }

  private void report(ReportProto.Builder report, long ms) {
    recovery.responder().receive(
        report.setLoad(FAST).setObeyedActivation(ACTIVATION).setObeyedSequence(0).build(), atMs(ms));
  }

  private void tick(long ms) {
    recovery.controller().tick(atMs(ms));
  }

  /** Reports of all agents and a tick each half second, this moment not included. */
  private void runFor(long fromMs, long untilMs) {
    for (long ms = fromMs; ms < untilMs; ms += 500) {
      for (String uuid : NODES) {
        report(uuid, ms);
      }
      tick(ms);
    }
  }

  private void runWith(String key, String value) throws Exception {
    Configuration conf = new Configuration(false);
    conf.set(key, value);
    settings = runWith(conf);
  }

  private static WaitingBlock block(long id, String... holders) {
    return waitingBlock(id).bytes(1L << 30).on(holders).build();
  }

  @Test
  void blockWithACopyOnItsWay_isNotPlannedAgain() {
    queue.add(block(1, "source"));
    runFor(0, 20_000);
    assertEquals(1, committed.size());
  }

  private Set<String> nodesWithLoads(long ms) {
    return recovery.controller().cluster().loads(atMs(ms)).keySet();
  }

  /** As in a long garbage collection: the loop goes on before any report is there. */
  @Test
  void nameNodeThatStoodStill_leavesTransfersAsTheyAre() {
    queue.add(block(1, "source"));
    runFor(0, 3_000);
    Attempt attempt = recovery.controller().transfers().get(0);
    tick(33_000);
    assertEquals(Set.copyOf(NODES), nodesWithLoads(33_000));
    runFor(33_500, 40_000);
    assertEquals(List.of(attempt), recovery.controller().transfers());
    assertNotEquals(Attempt.Phase.CANCELLED, attempt.phase());
    assertEquals(1, committed.size());
  }

  @Test
  void agentsThatStaySilentAfterThat_areGone() {
    runFor(0, 3_000);
    for (long ms = 33_000; ms <= 41_000; ms += 500) {
      tick(ms);
    }
    assertEquals(Set.copyOf(NODES), nodesWithLoads(41_000));
    tick(41_500);
    assertEquals(Set.of(), nodesWithLoads(41_500), "after nine seconds");
  }

  @Test
  void requestRightAfterThat_findsTheAgents() {
    runFor(0, 3_000);
    Set<String> found = new HashSet<>();
    LoopRequests requests = mock(LoopRequests.class);
    doAnswer(call -> found.addAll(nodesWithLoads(33_000))).when(requests).runPending();
    new RecoveryLoop(recovery, requests, tickNs -> {
    }).tick(atMs(33_000));
    assertEquals(Set.copyOf(NODES), found);
  }

  /** Its agents have ended their transfers. */
  @Test
  void nameNodeThatStoodStillForALease_plansNothingUntilAgentsReport() {
    runFor(0, 3_000);
    queue.add(block(1, "source"));
    tick(73_000);
    assertEquals(Set.of(), nodesWithLoads(73_000));
    assertEquals(List.of(), committed);
    runFor(73_500, 80_000);
    assertEquals(1, committed.size());
  }

  /** Handlers take reports in while the loop plans, or waits for a lock. */
  @Test
  void slowLoop_noticesThatAnAgentIsSilent() {
    runFor(0, 3_000);
    for (long ms = 3_000; ms <= 12_000; ms += 500) {
      report("source", ms);
      report("other", ms + 10);
      if (ms % 2_000 == 0) {
        tick(ms + 400);
      }
    }
    assertEquals(Set.of("source", "other"), nodesWithLoads(12_400));
  }

  /** The tick goes on for a while, and so do the handlers. */
  @Test
  void nameNodeThatStoodStillEarlierInATick_leavesTransfersAsTheyAre() {
    runFor(0, 3_000);
    report("source", 3_400);
    report("other", 22_100);
    tick(23_000);
    assertEquals(Set.copyOf(NODES), nodesWithLoads(23_000));
  }

  private void reportOf(Attempt attempt, long doneBytes, long ms) {
    report(report(attempt.target()).addRunning(running().toBuilder().setAttempt(attempt.id()).setDoneBytes(doneBytes)
        .setBlock(BlockSpecProto.newBuilder().setBlockId(attempt.block().blockId())
            .setGenerationStamp(attempt.block().generationStamp()).setNumBytes(attempt.request().numBytes()))),
        ms);
  }

  /** Its copy has moved on since, as the report says that is made after the pause. */
  @Test
  void blockAtTheHighestRisk_getsNoSecondCopy_sinceTheNameNodeStoodStill() {
    WaitingBlock twoLacking = waitingBlock(1).bytes(1L << 30).risk(0).copies(2).on("source").build();
    queue.add(twoLacking);
    runFor(0, 3_000);
    Attempt attempt = recovery.controller().transfers().get(0);
    queue.add(twoLacking);
    tick(23_000);
    reportOf(attempt, 0, 23_050);
    tick(23_100);
    reportOf(attempt, 1L << 29, 23_600);
    tick(23_700);
    runFor(24_000, 26_000);
    assertEquals(1, committed.size());
  }

  /** The block report is still to be read. */
  @Test
  void blockAtTheHighestRisk_getsNoSecondCopy_sinceItStoodStillAfterTheFirst() {
    WaitingBlock twoLacking = waitingBlock(1).bytes(1L << 30).risk(0).copies(2).on("source").build();
    queue.add(twoLacking);
    runFor(0, 3_000);
    Attempt attempt = recovery.controller().transfers().get(0);
    report(done(attempt), 3_050);
    tick(3_100);
    queue.add(twoLacking);
    tick(23_100);
    report(attempt.target(), 23_500);
    runFor(23_600, 30_000);
    assertEquals(1, committed.size());
  }

  @Test
  void agentThatIsGone_holdsUpPlansForFiveSeconds() {
    queue.add(block(1, "source"));
    runFor(0, 6_000);
    String target = committed.get(0).target();
    NODES.stream().filter(uuid -> !uuid.equals(target)).forEach(uuid -> report(uuid, 26_000));
    queue.add(block(2, "source"));
    for (long ms = 26_000; ms < 31_000; ms += 500) {
      tick(ms);
      assertEquals(1, committed.size(), ms + " ms");
    }
    tick(31_000);
    assertEquals(2, committed.size());
  }

  private ReportProto.Builder done(Attempt attempt) {
    return report(attempt.target()).addFinished(
        FinishedTransferProto.newBuilder().setAttempt(attempt.id()).setOutcome(Outcome.DONE).setBlockId(1));
  }

  @Test
  void transfer_isNotStalled_sinceTheNameNodeStoodStill() throws Exception {
    runWith("dayu.transfer.stall-window", "20s");
    queue.add(block(1, "source"));
    runFor(0, 3_000);
    Attempt attempt = recovery.controller().transfers().get(0);
    tick(33_000);
    reportOf(attempt, 1L << 29, 33_600);
    tick(34_000);
    assertNotEquals(Attempt.Phase.CANCELLED, attempt.phase());
    assertTrue(recovery.controller().cluster().nodesToPlanWith(atMs(34_000)).get(attempt.target()).target());
  }

  /** Its agent has finished it before its lease ended, and could not say so. */
  @Test
  void transferThatWasDoneInAPauseOfALease_isNotFailed() {
    queue.add(block(1, "source"));
    runFor(0, 3_000);
    Attempt attempt = recovery.controller().transfers().get(0);
    tick(73_000);
    report(done(attempt), 73_050);
    tick(73_100);
    report(attempt.target(), 73_600);
    tick(74_000);
    assertEquals(List.of(attempt), recovery.controller().transfers());
  }

  @Test
  void leases_areExtended_whileReportsAreAwaited() throws Exception {
    runWith("dayu.transfer.lease", "10s");
    queue.add(block(1, "source"));
    runFor(0, 3_000);
    for (long ms = 9_000; ms < 13_500; ms += 500) {
      tick(ms);
    }
    ReportProto report = report("source").setLoad(FAST).setObeyedActivation(ACTIVATION).build();
    assertTrue(recovery.responder().receive(report, atMs(13_500)).getNow(null).getAuthoritative());
  }

  @Test
  void blockThatNoNodeCanTake_goesToStock_andIsForgottenByAStandby() {
    WaitingBlock everywhere = block(1, "source", "other", "target");
    queue.add(everywhere);
    runFor(0, 10_000);
    verify(blocks, atLeast(1)).scheduleByStock(List.of(everywhere));
    assertTrue(recovery.controller().waits().isUnplaceable(1));
    when(blocks.keepsQueues()).thenReturn(false);
    tick(10_000);
    assertFalse(recovery.controller().waits().isUnplaceable(1));
  }

  /** Six at a time, two for each node. */
  @Test
  void blocksForStock_areNotHandedOverAfterAFailover() {
    List<WaitingBlock> handed = new ArrayList<>();
    when(blocks.scheduleByStock(anyList())).thenAnswer(call -> {
      handed.addAll(call.getArgument(0));
      return 0;
    });
    for (int id = 1; id <= 100; id++) {
      queue.add(block(id, "source", "other", "target"));
    }
    runFor(0, 10_000);
    int before = handed.size();
    assertTrue(before > 0 && before < 50, before + " were handed over");
    when(blocks.keepsQueues()).thenReturn(false);
    tick(10_000);
    when(blocks.keepsQueues()).thenReturn(true);
    queue.clear();
    runFor(11_000, 20_000);
    assertEquals(before, handed.size());
  }

  @Test
  void blockWhoseCopyFails_isReadAgain_andKnownUntilAFailover() {
    WaitingBlock block = block(7, "source");
    queue.add(block);
    runFor(0, 1_000);
    Attempt attempt = recovery.controller().transfers().get(0);
    report(report(attempt.target()).addFinished(FinishedTransferProto.newBuilder().setAttempt(attempt.id())
        .setOutcome(Outcome.TARGET_FAILED).setBlockId(7)), 900);
    tick(900);
    acceptsCommits = false;
    queue.add(block);
    runFor(1_000, 5_000);
    verify(blocks, atLeast(1)).readAgain(List.of(block.key()));
    assertEquals(1, recovery.controller().history().failedCopies().of(block.key()).size());
    when(blocks.keepsQueues()).thenReturn(false);
    tick(5_000);
    assertEquals(List.of(), recovery.controller().history().failedCopies().of(block.key()));
  }

  @Test
  void finishedTransfer_isInTheSummaryOfTheNextTimeslot() {
    queue.add(block(1, "source"));
    runFor(0, 1_000);
    when(blocks.check(anyList())).thenAnswer(call -> call.<List<?>>getArgument(0).stream()
        .map(any -> new PendingCheck(PendingCheck.State.COMPLETE, List.of())).toList());
    runFor(1_000, 1_500);
    acceptsCommits = false;
    queue.add(block(2, "source"));
    long timeslot = recovery.status().getTimeslot();
    for (long ms = 1_500; ms < 10_000 && recovery.status().getTimeslot() == timeslot; ms += 500) {
      runFor(ms, ms + 500);
    }
    assertEquals(1, recovery.status().getLastFinished());
  }

  /** The list of nodes is read once a second. What begins a recovery may be younger. */
  @Test
  void firstPlan_knowsTheNodesOfThisMoment() {
    runFor(0, 1_000);
    report("young", 1_000);
    tick(1_000);
    when(blocks.liveNodes()).thenReturn(Stream.of("source", "young").map(RecoveryControllerFixture::nodeWithRoom)
        .toList());
    queue.add(block(1, "source"));
    tick(1_500);
    assertEquals(List.of("young"), committed.stream().map(TransferRequest::target).toList());
  }

  @Test
  void timeslotsOfANewActivation_beginAtOnce_andWithTheFirst() {
    acceptsCommits = false;
    queue.add(block(1, "source"));
    long ms = 0;
    while (ms < 60_000 && recovery.status().getTimeslot() < 3) {
      runFor(ms, ms + 500);
      ms += 500;
    }
    when(blocks.keepsQueues()).thenReturn(false);
    tick(ms - 300);
    when(blocks.keepsQueues()).thenReturn(true);
    tick(ms - 200);
    runFor(ms - 100, ms);
    assertEquals(1, recovery.status().getTimeslot());
  }

  private void highestRiskWaits() {
    queue.add(waitingBlock(1).risk(0).on("source").build());
  }

  @Test
  void profile_isFollowedEachSecond_whoeverRecovers() throws Exception {
    runWith("dayu.profile", "gentle");
    recovery.controller().adminControl().command(AdminControl.Mode.STOCK, "admin", "", wallClockMs);
    runFor(0, 2_000);
    assertEquals(Profile.GENTLE, settings.profile());
    highestRiskWaits();
    runFor(2_000, 4_000);
    assertEquals(Profile.BALANCED, settings.profile());
    when(blocks.keepsQueues()).thenReturn(false);
    tick(5_000);
    assertEquals(Profile.GENTLE, settings.profile(), "a standby has nothing to recover");
  }

  @Test
  void profile_isFollowedBeforeEachPlan_andWhenAnAdminHasChangedIt() throws Exception {
    acceptsCommits = false;
    runWith("dayu.profile", "gentle");
    runFor(0, 1_500);
    highestRiskWaits();
    runFor(1_500, 2_000);
    assertEquals(1, recovery.status().getTimeslot());
    assertEquals(Profile.BALANCED, settings.profile());
    settings.change(Setting.PROFILE, "fast", "set by a test", 1);
    recovery.controller().followProfile(atMs(1_501));
    assertEquals(Profile.FAST, settings.profile());
  }
}

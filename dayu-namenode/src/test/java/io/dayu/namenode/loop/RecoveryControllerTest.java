/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.CommitResult;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.LiveNodeFixture;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.StockReconstruction;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import io.dayu.harness.Await;
import io.dayu.journal.JournalReader;
import io.dayu.journal.JournalRecord;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.atLeast;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** States of the recovery, tick by tick. */
class RecoveryControllerTest extends RecoveryControllerFixture {
  @Test
  void transfers_areAdoptedOnceTheSafeModeIsLeft_andNotBefore() {
    when(blocks.inSafeMode()).thenReturn(true);
    recovery.responder().receive(report().addRunning(running()).build(), startNs + 1);
    recovery.controller().tick(startNs + 2);
    verify(blocks, never()).adopt(anyList());
    assertEquals("STANDBY", recovery.status().getState());
    assertEquals("the NameNode is active, but has not left safe mode since its start",
        recovery.status().getStateReason());

    when(blocks.inSafeMode()).thenReturn(false);
    recovery.controller().tick(startNs + 3);
    recovery.responder().receive(report().addRunning(running()).build(), startNs + 4);
    recovery.controller().tick(startNs + 5);
    verify(blocks).adopt(anyList());
    assertEquals(1, recovery.registrations().size());
  }

  private boolean isDirectedAt(int sec) {
    return recovery.responder().receive(report().build(), startNs + TimeUnit.SECONDS.toNanos(sec)).join()
        .getAuthoritative();
  }

  @Test
  void nameNodeThatIsActiveOnceMore_commandsNothing_untilTheLoopHasSeenThat() {
    runFor(0, 3);
    assertTrue(isDirectedAt(3));
    when(blocks.lastTransitionMs()).thenReturn(1L);
    when(blocks.lastCompletedTransitionMs()).thenReturn(1L);
    assertFalse(isDirectedAt(3));
    runFor(3, 6);
    assertTrue(isDirectedAt(6));
  }

  @Test
  void endOfATransfer_isRecorded_thoughALaterStepOfItsStageFails(@TempDir Path folder) throws Exception {
    recordIn(folder);
    recovery.controller().tick(startNs + 1);
    recovery.responder().receive(report().addRunning(running()).build(), startNs + 2);
    recovery.controller().tick(startNs + 3);
    when(blocks.check(anyList())).thenReturn(List.of(new PendingCheck(PendingCheck.State.COMPLETE, List.of())));
    when(blocks.stockReconstructions()).thenThrow(new IllegalStateException("as the test wants"));
    recovery.controller().tick(startNs + TimeUnit.SECONDS.toNanos(2));
    assertEquals(1, recovery.status().getTotalFinished());
    recovery.controller().end(null);
    Path journal = folder.resolve("dayu-journal-nn.0");
    // The controller itself waits only for a short time.
    Await.until("the end is recorded", Duration.ofSeconds(60),
        () -> Files.exists(journal) && Files.size(journal) > 0 && recordedEnds(journal).equals(List.of(7L)));
  }

  private static List<Long> recordedEnds(Path journal) throws IOException {
    List<JournalRecord> records = new ArrayList<>();
    JournalReader.read(journal, records::add);
    return records.stream().filter(JournalRecord.Ended.class::isInstance)
        .flatMap(ended -> ((JournalRecord.Ended) ended).ends().stream()).map(JournalRecord.End::block).toList();
  }

  /** Two of ten nodes report their blocks late; meanwhile a hundred blocks seem to lack replicas. */
  @Test
  void restart_plansNothing_untilTheBlocksAreReported() {
    when(blocks.hasBlocks()).thenReturn(true);
    when(blocks.waitingBlocks()).thenReturn(100L);
    when(blocks.liveNodeCount()).thenReturn(1);
    when(blocks.nodesWithoutBlockReport()).thenReturn(2);
    runFor(0, 40);
    verify(blocks, never()).readNext(anyList());
    verify(blocks, atLeast(1)).readHighestRisk(1_000);
    assertTrue(recovery.status().getStateReason().startsWith("waiting for the first block reports of 2 of 1"),
        recovery.status().getStateReason());
    when(blocks.nodesWithoutBlockReport()).thenReturn(0);
    runFor(40, 60);
    verify(blocks, atLeast(1)).readNext(anyList());
    assertEquals("the NameNode is active; stock re-replication is suspended", recovery.status().getStateReason());
  }

  @Test
  void blockReports_areWatched_whileStockRecovers() {
    when(blocks.hasBlocks()).thenReturn(true);
    when(blocks.liveNodeCount()).thenReturn(1);
    when(blocks.nodesWithoutBlockReport()).thenReturn(1);
    recovery.controller().adminControl().command(AdminControl.Mode.STOCK, "admin", "", wallClockMs);
    runFor(0, 20);
    assertFalse(recovery.controller().waits().knowsWhatLacks());
    when(blocks.nodesWithoutBlockReport()).thenReturn(0);
    runFor(20, 22);
    assertTrue(recovery.controller().waits().knowsWhatLacks());
  }

  /** As many as nine of their intervals. */
  @Test
  void agentsThatHaveNotReportedSinceTheActivation_areNotTooFewAtOnce() {
    for (int sec = 0; sec <= 9; sec++) {
      recovery.controller().tick(startNs + TimeUnit.SECONDS.toNanos(sec));
      assertEquals("DAYU", recovery.status().getState(), "after " + sec + " s");
    }
    recovery.controller().tick(startNs + TimeUnit.SECONDS.toNanos(10));
    assertEquals("STOCK", recovery.status().getState());
  }

  private void runFor(int fromSec, int untilSec) {
    for (int sec = fromSec; sec < untilSec; sec++) {
      long nowNs = startNs + TimeUnit.SECONDS.toNanos(sec);
      recovery.responder()
          .receive(report().setLoad(LOAD).setObeyedActivation(ACTIVATION).setObeyedSequence(1).build(), nowNs);
      recovery.controller().tick(nowNs);
    }
  }

  @Test
  void lossOfManyDataNodes_isExplained_untilAnAdminResumes() {
    when(blocks.liveNodeCount()).thenReturn(10);
    runFor(0, 10);
    when(blocks.liveNodeCount()).thenReturn(4);
    runFor(10, 20);
    assertTrue(recovery.status().getStateReason().startsWith("6 of 10 DataNodes were lost within minutes"),
        recovery.status().getStateReason());
    recovery.controller().adminControl().command(AdminControl.Mode.RUN, "admin", "", wallClockMs);
    runFor(20, 30);
    assertEquals("the NameNode is active; stock re-replication is suspended", recovery.status().getStateReason());
  }

  /** Commits are refused, so that both blocks wait on. */
  @Test
  void lossOfManyDataNodes_orAPause_leavesOnlyTheHighestRiskToPlan() throws Exception {
    WaitingBlock last = waitingBlock(1).risk(0).on("source").build();
    WaitingBlock other = waitingBlock(2).risk(2).on("source").build();
    when(blocks.liveNodes()).thenReturn(List.of(nodeWithRoom("source"), nodeWithRoom("target")));
    when(blocks.waitingBlocks()).thenReturn(2L);
    when(blocks.readHighestRisk(anyInt())).thenReturn(List.of(last));
    when(blocks.readNext(anyList()))
        .thenAnswer(call -> call.<List<WaitingBlock>>getArgument(0).addAll(List.of(last, other)));
    Set<Long> planned = new TreeSet<>();
    when(blocks.commit(anyList(), any())).thenAnswer(call -> call.<List<TransferRequest>>getArgument(0).stream()
        .peek(request -> planned.add(request.block().blockId()))
        .map(request -> CommitResult.rejected(CommitResult.Verdict.CHANGED, "a test")).toList());
    AdminControl admin = recovery.controller().adminControl();
    when(blocks.liveNodeCount()).thenReturn(10);
    assertEquals(Set.of(1L, 2L), planned(planned, 0));
    when(blocks.liveNodeCount()).thenReturn(4);
    assertEquals(Set.of(1L), planned(planned, 10), "six of ten nodes were lost");
    admin.command(AdminControl.Mode.RUN, "admin", "", wallClockMs);
    assertEquals(Set.of(1L, 2L), planned(planned, 20));
    admin.pause(PauseRequest.parse("-for 1h"), "admin", wallClockMs + 1);
    assertEquals(Set.of(1L), planned(planned, 30));
    admin.pause(PauseRequest.parse("-all"), "admin", wallClockMs + 2);
    assertEquals(Set.of(), planned(planned, 40));
  }

  /** Blocks that ten seconds of ticks and reports plan from then on. */
  private Set<Long> planned(Set<Long> planned, int fromSec) {
    planned.clear();
    for (int sec = fromSec; sec < fromSec + 10; sec++) {
      long nowNs = startNs + TimeUnit.SECONDS.toNanos(sec);
      for (String uuid : List.of("source", "target")) {
        recovery.responder().receive(
            report(uuid).setLoad(FAST).setObeyedActivation(ACTIVATION).setObeyedSequence(1).build(), nowNs);
      }
      recovery.controller().tick(nowNs);
    }
    return planned;
  }

  @Test
  void safeModeThatAnAdminEnters_isTheReasonOfTheState_untilItEnds() {
    when(blocks.liveNodeCount()).thenReturn(1);
    runFor(0, 10);
    when(blocks.inSafeMode()).thenReturn(true);
    runFor(10, 20);
    assertEquals("the NameNode is in safe mode: no new transfers begin; hdfs dfsadmin -safemode leave ends it",
        recovery.status().getStateReason());
    recovery.controller().adminControl().command(AdminControl.Mode.STOCK, "admin", "", wallClockMs);
    runFor(20, 30);
    assertEquals("STOCK", recovery.status().getState());
    assertTrue(recovery.status().getStateReason().startsWith("the NameNode is in safe mode"),
        recovery.status().getStateReason());
    recovery.controller().adminControl().command(AdminControl.Mode.RUN, "admin", "", wallClockMs + 1);
    when(blocks.inSafeMode()).thenReturn(false);
    runFor(30, 40);
    assertFalse(recovery.status().getStateReason().contains("safe mode"), recovery.status().getStateReason());
  }

  @Test
  void planOverrun_includesReadingAndCommits() {
    when(blocks.waitingBlocks()).thenReturn(1L);
    when(blocks.readHighestRisk(anyInt())).thenAnswer(call -> {
      stopwatchNs += TimeUnit.MILLISECONDS.toNanos(600);
      return List.of();
    });
    when(blocks.commit(anyList(), any())).thenAnswer(call -> {
      stopwatchNs += TimeUnit.MILLISECONDS.toNanos(500);
      return List.of();
    });
    recovery.controller().tick(startNs + 1);
    recovery.responder().receive(report().setObeyedActivation(ACTIVATION).setObeyedSequence(1).build(), startNs + 2);
    recovery.controller().tick(startNs + 3);
    assertEquals(1_100, recovery.status().getLastPlanMillis());
    assertEquals(1, recovery.status().getPlanOverruns(), "the default of dayu.timeslot.lead is 1 s");
  }

  @Test
  void agentsThatReportRarely_mustBeTooFewForOneOfTheirIntervals() {
    List<LiveNode> nodes = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      nodes.add(node("dn" + i));
    }
    when(blocks.liveNodes()).thenReturn(nodes);
    when(blocks.liveNodeCount()).thenReturn(nodes.size());
    recovery.controller().tick(startNs + 1);
    LoadProto load = LoadProto.newBuilder().setCapacityInBytesPerSec(100).setCapacityOutBytesPerSec(100)
        .setForegroundInBytesPerSec(0).setForegroundOutBytesPerSec(0).build();
    nodes.forEach(node -> recovery.responder().receive(report(node.uuid()).setLoad(load).build(), startNs + 2));
    long secondNs = TimeUnit.SECONDS.toNanos(1);
    for (int second = 1; second <= 39; second++) {
      recovery.controller().tick(startNs + second * secondNs);
      assertEquals("DAYU", recovery.status().getState(), "silent for 30 s, too few for 10 s, at second " + second);
    }
    for (int second = 40; second <= 42; second++) {
      recovery.controller().tick(startNs + second * secondNs);
    }
    assertEquals("STOCK", recovery.status().getState());
  }

  @Test
  void nodeWhereNothingGetsOn_getsNoNewReplicas_andKeepsItsLoad() {
    recovery.controller().tick(startNs + 1);
    recovery.responder().receive(report().setLoad(LoadProto.newBuilder().setCapacityInBytesPerSec(100)
        .setCapacityOutBytesPerSec(100).setForegroundInBytesPerSec(0).setForegroundOutBytesPerSec(0)).build(),
        startNs + 2);
    recovery.controller().tick(startNs + 3);
    assertTrue(recovery.controller().cluster().nodesToPlanWith(startNs + 4).get("target").target());
    recovery.controller().cluster().avoided().avoidIdleTarget("target", 6, startNs + 4);
    assertFalse(recovery.controller().cluster().nodesToPlanWith(startNs + 4).get("target").target());
    assertEquals(100, recovery.controller().cluster().loads(startNs + 4).get("target").in().capacityBytesPerSec(),
        "what runs there goes on");
    assertTrue(recovery.controller().cluster().nodesToPlanWith(startNs + 11).get("target").target());
  }

  /** One tick a second, with a report of each agent before it; the transfer to "target" receives next to nothing. */
  private void slowTransfer(int fromSec, int untilSec) {
    LoadProto load = LoadProto.newBuilder().setCapacityInBytesPerSec(10_000_000).setCapacityOutBytesPerSec(10_000_000)
        .setForegroundInBytesPerSec(0).setForegroundOutBytesPerSec(0).build();
    for (int sec = fromSec; sec <= untilSec; sec++) {
      for (String uuid : List.of("source", "other", "target")) {
        ReportProto.Builder report = report(uuid).setLoad(load).setObeyedActivation(ACTIVATION).setObeyedSequence(1);
        if (uuid.equals("target")) {
          BlockSpecProto block =
              BlockSpecProto.newBuilder().setBlockId(7).setGenerationStamp(1001).setNumBytes(60_000_000).build();
          report.addRunning(running().toBuilder().setBlock(block).setDoneBytes(40 + sec));
        }
        recovery.responder().receive(report.build(), startNs + TimeUnit.SECONDS.toNanos(sec));
      }
      recovery.controller().tick(startNs + TimeUnit.SECONDS.toNanos(sec));
    }
  }

  @Test
  void lastTransferThatIsSlow_movesToAnotherSource_butNotWhileNothingIsPlanned() throws Exception {
    int[] volumes = new int[StorageType.values().length];
    volumes[StorageType.DISK.ordinal()] = 1;
    when(blocks.liveNodes()).thenReturn(Stream.of("source", "other", "target").map(uuid -> LiveNodeFixture
        .liveNode(uuid, "10.0.0.9", uuid, 9866, "/rack", true, new long[volumes.length], volumes)).toList());
    when(blocks.check(anyList())).thenAnswer(call -> call.<List<?>>getArgument(0).stream()
        .map(any -> new PendingCheck(PendingCheck.State.WANTED, List.of("source", "other"))).toList());
    when(blocks.readNext(anyList())).thenReturn(true);
    slowTransfer(1, 3);
    Attempt attempt = recovery.controller().transfers().get(0);
    assertTrue(attempt.rateBytesPerSec() > 1_000_000, "planned");
    recovery.controller().adminControl().pause(new PauseRequest(PauseRequest.DEFAULT_MS, true, ""), "admin",
        wallClockMs);
    slowTransfer(4, 40);
    assertEquals("source", attempt.source());
    assertFalse(attempt.sourceLost());
    recovery.controller().adminControl().command(AdminControl.Mode.RUN, "admin", "", 0);
    slowTransfer(41, 50);
    assertEquals("other", attempt.source(), "though the slow one goes on delivering a little");
    long timeslots = recovery.status().getTimeslot();
    slowTransfer(51, 60);
    assertEquals(5, recovery.status().getTimeslot() - timeslots, "the source that was lost is planned for once");
  }

  @Test
  void reconstructionsByStock_comeOutOfTheBudgetOfTheirNodes() {
    when(blocks.stockReconstructions())
        .thenReturn(List.of(new StockReconstruction(List.of("s1", "s2"), 2, List.of("target"), 3_000, 0)));
    recovery.controller().tick(startNs + 1);
    recovery.responder().receive(report().setLoad(LoadProto.newBuilder().setCapacityInBytesPerSec(10_000)
        .setCapacityOutBytesPerSec(10_000).setForegroundInBytesPerSec(200).setForegroundOutBytesPerSec(300)).build(),
        startNs + 2);
    recovery.controller().tick(startNs + 3);
    NodeLoad load = recovery.controller().cluster().loads(startNs + 4).get("target");
    assertEquals(1_000, load.in().foregroundBytesPerSec(), "6,000 bytes in the horizon of 6 s, some flow already");
    assertEquals(300, load.out().foregroundBytesPerSec());
    assertEquals(6_000, recovery.controller().cluster().reconstructionBytes());
    when(blocks.keepsQueues()).thenReturn(false);
    recovery.controller().tick(startNs + 5);
    assertEquals(0, recovery.controller().cluster().reconstructionBytes(), "they are another NameNode's now");
  }

  @Test
  void shortPendingTimeout_leavesAgentsALeaseAndRefreshesRegistrationsInTime() {
    when(blocks.pendingTimeoutMs()).thenReturn(1_000L);
    recovery.controller().tick(startNs + 1);
    recovery.responder().receive(report().addRunning(running()).build(), startNs + 2);
    recovery.controller().tick(startNs + 3);
    long tickNs = TimeUnit.MILLISECONDS.toNanos(100);
    for (int tick = 1; tick <= 20; tick++) {
      recovery.controller().tick(startNs + tick * tickNs);
      boolean directed = recovery.responder().receive(report().addRunning(running()).build(),
          startNs + tick * tickNs + 1).join().getAuthoritative();
      assertTrue(directed, "tick " + tick);
    }
    // At least once in each third of the timeout, in two seconds.
    verify(blocks, atLeast(5)).check(anyList());
  }

  @Test
  void leases_endWhenRegistrationsCannotBeRefreshed() {
    recovery.controller().tick(startNs + 1);
    recovery.responder().receive(report().build(), startNs + 2);
    recovery.controller().tick(startNs + 3);
    doThrow(new IllegalStateException("test")).when(blocks).check(anyList());
    long leaseNs = TimeUnit.SECONDS.toNanos(60);
    for (long nowNs = startNs + leaseNs / 10; nowNs < startNs + 2 * leaseNs; nowNs += leaseNs / 10) {
      recovery.controller().tick(nowNs);
      boolean directed = recovery.responder().receive(report().build(), nowNs).join().getAuthoritative();
      assertEquals(nowNs < startNs + leaseNs, directed,
          "after " + TimeUnit.NANOSECONDS.toSeconds(nowNs - startNs) + " s");
    }
  }

  @Test
  void nameNodeThatWasStandbyBetweenTwoTicks_isActivatedAnew() {
    recovery.controller().tick(startNs + 1);
    recovery.responder().receive(report().addRunning(running()).build(), startNs + 2);
    recovery.controller().tick(startNs + 3);
    transitionAt(ACTIVATION + 1);
    recovery.controller().tick(startNs + 4);
    assertEquals("STANDBY", recovery.status().getState());
    recovery.controller().tick(startNs + 5);
    recovery.responder().receive(report().addRunning(running()).build(), startNs + 6);
    recovery.controller().tick(startNs + 7);
    assertEquals("DAYU", recovery.status().getState());
    verify(blocks, times(2)).adopt(anyList());
  }

  @Test
  void transitionWhoseTimeHdfsNotesLate_isOneChangeOfState() {
    when(blocks.keepsQueues()).thenReturn(false);
    recovery.controller().tick(startNs + 1);
    when(blocks.keepsQueues()).thenReturn(true);
    when(blocks.lastCompletedTransitionMs()).thenReturn(ACTIVATION);
    recovery.controller().tick(startNs + 2);
    assertEquals("DAYU", recovery.status().getState());
    transitionAt(ACTIVATION);
    recovery.controller().tick(startNs + 3);
    assertEquals("DAYU", recovery.status().getState(), "the transition that it has followed already");
    transitionAt(ACTIVATION + 1);
    recovery.controller().tick(startNs + 4);
    assertEquals("STANDBY", recovery.status().getState(), "a further one");
  }

  private void transitionAt(long wallMs) {
    when(blocks.lastTransitionMs()).thenReturn(wallMs);
    when(blocks.lastCompletedTransitionMs()).thenReturn(wallMs);
  }

  @Test
  void nameNodeInSafeModeAfterAFailover_isActivatedAnewBeforeItCommandsAgents() {
    recovery.controller().tick(startNs + 1);
    transitionAt(ACTIVATION + 1);
    when(blocks.inSafeMode()).thenReturn(true);
    recovery.controller().tick(startNs + 2);
    recovery.controller().tick(startNs + 3);
    long silentNs = startNs + TimeUnit.HOURS.toNanos(1);
    recovery.watchdog().look(silentNs);
    assertEquals("STOCK", recovery.status().getState());

    when(blocks.inSafeMode()).thenReturn(false);
    wallClockMs++;
    long activation = 0;
    for (long nowNs = silentNs; activation == 0 && nowNs < silentNs + TimeUnit.HOURS.toNanos(1);
        nowNs += TimeUnit.SECONDS.toNanos(1)) {
      recovery.controller().tick(nowNs);
      activation = recovery.responder().receive(report().build(), nowNs).join().getActivation();
    }
    assertEquals(ACTIVATION + 1, activation, "agents that have obeyed another NameNode since obey no older one");
  }

  @Test
  void standby_saysThatNothingIsUnderWay() {
    recovery.controller().tick(startNs + 1);
    recovery.responder().receive(report().addRunning(running()).build(), startNs + 2);
    recovery.controller().tick(startNs + TimeUnit.SECONDS.toNanos(2));
    assertEquals(1, recovery.status().getRunningTransfers());
    when(blocks.keepsQueues()).thenReturn(false);
    recovery.controller().tick(startNs + TimeUnit.SECONDS.toNanos(3));
    assertEquals(0, recovery.status().getRunningTransfers());
  }
}

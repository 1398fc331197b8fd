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
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import io.dayu.harness.Await;
import io.dayu.journal.JournalReader;
import io.dayu.journal.JournalRecord;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.when;

/** What the loop learns from reports and tells agents, and what it records of both. */
class RecoveryReportsTest extends RecoveryControllerFixture {
  private long atNs(long sec) {
    return startNs + TimeUnit.SECONDS.toNanos(sec);
  }

  private void report(String uuid, LoadProto load, long sec, RunningTransferProto... running) {
    recovery.responder().receive(report(uuid).setLoad(load).setObeyedActivation(ACTIVATION).setObeyedSequence(1)
        .addAllRunning(List.of(running)).build(), atNs(sec));
  }

  private static LoadProto load(long capacity, long foreground) {
    return LoadProto.newBuilder().setCapacityInBytesPerSec(capacity).setCapacityOutBytesPerSec(capacity)
        .setForegroundInBytesPerSec(foreground).setForegroundOutBytesPerSec(foreground).build();
  }

  private NodeLoad loadOf(String uuid, long sec) {
    return recovery.controller().cluster().loads(atNs(sec)).get(uuid);
  }

  /** In each timeslot of two seconds another one than before: what was reported last says little of the next ones. */
  @Test
  void foregroundThatComesInBursts_isExpectedToBeWhatItIsOnAverage() {
    for (int sec = 0; sec < 200; sec++) {
      report("target", load(1_000, sec / 2 % 2 * 100), sec);
      recovery.controller().tick(atNs(sec));
    }
    long expected = loadOf("target", 200).in().foregroundBytesPerSec();
    assertTrue(expected > 30 && expected < 70, "expected " + expected + " of 0 and 100");
  }

  private static RunningTransferProto slow(long blockId, String source, long doneBytes) {
    RunningTransferProto running = running();
    return running.toBuilder().setAttempt(blockId).setDoneBytes(doneBytes).setRateBytesPerSec(1_000_000)
        .setBlock(BlockSpecProto.newBuilder().setBlockId(blockId).setGenerationStamp(1).setNumBytes(1L << 30))
        .setSource(running.getSource().toBuilder().setDatanodeUuid(source)).build();
  }

  @Test
  void linkThatCarriesNextToNothing_countsAsThatSlow() {
    List<String> nodes = List.of("s1", "s2", "target");
    when(blocks.liveNodes()).thenReturn(nodes.stream().map(RecoveryControllerFixture::nodeWithRoom).toList());
    when(blocks.adopt(anyList())).thenReturn(List.of(CommitResult.committed("DS-1", "DISK"),
        CommitResult.committed("DS-1", "DISK")));
    when(blocks.check(anyList())).thenAnswer(call -> call.<List<TransferRequest>>getArgument(0).stream()
        .map(request -> new PendingCheck(PendingCheck.State.WANTED, List.of(request.source()))).toList());
    recovery.controller().tick(atNs(0));
    for (int sec = 1; sec < 20; sec++) {
      report("s1", FAST, sec);
      report("s2", FAST, sec);
      report("target", FAST, sec, slow(1, "s1", 40 + sec), slow(2, "s2", 40 + sec));
      recovery.controller().tick(atNs(sec));
    }
    assertEquals(2, recovery.controller().transfers().size());
    assertEquals(18, loadOf("target", 20).in().capacityBytesPerSec(), "nine each");
    assertEquals(100_000_000, loadOf("s1", 20).out().capacityBytesPerSec());
  }

  /** While nothing is recovered, many agents report seldom. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void idleAgents_reportMoreOften_whileAnythingIsRecovered(boolean recovers) {
    List<LiveNode> nodes = Stream.concat(Stream.of("target"), IntStream.range(0, 1_000).mapToObj(i -> "dn" + i))
        .map(RecoveryControllerFixture::node).toList();
    when(blocks.liveNodes()).thenReturn(nodes);
    recovery.controller().tick(atNs(0));
    nodes.stream().skip(1).forEach(node -> report(node.uuid(), LOAD, 0));
    report("target", LOAD, 0, recovers ? new RunningTransferProto[] {running()} : new RunningTransferProto[0]);
    recovery.controller().tick(atNs(0) + 1);
    assertEquals(recovers ? 1_000 : 3_336, nextReportMs());
  }

  private int nextReportMs() {
    return recovery.responder().receive(report("dn1").setLoad(LOAD).build(), atNs(1)).join().getNextReportMs();
  }

  @Test
  void adoptedTransfers_areOneLineOfTheLog_onceAllAgentsHaveReported() {
    try (InfoLog log = new InfoLog(TransferCoordinator.class)) {
      recovery.controller().tick(atNs(0));
      recovery.responder().receive(report().addRunning(running()).build(), atNs(0));
      recovery.controller().tick(atNs(1));
      assertEquals(List.of(), log.lines());
      report("target", LOAD, 1, running());
      recovery.controller().tick(atNs(2));
      assertEquals(List.of("INFO - Dayu: adopted 1 transfers that 1 agents are running, and 0 not"), log.lines());
    }
  }

  @Test
  void loadsPlansAndEnds_areRecorded_untilTheRecoveryEnds(@TempDir Path folder) throws Exception {
    recordIn(folder);
    when(blocks.liveNodes()).thenReturn(List.of(nodeWithRoom("source"), nodeWithRoom("target")));
    when(blocks.waitingBlocks()).thenReturn(1L);
    when(blocks.readNext(anyList())).thenAnswer(
        call -> call.<List<WaitingBlock>>getArgument(0).add(waitingBlock(7).bytes(1L << 30).on("source").build()));
    when(blocks.commit(anyList(), any())).thenReturn(List.of(CommitResult.committed("DS", "DISK")));
    recovery.controller().tick(atNs(0));
    report("source", FAST, 1);
    report("target", FAST, 1);
    recovery.controller().tick(atNs(1));
    Attempt attempt = recovery.controller().transfers().get(0);
    recovery.responder().receive(report().addFinished(FinishedTransferProto.newBuilder().setAttempt(attempt.id())
        .setOutcome(Outcome.SOURCE_FAILED).setBlockId(7)).build(), atNs(1));
    recovery.controller().tick(atNs(1) + 1);
    Path journal = folder.resolve("dayu-journal-nn.0");
    Await.until("all is recorded", Duration.ofSeconds(60), () -> Files.exists(journal) && Files.size(journal) > 0
        && kinds(journal).containsAll(Set.of("Loads", "Plan", "Ended"))
        && recovery.controller().journal().writtenBytes() > 0);
    recovery.controller().end(null);
    assertEquals(0, recovery.controller().journal().writtenBytes(), "there is no recording any more");
  }

  private static Set<String> kinds(Path journal) throws IOException {
    Set<String> kinds = new HashSet<>();
    List<JournalRecord> records = new ArrayList<>();
    JournalReader.read(journal, records::add);
    records.forEach(record -> kinds.add(record.getClass().getSimpleName()));
    return kinds;
  }
}

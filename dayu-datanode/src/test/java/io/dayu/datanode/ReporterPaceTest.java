/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.datanode.transfer.Poll;
import io.dayu.datanode.transfer.TransferRegistry;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.VolumeProto;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

/**
 * How often an agent reports. While it is idle the NameNode sets the pace: it may hold each answer for 10 s, unless
 * there is work. {@code ReportRateTest} in {@code dayu-namenode} has the NameNode's part.
 */
@Timeout(60)
class ReporterPaceTest {
  private static final long VOLUMES_ID = 7;
  private static final int MAX_HOLD_MS = 10_000;
  private static final LoadProto LOAD = LoadProto.newBuilder().setCapacityInBytesPerSec(1).setCapacityOutBytesPerSec(1)
      .setForegroundInBytesPerSec(0).setForegroundOutBytesPerSec(0).setVolumesId(VOLUMES_ID)
      .addVolumes(VolumeProto.newBuilder().setStorageId("DS").setStorageType("DISK").setMaxStreams(1)).build();
  /** The reporter's timer counts in whole milliseconds. */
  private static final long ROUNDING_MS = 2;

  private final ScriptedNameNode nameNode = new ScriptedNameNode();
  private final TransferRegistry transfers = mock(TransferRegistry.class, withSettings().stubOnly());
  private final ReportExchange.Context agent = mock(ReportExchange.Context.class, withSettings().stubOnly());
  private final AtomicLong applied = new AtomicLong();
  private volatile TransferRegistry.Status status = new TransferRegistry.Status(List.of(), List.of(), false);
  private Reporter reporter;

  @BeforeEach
  void start() {
    when(transfers.status(any())).thenAnswer(call -> status);
    doAnswer(call -> applied.addAndGet(call.<List<?>>getArgument(1).size())).when(transfers)
        .apply(any(), any(), anyLong());
    when(agent.datanodeUuid()).thenReturn("dn-1");
    when(agent.load()).thenReturn(Optional.of(LOAD));
    when(agent.shares(any())).thenReturn(ActivePools.Shares.SOLE);
    when(agent.granted()).thenReturn(transfers);
    reporter = new Reporter(new ReportExchange(agent, "BP-1", "nn:8020", "1.0", () -> true, new AgentCommandsOrder(),
        Reporter.RPC_TIMEOUT_MS, System::nanoTime), nameNode);
    reporter.start();
  }

  @AfterEach
  void stop() {
    reporter.stop();
  }

  private static AgentCommandsProto.Builder commands(long sequence) {
    return AgentCommandsProto.newBuilder().setProtocolVersion(1).setNamenodeId("nn").setActivation(5)
        .setSequence(sequence).setAuthoritative(true).setNextReportMs(0).setKnownVolumesId(VOLUMES_ID);
  }

  private ReportProto nextAfter(AgentCommandsProto.Builder commands) throws InterruptedException {
    nameNode.answers.add(commands.build());
    return nameNode.next();
  }

  @Test
  void idleReport_mayBeHeldFor10Seconds_andRepeatsNoVolumes() throws InterruptedException {
    ReportProto report = nameNode.next();
    assertEquals(1, report.getLoad().getVolumesCount());
    assertEquals(MAX_HOLD_MS, report.getMayWaitMs());
    for (int i = 1; i <= 3; i++) {
      report = nextAfter(commands(i));
      assertEquals(MAX_HOLD_MS, report.getMayWaitMs());
      assertEquals(0, report.getLoad().getVolumesCount());
    }
  }

  @Test
  void reportOfWork_isAnsweredAtOnce() throws InterruptedException {
    nameNode.next();
    RunningTransferProto running = RunningTransferProto.newBuilder().setAttempt(17)
        .setBlock(ReporterTest.grant(17).getBlock()).setSource(ReporterTest.grant(17).getSource())
        .setStorageType("DISK").setDoneBytes(1).setRateBytesPerSec(1).setAchievedBytesPerSec(1).build();
    status = new TransferRegistry.Status(List.of(running), List.of(), false);
    assertFalse(nextAfter(commands(1)).hasMayWaitMs());
    FinishedTransferProto finished = FinishedTransferProto.newBuilder().setAttempt(17).setBlockId(1)
        .setOutcome(FinishedTransferProto.Outcome.DONE).build();
    status = new TransferRegistry.Status(List.of(), List.of(finished), false);
    assertFalse(nextAfter(commands(2)).hasMayWaitMs());
  }

  @Test
  void heldReport_isTheOnlyOne_andItsAnswerStartsWorkBeforeTheNext() throws Exception {
    nameNode.next();
    reporter.wake();
    assertNull(nameNode.reports.poll(500, TimeUnit.MILLISECONDS), "a second report");
    nameNode.answers.add(commands(1).addGrants(ReporterTest.grant(17)).setNextReportMs(60_000).build());
    Poll.until("the grant is applied", Duration.ofSeconds(30), () -> applied.get() == 1, applied::get);
  }

  @Test
  void nextReport_isNoSoonerThanTheNameNodeSays() throws InterruptedException {
    nameNode.next();
    long answeredNs = System.nanoTime();
    nextAfter(commands(1).setNextReportMs(500));
    assertAtLeast(500, answeredNs);
    answeredNs = System.nanoTime();
    reporter.wake();
    nextAfter(commands(2).setMinSpacingMs(500).setNextReportMs(60_000));
    assertAtLeast(500, answeredNs);
  }

  private static void assertAtLeast(long expectedMs, long sinceNs) {
    long elapsedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNs);
    assertTrue(elapsedMs >= expectedMs - ROUNDING_MS, "after " + elapsedMs + " ms");
  }
}

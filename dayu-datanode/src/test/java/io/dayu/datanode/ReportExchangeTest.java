/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.datanode.transfer.TransferRegistry;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.ReportProto.Marking;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import io.dayu.protocol.DayuProtos.VolumeProto;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.ipc.RpcNoSuchProtocolException;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;
import org.apache.log4j.WriterAppender;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

/** What an agent and one NameNode say to each other, without a thread or a connection. */
class ReportExchangeTest {
  private static final FinishedTransferProto FINISHED = FinishedTransferProto.newBuilder().setAttempt(3).setBlockId(7)
      .setOutcome(FinishedTransferProto.Outcome.DONE).build();
  private static final RunningTransferProto RUNNING = RunningTransferProto.newBuilder().setAttempt(4)
      .setBlock(BlockSpecProto.newBuilder().setBlockId(8).setGenerationStamp(1).setNumBytes(100))
      .setSource(SourceProto.newBuilder().setDatanodeUuid("a").setIpAddress("10.0.0.1").setHostName("h")
          .setTransferPort(9866))
      .setStorageType("DISK").setDoneBytes(1).setRateBytesPerSec(10).setAchievedBytesPerSec(9).build();

  private final ReportExchange.Context agent = mock(ReportExchange.Context.class);

  private ReportExchange exchange(BooleanSupplier isActive) {
    return new ReportExchange(agent, "BP-1", "nn:8020", "1.0", isActive, new AgentCommandsOrder(),
        Reporter.RPC_TIMEOUT_MS, () -> 0);
  }

  private static AgentCommandsProto commands(long activation) {
    return AgentCommandsProto.newBuilder().setProtocolVersion(1).setNamenodeId("nn").setActivation(activation)
        .setSequence(1).setAuthoritative(true).setNextReportMs(100).build();
  }

  /** The first answer came when the DataNode did not hold the NameNode for active, so its activation was not obeyed. */
  @Test
  void secondAnswerToAReport_isNotObeyedAfterOneToALaterReport() throws IOException {
    TransferRegistry granted = mock(TransferRegistry.class);
    when(agent.granted()).thenReturn(granted);
    AtomicBoolean active = new AtomicBoolean();
    ReportExchange exchange = exchange(active::get);
    exchange.answered(commands(1), 10);
    active.set(true);
    exchange.answered(commands(2), 20);
    verify(granted).apply("BP-1", List.of(), 20);
    exchange.answered(commands(1), 10);
    verify(granted, never()).apply("BP-1", List.of(), 10);
  }

  /** Most answers say what the one before has said. Who could not verify a replica waits for it to be named again. */
  @Test
  void answerThatSaysTheSame_renewsTheLeases_andNamesReplicasAgain() throws IOException {
    TransferRegistry granted = mock(TransferRegistry.class);
    when(agent.granted()).thenReturn(granted);
    ReportExchange exchange = exchange(() -> true);
    exchange.answered(commands(1), 10);
    verify(granted).apply("BP-1", List.of(), 10);
    exchange.answered(commands(1), 20);
    verify(granted).renew("BP-1", List.of(), 20);
    verify(granted, never()).apply("BP-1", List.of(), 20);
    verify(agent, times(2)).verifyReplicas("BP-1", List.of());
    verify(agent, times(2)).checkReplicas("BP-1", List.of());
    exchange.answered(commands(1).toBuilder().setSequence(2).build(), 30);
    verify(granted).apply("BP-1", List.of(), 30);
    exchange.answered(commands(3).toBuilder().setSequence(2).build(), 40);
    verify(granted).apply("BP-1", List.of(), 40);
  }

  /** It may be an answer of an earlier activation of this NameNode, which was long on its way. */
  @Test
  void answerToAReportFromBeforeTheLastCommands_isRefused_andTheNextIsDueSoon() throws IOException {
    TransferRegistry granted = mock(TransferRegistry.class);
    when(agent.granted()).thenReturn(granted);
    AgentCommandsOrder order = new AgentCommandsOrder();
    AtomicLong nowNs = new AtomicLong(20);
    ReportExchange first =
        new ReportExchange(agent, "BP-1", "nn1", "1.0", () -> true, order, Reporter.RPC_TIMEOUT_MS, nowNs::get);
    ReportExchange second =
        new ReportExchange(agent, "BP-1", "nn2", "1.0", () -> true, order, Reporter.RPC_TIMEOUT_MS, nowNs::get);
    assertEquals(5_000, first.answered(commands(2).toBuilder().setNextReportMs(5_000).build(), 10));
    nowNs.set(30);
    assertEquals(second.minSpacingMs(), second.answered(commands(1).toBuilder().setNextReportMs(5_000).build(), 15));
    verify(granted, never()).apply("BP-1", List.of(), 15);
    second.answered(commands(3), 25);
    verify(granted).apply("BP-1", List.of(), 25);
  }

  private TransferRegistry idle() {
    TransferRegistry granted = mock(TransferRegistry.class);
    when(granted.status("BP-1")).thenReturn(new TransferRegistry.Status(List.of(), List.of(), false));
    when(agent.granted()).thenReturn(granted);
    when(agent.datanodeUuid()).thenReturn("dn");
    when(agent.load()).thenReturn(Optional.empty());
    return granted;
  }

  /**
   * It may be one of an earlier activation: the NameNode did not hear that another one had taken over. When its answer
   * is read, it has become active once more.
   */
  @Test
  void answerToAReportFromBeforeItsNameNodeWasActive_isRefused_andTheNextIsDueSoon() throws IOException {
    TransferRegistry granted = idle();
    AtomicBoolean active = new AtomicBoolean();
    AtomicLong nowNs = new AtomicLong(10);
    ReportExchange exchange = new ReportExchange(agent, "BP-1", "nn", "1.0", active::get, new AgentCommandsOrder(),
        Reporter.RPC_TIMEOUT_MS, nowNs::get);
    exchange.report();
    active.set(true);
    assertEquals(exchange.minSpacingMs(),
        exchange.answered(commands(1).toBuilder().setNextReportMs(5_000).build(), 10));
    nowNs.set(20);
    exchange.report();
    exchange.answered(commands(1), 10);
    verify(granted, never()).apply("BP-1", List.of(), 10);
    exchange.answered(commands(2), 20);
    verify(granted).apply("BP-1", List.of(), 20);
  }

  @Test
  void commandsOfTheSameActivation_areObeyed_howeverTheReportWasMade() throws IOException {
    TransferRegistry granted = idle();
    AtomicBoolean active = new AtomicBoolean(true);
    ReportExchange exchange = exchange(active::get);
    exchange.report();
    exchange.answered(commands(1), 10);
    active.set(false);
    exchange.report();
    active.set(true);
    exchange.answered(commands(1).toBuilder().setSequence(2).build(), 20);
    verify(granted).apply("BP-1", List.of(), 20);
  }

  @Test
  void report_saysThatTheBandwidthIsAGuess() {
    idle();
    assertFalse(exchange(() -> true).report().getBandwidthAssumed());
    when(agent.isBandwidthAssumed()).thenReturn(true);
    assertTrue(exchange(() -> true).report().getBandwidthAssumed());
  }

  @Test
  void report_saysHowFarTheTrafficIsMarked_ifItIsToBe() {
    idle();
    assertFalse(exchange(() -> true).report().hasMarking());
    when(agent.marking()).thenReturn(Optional.of(Marking.CANNOT_MARK));
    assertEquals(Marking.CANNOT_MARK, exchange(() -> true).report().getMarking());
  }

  @Test
  void errorWhileObeying_isTriedAgainLessAndLessOften() {
    when(agent.granted()).thenThrow(new NoClassDefFoundError("a jar that was replaced"));
    ReportExchange exchange = exchange(() -> true);
    AgentCommandsProto commands = commands(1);
    for (long pauseMs : new long[] {1_000, 2_000, 4_000, 8_000, 10_000, 10_000}) {
      Error error = assertThrows(NoClassDefFoundError.class, () -> exchange.answered(commands, 0));
      assertEquals(pauseMs, exchange.failed(error));
      assertFalse(exchange.isReporting());
    }
  }

  private static void status(TransferRegistry granted, List<RunningTransferProto> running,
      List<FinishedTransferProto> finished, boolean stopping) {
    when(granted.status("BP-1")).thenReturn(new TransferRegistry.Status(running, finished, stopping));
  }

  @Test
  void answer_mayBeHeldBack_onlyIfTheAgentHasNothingToSay() {
    TransferRegistry granted = idle();
    when(agent.rebuilds()).thenReturn(true);
    ReportExchange exchange = exchange(() -> true);
    ReportProto first = exchange.report();
    assertEquals(Reporter.RPC_TIMEOUT_MS / 2, first.getMayWaitMs());
    assertTrue(first.getRebuilds());
    assertFalse(first.hasLoad());
    status(granted, List.of(RUNNING), List.of(), false);
    ReportProto second = exchange.report();
    assertFalse(second.hasMayWaitMs());
    assertEquals(first.getReportSequence() + 1, second.getReportSequence());
    status(granted, List.of(), List.of(FINISHED), false);
    assertFalse(exchange.report().hasMayWaitMs());
  }

  @Test
  void report_saysWhatWasObeyed_andThatItIsDone_whenCancelledTransfersHaveEnded() throws IOException {
    TransferRegistry granted = idle();
    ReportExchange exchange = exchange(() -> true);
    assertFalse(exchange.report().hasObeyedActivation());
    exchange.answered(commands(1).toBuilder().setSequence(5).build(), 10);
    status(granted, List.of(), List.of(), true);
    ReportProto stopping = exchange.report();
    assertEquals(1, stopping.getObeyedActivation());
    assertEquals(0, stopping.getObeyedSequence());
    status(granted, List.of(), List.of(), false);
    assertEquals(5, exchange.report().getObeyedSequence());
    exchange.answered(commands(1).toBuilder().setSequence(6).build(), 20);
    status(granted, List.of(), List.of(), true);
    assertEquals(5, exchange.report().getObeyedSequence());
    exchange.answered(commands(2).toBuilder().setSequence(7).build(), 30);
    ReportProto activated = exchange.report();
    assertEquals(2, activated.getObeyedActivation());
    assertEquals(0, activated.getObeyedSequence());
  }

  @Test
  void nextReport_isDueWhenTheNameNodeSays_butNotTooSoonOrTooLate() throws IOException {
    idle();
    ReportExchange exchange = exchange(() -> true);
    assertEquals(100, exchange.minSpacingMs());
    AgentCommandsProto.Builder commands = commands(1).toBuilder();
    assertEquals(100, exchange.answered(commands.setNextReportMs(1).build(), 0));
    assertEquals(60_000, exchange.answered(commands.setNextReportMs(60_001).build(), 0));
    assertEquals(3_000, exchange.answered(commands.setNextReportMs(1).setMinSpacingMs(3_000).build(), 0));
    assertEquals(3_000, exchange.minSpacingMs());
    assertEquals(60_000, exchange.answered(commands.setMinSpacingMs(60_001).build(), 0));
  }

  @Test
  void exchangeThatIsStopped_obeysNothing() throws IOException {
    TransferRegistry granted = idle();
    ReportExchange exchange = exchange(() -> true);
    assertFalse(exchange.isStopped());
    exchange.stop();
    assertTrue(exchange.isStopped());
    exchange.answered(commands(1), 10);
    verifyNoInteractions(granted);
  }

  @Test
  void commandsWithoutAuthority_onlyAcknowledge_andThoseOfAStandbyNotEvenThat() throws IOException {
    TransferRegistry granted = idle();
    AtomicBoolean active = new AtomicBoolean();
    ReportExchange exchange = exchange(active::get);
    AgentCommandsProto commands = commands(1).toBuilder().setAuthoritative(false).addAcknowledged(3)
        .setNextReportMs(5_000).build();
    assertEquals(5_000, exchange.answered(commands, 10));
    verifyNoInteractions(granted);
    active.set(true);
    assertEquals(5_000, exchange.answered(commands, 20));
    verify(granted).acknowledge("BP-1", List.of(3L));
    verify(granted, never()).apply(any(), any(), anyLong());
    assertFalse(exchange.report().hasObeyedActivation());
  }

  @Test
  void limitsThatTheNameNodeHas_arePassedOn() throws IOException {
    idle();
    ReportExchange exchange = exchange(() -> true);
    exchange.answered(commands(1), 10);
    verify(agent).limits("BP-1", OptionalDouble.empty(), OptionalLong.empty(), Optional.empty(), 0, false);
    exchange.answered(commands(1).toBuilder().setMaxUtilization(0.5).setMinBytesPerSec(7).setVolumeMaxStreams("SSD=4")
        .setMeterSharers(2).setUnmarked(true).build(), 20);
    verify(agent).limits("BP-1", OptionalDouble.of(0.5), OptionalLong.of(7), Optional.of("SSD=4"), 2, true);
  }

  @Test
  void volumes_areLeftOut_whileTheNameNodeKnowsThem() throws IOException {
    idle();
    LoadProto load = LoadProto.newBuilder().setCapacityInBytesPerSec(10).setCapacityOutBytesPerSec(10)
        .setForegroundInBytesPerSec(0).setForegroundOutBytesPerSec(0).setVolumesId(4)
        .addVolumes(VolumeProto.newBuilder().setStorageId("DS-1").setStorageType("DISK").setMaxStreams(8)).build();
    when(agent.load()).thenReturn(Optional.of(load));
    when(agent.shares("BP-1")).thenReturn(ActivePools.Shares.SOLE);
    ReportExchange exchange = exchange(() -> true);
    assertEquals(1, exchange.report().getLoad().getVolumesCount());
    exchange.answered(commands(1).toBuilder().setKnownVolumesId(3).build(), 10);
    assertEquals(1, exchange.report().getLoad().getVolumesCount(), "these are others");
    exchange.answered(commands(1).toBuilder().setKnownVolumesId(4).build(), 20);
    assertEquals(0, exchange.report().getLoad().getVolumesCount());
    exchange.failed(new IOException("it has been restarted"));
    assertEquals(1, exchange.report().getLoad().getVolumesCount());
  }

  @Test
  void nameNodeWithoutDayu_isAskedTwiceAMinute_andOneThatDoesNotAnswerMoreOften() throws IOException {
    idle();
    ReportExchange exchange = exchange(() -> true);
    for (Class<?> unknown : List.of(RpcNoSuchProtocolException.class, RPC.VersionMismatch.class)) {
      for (long pauseMs : new long[] {1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000}) {
        assertEquals(pauseMs, exchange.failed(new RemoteException(unknown.getName(), "")));
      }
      for (long pauseMs : new long[] {1_000, 2_000, 4_000, 8_000, 10_000, 10_000}) {
        assertEquals(pauseMs, exchange.failed(new RemoteException(IOException.class.getName(), "")));
      }
      assertFalse(exchange.isReporting());
    }
    exchange.answered(commands(1), 10);
    assertTrue(exchange.isReporting());
    assertEquals(1_000, exchange.failed(new IOException("it does not answer")));
  }

  @Test
  void commandsOutOfBounds_areNotObeyed_andAreAFailure() {
    TransferRegistry granted = idle();
    ReportExchange exchange = exchange(() -> true);
    AgentCommandsProto commands = commands(1).toBuilder().setNextReportMs(-1).build();
    assertThrows(IOException.class, () -> exchange.answered(commands, 10));
    verifyNoInteractions(granted);
    assertFalse(exchange.isReporting());
  }

  /** An admin is told once of each kind, and not that an agent which ends has not waited for its answer. */
  @Test
  void failure_isLoggedByItsKind_andOneOfAnotherKindIsTriedAgainSoon() {
    ReportExchange exchange = exchange(() -> true);
    IOException unreachable = new IOException("it does not answer");
    Error failed = new NoClassDefFoundError("a jar that was replaced");
    assertEquals(List.of("WARN"), levels(exchange, unreachable, 1_000));
    assertEquals(List.of(), levels(exchange, unreachable, 2_000));
    assertEquals(List.of("WARN"), levels(exchange, failed, 1_000));
    assertEquals(List.of("INFO"),
        levels(exchange, new RemoteException(RPC.VersionMismatch.class.getName(), ""), 1_000));
    exchange.stop();
    assertEquals(List.of(), levels(exchange, unreachable, 1_000));
  }

  /** Levels of the lines at INFO or above of a report that failed. */
  private static List<String> levels(ReportExchange exchange, Throwable failure, long pauseMs) {
    StringWriter written = new StringWriter();
    WriterAppender appender = new WriterAppender(new PatternLayout("%p%n"), written);
    appender.setThreshold(Level.INFO);
    Logger logger = Logger.getLogger(ReportExchange.class);
    logger.addAppender(appender);
    try {
      assertEquals(pauseMs, exchange.failed(failure));
    } finally {
      logger.removeAppender(appender);
    }
    return written.toString().lines().filter(line -> line.equals("INFO") || line.equals("WARN")).toList();
  }
}

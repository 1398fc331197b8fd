/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import io.dayu.conf.BadSettingException;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * When agents are answered. Where one is to wait, its next report is due in half a minute, so that no test waits for
 * that.
 */
class ReportResponderTest {
  private static final long INCARNATION = 1;
  private static final long ACTIVATION = 1_700_000_000_000L;
  private static final long TIMEOUT_SEC = 20;
  private static final long LEASE_MS = 300_000;
  private static final long DEFERRED_MS = 10_000;
  private static final int LONG_MS = 50_000;
  private static final BlockSpecProto BLOCK = BlockSpecProto.newBuilder().setBlockId(7).setGenerationStamp(1001)
      .setNumBytes(100).build();
  private static final SourceProto SOURCE = SourceProto.newBuilder().setDatanodeUuid("source").setIpAddress("10.0.0.1")
      .setHostName("h")
      .setTransferPort(9866).build();

  private final long nowNs = System.nanoTime();
  private final AgentRegistry<AgentSession> agents = new AgentRegistry<>(AgentSession::new);
  private final AgentSession agent = agents.register("agent", nowNs);
  private final ReportResponder responder = responder("60s");

  private ReportResponder responder(String interval) {
    Configuration conf = new Configuration(false);
    conf.set(Setting.HEARTBEAT_INTERVAL.key(), interval);
    conf.set(Setting.LEASE.key(), "10m");
    try {
      return new ReportResponder(agents, Settings.read(conf), "nn", System::nanoTime, DeferredResponses.newExecutor());
    } catch (BadSettingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  @BeforeEach
  void publishCommands() {
    responder.extendLeases(nowNs + TimeUnit.MILLISECONDS.toNanos(LEASE_MS), () -> true);
    responder.publish(agent, INCARNATION, commands(1).build());
  }

  @AfterEach
  void close() {
    responder.close();
  }

  private static AgentCommandsProto.Builder commands(long sequence) {
    return AgentCommandsProto.newBuilder().setProtocolVersion(1).setNamenodeId("nn").setActivation(ACTIVATION)
        .setSequence(sequence)
        .setAuthoritative(true).setNextReportMs(0);
  }

  private static GrantProto grant() {
    return GrantProto.newBuilder().setAttempt(3).setBlock(BLOCK).setSource(SOURCE).setStorageType("DISK")
        .setRateBytesPerSec(10).setLeaseMs(0)
        .build();
  }

  private static ReportProto.Builder report(long obeyedSequence) {
    return ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId("bp").setDatanodeUuid("agent")
        .setAgentIncarnation(INCARNATION)
        .setReportSequence(1).setObeyedActivation(ACTIVATION).setObeyedSequence(obeyedSequence).setMayWaitMs(LONG_MS);
  }

  private CompletableFuture<AgentCommandsProto> answer(ReportProto.Builder report) {
    return responder.answer(agent, report.build(), nowNs);
  }

  private static AgentCommandsProto await(CompletableFuture<AgentCommandsProto> answer) throws Exception {
    return answer.get(TIMEOUT_SEC, TimeUnit.SECONDS);
  }

  @Test
  void limitsThatAnAdminChanged_goOutWithEachAnswer() throws Exception {
    Settings settings = Settings.read(new Configuration(false));
    try (ReportResponder changed =
        new ReportResponder(agents, settings, "nn", System::nanoTime, DeferredResponses.newExecutor())) {
      changed.extendLeases(nowNs + TimeUnit.MILLISECONDS.toNanos(LEASE_MS), () -> true);
      assertFalse(await(changed.answer(agent, report(0).build(), nowNs)).hasMaxUtilization());
      settings.change(Setting.MAX_UTILIZATION, "0.4", "set by a test", 1);
      assertEquals(0.4, await(changed.answer(agent, report(0).build(), nowNs)).getMaxUtilization());
      assertFalse(await(changed.answer(agent, report(0).build(), nowNs)).hasMinBytesPerSec());
      settings.change(Setting.MIN_BANDWIDTH, "3m", "set by a test", 1);
      assertEquals(3L << 20, await(changed.answer(agent, report(0).build(), nowNs)).getMinBytesPerSec());
      assertFalse(await(changed.answer(agent, report(0).build(), nowNs)).hasVolumeMaxStreams());
      settings.change(Setting.VOLUME_MAX_STREAMS, "DISK=2,OTHER=8", "set by a test", 1);
      assertEquals("DISK=2,OTHER=8",
          await(changed.answer(agent, report(0).build(), nowNs)).getVolumeMaxStreams());
      settings.reset(Setting.VOLUME_MAX_STREAMS, "set back by a test", 2);
      assertFalse(await(changed.answer(agent, report(0).build(), nowNs)).hasVolumeMaxStreams());
    }
  }

  @Test
  void profile_goesOutWithEachAnswer_asBytesOfTheAgentsOwnBandwidth() throws Exception {
    Settings settings = Settings.read(new Configuration(false));
    try (ReportResponder followed =
        new ReportResponder(agents, settings, "nn", System::nanoTime, DeferredResponses.newExecutor())) {
      followed.extendLeases(nowNs + TimeUnit.MILLISECONDS.toNanos(LEASE_MS), () -> true);
      settings.change(Setting.PROFILE, "fast", "set by a test", 1);
      settings.followProfile(Instant.EPOCH, () -> false);
      ReportProto report = report(0).setLoad(LoadProto.newBuilder().setCapacityInBytesPerSec(1_000)
          .setCapacityOutBytesPerSec(1_000).setForegroundInBytesPerSec(0).setForegroundOutBytesPerSec(0)).build();
      AgentCommandsProto commands = await(followed.answer(agent, report, nowNs));
      assertEquals(0.9, commands.getMaxUtilization());
      assertEquals(251, commands.getMinBytesPerSec());
      assertTrue(commands.getUnmarked());
      settings.reset(Setting.PROFILE, "set back by a test", 2);
      settings.followProfile(Instant.EPOCH, () -> false);
      commands = await(followed.answer(agent, report, nowNs));
      assertFalse(commands.hasMaxUtilization() || commands.hasMinBytesPerSec() || commands.getUnmarked());
    }
  }

  /** While the loop hangs, the NameNode may have become standby, and active once more. */
  @Test
  void commandsOfAnEarlierActivation_areNotAuthoritative() throws Exception {
    AtomicBoolean sameActivation = new AtomicBoolean(true);
    responder.extendLeases(nowNs + TimeUnit.MILLISECONDS.toNanos(LEASE_MS), sameActivation::get);
    assertTrue(await(answer(report(0))).getAuthoritative());
    CompletableFuture<AgentCommandsProto> waits = answer(report(1));
    assertFalse(waits.isDone());
    sameActivation.set(false);
    assertFalse(await(answer(report(0))).getAuthoritative());
    assertFalse(await(answer(report(1))).getAuthoritative(), "it is answered at once");
    responder.publish(agent, INCARNATION, commands(2).build());
    assertFalse(await(waits).getAuthoritative());
  }

  @Test
  void idleAgent_isAnsweredWhenThereIsWorkForIt() throws Exception {
    CompletableFuture<AgentCommandsProto> answer = answer(report(1));
    assertFalse(answer.isDone());
    responder.publish(agent, INCARNATION, commands(2).addGrants(grant()).build());
    AgentCommandsProto commands = await(answer);
    assertEquals(2, commands.getSequence());
    assertTrue(commands.getGrants(0).getLeaseMs() > LEASE_MS - 1000 * TIMEOUT_SEC, "it has its lease");
  }

  @Test
  void answerThatWaited_givesNoLongerLease() throws Exception {
    CompletableFuture<AgentCommandsProto> answer =
        responder.answer(agent, report(1).build(), nowNs - TimeUnit.MILLISECONDS.toNanos(DEFERRED_MS));
    responder.extendLeases(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LEASE_MS), () -> true);
    responder.publish(agent, INCARNATION, commands(2).addGrants(grant()).build());
    assertTrue(await(answer).getGrants(0).getLeaseMs() <= LEASE_MS, "the agent counts from its report");
  }

  @Test
  void answer_waitsForNoMoreThanAPartOfALease() throws Exception {
    responder.extendLeases(nowNs + TimeUnit.SECONDS.toNanos(2), () -> true);
    await(answer(report(1)));
  }

  @Test
  void workForOthers_isNoNews() throws Exception {
    CompletableFuture<AgentCommandsProto> answer = answer(report(1));
    AgentSession other = published(agents.register("other", nowNs));
    CompletableFuture<AgentCommandsProto> othersAnswer = responder.answer(other, report(1).build(), nowNs);
    responder.publish(other, INCARNATION, commands(2).addGrants(grant()).build());
    await(othersAnswer);
    assertFalse(answer.isDone(), "answers are given one after the other");
  }

  @Test
  void nothingNew_isAnsweredInTime() throws Exception {
    AgentCommandsProto commands = await(answer(report(1).setMayWaitMs(50)));
    assertEquals(1, commands.getSequence());
    assertEquals(commands.getMinSpacingMs(), commands.getNextReportMs(), "it waits again");
  }

  @Test
  void agentThatReportsOften_isAnsweredWhenItsNextReportIsDue() throws Exception {
    try (ReportResponder often = responder("1s")) {
      AgentSession reporter = agents.register("agent", nowNs);
      often.extendLeases(nowNs + TimeUnit.MILLISECONDS.toNanos(LEASE_MS), () -> true);
      often.publish(reporter, INCARNATION, commands(1).build());
      long receivedNs = System.nanoTime();
      AgentCommandsProto commands = await(often.answer(reporter, report(1).build(), receivedNs));
      assertTrue(System.nanoTime() - receivedNs >= TimeUnit.MILLISECONDS.toNanos(300),
          "it need not ask more often than without waiting");
      assertEquals(commands.getMinSpacingMs(), commands.getNextReportMs());
    }
  }

  @Test
  void whoMayNotWait_isAnsweredAtOnce() {
    assertTrue(answer(report(1).clearMayWaitMs()).isDone(), "an older agent");
    assertTrue(answer(report(0)).isDone(), "there is something that it has not heard");
    assertTrue(answer(report(1).setObeyedActivation(ACTIVATION - 1)).isDone(), "it obeyed another activation");
    assertTrue(answer(report(1).clearObeyedActivation().clearObeyedSequence()).isDone(), "it has obeyed nothing yet");
    assertTrue(answer(report(1)
        .addRunning(RunningTransferProto.newBuilder().setAttempt(3).setBlock(BLOCK).setSource(SOURCE)
            .setStorageType("DISK").setDoneBytes(0).setRateBytesPerSec(1).setAchievedBytesPerSec(1)))
        .isDone(),
        "it has something to do");
    assertTrue(answer(report(1).addFinished(FinishedTransferProto.newBuilder().setAttempt(3).setBlockId(7)
        .setOutcome(FinishedTransferProto.Outcome.DONE))).isDone(), "it has done something");
    responder.publish(agent, INCARNATION, commands(2).addAcknowledged(3).build());
    assertTrue(answer(report(2)).isDone(), "it is to forget something");
  }

  @Test
  void restartedAgent_isNotToldWhatTheOneBeforeWasDoing() {
    responder.publish(agent, INCARNATION, commands(2).addGrants(grant()).build());
    assertEquals(1, answer(report(0)).join().getGrantsCount());
    AgentCommandsProto answer = answer(report(0).setAgentIncarnation(2)).join();
    assertFalse(answer.getAuthoritative(), "the loop has not read of its restart");
    assertEquals(0, answer.getGrantsCount());
  }

  @Test
  void handedBack_allAreAnswered() throws Exception {
    CompletableFuture<AgentCommandsProto> answer = answer(report(1));
    responder.revokeCommands();
    assertFalse(await(answer).getAuthoritative());
    assertTrue(answer(report(1)).isDone(), "a standby keeps nobody waiting");
  }

  @Test
  void secondReport_endsTheWaitingOfTheFirst() throws Exception {
    CompletableFuture<AgentCommandsProto> lost = answer(report(1));
    CompletableFuture<AgentCommandsProto> second = answer(report(1));
    await(lost);
    assertFalse(second.isDone());
  }

  @Test
  void close_answersAll_andFromThenOnNobodyWaits() throws Exception {
    List<CompletableFuture<AgentCommandsProto>> answers = List.of(answer(report(1)),
        responder.answer(published(agents.register("other", nowNs)), report(1).build(), nowNs));
    responder.close();
    for (CompletableFuture<AgentCommandsProto> answer : answers) {
      await(answer);
    }
    await(answer(report(1)));
  }

  @Test
  void withdrawnCommands_areNotAnswered_andPublishedOnesAreAgain() throws Exception {
    responder.publish(agent, INCARNATION, commands(2).addGrants(grant()).build());
    responder.withdraw(agent);
    AgentCommandsProto answer = await(answer(report(2)));
    assertFalse(answer.getAuthoritative());
    assertEquals(0, answer.getGrantsCount());
    responder.publish(agent, INCARNATION, commands(3).addGrants(grant()).build());
    assertEquals(1, await(answer(report(2))).getGrantsCount());
  }

  private AgentSession published(AgentSession other) {
    responder.publish(other, INCARNATION, commands(1).build());
    return other;
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import io.dayu.conf.Settings;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import io.dayu.protocol.DayuProtos.VolumeProto;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

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
 * What 10,000 agents ask of a NameNode, on a simulated clock. The agents keep the contract of dayu.proto as
 * {@code Reporter} does.
 */
class ReportRateTest {
  private static final long INCARNATION = 1;
  private static final long SEED = 20261126;
  private static final int AGENTS = 10_000;
  private static final long LEASE_MS = 60_000;
  private static final int MAY_WAIT_MS = 10_000;
  private static final long VOLUMES_ID = 77;
  private static final GrantProto GRANT = GrantProto.newBuilder().setAttempt(3)
      .setBlock(BlockSpecProto.newBuilder().setBlockId(7).setGenerationStamp(1001).setNumBytes(100))
      .setSource(
          SourceProto.newBuilder().setDatanodeUuid("s").setIpAddress("10.0.0.1").setHostName("h").setTransferPort(1))
      .setStorageType("DISK").setRateBytesPerSec(10).setLeaseMs(0).build();

  private record Event(long atMs, long order, Runnable body) {
  }

  /** One agent: reports, obeys, and reports again when it is told to. */
  private final class Agent {
    private final AgentSession state;
    private final List<Long> sentMs = new ArrayList<>();
    private AgentCommandsProto last = AgentCommandsProto.getDefaultInstance();
    private int volumesSent;
    private long grantedMs = -1;

    private Agent(String uuid) {
      state = agents.register(uuid, 0);
    }

    private void report() {
      sentMs.add(nowMs);
      LoadProto.Builder load = LoadProto.newBuilder().setCapacityInBytesPerSec(1).setCapacityOutBytesPerSec(1)
          .setForegroundInBytesPerSec(0).setForegroundOutBytesPerSec(0).setVolumesId(VOLUMES_ID);
      if (!last.hasKnownVolumesId() || last.getKnownVolumesId() != VOLUMES_ID) {
        volumesSent++;
        load.addVolumes(VolumeProto.newBuilder().setStorageId("DS").setStorageType("DISK").setMaxStreams(4));
      }
      ReportProto report =
          ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId("bp").setDatanodeUuid(state.uuid)
              .setAgentIncarnation(INCARNATION).setReportSequence(sentMs.size())
              .setObeyedActivation(last.getActivation())
              .setObeyedSequence(last.getSequence()).setMayWaitMs(MAY_WAIT_MS).setLoad(load).build();
      responder.receive(report, nowNs()).thenAccept(this::apply);
      assertEquals(1, state.takeReport().load().volumes(), "the loop sees them in each report");
    }

    private void apply(AgentCommandsProto commands) {
      last = commands;
      if (commands.getGrantsCount() > 0 && grantedMs < 0) {
        grantedMs = nowMs;
      }
      at(nowMs + Math.max(commands.getMinSpacingMs(), commands.getNextReportMs()), this::report);
    }
  }

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::atMs).thenComparingLong(Event::order));
  private final AgentRegistry<AgentSession> agents = new AgentRegistry<>(AgentSession::new);
  private final List<Agent> all = new ArrayList<>();
  private ReportResponder responder;
  private long nowMs;
  private long order;

  private long nowNs() {
    return TimeUnit.MILLISECONDS.toNanos(nowMs);
  }

  private void at(long atMs, Runnable body) {
    events.add(new Event(atMs, order++, body));
  }

  private void runUntil(long endMs) {
    while (events.peek().atMs() <= endMs) {
      Event next = events.poll();
      nowMs = next.atMs();
      next.body().run();
    }
    nowMs = endMs;
  }

  private void lease() {
    responder.extendLeases(TimeUnit.MILLISECONDS.toNanos(nowMs + LEASE_MS), () -> true);
    at(nowMs + 1_000, this::lease);
  }

  @BeforeEach
  void publishCommands() throws Exception {
    System.out.println("seed " + SEED);
    Random random = new Random(SEED);
    ScheduledFuture<?> future = mock(ScheduledFuture.class, withSettings().stubOnly());
    ScheduledExecutorService executor = mock(ScheduledExecutorService.class, withSettings().stubOnly());
    when(executor.schedule(any(Runnable.class), anyLong(), any())).thenAnswer(call -> {
      at(nowMs + call.<Long>getArgument(1), call.getArgument(0));
      return future;
    });
    doAnswer(call -> {
      at(nowMs, call.getArgument(0));
      return null;
    }).when(executor).execute(any());
    responder = new ReportResponder(agents, Settings.read(new Configuration(false)), "nn", this::nowNs, executor);
    lease();
    for (int i = 0; i < AGENTS; i++) {
      Agent agent = new Agent("dn-" + i);
      all.add(agent);
      responder.publish(agent.state, INCARNATION, commands(1).build());
      at(random.nextInt(10_000), agent::report);
    }
    runUntil(25_000);
  }

  private static AgentCommandsProto.Builder commands(long sequence) {
    return AgentCommandsProto.newBuilder().setProtocolVersion(1).setNamenodeId("nn").setActivation(9)
        .setSequence(sequence).setAuthoritative(true).setNextReportMs(0);
  }

  @Test
  void idleAgents_reportEvery10Seconds_andSendTheirVolumesOnce() {
    runUntil(70_000);
    for (Agent agent : all) {
      List<Long> sent = agent.sentMs.stream().filter(ms -> ms > 25_000).toList();
      for (int i = 1; i < sent.size(); i++) {
        assertTrue(sent.get(i) - sent.get(i - 1) >= 10_000, () -> agent.state.uuid + " at " + sent);
      }
      assertTrue(sent.size() >= 4, () -> agent.state.uuid + " at " + sent);
      assertEquals(1, agent.volumesSent);
    }
  }

  @Test
  void workForIdleAgents_startsWithinASecond() {
    Random random = new Random(SEED);
    for (int i = 0; i < AGENTS; i += 10) {
      Agent agent = all.get(i);
      long publishedMs = nowMs + 1 + random.nextInt(20);
      runUntil(publishedMs);
      responder.recovering(true);
      responder.publish(agent.state, INCARNATION, commands(2).addGrants(GRANT).build());
      at(publishedMs + 1_000,
          () -> assertTrue(agent.grantedMs >= publishedMs, agent.state.uuid + " has heard nothing"));
    }
    runUntil(nowMs + 2_000);
  }

  @Test
  void nameNodeThatHasForgottenTheVolumes_getsThemWithTheNextReport() {
    AgentSession other = agents.register("restarted", nowNs());
    responder.publish(other, INCARNATION, commands(1).build());
    ReportProto report = ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId("bp")
        .setDatanodeUuid("restarted").setAgentIncarnation(INCARNATION).setReportSequence(1).setObeyedActivation(9)
        .setObeyedSequence(1).setMayWaitMs(MAY_WAIT_MS)
        .setLoad(LoadProto.newBuilder().setCapacityInBytesPerSec(1).setCapacityOutBytesPerSec(1)
            .setForegroundInBytesPerSec(0).setForegroundOutBytesPerSec(0).setVolumesId(VOLUMES_ID))
        .build();
    AgentCommandsProto answer = responder.receive(report, nowNs()).join();
    assertFalse(answer.hasKnownVolumesId());
    assertTrue(answer.getNextReportMs() <= 2_000);
    assertNull(other.takeReport().load(), "nothing is planned with a node without volumes");
  }
}

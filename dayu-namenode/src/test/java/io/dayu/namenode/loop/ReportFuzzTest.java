/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.LiveNodeFixture;
import io.dayu.blocks.PendingCheck;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.harness.TestOption;
import io.dayu.namenode.NameNodeRuntime;
import io.dayu.namenode.agents.DeferredResponses;
import io.dayu.namenode.agents.ReportBounds;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.RandomMessages;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.thirdparty.protobuf.InvalidProtocolBufferException;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

/**
 * Arbitrary and damaged reports of one agent: what passes the check does no harm to the loop, nor to what other agents
 * are told.
 */
class ReportFuzzTest {
  private static final long SEED = TestOption.seed("fuzz.seed", 20261123);
  private static final int REPORTS = 20_000;
  private static final long ACTIVATION = 1_700_000_000_000L;

  private final BlockManagement blocks = mock(BlockManagement.class, withSettings().stubOnly());
  private final RandomMessages messages = new RandomMessages(SEED);

  private static LiveNode node(String uuid) {
    int types = StorageType.values().length;
    return LiveNodeFixture.liveNode(uuid, "10.0.0.9", uuid, 9866, "/rack", true, new long[types], new int[types]);
  }

  private static ReportProto.Builder report(String uuid, long sequence) {
    return ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId("bp").setDatanodeUuid(uuid)
        .setAgentIncarnation(1).setReportSequence(sequence);
  }

  @Test
  void whateverOneAgentReports_theLoopGoesOn() throws Exception {
    System.out.println("fuzz.seed " + SEED);
    when(blocks.keepsQueues()).thenReturn(true);
    when(blocks.pendingTimeoutMs()).thenReturn(300_000L);
    when(blocks.adopt(anyList())).thenAnswer(
        call -> call.<List<?>>getArgument(0).stream().map(any -> CommitResult.committed("DS-1", "DISK")).toList());
    when(blocks.check(anyList())).thenAnswer(call -> call.<List<?>>getArgument(0).stream()
        .map(any -> new PendingCheck(PendingCheck.State.WANTED, List.of("source"))).toList());
    when(blocks.liveNodes()).thenReturn(List.of(node("target"), node("source"), node("honest")));
    Configuration conf = new Configuration(false);
    // Most reports are refused, so that the agent is silent for long.
    conf.set(Setting.MIN_AGENT_RATIO.key(), "0.0");
    Settings settings = Settings.read(conf);
    ScheduledExecutorService executor = DeferredResponses.newExecutor();
    long[] nowNs = {1};
    RecoveryParts recovery =
        RecoveryParts.of(blocks, settings, NameNodeRuntime.algorithm(settings), "nn", () -> nowNs[0],
            () -> ACTIVATION, executor);
    try {
      recovery.controller().tick(nowNs[0]);
      int passed = 0;
      for (int i = 0; i < REPORTS; i++) {
        nowNs[0] += TimeUnit.MILLISECONDS.toNanos(50);
        ReportProto arbitrary = next(i);
        if (arbitrary != null && isGood(arbitrary)) {
          passed++;
          // As whom it reports is checked before; see CallerCheckTest.
          recovery.responder().receive(arbitrary.toBuilder().setDatanodeUuid("target").build(), nowNs[0]);
        }
        if (i % 4 == 0) {
          recovery.responder()
              .receive(report("honest", i + 1).setObeyedActivation(ACTIVATION).setObeyedSequence(i).build(), nowNs[0]);
          recovery.controller().tick(nowNs[0]);
        }
      }
      assertTrue(passed > REPORTS / 100, passed + " of " + REPORTS + " reports were good");
      recovery.controller().tick(nowNs[0]);
      assertEquals("DAYU", recovery.status().getState(), recovery.status().getStateReason());
      DayuStatus status = recovery.status();
      for (long sum : new long[] {status.getProgressBytes(), status.getWastedBytes(), status.getRecoveredBytes(),
          status.getRecoveryBytesPerSec()}) {
        assertTrue(sum >= 0, sum + " is no sum");
      }
      assertTrue(
          recovery.responder().receive(report("honest", REPORTS + 1).build(), nowNs[0]).join().getAuthoritative());
    } finally {
      executor.shutdownNow();
    }
  }

  private ReportProto next(int i) {
    ReportProto.Builder report = messages.fill(ReportProto.newBuilder());
    if (i % 2 == 0) {
      // So that reports belong together.
      report.setAgentIncarnation(1).setObeyedActivation(ACTIVATION).setReportSequence(i);
    }
    if (i % 3 > 0) {
      return report.build();
    }
    try {
      return ReportProto.parseFrom(messages.damaged(report.build()));
    } catch (InvalidProtocolBufferException e) {
      return null;
    }
  }

  private static boolean isGood(ReportProto report) {
    try {
      ReportBounds.check(report);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}

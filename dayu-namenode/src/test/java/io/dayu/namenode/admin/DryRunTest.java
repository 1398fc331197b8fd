/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import io.dayu.admin.AdminRequest;
import io.dayu.admin.Command;
import io.dayu.blocks.BlockInspection;
import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.LiveNodeFixture;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import io.dayu.conf.Settings;
import io.dayu.namenode.NameNodeRuntime;
import io.dayu.namenode.loop.LoopRequests;
import io.dayu.namenode.loop.RecoveryParts;
import io.dayu.namenode.monitor.RecoveryMonitor;
import io.dayu.namenode.status.RecoveryState;
import io.dayu.schedule.PlanningAlgorithm;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** What {@code -dryRun} and {@code -nodes} say of a cluster whose agents do not report. */
class DryRunTest {
  private final BlockManagement blocks = mock(BlockManagement.class);
  private final BlockInspection inspection = mock(BlockInspection.class);
  private final LoopRequests requests = mock(LoopRequests.class);
  private RecoveryParts recovery;
  private Settings settings;
  private AdminService service;

  @BeforeEach
  void start() throws Exception {
    settings = Settings.read(new Configuration(false));
    PlanningAlgorithm algorithm = NameNodeRuntime.algorithm(settings);
    recovery =
        RecoveryParts.of(blocks, settings, algorithm, "nn", () -> 0L, () -> 0L, mock(ScheduledExecutorService.class));
    when(requests.call(anyBoolean(), any())).thenAnswer(call -> call.<Callable<?>>getArgument(1).call());
    when(requests.call(anyBoolean(), any(), anyLong())).thenAnswer(call -> call.<Callable<?>>getArgument(1).call());
    service = new AdminService("nn", "0.1.0", recovery, blocks, inspection, settings,
        new DryRun(recovery.controller(), inspection, settings, algorithm), mock(RecoveryMonitor.class), requests);
    recovery.status().enter(RecoveryState.DAYU, "the NameNode is active");
  }

  private static WaitingBlock block(long id, WaitReason stockReason) {
    return waitingBlock(id).forStock(stockReason).build();
  }

  /** The next timeslot reads such a block again before it leaves it to stock. */
  @Test
  void blockThatNoAgentCanReceiveNow_isNotCountedAsLeftToStock() throws Exception {
    when(inspection.peek(5_000))
        .thenReturn(List.of(block(7, null), block(8, null), block(9, WaitReason.ERASURE_CODED)));
    Map<String, Object> view = service.run(new AdminRequest(Command.DRY_RUN, "", "alice"));
    assertEquals(1, view.get("leftToStock"));
    assertEquals(2, view.get("readAgain"));
  }

  @Test
  void agentThatHasReportedOnce_isToldFromNone() {
    when(blocks.liveNodeCount()).thenReturn(2);
    int types = StorageType.values().length;
    when(blocks.liveNodes()).thenReturn(List.of(
        LiveNodeFixture.liveNode("a", "10.0.0.1", "dn1", 9866, "/rack", true, new long[types], new int[types]),
        LiveNodeFixture.liveNode("b", "10.0.0.2", "dn2", 9866, "/rack", true, new long[types], new int[types])));
    recovery.controller().cluster().refresh(0);
    recovery.agents().register("a", 0);
    List<AdminViews.Node> nodes =
        new AdminViews(recovery.controller(), blocks, recovery.agents(), settings, "0.1.0")
            .nodes(TimeUnit.SECONDS.toNanos(320));
    assertEquals("silent", nodes.get(0).agent());
    assertEquals("no report from its agent for 320 s", nodes.get(0).noTargetReason());
    assertEquals("none", nodes.get(1).agent());
    assertEquals("no agent reports from it", nodes.get(1).noTargetReason());
  }
}

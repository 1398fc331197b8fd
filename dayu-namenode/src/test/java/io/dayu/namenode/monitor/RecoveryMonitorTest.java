/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import io.dayu.blocks.BlockInspection;
import io.dayu.blocks.BlockKey;
import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.LiveNodeFixture;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitReason;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.NameNodeRuntime;
import io.dayu.namenode.loop.AdminControl.Mode;
import io.dayu.namenode.loop.AdminControl.ModeChange;
import io.dayu.namenode.loop.PauseRequest;
import io.dayu.namenode.loop.RecoveryParts;
import io.dayu.namenode.monitor.RecoveryProgress.Observation;
import io.dayu.namenode.monitor.RecoveryProgress.Progress;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.status.RecoveryState;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.AttemptFixture;
import io.dayu.namenode.transfers.ClockStart;
import io.dayu.rules.RecentProgress.Usage;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** What people are told as the state changes, with blocks that wait and no transfers. */
class RecoveryMonitorTest {
  private final BlockManagement blocks = mock(BlockManagement.class);
  private final BlockInspection inspection = mock(BlockInspection.class);
  private Settings settings;
  private RecoveryParts recovery;
  private RecoveryMonitor monitor;
  private long nowNs = ClockStart.NS;

  @BeforeEach
  void start() throws Exception {
    when(blocks.waitingBlocks()).thenReturn(57L);
    settings = Settings.read(new Configuration(false));
    recovery = RecoveryParts.of(blocks, settings, NameNodeRuntime.algorithm(settings), "nn", () -> 0L, () -> 0L,
        mock(ScheduledExecutorService.class));
    monitor = new RecoveryMonitor(recovery, blocks, inspection, settings, null, nowNs);
  }

  private Progress seconds(int seconds) {
    for (int i = 0; i < seconds; i++) {
      nowNs += TimeUnit.SECONDS.toNanos(1);
      monitor.tick(nowNs);
    }
    return monitor.progress();
  }

  @SuppressWarnings("unchecked")
  private Map<String, Object> lastInHistory() {
    List<Map<String, Object>> recoveries = (List<Map<String, Object>>) monitor.history().view().get("recoveries");
    return recoveries.get(recoveries.size() - 1);
  }

  private Map<WaitReason, List<Long>> waitReasons() {
    seconds(1);
    return monitor.waitReasons().entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey,
        one -> LongStream.of(one.getValue()).boxed().toList()));
  }

  @Test
  void blocks_waitForOneReasonEach_asTheStateAndAnAdminSay() {
    when(inspection.waitingBlocks(0)).thenReturn(7L);
    when(inspection.waitingBlocks(2)).thenReturn(50L);
    assertEquals(Map.of(), waitReasons(), "on a standby");
    recovery.status().enter(RecoveryState.STOCK, "too few agents");
    assertEquals(Map.of(WaitReason.STOCK_RECOVERS, List.of(7L, 0L, 50L, 0L)), waitReasons());
    recovery.status().enter(RecoveryState.DAYU, "a test");
    assertEquals(Map.of(WaitReason.TURN, List.of(7L, 0L, 50L, 0L)), waitReasons());
    recovery.controller().adminControl().pause(new PauseRequest(60_000, false, ""), "alice", nowNs);
    assertEquals(Map.of(WaitReason.TURN, List.of(7L, 0L, 0L, 0L), WaitReason.HELD_BACK, List.of(0L, 0L, 50L, 0L)),
        waitReasons());
    recovery.status().waitFor("waiting for 3 of 5 live DataNodes");
    recovery.controller().adminControl().command(Mode.RUN, "alice", "", 1);
    assertEquals(Map.of(WaitReason.NOTHING_PLANNED, List.of(7L, 0L, 50L, 0L)), waitReasons());
  }

  @Test
  void recoveryThatIsLeftToStock_isKeptWithItsEnd() {
    recovery.status().enter(RecoveryState.DAYU, "a test");
    assertTrue(seconds(5).active());
    recovery.status().enter(RecoveryState.STOCK, "an admin wants it");
    Progress ended = seconds(1);
    assertEquals(1, ended.number());
    assertFalse(ended.active());
    assertEquals("stock HDFS recovers: an admin wants it", ended.endReason());
    assertEquals(false, lastInHistory().get("active"));
    recovery.status().enter(RecoveryState.DAYU, "a test");
    assertEquals(2, seconds(5).number());
  }

  @Test
  void recoveryOfAFormerlyActiveNameNode_isKeptWithItsEnd() {
    recovery.status().enter(RecoveryState.DAYU, "a test");
    seconds(5);
    recovery.status().enter(RecoveryState.STANDBY, "the NameNode is not active");
    assertEquals("this NameNode is no longer active", seconds(1).endReason());
    assertEquals("this NameNode is no longer active", lastInHistory().get("endReason"));
  }

  @Test
  void causeOfARecoveryThatIsFoundAtAFailover_isNotKnown() {
    seconds(1);
    recovery.status().enter(RecoveryState.DAYU, "a test");
    assertTrue(seconds(5).cause().startsWith("not known: it happened before this NameNode became active"),
        () -> monitor.progress().cause());
  }

  @Test
  void activation_asksTheOthers_andTheirRecoveryGoesOn() {
    AtomicInteger asked = new AtomicInteger();
    monitor.onTakeOver(asked::incrementAndGet);
    seconds(3);
    assertEquals(0, asked.get());
    recovery.status().enter(RecoveryState.DAYU, "a test");
    seconds(2);
    assertEquals(1, asked.get());
    monitor.continueFrom(new RecoveryProgress.Predecessor("DataNodes lost: a", System.currentTimeMillis() - 60_000, 20,
        2_000, 0));
    Progress after = seconds(3);
    assertEquals("DataNodes lost: a", after.cause());
    assertEquals(20, after.amounts().blocksDone());
    assertEquals(57, after.amounts().blocksLeft());
    assertTrue(after.seconds() >= 60, after::toString);
    assertEquals(1, asked.get());
  }

  private static LiveNode node(String uuid) {
    return LiveNodeFixture.liveNode(uuid, "10.0.0.1", uuid, 9866, "/rack", true, new long[6], new int[6]);
  }

  @Test
  void causeOfARecovery_isKnownAfterStockHasHadPartOfIt() {
    when(blocks.liveNodes()).thenReturn(List.of(node("a"), node("b")));
    recovery.controller().cluster().refresh(nowNs);
    recovery.status().enter(RecoveryState.DAYU, "a test");
    seconds(30);
    when(blocks.liveNodes()).thenReturn(List.of(node("a")));
    recovery.controller().cluster().refresh(nowNs);
    assertEquals("DataNodes lost: b:9866", seconds(5).cause());
    recovery.status().enter(RecoveryState.STOCK, "an admin wants it");
    seconds(300);
    recovery.status().enter(RecoveryState.DAYU, "a test");
    assertEquals("DataNodes lost: b:9866", seconds(5).cause());
  }

  @Test
  void recoveryWhoseFirstBlockWaitsInAPause_beginsThen_andNothingIsKnownOfItsEnd() {
    recovery.status().enter(RecoveryState.DAYU, "a test");
    recovery.controller().adminControl().set(new ModeChange(Mode.PAUSED, "alice", "", 1, Long.MAX_VALUE, true));
    Progress paused = seconds(200);
    assertTrue(paused.active());
    assertEquals(57, paused.amounts().blocksLeft());
    assertEquals(-1, paused.estimate().etaSeconds());
    recovery.controller().adminControl().set(new ModeChange(Mode.RUN, "alice", "", 2));
    assertEquals(209, seconds(10).seconds(), "from the first block that waits");
    assertEquals(1, monitor.progress().number());
  }

  @Test
  void recoveryByStock_hasItsProgress() {
    recovery.status().enter(RecoveryState.STOCK, "an admin wants it");
    seconds(20);
    when(blocks.waitingBlocks()).thenReturn(37L);
    seconds(1);
    assertEquals(20, monitor.stockProgress().blocksDone());
    assertEquals(37, monitor.stockProgress().blocksLeft());
    assertTrue(monitor.stockProgress().etaSeconds() > 0, monitor.stockProgress()::toString);
    recovery.status().enter(RecoveryState.DAYU, "a test");
    seconds(1);
    assertFalse(monitor.stockProgress().active());
  }

  @Test
  void safeMode_isLikeAPause() {
    recovery.status().enter(RecoveryState.DAYU, "a test");
    seconds(5);
    when(blocks.inSafeMode()).thenReturn(true);
    Progress waits = seconds(200);
    assertTrue(waits.active(), "the blocks may yet be placed");
    assertEquals(-1, waits.estimate().etaSeconds());
  }

  /** After a start of the NameNode blocks lack replicas only since DataNodes have not reported them. */
  @Test
  void blocksThatAreNotReportedYet_areNoRecovery() {
    when(blocks.keepsQueues()).thenReturn(true);
    when(blocks.hasBlocks()).thenReturn(true);
    when(blocks.liveNodeCount()).thenReturn(2);
    when(blocks.nodesWithoutBlockReport()).thenReturn(1);
    recovery.controller().tick(nowNs);
    assertEquals(RecoveryState.DAYU, recovery.status().state());
    assertEquals(Progress.NONE, seconds(20));
    when(blocks.nodesWithoutBlockReport()).thenReturn(0);
    for (int i = 0; i < 20; i++) {
      recovery.controller().tick(nowNs);
      seconds(1);
    }
    assertEquals(1, monitor.progress().number());
  }

  @Test
  void deadlines_areFollowed_whileRecoveryCannotBe() throws Exception {
    when(inspection.waitingBlocks(anyInt())).thenThrow(new IllegalStateException("a test"));
    settings.change(Setting.DECOMMISSION_DEADLINES, "all 2026-11-28T01:00:00Z 2026-11-28T06:00:00Z 0.9",
        "set by a test", 1);
    recovery.status().enter(RecoveryState.DAYU, "a test");
    seconds(1);
    assertEquals(1, monitor.deadlines().latest().size());
  }

  private static Attempt transfer(long id) {
    return AttemptFixture.running(id, new TransferRequest(new BlockKey(id, 1), 100, 0, "a", "b", 1));
  }

  /** The block map is compared with transfers once a second; a recovery may end before. */
  @Test
  void transferThatItsAgentHasFinished_countsAsFinished_beforeTheBlockMapHasIt() {
    DayuStatus status = new DayuStatus();
    status.counters().countFinished(100, 1, false, 0);
    Observation observation =
        RecoveryMonitor.observation(0, 0, List.of(AttemptFixture.received(transfer(1)), transfer(2),
            AttemptFixture.cancelled(AttemptFixture.received(transfer(3)))), status, Usage.NONE);
    assertEquals(2, observation.finished());
    assertEquals(200, observation.finishedBytes());
    assertEquals(List.of(2L), observation.running().stream().map(Attempt::id).toList());
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.LiveNode;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.agents.ReportResponder;
import io.dayu.namenode.cluster.LiveCluster;
import io.dayu.namenode.loop.StateSelector.Action;
import io.dayu.namenode.loop.StateSelector.Decision;
import io.dayu.namenode.status.RecoveryState;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** Who recovers, Dayu or stock HDFS: ten DataNodes, of which half must have agents. */
class StateSelectorTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final int NODES = 10;

  private final LiveCluster cluster = mock(LiveCluster.class);
  private final AdminControl adminControl = new AdminControl();
  private StateSelector selector;
  private long watchdogSec;
  private long stoodStillNs;
  private long leaseNs = 10 * SECOND;

  @BeforeEach
  void start() throws Exception {
    Map<String, LiveNode> nodes = new HashMap<>();
    for (int i = 0; i < NODES; i++) {
      nodes.put("dn" + i, null);
    }
    when(cluster.nodes()).thenReturn(nodes);
    when(cluster.runningSince(anyLong(), anyLong())).thenAnswer(call -> {
      long nowNs = call.getArgument(1);
      return nowNs - call.<Long>getArgument(0) - stoodStillNs;
    });
    Settings settings = Settings.read(new Configuration(false));
    watchdogSec = TimeUnit.MILLISECONDS.toSeconds(settings.millis(Setting.WATCHDOG_TIMEOUT));
    selector = new StateSelector(settings, cluster, mock(ReportResponder.class), adminControl, 0);
    selector.activate(0);
  }

  private Decision decide(long sec, RecoveryState state, int agents) {
    when(cluster.liveAgents(anyLong())).thenReturn(agents);
    return selector.decide(state, leaseNs, sec * SECOND);
  }

  private void assertKeeps(long fromSec, long toSec, int agents) {
    for (long sec = fromSec; sec <= toSec; sec++) {
      assertEquals(Action.KEEP, decide(sec, RecoveryState.DAYU, agents).action(), "at second " + sec);
    }
  }

  @Test
  void agents_haveToBeTooFew_forThreeOfTheirReports() {
    assertKeeps(0, 1, NODES);
    assertKeeps(2, 4, 4);
    Decision decision = decide(5, RecoveryState.DAYU, 4);
    assertEquals(Action.RESUME_STOCK, decision.action());
    assertEquals("4 of 10 live DataNodes have an agent, fewer than dayu.namenode.min-agent-ratio = 0.5; Dayu resumes "
        + "when 6 of 10 have had one for 10 s without a break", decision.reason());
  }

  /** Until then agents may not have reported yet. */
  @Test
  void agents_areNotTooFew_asLongAfterTheActivationAsAnAgentMayBeSilent() {
    when(cluster.silenceNs()).thenReturn(30 * SECOND);
    selector.activate(100 * SECOND);
    assertKeeps(100, 130, 0);
    assertEquals(Action.RESUME_STOCK, decide(131, RecoveryState.DAYU, 0).action());
  }

  @Test
  void timeThatTheNameNodeStoodStill_isNoneInWhichAgentsCouldReport() {
    when(cluster.silenceNs()).thenReturn(30 * SECOND);
    selector.activate(100 * SECOND);
    stoodStillNs = 20 * SECOND;
    leaseNs = 60 * SECOND;
    assertKeeps(100, 150, 0);
    assertEquals(Action.RESUME_STOCK, decide(151, RecoveryState.DAYU, 0).action());
  }

  @Test
  void agents_areNotWaitedForLongerThanALease() {
    when(cluster.silenceNs()).thenReturn(30 * SECOND);
    selector.activate(100 * SECOND);
    stoodStillNs = 1_000 * SECOND;
    leaseNs = 60 * SECOND;
    assertKeeps(100, 160, 0);
    assertEquals(Action.RESUME_STOCK, decide(161, RecoveryState.DAYU, 0).action());
  }

  @Test
  void dayu_takesOver_whenEnoughAgentsAreBack() {
    assertKeeps(0, 1, NODES);
    assertKeeps(2, 4, 4);
    decide(5, RecoveryState.DAYU, 4);
    Decision decision = decide(6, RecoveryState.STOCK, NODES);
    assertEquals(Action.WAIT, decision.action());
    assertEquals("10 of 10 live DataNodes have an agent; Dayu resumes when 6 of 10 have had one for 10 s without a "
        + "break, in 10 s at the earliest", decision.reason());
    assertEquals(Action.WAIT, decide(15, RecoveryState.STOCK, NODES).action());
    decision = decide(16, RecoveryState.STOCK, NODES);
    assertEquals(Action.TAKE_OVER, decision.action());
    assertEquals("enough DataNodes had an agent then: 10 of 10", decision.reason());
  }

  /** The hour without a loss begins when Dayu recovers again. */
  @Test
  void furtherLoss_withinAnHourOfTheTakeOver_doublesTheDelay() {
    assertKeeps(0, 1, NODES);
    assertKeeps(2, 4, 4);
    decide(5, RecoveryState.DAYU, 4);
    decide(3_000, RecoveryState.STOCK, NODES);
    assertEquals(Action.TAKE_OVER, decide(3_010, RecoveryState.STOCK, NODES).action());
    assertKeeps(3_700, 3_702, 4);
    Decision decision = decide(3_703, RecoveryState.DAYU, 4);
    assertEquals(Action.RESUME_STOCK, decision.action());
    assertTrue(decision.reason().endsWith("have had one for 20 s without a break"), decision.reason());
  }

  @Test
  void activation_forgetsEarlierLosses() {
    assertKeeps(0, 1, NODES);
    assertKeeps(2, 4, 4);
    decide(5, RecoveryState.DAYU, 4);
    selector.activate(6 * SECOND);
    assertEquals(Action.TAKE_OVER, decide(7, RecoveryState.STOCK, NODES).action());
  }

  @Test
  void stock_recovers_whileThereHaveNeverBeenEnoughAgents() {
    Decision decision = decide(1, RecoveryState.STOCK, 4);
    assertEquals(Action.WAIT, decision.action());
    assertEquals("4 of 10 live DataNodes have an agent, fewer than dayu.namenode.min-agent-ratio = 0.5",
        decision.reason());
    assertEquals(Action.TAKE_OVER, decide(2, RecoveryState.STOCK, 5).action());
  }

  @Test
  void stock_recoversForAWhile_afterAFailureOfDayu() {
    selector.failed(0);
    Decision decision = decide(watchdogSec - 1, RecoveryState.STOCK, NODES);
    assertEquals(Action.WAIT, decision.action());
    assertNull(decision.reason(), "the failure stays the reason");
    assertEquals(Action.TAKE_OVER, decide(watchdogSec, RecoveryState.STOCK, NODES).action());
  }

  @Test
  void recoveryThatIsLeftToStock_isStocks() {
    adminControl.command(AdminControl.Mode.STOCK, "admin", "", 1_000);
    Decision decision = decide(1, RecoveryState.DAYU, NODES);
    assertEquals(Action.RESUME_STOCK, decision.action());
    assertEquals("recovery is left to stock HDFS; by admin at 1970-01-01T00:00:01Z", decision.reason());
    assertEquals(Action.WAIT, decide(2, RecoveryState.STOCK, NODES).action());
  }

  /** Stock HDFS keeps no pause: Dayu takes over from it. */
  @Test
  void pause_keepsTheState_ofDayuOnly() {
    adminControl.pause(new PauseRequest(60_000, false, ""), "admin", 1_000);
    Decision decision = decide(1, RecoveryState.DAYU, 0);
    assertEquals(Action.WAIT, decision.action());
    assertTrue(decision.reason().startsWith("recovery is paused until 1970-01-01T00:01:01Z"), decision.reason());
    for (int sec = 2; sec < 10; sec++) {
      assertEquals(Action.WAIT, decide(sec, RecoveryState.DAYU, 0).action());
    }
    assertEquals(Action.TAKE_OVER, decide(10, RecoveryState.STOCK, NODES).action());
  }
}

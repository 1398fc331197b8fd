/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.conf.Setting;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** How Dayu's recovery ends, for a while or for good, and what is left of it then. */
class RecoveryEndTest extends RecoveryControllerFixture {
  private static final String ACTIVE = "the NameNode is active; stock re-replication is suspended";

  private long atNs(int sec) {
    return startNs + TimeUnit.SECONDS.toNanos(sec);
  }

  private void tick(int sec) {
    recovery.controller().tick(atNs(sec));
  }

  private AgentCommandsProto answer(int sec) {
    return recovery.responder()
        .receive(report().setLoad(LOAD).setObeyedActivation(ACTIVATION).setObeyedSequence(1).build(), atNs(sec)).join();
  }

  /** A report and a tick in each second, this one not included. */
  private void runFor(int fromSec, int untilSec) {
    for (int sec = fromSec; sec < untilSec; sec++) {
      answer(sec);
      tick(sec);
    }
  }

  private void assertState(String state, String reason) {
    assertEquals(state, recovery.status().getState());
    assertEquals(reason, recovery.status().getStateReason());
  }

  private boolean isStockSuspended() {
    return recovery.suspension().isSuspended();
  }

  @Test
  void tickThatIsBrokenOff_letsStockRecover_forAWhile() {
    runFor(0, 5);
    assertTrue(isStockSuspended());
    recovery.controller().failed(new IllegalStateException("a test"), atNs(5));
    assertFalse(isStockSuspended());
    assertState("STOCK", "the recovery loop failed: java.lang.IllegalStateException: a test");
    runFor(5, 30);
    assertFalse(isStockSuspended());
    runFor(30, 40);
    assertTrue(isStockSuspended());
    assertEquals("DAYU", recovery.status().getState());
  }

  @Test
  void stockThatTheWatchdogHasResumed_recoversForAWhile() {
    runFor(0, 5);
    recovery.suspension().resume();
    tick(5);
    assertState("STOCK", "the watchdog has resumed stock re-replication");
    runFor(6, 35);
    assertFalse(isStockSuspended());
    assertEquals("STOCK", recovery.status().getState());
    runFor(35, 40);
    assertTrue(isStockSuspended());
    assertEquals("DAYU", recovery.status().getState());
  }

  @Test
  void tickThatCannotFollowTheState_doesNothingElse() {
    runFor(0, 5);
    when(blocks.stockMultiplier()).thenThrow(new IllegalStateException("a test"));
    runFor(5, 6);
    verify(blocks, times(5)).check(anyList());
  }

  @Test
  void multiplierThatAnAdminSets_letsNoStockRecoverOnAStandby() {
    when(blocks.keepsQueues()).thenReturn(false);
    tick(0);
    when(blocks.stockMultiplier()).thenReturn(7);
    tick(1);
    verify(blocks, times(2)).setStockMultiplier(0);
    assertEquals(7, recovery.suspension().stockMultiplier());
  }

  @Test
  void tickOfAStandbyThatIsBrokenOff_letsStockResume_untilTheNextOne() {
    when(blocks.keepsQueues()).thenReturn(false);
    runFor(0, 2);
    recovery.controller().failed(new IllegalStateException("a test"), atNs(2));
    assertFalse(isStockSuspended());
    assertState("STANDBY", "the NameNode is not active");
    tick(2);
    assertTrue(isStockSuspended());
  }

  @Test
  void end_letsStockRecover_andCommandsNothingMore() {
    runFor(0, 5);
    assertTrue(answer(5).getAuthoritative());
    recovery.controller().end("an admin wants it");
    assertFalse(isStockSuspended());
    assertState("STOCK", "an admin wants it");
    assertFalse(answer(5).getAuthoritative());
    recovery.controller().end("once more");
    assertState("STOCK", "an admin wants it");
  }

  @Test
  void endOfThePlugin_isNoChangeOfState() {
    runFor(0, 5);
    recovery.controller().end(null);
    assertFalse(isStockSuspended());
    assertState("DAYU", ACTIVE);
  }

  @Test
  void command_isObeyedAtOnce_butNotByAStandby() {
    AdminControl admin = recovery.controller().adminControl();
    runFor(0, 5);
    admin.command(AdminControl.Mode.STOCK, "admin", "", wallClockMs);
    recovery.controller().adminControlChanged(atNs(5));
    assertEquals("STOCK", recovery.status().getState());
    assertFalse(isStockSuspended());
    when(blocks.keepsQueues()).thenReturn(false);
    tick(6);
    recovery.controller().adminControlChanged(atNs(6));
    assertState("STANDBY", "the NameNode is not active");
    assertTrue(isStockSuspended());
  }

  @Test
  void pauseForATime_isOverThen() throws Exception {
    AdminControl admin = recovery.controller().adminControl();
    runFor(0, 5);
    admin.pause(PauseRequest.parse("-for 1h"), "admin", wallClockMs);
    recovery.controller().adminControlChanged(atNs(5));
    assertTrue(recovery.status().getStateReason().contains("paused"), recovery.status().getStateReason());
    wallClockMs += TimeUnit.HOURS.toMillis(1) - 1;
    runFor(5, 10);
    assertTrue(admin.paused());
    wallClockMs++;
    tick(10);
    assertFalse(admin.paused());
    assertState("DAYU", ACTIVE);
  }

  /** Transfers are looked at once a second, and the state with them. */
  @Test
  void reasonOfAPause_endsWithIt_andNotASecondLater() throws Exception {
    AdminControl admin = recovery.controller().adminControl();
    runFor(0, 5);
    for (Runnable end : List.<Runnable>of(() -> {
      admin.command(AdminControl.Mode.RUN, "admin", "", wallClockMs);
      recovery.controller().adminControlChanged(atNs(4) + 1);
    }, () -> {
      wallClockMs += TimeUnit.HOURS.toMillis(1);
      recovery.controller().tick(atNs(4) + 1);
    })) {
      admin.pause(PauseRequest.parse("-for 1h"), "admin", wallClockMs);
      recovery.controller().adminControlChanged(atNs(4) + 1);
      assertTrue(recovery.status().getStateReason().contains("paused"), recovery.status().getStateReason());
      end.run();
      assertState("DAYU", ACTIVE);
    }
  }

  @Test
  void groups_areDayus_ifTheSettingSaysSo() throws Exception {
    tick(0);
    verify(blocks, never()).setRecoversGroups(true);
    Configuration conf = new Configuration(false);
    conf.set(Setting.ERASURE_CODING.key(), "dayu");
    runWith(conf);
    tick(1);
    verify(blocks).setRecoversGroups(true);
  }

  @Test
  void agentThatIsSilentForHalfAnHour_isForgotten() {
    runFor(0, 5);
    recovery.responder().receive(report("silent").build(), atNs(5));
    runFor(5, 10);
    tick(5 + 30 * 60);
    assertNotNull(recovery.agents().get("silent"));
    recovery.responder().receive(report().build(), atNs(6 + 30 * 60));
    tick(6 + 30 * 60);
    assertNull(recovery.agents().get("silent"));
    assertNotNull(recovery.agents().get("target"));
  }

  /** The transfers are another NameNode's from then on, and so is what was known of their nodes. */
  @Test
  void standby_hasNoTransfers_andDirectsNobody() {
    recovery.controller().tick(startNs + 1);
    recovery.responder().receive(report().addRunning(running()).setLoad(LOAD).build(), startNs + 2);
    tick(1);
    assertEquals(1, recovery.controller().transfers().size());
    assertEquals(1, recovery.controller().transfersByTarget().size());
    assertEquals(1, recovery.controller().cluster().nodes().size());
    when(blocks.keepsQueues()).thenReturn(false);
    tick(2);
    assertEquals(List.of(), recovery.controller().transfers());
    assertFalse(answer(2).getAuthoritative());
    assertTrue(recovery.controller().cluster().nodes().isEmpty());
  }

  /** Two failures of the same stage and one of the next activation are not three in a row. */
  @Test
  void failures_areForgottenByAStandby() {
    runFor(0, 5);
    doThrow(new IllegalStateException("a test")).when(blocks).check(anyList());
    runFor(5, 7);
    when(blocks.keepsQueues()).thenReturn(false);
    tick(7);
    when(blocks.keepsQueues()).thenReturn(true);
    runFor(8, 10);
    assertEquals("DAYU", recovery.status().getState());
    runFor(10, 13);
    assertEquals("STOCK", recovery.status().getState());
  }

  @Test
  void transfers_areComparedOnceASecond_howeverOftenItTicks() {
    for (int tick = 0; tick <= 30; tick++) {
      recovery.controller().tick(startNs + 1 + tick * TimeUnit.MILLISECONDS.toNanos(100));
    }
    verify(blocks, times(4)).check(anyList());
  }
}

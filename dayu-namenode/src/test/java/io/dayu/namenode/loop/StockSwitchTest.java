/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockManagement;
import io.dayu.namenode.planning.TimeslotPlanner;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.transfers.ClockStart;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.doNothing;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/** Suspension of stock re-replication and the published state change together, also if a resumption fails half way. */
final class StockSwitchTest {
  private static final long NOW_NS = ClockStart.NS;

  private final StockSuspension suspension = new StockSuspension(mock(BlockManagement.class), NOW_NS);
  private final DayuStatus status = new DayuStatus();
  private final TimeslotPlanner timeslots = mock(TimeslotPlanner.class);
  private final BlocksForStock forStock = mock(BlocksForStock.class);
  private final StockSwitch stock = new StockSwitch(suspension, status, timeslots, forStock);

  private void assertState(String state, String reason) {
    assertEquals(state, status.getState());
    assertEquals(reason, status.getStateReason());
  }

  @Test
  void stock_isSuspendedWhileDayuRecovers() {
    assertFalse(stock.isSuspended());
    stock.takeOver(NOW_NS, "there are enough agents");
    assertTrue(stock.isSuspended());
    assertTrue(suspension.isSuspended());
    assertState("DAYU", "there are enough agents");
    stock.resume("there are too few");
    assertFalse(stock.isSuspended());
    assertFalse(suspension.isSuspended());
    assertState("STOCK", "there are too few");
  }

  /** The queues of HDFS have the blocks, and stock takes them from there. */
  @Test
  void stockThatResumes_leavesNothingPlannedOrOffered() {
    stock.takeOver(NOW_NS, "there are enough agents");
    verify(timeslots, never()).clear();
    verify(forStock, never()).clear();
    stock.resume("there are too few");
    verify(timeslots).clear();
    verify(forStock).clear();
  }

  @Test
  void suspensionAlone_isNoChangeOfState() {
    stock.suspend(NOW_NS);
    assertTrue(stock.isSuspended());
    assertTrue(suspension.isSuspended());
    assertState("STANDBY", "starting");
  }

  @Test
  void resumptionByTheWatchdog_isKnown_untilTheStateFollows() {
    assertFalse(stock.wasResumedByTheWatchdog());
    stock.takeOver(NOW_NS, "there are enough agents");
    assertFalse(stock.wasResumedByTheWatchdog());
    suspension.resume();
    assertTrue(stock.wasResumedByTheWatchdog());
    stock.resume("the watchdog has resumed stock re-replication");
    assertFalse(stock.wasResumedByTheWatchdog());
  }

  @Test
  void resumptionThatFailsHalfWay_looksLikeOneByTheWatchdog_andIsDoneAgain() {
    stock.takeOver(NOW_NS, "there are enough agents");
    doThrow(new IllegalStateException("a test")).when(timeslots).clear();
    assertThrows(IllegalStateException.class, () -> stock.resume("there are too few"));
    assertFalse(suspension.isSuspended(), "stock recovers, whatever else fails");
    assertTrue(stock.wasResumedByTheWatchdog());
    doNothing().when(timeslots).clear();
    stock.resume("there are too few");
    verify(forStock).clear();
    assertFalse(stock.wasResumedByTheWatchdog());
  }
}

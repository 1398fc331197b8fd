/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.rules;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Timeslots of 3 s. */
class PlanTimingTest {
  private static final long SEC = 1_000_000_000L;

  private final PlanTiming timing = new PlanTiming(3000, 500);

  private boolean due(long waiting, int live, boolean lostSource, long nowNs) {
    return !timing.isTooEarly(nowNs) && timing.isDue(waiting, live, live > 0, lostSource, nowNs);
  }

  private void plan(long waitingBefore, int granted, long waitingAfter, long nowNs) {
    timing.planning(waitingBefore, nowNs);
    timing.planned(3000);
    timing.carriedOut(granted, waitingAfter);
  }

  @Test
  void firstTimeslot_isDueAtOnce_ifThereIsWork() {
    timing.begin(7 * SEC);
    assertFalse(due(0, 0, false, 7 * SEC));
    assertTrue(due(1, 0, false, 7 * SEC));
  }

  @Test
  void timeslot_endsAfterT() {
    timing.begin(0);
    plan(100, 60, 40, 0);
    assertFalse(due(40, 59, false, 3 * SEC - 1));
    assertTrue(due(40, 59, false, 3 * SEC));
    assertTrue(due(0, 1, false, 3 * SEC), "what runs is looked at again");
  }

  @Test
  void timeslot_endsByAnotherT_atOnceIfThatIsShorter_afterItIfLonger() {
    timing.begin(0);
    plan(100, 60, 40, 0);
    timing.timeslotMs(1500);
    assertFalse(due(40, 59, false, 1500 * SEC / 1000 - 1));
    assertTrue(due(40, 59, false, 1500 * SEC / 1000));
    timing.timeslotMs(9000);
    assertTrue(due(40, 59, false, 1500 * SEC / 1000), "this timeslot is planned as it was");
    timing.planning(40, 2 * SEC);
    timing.planned(9000);
    timing.carriedOut(60, 10);
    assertFalse(due(10, 59, false, 11 * SEC - 1));
    assertTrue(due(10, 59, false, 11 * SEC));
  }

  @Test
  void timeslot_endsEarly_whenHalfIsDone_butNotBeforeAThirdOfT() {
    timing.begin(0);
    plan(100, 60, 40, 0);
    assertFalse(due(40, 30, false, SEC - 1));
    assertTrue(due(40, 30, false, SEC));
    assertFalse(due(40, 31, false, SEC));
    assertFalse(due(0, 0, false, SEC), "nothing waits");
  }

  @Test
  void timeslot_doesNotEndEarly_beforeTheShortestOne() {
    PlanTiming slow = new PlanTiming(3000, 2000);
    slow.begin(0);
    slow.planning(100, 0);
    slow.planned(3000);
    slow.carriedOut(60, 40);
    assertTrue(slow.isTooEarly(2 * SEC - 1));
    assertFalse(slow.isTooEarly(2 * SEC));
    slow.planned(1000);
    assertFalse(slow.isTooEarly(SEC), "planned to be that short");
    assertTrue(new PlanTiming(3000, 9000).isTooEarly(3 * SEC - 1), "all are equally long");
  }

  @Test
  void timeslot_endsEarly_forALostSourceAndForNewBlocks() {
    timing.begin(0);
    plan(100, 60, 40, 0);
    assertTrue(due(40, 60, true, SEC));
    assertTrue(due(202, 60, false, SEC), "more than twice as many as before the plan");
    assertFalse(due(200, 60, false, SEC));
  }
}

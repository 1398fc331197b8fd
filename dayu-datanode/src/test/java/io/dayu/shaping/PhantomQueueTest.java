/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.shaping;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A queue that drains at 1000 bytes a second, with times in milliseconds. */
class PhantomQueueTest {
  private static final long MS = 1_000_000;

  private static PhantomQueue queue(double creditSec, double debtSec) {
    return new PhantomQueue(1000, creditSec, debtSec, 0);
  }

  @Test
  void traffic_isFollowedByThePauseThatItsRateAsksFor() {
    PhantomQueue queue = queue(0, 1);
    assertEquals(0, queue.untilEmptyNs(0));
    queue.addBounded(50, 0);
    queue.add(100, 0);
    assertEquals(150 * MS, queue.untilEmptyNs(0));
    assertEquals(90 * MS, queue.untilEmptyNs(60 * MS));
    assertEquals(0, queue.untilEmptyNs(150 * MS));
  }

  @Test
  void unusedTime_isNotKeptWithoutCredit() {
    PhantomQueue queue = queue(0, 1);
    queue.add(100, 10_000 * MS);
    assertEquals(100 * MS, queue.untilEmptyNs(10_000 * MS));
  }

  @Test
  void unusedTime_isKeptUpToTheCredit() {
    PhantomQueue queue = queue(2, 1);
    queue.add(2_100, 10_000 * MS);
    assertEquals(100 * MS, queue.untilEmptyNs(10_000 * MS));
  }

  @Test
  void boundedTraffic_countsNoLongerThanTheDebtAllows() {
    PhantomQueue queue = queue(0, 0.05);
    queue.addBounded(1_000_000, 0);
    assertEquals(50 * MS, queue.untilEmptyNs(0));
    queue.add(100, 50 * MS);
    queue.addBounded(1, 50 * MS);
    assertEquals(100 * MS, queue.untilEmptyNs(50 * MS), "what was added in full is not cut");
  }

  @Test
  void clockThatStandsStill_drainsNothing() {
    PhantomQueue queue = queue(0, 1);
    queue.add(100, 50 * MS);
    assertEquals(100 * MS, queue.untilEmptyNs(20 * MS));
    assertEquals(50 * MS, queue.untilEmptyNs(100 * MS));
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A queue that drains at 1000 bytes a second, with times in milliseconds. */
class PhantomQueueTest {
  private static final long MS = 1_000_000;

  private static PhantomQueue queue(double floorBytesPerSec, double creditSec, double debtSec) {
    return new PhantomQueue(1000, floorBytesPerSec, creditSec, debtSec, 0);
  }

  @Test
  void ownTraffic_isFollowedByThePauseThatItsRateAsksFor() {
    PhantomQueue queue = queue(0, 0, 1);
    assertEquals(0, queue.nanosUntilFree(0));
    queue.addOwn(100, 0);
    assertEquals(100 * MS, queue.nanosUntilFree(0));
    assertEquals(40 * MS, queue.nanosUntilFree(60 * MS));
    assertEquals(0, queue.nanosUntilFree(100 * MS));
  }

  @Test
  void othersTraffic_takesFromTheSameRate() {
    PhantomQueue queue = queue(0, 0, 1);
    queue.addOthers(50, 0);
    queue.addOwn(100, 0);
    assertEquals(150 * MS, queue.nanosUntilFree(0));
  }

  @Test
  void unusedTime_isNotKeptWithoutCredit() {
    PhantomQueue queue = queue(0, 0, 1);
    queue.addOwn(100, 10_000 * MS);
    assertEquals(100 * MS, queue.nanosUntilFree(10_000 * MS));
  }

  @Test
  void unusedTime_isKeptUpToTheCredit() {
    PhantomQueue queue = queue(0, 2, 1);
    queue.addOwn(2_100, 10_000 * MS);
    assertEquals(100 * MS, queue.nanosUntilFree(10_000 * MS));
  }

  @Test
  void othersBurst_countsNoLongerThanTheDebtAllows() {
    PhantomQueue queue = queue(0, 0, 0.05);
    queue.addOthers(1_000_000, 0);
    assertEquals(50 * MS, queue.nanosUntilFree(0));
    queue.addOwn(100, 50 * MS);
    queue.addOthers(1, 50 * MS);
    assertEquals(100 * MS, queue.nanosUntilFree(50 * MS), "recovery's own debt is not cut");
  }

  @Test
  void floor_isLeftToRecoveryWhateverOthersSend() {
    PhantomQueue queue = queue(10, 0, 1);
    queue.addOthers(100_000, 0);
    assertEquals(0, queue.nanosUntilFree(0));
    queue.addOwn(1, 0);
    queue.addOthers(100_000, 0);
    assertTrue(queue.nanosUntilFree(99 * MS) > 0);
    assertEquals(0, queue.nanosUntilFree(100 * MS));
  }

  @Test
  void clockThatStandsStill_drainsNothing() {
    PhantomQueue queue = queue(0, 0, 1);
    queue.addOwn(100, 50 * MS);
    assertEquals(100 * MS, queue.nanosUntilFree(20 * MS));
    assertEquals(50 * MS, queue.nanosUntilFree(100 * MS));
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.shaping;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LatencyBackoffTest {
  private static final double MIN = 0.4;
  private static final double MS = 1e6;
  private static final double ERROR = 1e-9;

  private long nowNs = new Random(20261128).nextLong();
  private LatencyBackoff backoff = new LatencyBackoff("reads", MIN, nowNs);

  /** Seconds in each of which operations take so long. */
  private void pass(int seconds, int operations, double meanMs, boolean recovering) {
    for (int second = 0; second < seconds; second++) {
      nowNs += LatencyBackoff.INTERVAL_NS;
      backoff.record(operations, operations * meanMs * MS, recovering, nowNs);
    }
  }

  /** Ends the interval in which recovery begins or ends, which does not count. */
  private void change(boolean recovering) {
    pass(1, 0, 0, recovering);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, Long.MAX_VALUE - 5_000_000_000L, Long.MIN_VALUE, -1, 4_611_686_018_427_387_904L})
  void slowOperations_lowerTheFactorToItsMinimum_fromAnyStartOfTheClock(long startNs) {
    nowNs = startNs;
    backoff = new LatencyBackoff("reads", MIN, startNs);
    pass(20, 50, 10, false);
    assertEquals(10 * MS, backoff.baselineNs(), 1);
    change(true);
    pass(1, 50, 20, true);
    assertEquals(0.8, backoff.factor(), ERROR);
    assertEquals("reads take 20.0 ms beside recovery, 10.0 ms without", backoff.reason());
    pass(1, 50, 20, true);
    assertEquals(0.64, backoff.factor(), ERROR);
    pass(10, 50, 20, true);
    assertEquals(MIN, backoff.factor());
  }

  @Test
  void factor_stays_betweenTheTwoBounds() {
    pass(20, 50, 10, false);
    change(true);
    pass(1, 50, 20, true);
    pass(30, 50, 13.5, true);
    assertEquals(0.8, backoff.factor(), ERROR);
    pass(1, 50, 11, true);
    assertEquals(0.85, backoff.factor(), ERROR);
    pass(3, 50, 11, true);
    assertEquals(1, backoff.factor(), ERROR);
  }

  @Test
  void factor_is1_asLongAsOperationsTakeAboutAsLongAsBefore() {
    pass(20, 50, 10, false);
    change(true);
    pass(60, 50, 14.9, true);
    assertEquals(1, backoff.factor());
    assertEquals("", backoff.reason());
  }

  @Test
  void factor_is1_withoutABaseline() {
    pass(60, 50, 500, true);
    assertFalse(backoff.hasBaseline());
    assertEquals(0, backoff.baselineNs());
    assertEquals(1, backoff.factor());
  }

  @Test
  void factor_rises_whileRecoveryRests() {
    pass(20, 50, 10, false);
    change(true);
    pass(3, 50, 30, true);
    assertEquals(0.512, backoff.factor(), ERROR);
    change(false);
    pass(2, 50, 10, false);
    assertEquals(0.612, backoff.factor(), ERROR);
    assertEquals("reads were slow beside recovery", backoff.reason());
  }

  @Test
  void factor_rises_whileClientsRest() {
    pass(20, 50, 10, false);
    change(true);
    pass(3, 50, 30, true);
    pass(10, 0, 0, true);
    assertEquals(0.562, backoff.factor(), ERROR);
  }

  @Test
  void fewOperations_areCollected_untilTheyAreEnough() {
    pass(20, 50, 10, false);
    change(true);
    pass(3, LatencyBackoff.MIN_OPERATIONS / 4, 30, true);
    assertEquals(1, backoff.factor());
    pass(1, LatencyBackoff.MIN_OPERATIONS / 4, 30, true);
    assertEquals(0.8, backoff.factor(), ERROR);
  }

  @Test
  void operationsWhileRecoveryBeginsOrEnds_countForNeither() {
    pass(20, 50, 10, false);
    pass(1, 1_000, 500, true);
    pass(1, 1_000, 500, false);
    assertEquals(1, backoff.factor());
    assertEquals(10 * MS, backoff.baselineNs(), 1);
  }

  @Test
  void baseline_followsWithoutRecovery_withinMinutes_andIgnoresHowFarAnOutlierIs() {
    pass(20, 50, 10, false);
    pass(1, 50, 10_000, false);
    assertEquals(10 * MS, backoff.baselineNs(), 0.1 * MS);
    pass((int) LatencyBackoff.BASELINE_SEC, 50, 20, false);
    assertEquals((20 - 10 / Math.E) * MS, backoff.baselineNs(), 0.1 * MS);
  }

  @Test
  void baseline_hardlyFollowsSlowOperationsBesideRecovery_andFastOnesAsUsual() {
    pass(20, 50, 10, false);
    change(true);
    pass(120, 50, 20, true);
    assertEquals(10 * MS, backoff.baselineNs(), 0.1 * MS);
    pass((int) LatencyBackoff.BASELINE_SEC, 50, 5, true);
    assertEquals((5 + 5 / Math.E) * MS, backoff.baselineNs(), 0.1 * MS);
  }

  @Test
  void factor_isOneAgain_afterHoursOfAnotherLoad() {
    pass(20, 50, 10, false);
    change(true);
    pass(60, 50, 17, true);
    assertEquals(MIN, backoff.factor());
    pass(8 * 3600, 50, 17, true);
    assertTrue(backoff.baselineNs() > 14.5 * MS);
    assertEquals(1, backoff.factor(), ERROR);
  }

  @Test
  void factorOfRandomLatencies_keepsItsBounds() {
    Random random = new Random(7);
    pass(20, 50, 10, false);
    for (int step = 0; step < 10_000; step++) {
      pass(1, random.nextInt(60), 40 * random.nextDouble(), random.nextInt(10) > 0);
      assertTrue(backoff.factor() >= MIN && backoff.factor() <= 1, "seed 7, step " + step + ": " + backoff.factor());
      assertEquals(backoff.factor() == 1, backoff.reason().isEmpty());
    }
  }

  @Test
  void minimumOutsideOfItsBounds_isAnError() {
    assertThrows(IllegalArgumentException.class, () -> new LatencyBackoff("reads", 0, nowNs));
    assertThrows(IllegalArgumentException.class, () -> new LatencyBackoff("reads", 1.1, nowNs));
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LeavingEstimateTest {
  private final LeavingEstimate estimate = new LeavingEstimate(0);

  private void observe(long second, long bytes) {
    estimate.observe(bytes, TimeUnit.SECONDS.toNanos(second));
  }

  @Test
  void steadyProgress_isEstimatedByItsRate() {
    observe(0, 1_000);
    assertEquals(-1, estimate.etaSeconds(), "one look tells no rate");
    for (int s = 10; s <= 90; s += 10) {
      observe(s, 1_000 - 10L * s);
      assertEquals(100 - s, estimate.etaSeconds());
      assertEquals(0, estimate.error(), 1e-9);
    }
    observe(100, 0);
    assertEquals(0, estimate.etaSeconds());
  }

  @Test
  void progressThatBecomesSlower_showsTheErrorOfTheFirstEstimate() {
    observe(0, 1_000);
    observe(10, 900);
    observe(20, 850);
    observe(300, 400);
    // At first 100 s in all, now 450 bytes in 280 s and 400 left.
    assertEquals(249, estimate.etaSeconds(), 2);
    assertEquals((549 - 100) / 549.0, estimate.error(), 0.02);
  }

  @Test
  void timeInWhichNothingCouldBeCopied_doesNotCount() {
    observe(0, 0);
    observe(70, 0);
    observe(80, 1_000);
    observe(90, 900);
    assertEquals(90, estimate.etaSeconds());
  }

  @Test
  void bytesThatComeLater_leaveTheRateAsItIs() {
    for (int s = 0; s <= 60; s += 10) {
      observe(s, 10_000 - 10 * s);
    }
    observe(70, 9_800);
    assertEquals(9_800 / (600.0 / 70), estimate.etaSeconds(), 1);
  }

  @Test
  void standstill_hasNoEnd() {
    observe(0, 100);
    observe(10, 100);
    assertEquals(-1, estimate.etaSeconds());
    observe(20, 120);
    assertEquals(-1, estimate.etaSeconds());
    assertTrue(estimate.error() < 0);
  }
}

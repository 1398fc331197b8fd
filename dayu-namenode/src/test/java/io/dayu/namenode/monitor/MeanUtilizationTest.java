/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import io.dayu.namenode.transfers.ClockStart;
import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class MeanUtilizationTest {
  private static final double ALPHA = 0.75;

  private final MeanUtilization utilization = new MeanUtilization();
  private long nowNs = ClockStart.NS;

  private boolean halfSecond(double in, double out) {
    nowNs += TimeUnit.MILLISECONDS.toNanos(500);
    return utilization.isAbove(ALPHA, "node", in, out, nowNs);
  }

  @Test
  void linkThatIsHeldAtAlpha_isNotAbove_thoughHalfOfTheMomentsAre() {
    for (int i = 0; i < 1_000; i++) {
      assertFalse(halfSecond(ALPHA + (i % 2 == 0 ? 0.15 : -0.15), 0));
    }
  }

  @Test
  void linkThatStaysAboveAlpha_isAboveWithinTheWindow_inEitherDirection() {
    for (int i = 0; i < 40; i++) {
      assertFalse(halfSecond(0.5, 0.5));
    }
    int until = 0;
    while (!halfSecond(0.5, 0.95)) {
      until++;
    }
    assertEquals(16, until, 2, "half seconds");
    assertFalse(utilization.isAbove(ALPHA, "other", 0.5, 0.95, nowNs), "each node for itself");
    assertTrue(halfSecond(0.5, 0.95));
    utilization.clear();
    assertFalse(halfSecond(0.5, 0.5), "nothing is left of it");
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.foreground;

import io.dayu.sim.Cluster;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class VaryingForegroundTest {
  private static final long BANDWIDTH = 250_000_000;
  private static final Cluster CLUSTER = new Cluster(50, 5, BANDWIDTH);
  private static final ForegroundModel SLOTS = new SyntheticForeground(CLUSTER, 3, 0);

  @Test
  void rates_varyWithinASlot_aboutItsRate_andStayOnTheLink() {
    ForegroundModel varying = new VaryingForeground(SLOTS, 500, CLUSTER, 3);
    assertEquals(30 * SLOTS.slots(), varying.slots());
    long[] slotIn = new long[50];
    long[] slotOut = new long[50];
    SLOTS.open(4).next(slotIn, slotOut);
    ForegroundStream periods = varying.open(4 * 30);
    double[] sum = new double[50];
    long[] in = new long[50];
    long[] out = new long[50];
    boolean changes = false;
    for (int period = 0; period < 30; period++) {
      long before = out[7];
      periods.next(in, out);
      changes |= period > 0 && out[7] != before;
      for (int node = 0; node < 50; node++) {
        assertTrue(in[node] >= 0 && in[node] <= BANDWIDTH);
        sum[node] += in[node] / 30.0;
      }
    }
    assertTrue(changes);
    for (int node = 0; node < 50; node++) {
      assertEquals(slotIn[node], sum[node], 0.45 * slotIn[node]);
    }
  }

  @Test
  void streams_openedOnTheSamePeriod_areEqual() {
    ForegroundModel varying = new VaryingForeground(SLOTS, 1500, CLUSTER, 3);
    long[][] a = new long[2][50];
    long[][] b = new long[2][50];
    varying.open(-7).next(a[0], a[1]);
    varying.open(-7).next(b[0], b[1]);
    assertArrayEquals(a, b);
  }

  @Test
  void period_isAPartOfASlot() {
    assertThrows(IllegalArgumentException.class, () -> new VaryingForeground(SLOTS, 700, CLUSTER, 3));
  }
}

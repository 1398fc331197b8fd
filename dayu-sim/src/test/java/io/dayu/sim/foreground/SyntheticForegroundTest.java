/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.foreground;

import io.dayu.sim.Cluster;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SyntheticForegroundTest {
  private static final Cluster CLUSTER = new Cluster(500, 40, 250_000_000);

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void day_hasThePublishedStatistics(long seed) {
    ForegroundStatistics statistics = ForegroundStatistics.of(
        new SyntheticForeground(CLUSTER, seed, SyntheticForeground.MEAN_LEVEL), 0, 5760, 250_000_000);
    assertEquals(0.40, statistics.meanShare(), 0.03, "seed " + seed);
    assertTrue(statistics.slotCov()[0] > 0.36 && statistics.slotCov()[2] < 0.60, "seed " + seed);
    assertEquals(0.953, statistics.smallChanges(), 0.01, "seed " + seed);
    assertEquals(2 / 3.0, statistics.largestChange(), 0.03, "seed " + seed);
    assertTrue(statistics.hourCov() < 0.2 && statistics.hourCov() > statistics.dayCov(), "seed " + seed);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -64, 1_000_000})
  void stream_repeats_whenOpenedAgain(long firstSlot) {
    SyntheticForeground model = new SyntheticForeground(CLUSTER, 7, 0);
    ForegroundStream one = model.open(firstSlot);
    ForegroundStream two = model.open(firstSlot);
    long[][] a = new long[2][CLUSTER.nodes()];
    long[][] b = new long[2][CLUSTER.nodes()];
    for (int slot = 0; slot < 5; slot++) {
      long[] before = a[0].clone();
      one.next(a[0], a[1]);
      two.next(b[0], b[1]);
      assertArrayEquals(a, b);
      assertFalse(java.util.Arrays.equals(before, a[0]));
    }
  }
}

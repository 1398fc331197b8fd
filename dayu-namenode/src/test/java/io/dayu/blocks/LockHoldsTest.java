/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

import org.junit.jupiter.api.Test;

import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LockHoldsTest {
  private final LockHolds holds = new LockHolds();

  @Test
  void percentiles_areAtMostAnEighthAbove() {
    for (int i = 1; i <= 100_000; i++) {
      holds.record(i * 100L, i);
    }
    for (double share : new double[] {0.01, 0.5, 0.99, 0.999}) {
      double exact = share * 10_000_000;
      assertTrue(holds.percentileNs(share) >= exact && holds.percentileNs(share) <= 1.13 * exact,
          share + ": " + holds.percentileNs(share));
    }
    assertEquals(10_000_000, holds.percentileNs(1));
    assertEquals(10_000_000, holds.maxNs());
    assertEquals(100_000, holds.maxCpuNs());
    assertEquals(100_000, holds.count());
  }

  @Test
  void nothing_hasNoPercentile() {
    assertEquals(0, holds.percentileNs(0.999));
    assertEquals(0, holds.count());
  }

  @Test
  void histogram_countsEachHoldOnce() {
    holds.record(0, 0);
    holds.record(40_000, 0);
    holds.record(1_900_000, 0);
    holds.record(3_000_000_000L, 0);
    Map<String, Long> rows = holds.histogram();
    assertEquals(2, rows.get("up to 50 us"));
    assertEquals(1, rows.get("up to 2000 us"));
    assertEquals(1, rows.get("longer"));
    assertEquals(4, rows.values().stream().mapToLong(Long::longValue).sum());
  }
}

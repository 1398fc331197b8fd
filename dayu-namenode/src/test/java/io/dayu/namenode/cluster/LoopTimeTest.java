/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.cluster;

import org.junit.jupiter.api.Test;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;

class LoopTimeTest {
  private static final long KEPT_NS = MILLISECONDS.toNanos(9_000);

  private final LoopTime time = new LoopTime();

  private void tick(long ms) {
    time.tick(MILLISECONDS.toNanos(ms), KEPT_NS);
  }

  private long sinceMs(long momentMs, long nowMs) {
    return time.since(MILLISECONDS.toNanos(momentMs), MILLISECONDS.toNanos(nowMs)) / 1_000_000;
  }

  @Test
  void loopThatGoesOn_hasTheTimeOfTheClock() {
    tick(0);
    tick(1_000);
    assertEquals(1_500, sinceMs(0, 1_500));
  }

  @Test
  void firstTick_endsNoGap() {
    tick(100_000);
    assertEquals(100_000, sinceMs(0, 100_000));
  }

  @Test
  void gap_countsAsHalfASecond_forWhatWasBeforeIt() {
    tick(0);
    tick(30_000);
    assertEquals(1_500, sinceMs(-1_000, 30_000));
    assertEquals(1_000, sinceMs(31_000, 32_000), "what came after it");
    assertEquals(0, sinceMs(10_000, 30_000), "what came in the midst of it");
  }

  @Test
  void gaps_addUp() {
    tick(0);
    tick(2_000);
    tick(4_000);
    assertEquals(1_000, sinceMs(0, 4_000));
    assertEquals(500, sinceMs(2_000, 4_000));
  }

  @Test
  void gapsOfLongAgo_areForgotten() {
    tick(0);
    tick(2_000);
    for (int ms = 3_000; ms <= 11_000; ms += 1_000) {
      tick(ms);
    }
    assertEquals(9_500, sinceMs(0, 11_000));
    tick(12_000);
    assertEquals(12_000, sinceMs(0, 12_000));
  }
}

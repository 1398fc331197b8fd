/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.load;

import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LatencyLogTest {
  private static final long BEGIN_NS = Long.MAX_VALUE - 1_000;

  private final LatencyLog log = new LatencyLog();

  private void operation(boolean read, long plannedNs, long latencyMs) {
    log.begin(read, plannedNs).finished(plannedNs + TimeUnit.MILLISECONDS.toNanos(latencyMs));
  }

  @Test
  void percentiles_areOfTheOperationsPlannedInTheWindow() {
    for (int ms = 1; ms <= 100; ms++) {
      operation(true, BEGIN_NS + ms, ms);
    }
    operation(true, BEGIN_NS, 7_000);
    operation(true, BEGIN_NS + 101, 7_000);

    Latencies latencies = log.latencies(BEGIN_NS + 1, BEGIN_NS + 101);

    assertEquals(100, latencies.reads().count());
    assertEquals(50, latencies.reads().p50Ms(), 0.1);
    assertEquals(90, latencies.reads().p90Ms(), 0.1);
    assertEquals(99, latencies.reads().p99Ms(), 0.1);
    assertEquals(100, latencies.reads().maxMs(), 0.1);
  }

  /** {@link System#nanoTime()} may run over. */
  @Test
  @SuppressWarnings("ConstantOverflow")
  void windows_mayReachOverTheEndOfTheClock() {
    operation(true, BEGIN_NS + 5_000, 3);
    assertEquals(1, log.latencies(BEGIN_NS, BEGIN_NS + 10_000).reads().count());
  }

  @Test
  void readsAndWrites_areApartAndTogether() {
    operation(true, 0, 10);
    operation(false, 0, 30);
    Latencies latencies = log.latencies(0, 1);
    assertEquals(10, latencies.reads().maxMs(), 0.1);
    assertEquals(30, latencies.writes().p50Ms(), 0.1);
    assertEquals(2, latencies.all().count());
    assertEquals(30, latencies.all().maxMs(), 0.1);
  }

  @Test
  void unfinishedAndFailedOperations_areCountedAndInNoPercentile() {
    log.begin(true, 0);
    log.begin(true, 0).failed();
    Latencies latencies = log.latencies(0, 1);
    assertEquals(1, latencies.unfinished());
    assertEquals(1, latencies.failed());
    assertEquals(0, latencies.all().count());
    assertTrue(Double.isNaN(latencies.reads().p90Ms()));
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.load;

import io.dayu.harness.load.Latencies.Percentiles;
import org.HdrHistogram.Histogram;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** Every operation with its planned moment and how it ended, to be asked about any window. Thread-safe. */
final class LatencyLog {
  private static final long MAX_LATENCY_US = TimeUnit.HOURS.toMicros(1);
  private static final int SIGNIFICANT_DIGITS = 3;

  private final Queue<Entry> entries = new ConcurrentLinkedQueue<>();

  /** One operation; ended once, by one thread. */
  static final class Entry {
    private static final long UNDER_WAY = -1;
    private static final long FAILED = -2;

    private final boolean read;
    private final long plannedNs;
    private volatile long latencyNs = UNDER_WAY;

    private Entry(boolean read, long plannedNs) {
      this.read = read;
      this.plannedNs = plannedNs;
    }

    void finished(long nowNs) {
      latencyNs = Math.max(0, nowNs - plannedNs);
    }

    void failed() {
      latencyNs = FAILED;
    }
  }

  Entry begin(boolean read, long plannedNs) {
    Entry entry = new Entry(read, plannedNs);
    entries.add(entry);
    return entry;
  }

  /** Of the operations planned at {@code fromNs} or later, and before {@code toNs}. */
  Latencies latencies(long fromNs, long toNs) {
    Histogram readsUs = new Histogram(MAX_LATENCY_US, SIGNIFICANT_DIGITS);
    Histogram writesUs = new Histogram(MAX_LATENCY_US, SIGNIFICANT_DIGITS);
    int underWay = 0;
    int failed = 0;
    for (Entry entry : entries) {
      if (entry.plannedNs - fromNs < 0 || entry.plannedNs - toNs >= 0) {
        continue;
      }
      long latencyNs = entry.latencyNs;
      if (latencyNs == Entry.UNDER_WAY) {
        underWay++;
      } else if (latencyNs == Entry.FAILED) {
        failed++;
      } else {
        (entry.read ? readsUs : writesUs)
            .recordValue(Math.min(MAX_LATENCY_US, TimeUnit.NANOSECONDS.toMicros(latencyNs)));
      }
    }
    Percentiles reads = Percentiles.of(readsUs);
    Percentiles writes = Percentiles.of(writesUs);
    readsUs.add(writesUs);
    return new Latencies(reads, writes, Percentiles.of(readsUs), underWay, failed);
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long Dayu has held the namesystem lock, hold by hold: a histogram of wall time, and the longest hold by the CPU
 * time of the thread that held it. Thread-safe: the holders record, any thread reads.
 *
 * <p>The histogram has 8 buckets for each power of two, so that a percentile is at most 13 % above the true one.
 */
public final class LockHolds {
  private static final int BUCKETS_PER_POWER = 8;
  private static final int BUCKETS = 64 * BUCKETS_PER_POWER;
  /** Upper ends of the rows that an admin sees, in microseconds. */
  private static final long[] ROWS_MICROS = {50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000};

  private final AtomicLongArray counts = new AtomicLongArray(BUCKETS);
  private final AtomicLong totalNs = new AtomicLong();
  private final AtomicLong maxNs = new AtomicLong();
  private final AtomicLong maxCpuNs = new AtomicLong();

  /**
   * Records a hold.
   *
   * @param wallNs how long the lock was held
   * @param cpuNs how much of it the holder was running
   */
  public void record(long wallNs, long cpuNs) {
    counts.incrementAndGet(bucketOf(wallNs));
    totalNs.addAndGet(wallNs);
    maxNs.accumulateAndGet(wallNs, Math::max);
    maxCpuNs.accumulateAndGet(cpuNs, Math::max);
  }

  private static int bucketOf(long ns) {
    long value = Math.max(1, ns);
    int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(value);
    long within = power >= 3 ? value >>> power - 3 : value << 3 - power;
    return power * BUCKETS_PER_POWER + (int) (within & BUCKETS_PER_POWER - 1);
  }

  /** The largest value of a bucket. */
  private static long endNs(int bucket) {
    int power = bucket / BUCKETS_PER_POWER;
    double start = (double) (1L << power) * (1 + (bucket % BUCKETS_PER_POWER + 1) / (double) BUCKETS_PER_POWER);
    return (long) start;
  }

  /** Number of holds. */
  public long count() {
    long sum = 0;
    for (int i = 0; i < BUCKETS; i++) {
      sum += counts.get(i);
    }
    return sum;
  }

  /** Time of all holds together, in nanoseconds. */
  public long totalNs() {
    return totalNs.get();
  }

  /** The longest hold, in nanoseconds. */
  public long maxNs() {
    return maxNs.get();
  }

  /** The longest hold by CPU time of the holder, in nanoseconds. */
  public long maxCpuNs() {
    return maxCpuNs.get();
  }

  /**
   * A percentile, in nanoseconds; 0 if nothing was recorded.
   *
   * @param share of the holds that are no longer, 0 to 1
   */
  public long percentileNs(double share) {
    long wanted = (long) Math.ceil(share * count());
    long sum = 0;
    for (int i = 0; i < BUCKETS; i++) {
      sum += counts.get(i);
      if (sum >= wanted && sum > 0) {
        return Math.min(endNs(i), maxNs.get());
      }
    }
    return 0;
  }

  /** Number of holds by length: each row those that are no longer than it says and longer than the row before. */
  public Map<String, Long> histogram() {
    Map<String, Long> rows = new LinkedHashMap<>();
    int next = 0;
    for (long micros : ROWS_MICROS) {
      long sum = 0;
      while (next < BUCKETS && endNs(next) <= micros * 1_000) {
        sum += counts.get(next++);
      }
      rows.put("up to " + micros + " us", sum);
    }
    long longer = 0;
    while (next < BUCKETS) {
      longer += counts.get(next++);
    }
    rows.put("longer", longer);
    return rows;
  }
}

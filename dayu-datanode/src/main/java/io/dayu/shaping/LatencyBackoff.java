/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.shaping;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * What share of its bandwidth recovery keeps, by how long clients' operations take beside it: 1 while they take about
 * as long as without recovery, less where they take longer. Its user tells the time at each call, by any clock. Not
 * thread-safe.
 *
 * <p>The baseline is the mean latency of operations without recovery, as an exponential moving average of intervals. It
 * ages: operations of {@link #BASELINE_SEC} count. While recovery runs it follows slower operations only within hours,
 * so that a load that has changed for good does not hold recovery back for ever, and faster ones like others.
 *
 * <p>After each interval the factor changes at most once. Above {@link #DECREASE_ABOVE} times the baseline it is
 * multiplied, below {@link #INCREASE_BELOW} it rises by a constant (additive increase, multiplicative decrease).
 * Between the two it stays (hysteresis). It also rises while recovery rests, or clients do.
 */
public final class LatencyBackoff {
  /** The shortest time between two changes of the factor. */
  static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);
  /** An interval with fewer operations goes on, up to {@link #MAX_INTERVAL_NS}. */
  static final int MIN_OPERATIONS = 20;
  static final long MAX_INTERVAL_NS = TimeUnit.SECONDS.toNanos(10);
  /** Before the baseline has so many operations there is none. */
  static final int MIN_BASELINE_OPERATIONS = 100;
  static final double BASELINE_SEC = 600;
  static final double BASELINE_BESIDE_RECOVERY_SEC = 4 * 3600;
  /** One interval changes the baseline as if operations had taken at most this many times as long as it says. */
  static final double MAX_OUTLIER = 4;
  static final double DECREASE_ABOVE = 1.5;
  static final double INCREASE_BELOW = 1.2;
  static final double DECREASE = 0.8;
  static final double INCREASE = 0.05;

  private final String operation;
  private final double minFactor;
  private double factor = 1;
  private double baselineNs;
  /** Up to {@link #MIN_BASELINE_OPERATIONS}. */
  private long baselineOperations;
  /** The mean of the last complete interval with recovery; 0 = none since it last rested. */
  private double latencyNs;
  // The interval under way.
  private boolean recovering;
  private long operations;
  private double totalNs;
  private long sinceNs;

  /**
   * @param operation what is measured, for people, such as "writes to disk"
   * @param minFactor the factor does not fall below it; above 0, at most 1
   */
  public LatencyBackoff(String operation, double minFactor, long nowNs) {
    if (!(minFactor > 0 && minFactor <= 1)) {
      throw new IllegalArgumentException("minFactor " + minFactor);
    }
    this.operation = operation;
    this.minFactor = minFactor;
    this.sinceNs = nowNs;
  }

  /**
   * Takes note of clients' operations that have ended since the last call. Call it also if none has.
   *
   * @param newOperations how many
   * @param newTotalNs how long they took together
   * @param recoveringNow whether recovery has moved bytes meanwhile
   */
  public void record(long newOperations, double newTotalNs, boolean recoveringNow, long nowNs) {
    if (recoveringNow != recovering) {
      // These operations may have met both.
      recovering = recoveringNow;
      latencyNs = 0;
      begin(nowNs);
      return;
    }
    operations += newOperations;
    totalNs += newTotalNs;
    long elapsedNs = nowNs - sinceNs;
    if (elapsedNs >= (operations >= MIN_OPERATIONS ? INTERVAL_NS : MAX_INTERVAL_NS)) {
      end(elapsedNs);
      begin(nowNs);
    }
  }

  private void begin(long nowNs) {
    operations = 0;
    totalNs = 0;
    sinceNs = nowNs;
  }

  private void end(long elapsedNs) {
    boolean enough = operations >= MIN_OPERATIONS;
    if (recovering && enough && hasBaseline()) {
      latencyNs = totalNs / operations;
      decide();
    } else {
      latencyNs = 0;
      factor = Math.min(1, factor + INCREASE);
    }
    if (enough) {
      learn(totalNs / operations, elapsedNs / 1e9);
    }
  }

  private void decide() {
    if (latencyNs > DECREASE_ABOVE * baselineNs) {
      factor = Math.max(minFactor, factor * DECREASE);
    } else if (latencyNs < INCREASE_BELOW * baselineNs) {
      factor = Math.min(1, factor + INCREASE);
    }
  }

  private void learn(double meanNs, double elapsedSec) {
    if (!hasBaseline()) {
      if (!recovering) {
        baselineNs = (baselineNs * baselineOperations + totalNs) / (baselineOperations + operations);
        baselineOperations = Math.min(MIN_BASELINE_OPERATIONS, baselineOperations + operations);
      }
      return;
    }
    double seconds = recovering && meanNs > baselineNs ? BASELINE_BESIDE_RECOVERY_SEC : BASELINE_SEC;
    double weight = 1 - Math.exp(-elapsedSec / seconds);
    baselineNs += weight * (Math.min(meanNs, MAX_OUTLIER * baselineNs) - baselineNs);
  }

  /** Whether it is known how long operations take without recovery. */
  public boolean hasBaseline() {
    return baselineOperations >= MIN_BASELINE_OPERATIONS;
  }

  /** The mean latency without recovery, in nanoseconds; 0 if it is not known. */
  public double baselineNs() {
    return hasBaseline() ? baselineNs : 0;
  }

  /** By which recovery multiplies its bandwidth: from the minimum to 1. */
  public double factor() {
    return factor;
  }

  /** Why the factor is below 1, for people; empty if it is 1. */
  public String reason() {
    if (factor == 1) {
      return "";
    }
    return latencyNs == 0 ? operation + " were slow beside recovery"
        : String.format(Locale.ROOT, "%s take %.1f ms beside recovery, %.1f ms without", operation, latencyNs / 1e6,
            baselineNs / 1e6);
  }
}

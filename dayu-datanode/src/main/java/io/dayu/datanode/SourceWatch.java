/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import java.util.concurrent.TimeUnit;

/**
 * Tells from how fast a source delivers whether it is busy with others, whom we do not see, and for how long to leave it alone then. Pure
 * arithmetic over the values handed in. Safe for use by all threads.
 *
 * <p>Flows that compete for a link share it, so a turn that takes longer than such a turn takes at best has met others. What is best is
 * learned: the highest rate of the last {@link #MEMORY_NANOS} or more. After each turn in a row that has met others the pause doubles, and
 * until one has not the turns are short ones, which find out at little cost. Short turns are slower in any case, by the latency that every turn has
 * (a disk's seek, a round trip); so this is learned too, from those that are shorter than the turn with the highest rate. As TCP-LP and
 * LEDBAT do, but by rate and not by delay, since it is the next link's queue that they watch, and what delays here may be a disk.
 */
final class SourceWatch {
  private static final double BUSY_SHARE = 0.6;
  /** A turn that is late by less says nothing: threads wake late, too. */
  private static final long LEAST_LATENESS_NANOS = TimeUnit.MILLISECONDS.toNanos(3);
  /** Turns that are not at least by so much shorter than the best one tell nothing of the latency. */
  private static final double LEAST_LATENCY_SHARE = 0.5;
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(40);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(320);
  private static final long MEMORY_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** A turn by which later ones are measured. */
  private record Best(double rate, long bytes) {
    private static final Best NONE = new Best(0, 0);

    static Best of(Best one, Best other) {
      return one.rate >= other.rate ? one : other;
    }
  }

  private Best bestNow = Best.NONE;
  private Best bestBefore = Best.NONE;
  /** Of what each turn takes, whatever it brings. */
  private double leastLatencyNanosNow = Double.POSITIVE_INFINITY;
  private double leastLatencyNanosBefore = Double.POSITIVE_INFINITY;
  private long bestSinceNanos;
  private long pauseNanos;
  private long freeAtNanos;

  SourceWatch(long nowNanos) {
    bestSinceNanos = nowNanos;
    freeAtNanos = nowNanos;
  }

  /**
   * Notes how a turn went.
   *
   * @param bytes what it brought
   * @param allBytes what all turns of this node brought meanwhile: if that filled our own link, the source is not to blame
   * @param spread 0 to 1, from where in its range the pause is taken: so that targets of one source do not return together
   */
  synchronized void turned(long bytes, long allBytes, long tookNanos, double spread, long nowNanos) {
    Best best = Best.of(bestNow, bestBefore);
    if (best.rate > 0 && metOthers(best, bytes, Math.max(bytes, allBytes), tookNanos)) {
      pauseNanos = pauseNanos == 0 ? FIRST_PAUSE_NANOS : Math.min(LONGEST_PAUSE_NANOS, 2 * pauseNanos);
      freeAtNanos = nowNanos + (long) (pauseNanos * (0.5 + spread));
    } else {
      pauseNanos = 0;
      freeAtNanos = nowNanos;
    }
    if (nowNanos - bestSinceNanos >= MEMORY_NANOS) {
      bestBefore = bestNow;
      bestNow = Best.NONE;
      leastLatencyNanosBefore = leastLatencyNanosNow;
      leastLatencyNanosNow = Double.POSITIVE_INFINITY;
      bestSinceNanos = nowNanos;
    }
    bestNow = Best.of(bestNow, new Best((double) bytes / Math.max(1, tookNanos), bytes));
  }

  /**
   * Let a turn take l + b/r. The best one was of B bytes, so at its rate b bytes would take l·b/B + b/r, and a shorter turn exceeds that by
   * l·(1 − b/B).
   */
  private boolean metOthers(Best best, long bytes, long allBytes, long tookNanos) {
    double latencyShare = Math.max(0, 1 - (double) bytes / best.bytes);
    double excessNanos = tookNanos - bytes / best.rate;
    double knownNanos = Math.min(leastLatencyNanosNow, leastLatencyNanosBefore);
    double allowedNanos = knownNanos < Double.POSITIVE_INFINITY ? knownNanos * latencyShare : 0;
    if (latencyShare >= LEAST_LATENCY_SHARE) {
      leastLatencyNanosNow = Math.min(leastLatencyNanosNow, Math.max(0, excessNanos / latencyShare));
    }
    return excessNanos - allowedNanos >= LEAST_LATENESS_NANOS && allBytes < BUSY_SHARE * best.rate * (tookNanos - allowedNanos);
  }

  /** Whether the last turn met others. */
  synchronized boolean wasBusy() {
    return pauseNanos > 0;
  }

  /** How long to leave the source alone yet; zero or less if it is free. */
  synchronized long freeInNanos(long nowNanos) {
    return freeAtNanos - nowNanos;
  }
}

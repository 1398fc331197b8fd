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
 * arithmetic over the values handed in; not thread-safe.
 *
 * <p>Flows that compete for a link share it, so a turn that takes longer than such a turn takes at best has met others. What is best is
 * learned: the highest rate of the last {@link #MEMORY_NANOS} or more. After each turn in a row that has met others the pause doubles, and
 * until one has not the turns are short ones, which find out at little cost. As TCP-LP and LEDBAT do, but by rate and not by delay, since
 * it is the next link's queue that they watch, and what delays here may be a disk.
 */
final class SourceWatch {
  private static final double BUSY_SHARE = 0.6;
  /** A turn that is late by less says nothing: threads wake late, too. */
  private static final long LEAST_LATENESS_NANOS = TimeUnit.MILLISECONDS.toNanos(3);
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(40);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(320);
  private static final long MEMORY_NANOS = TimeUnit.SECONDS.toNanos(10);

  private double bestNow;
  private double bestBefore;
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
  void turned(long bytes, long allBytes, long tookNanos, double spread, long nowNanos) {
    double rate = (double) bytes / Math.max(1, tookNanos);
    double allRate = (double) Math.max(bytes, allBytes) / Math.max(1, tookNanos);
    double best = Math.max(bestNow, bestBefore);
    boolean late = tookNanos - bytes / Math.max(best, 1e-9) >= LEAST_LATENESS_NANOS;
    if (best > 0 && late && allRate < BUSY_SHARE * best) {
      pauseNanos = pauseNanos == 0 ? FIRST_PAUSE_NANOS : Math.min(LONGEST_PAUSE_NANOS, 2 * pauseNanos);
      freeAtNanos = nowNanos + (long) (pauseNanos * (0.5 + spread));
    } else {
      pauseNanos = 0;
      freeAtNanos = nowNanos;
    }
    if (nowNanos - bestSinceNanos >= MEMORY_NANOS) {
      bestBefore = bestNow;
      bestNow = 0;
      bestSinceNanos = nowNanos;
    }
    bestNow = Math.max(bestNow, rate);
  }

  /** Whether the last turn met others. */
  boolean wasBusy() {
    return pauseNanos > 0;
  }

  /** How long to leave the source alone yet; zero or less if it is free. */
  long freeInNanos(long nowNanos) {
    return freeAtNanos - nowNanos;
  }
}

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
 * Tells from readings of the meter whether foreground traffic goes over one direction of this node's link right now. Pure arithmetic over the values
 * handed in; not thread-safe.
 *
 * <p>Of what the meter counts, our own bytes are known within bounds: of a turn under way, who sends knows its begin only, and who receives all but
 * the last packet and what waits in its socket's buffers. So foreground within a time is known within bounds, which are tight while no turn is
 * under way. It counts as busy when even the lower bound is above {@link #BUSY_SHARE} of the link, and as idle again when the upper bound of a
 * later moment is not. Between two moments without a turn, or at the ends of two turns, it is known well enough that a few milliseconds will do.
 */
final class LinkWatch {
  /** Foreground below this share of the link neither fills it nor would it be hurt. */
  private static final double BUSY_SHARE = 0.15;
  private static final long MOMENT_NANOS = TimeUnit.MILLISECONDS.toNanos(4);
  private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(15);
  private static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long UTILIZATION_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int READINGS = 1024;
  private static final double NANOS_PER_SEC = 1e9;

  private final long linkBytesPerSec;
  private final double countedPerBlockByte;
  private final long[] atNanos = new long[READINGS];
  private final long[] metered = new long[READINGS];
  private final long[] most = new long[READINGS];
  private final long[] least = new long[READINGS];
  private final long[] coming = new long[READINGS];
  private int newest = -1;
  private int count;

  /**
   * @param linkBytesPerSec what the link carries
   * @param countedPerBlockByte see {@link BandwidthMeter#countedPerBlockByte}
   */
  LinkWatch(long linkBytesPerSec, double countedPerBlockByte) {
    this.linkBytesPerSec = linkBytesPerSec;
    this.countedPerBlockByte = countedPerBlockByte;
  }

  /** How long the link takes for so much. */
  long nanosFor(long bytes) {
    return (long) (bytes * NANOS_PER_SEC / linkBytesPerSec);
  }

  /** Forgets all readings, as after a time without any. */
  void forget() {
    count = 0;
    newest = -1;
  }

  /**
   * Takes a reading.
   *
   * @param meteredBytes all that has come in
   * @param mostBytes how many block bytes of our own turns are through by now at most
   * @param leastBytes how many are at least
   * @param comingBytes at the early end of a turn, its bytes, of which the last few are still to come: about as many are missing at each such
   *     reading, so that between two of them they cancel out; otherwise 0
   */
  void read(long meteredBytes, long mostBytes, long leastBytes, long comingBytes, long nowNanos) {
    newest = (newest + 1) % READINGS;
    count = Math.min(READINGS, count + 1);
    atNanos[newest] = nowNanos;
    metered[newest] = meteredBytes;
    most[newest] = mostBytes;
    least[newest] = leastBytes;
    coming[newest] = comingBytes;
  }

  /** Whether foreground traffic was on the link when the meter was last read. */
  boolean isBusy() {
    int recent = before(SHORT_NANOS);
    if (recent < 0) {
      return false;
    }
    int older = before(LONG_NANOS);
    return isAboveShare(recent, leastForeground(recent)) || isBusyBetweenTurns(MOMENT_NANOS) || isBusyBetweenTurns(SHORT_NANOS)
        || (older >= 0 && isAboveShare(older, leastForeground(older)) && isAboveShare(recent, mostForeground(recent)));
  }

  /** Whether foreground was on the link since the newest reading that is at least so much older and at which, as now, our own bytes were known. */
  private boolean isBusyBetweenTurns(long nanos) {
    if (!isExact(newest)) {
      return false;
    }
    for (int back = 1; back < count; back++) {
      int reading = Math.floorMod(newest - back, READINGS);
      long ageNanos = atNanos[newest] - atNanos[reading];
      if (ageNanos > LONG_NANOS) {
        return false;
      }
      if (ageNanos >= nanos && isExact(reading)) {
        return isAboveShare(reading, leastForeground(reading));
      }
    }
    return false;
  }

  private boolean isExact(int reading) {
    return most[reading] - least[reading] <= coming[reading];
  }

  /** Whether the link carried less than {@code utilization} over the last second or so, our own traffic included. */
  boolean isBelow(double utilization) {
    int since = before(UTILIZATION_NANOS);
    int from = since >= 0 ? since : oldest();
    if (from < 0 || from == newest) {
      return true;
    }
    // Not less than the bytes themselves, of which some meters count none.
    double own = Math.max(1, countedPerBlockByte) * (least[newest] - least[from]);
    return Math.max(own, metered[newest] - metered[from]) < utilization * carriedSince(from);
  }

  private boolean isAboveShare(int since, double foregroundBytes) {
    return foregroundBytes > BUSY_SHARE * carriedSince(since);
  }

  private double carriedSince(int since) {
    return linkBytesPerSec * ((atNanos[newest] - atNanos[since]) / NANOS_PER_SEC);
  }

  private double leastForeground(int since) {
    long sameMissing = Math.min(coming[newest], coming[since]);
    return metered[newest] - metered[since] - countedPerBlockByte * (most[newest] - least[since] - sameMissing);
  }

  private double mostForeground(int since) {
    return metered[newest] - metered[since] - countedPerBlockByte * (least[newest] - most[since]);
  }

  /** The newest reading that is at least so much older than the last one; -1 if there is none. */
  private int before(long nanos) {
    int low = 1;
    int high = count;
    while (low < high) {
      int back = (low + high) >>> 1;
      if (atNanos[newest] - atNanos[Math.floorMod(newest - back, READINGS)] >= nanos) {
        high = back;
      } else {
        low = back + 1;
      }
    }
    return low < count ? Math.floorMod(newest - low, READINGS) : -1;
  }

  private int oldest() {
    return count == 0 ? -1 : Math.floorMod(newest - count + 1, READINGS);
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import java.util.concurrent.TimeUnit;

/**
 * Distinguishes clients' traffic on a link from recovery's own, by the readings of a counter of all traffic. Not
 * thread-safe; times are of {@link System#nanoTime()}.
 *
 * <p><b>Recovery's own bytes.</b> The counter sees a packet of recovery only when the packet is on the wire. So the
 * packet is noted when it passes the shaper, and its bytes are subtracted from what the counter shows next. Bytes that
 * it does not show were not sent, since the other end is slow; they are dropped in the course of {@link #UNSEEN_SEC}.
 *
 * <p><b>Coarse counters.</b> Some move only about once a second, since their driver or host updates them no more often.
 * The foreground that such a counter shows is spread over the time until it moves again.
 */
final class ForegroundCounter {
  private static final double UNSEEN_SEC = 0.5;
  /** The bytes that the counter has not seen yet are at most what the link carries in this time. */
  private static final double MAX_UNSEEN_SEC = 0.1;
  private static final double NS_PER_SEC = 1e9;
  /** A counter that does not move for longer than this while there is traffic is a coarse one. */
  private static final long COARSE_NS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final int MIN_UNCHANGED_READINGS = 2;
  /** If the counter does not move for longer than this, the link was idle. */
  private static final long MAX_COARSE_NS = TimeUnit.SECONDS.toNanos(5);
  /** How long foreground is assumed to stay the same, in periods of such a counter, since its next move may be late. */
  private static final double COARSE_PERIODS = 1.5;

  private final double maxUnseenBytes;
  private long meteredBytes = -1;
  private double unseenBytes;
  private long unseenNs;
  /** When the counter last changed, and the bytes of recovery since then. */
  private long movedNs;
  private double passedBytes;
  /** Readings since then. They distinguish a counter that does not change from a reader that paused. */
  private int unchangedReadings;
  /** Foreground between two moves of a coarse counter. */
  private double steadyBytesPerNs;
  /** What the last move has shown of it and was not returned yet. */
  private double toSpreadBytes;
  private long steadyNs;
  private long steadyEndNs;

  ForegroundCounter(long linkBytesPerSec, long nowNs) {
    maxUnseenBytes = linkBytesPerSec * MAX_UNSEEN_SEC;
    unseenNs = nowNs;
    movedNs = nowNs;
  }

  /** Notes that bytes of recovery, as the counter counts them, go on the wire now. */
  void passed(double linkBytes, long nowNs) {
    forgetUnseen(nowNs);
    unseenBytes = Math.min(maxUnseenBytes, unseenBytes + linkBytes);
    passedBytes += linkBytes;
  }

  /**
   * Takes a reading of all traffic of the link, as a counter that only grows.
   *
   * @return bytes of foreground since the reading before
   */
  double metered(long totalBytes, long nowNs) {
    double newBytes = meteredBytes < 0 ? 0 : Math.max(0, totalBytes - meteredBytes);
    meteredBytes = totalBytes;
    double foregroundBytes = steadyBytes(nowNs);
    if (newBytes == 0) {
      unchangedReadings++;
      return foregroundBytes;
    }
    long unchangedNs = nowNs - movedNs;
    boolean wasUnchanged = unchangedReadings >= MIN_UNCHANGED_READINGS;
    movedNs = nowNs;
    unchangedReadings = 0;
    if (wasUnchanged && unchangedNs > COARSE_NS && unchangedNs <= MAX_COARSE_NS) {
      spread(newBytes, unchangedNs, nowNs);
    } else {
      // What was to be spread over the time to come has passed already.
      foregroundBytes += newBytes - seen(newBytes, nowNs) + toSpreadBytes;
      steadyBytesPerNs = 0;
      toSpreadBytes = 0;
      passedBytes = 0;
    }
    return foregroundBytes;
  }

  /** The number of these bytes that are recovery's own and that the counter had not seen yet. */
  private double seen(double newBytes, long nowNs) {
    forgetUnseen(nowNs);
    double ownBytes = Math.min(unseenBytes, newBytes);
    unseenBytes -= ownBytes;
    return ownBytes;
  }

  /**
   * Spreads the foreground that a coarse counter shows at one moment evenly over its next period. A link that was quiet
   * for as long looks the same, so what recovery has passed and the counter has not seen yet may still come.
   */
  private void spread(double newBytes, long unchangedNs, long nowNs) {
    forgetUnseen(nowNs);
    double outstandingBytes = Math.max(passedBytes, unseenBytes);
    double ownBytes = Math.min(outstandingBytes, newBytes);
    passedBytes = Math.min(maxUnseenBytes, Math.max(0, passedBytes - ownBytes));
    unseenBytes = Math.min(maxUnseenBytes, outstandingBytes - ownBytes);
    toSpreadBytes = newBytes - ownBytes;
    steadyBytesPerNs = toSpreadBytes / unchangedNs;
    steadyNs = nowNs;
    steadyEndNs = nowNs + (long) (COARSE_PERIODS * unchangedNs);
  }

  /** What is spread over the time since the last reading. */
  private double steadyBytes(long nowNs) {
    long durationNs = Math.min(nowNs, steadyEndNs) - steadyNs;
    if (durationNs <= 0) {
      return 0;
    }
    double bytes = steadyBytesPerNs * durationNs;
    toSpreadBytes = Math.max(0, toSpreadBytes - bytes);
    steadyNs += durationNs;
    return bytes;
  }

  private void forgetUnseen(long nowNs) {
    unseenBytes *= Math.exp(-Math.max(0, nowNs - unseenNs) / NS_PER_SEC / UNSEEN_SEC);
    unseenNs = nowNs;
  }
}

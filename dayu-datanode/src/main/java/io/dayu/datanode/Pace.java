/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

/**
 * Keeps the account of one transfer against its grant: what it may still take of what it let pass while it gave way to foreground traffic. Pure
 * arithmetic over the times handed in, by {@link System#nanoTime}. Safe for use by all threads.
 *
 * <p>Each second the grant falls due, each byte received is taken off. What is owed is never more than a set time of the
 * grant, so a transfer can catch up on a short pause and never storm the link after a long one; and a transfer that is owed that much is
 * overdue and gives way to others like it only, so that yielding to foreground costs it no more than this in all, however busy the link is. The
 * account goes with the transfer from source to source; while it has none, nothing falls due.
 *
 * <p>Of what is owed, a part was let pass: fell due while the transfer waited for a turn. The rest is due to a slow source.
 */
final class Pace {
  private static final double NANOS_PER_SEC = 1e9;
  /** Of the throttler; within this what is owed is made up for. */
  private static final double PERIOD_SEC = 0.1;
  /** Over this what was received too early is made up for. */
  private static final double FALL_BACK_SEC = 1;

  private final long longestDebtNanos;
  private long rateBytesPerSec;
  private long lastNanos;
  private double owedBytes;
  /** At most what is owed, never below zero. */
  private double letPassBytes;
  private boolean connected;
  private boolean hasReceived;

  /**
   * @param longestDebtNanos how much of the grant may be owed, as time
   */
  Pace(long longestDebtNanos) {
    this.longestDebtNanos = longestDebtNanos;
  }

  /** From now on there is a source to receive from, and the grant falls due. */
  synchronized void connected(long nowNanos) {
    lastNanos = nowNanos;
    connected = true;
  }

  /** There is no source any more. */
  synchronized void disconnected(long nowNanos) {
    advance(nowNanos);
    connected = false;
  }

  /**
   * Takes over another rate from now on. What is owed stays owed within the bound of the new rate, but for a pause, at rate 0, which forgets it.
   *
   * @return how many of the bytes that were let pass are forgotten
   */
  synchronized double change(long newRateBytesPerSec, long nowNanos) {
    advance(nowNanos);
    double letPassBefore = letPassBytes;
    if (newRateBytesPerSec == 0 || rateBytesPerSec == 0) {
      owedBytes = 0;
    }
    rateBytesPerSec = newRateBytesPerSec;
    advance(nowNanos);
    return letPassBefore - letPassBytes;
  }

  /** The transfer has spent the last {@code nanos} waiting for a turn. */
  synchronized void waited(long nanos, long nowNanos) {
    letPassBytes += rateBytesPerSec * (nanos / NANOS_PER_SEC);
    advance(nowNanos);
  }

  synchronized void received(long bytes, long nowNanos) {
    advance(nowNanos);
    hasReceived |= bytes > 0;
    owedBytes -= bytes;
    advance(nowNanos);
  }

  /** Whether the transfer has received anything yet. */
  synchronized boolean hasReceived() {
    return hasReceived;
  }

  /** Of the bytes that are owed, those that fell due while the transfer waited for a turn. */
  synchronized double letPassBytes() {
    return letPassBytes;
  }

  /** Bytes that are due and have not been received; negative if more has been received than was due. */
  synchronized double owedBytes(long nowNanos) {
    advance(nowNanos);
    return owedBytes;
  }

  /** How long until the transfer is overdue; zero or less if it is. */
  synchronized long overdueInNanos(long nowNanos) {
    advance(nowNanos);
    return rateBytesPerSec == 0 ? Long.MAX_VALUE
        : longestDebtNanos - (long) (owedBytes * NANOS_PER_SEC / rateBytesPerSec);
  }

  /** How the transfer stands now. */
  synchronized LinkTurns.Need need(long nowNanos) {
    if (overdueInNanos(nowNanos) <= 0) {
      return LinkTurns.Need.OVERDUE;
    }
    return owedBytes >= 0 ? LinkTurns.Need.DUE : LinkTurns.Need.AHEAD;
  }

  /** What is owed, as time; negative if more has been received than was due. */
  synchronized double behindSec(long nowNanos) {
    advance(nowNanos);
    return rateBytesPerSec == 0 ? 0 : owedBytes / rateBytesPerSec;
  }

  /**
   * The bandwidth for the throttler where the link has room for no more than the grant: that, or less for what came too early.
   *
   * @param aheadBytes what may be received at once and is not yet too early
   */
  synchronized long bandwidthBytesPerSec(long aheadBytes, long nowNanos) {
    advance(nowNanos);
    double early = -owedBytes - rateBytesPerSec * PERIOD_SEC - aheadBytes;
    return early <= 0 ? rateBytesPerSec + (long) (Math.max(0, owedBytes) / PERIOD_SEC)
        : (long) Math.max(rateBytesPerSec / 2.0, rateBytesPerSec - early / FALL_BACK_SEC);
  }

  private void advance(long nowNanos) {
    long elapsedNanos = Math.max(0, nowNanos - lastNanos);
    lastNanos += elapsedNanos;
    double dueBytes = connected ? rateBytesPerSec * (elapsedNanos / NANOS_PER_SEC) : 0;
    double mostBytes = rateBytesPerSec * (longestDebtNanos / NANOS_PER_SEC);
    owedBytes = Math.max(-mostBytes, Math.min(mostBytes, owedBytes + dueBytes));
    letPassBytes = Math.max(0, Math.min(letPassBytes, owedBytes));
  }
}

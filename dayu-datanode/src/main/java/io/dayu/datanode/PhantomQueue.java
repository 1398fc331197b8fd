/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

/**
 * A counter that fills with the traffic of a link and drains at less than the link's bandwidth. Whoever sends only while it is empty leaves the
 * difference to others, without a real queue ever building up (phantom queues: Alizadeh et al., <i>Less is More: Trading a Little Bandwidth for
 * Ultra-Low Latency in the Data Center</i>, NSDI 2012). Not thread-safe; times are of {@link System#nanoTime()}.
 *
 * <p>Two bounds keep the past from counting for ever. Below zero the counter holds a credit: what was not used of late, up to a bound, may be
 * used now. Above zero it holds a debt, which is bounded as well: when a burst of others' traffic ends, recovery goes on soon.
 *
 * <p>A floor keeps others' traffic from stopping recovery altogether: after as long as the last packet takes at the floor's rate, the next one passes.
 */
final class PhantomQueue {
  private static final double NANOS_PER_SEC = 1e9;

  private final double drainPerNano;
  private final double floorPerNano;
  private final double maxCreditBytes;
  private final double maxDebtBytes;
  private double bytes;
  private double floorBytes;
  private long atNanos;

  /**
   * An empty queue, without credit.
   *
   * @param drainBytesPerSec what all traffic together may take of the link
   * @param floorBytesPerSec what recovery may take in any case
   * @param creditSec how long the drain's unused bytes are kept
   * @param debtSec after how long at the latest others' traffic of the past no longer counts
   */
  PhantomQueue(double drainBytesPerSec, double floorBytesPerSec, double creditSec, double debtSec, long nowNanos) {
    this.drainPerNano = drainBytesPerSec / NANOS_PER_SEC;
    this.floorPerNano = floorBytesPerSec / NANOS_PER_SEC;
    this.maxCreditBytes = drainBytesPerSec * creditSec;
    this.maxDebtBytes = drainBytesPerSec * debtSec;
    this.atNanos = nowNanos;
  }

  /** Counts traffic that is not recovery's. */
  void addOthers(double othersBytes, long nowNanos) {
    drain(nowNanos);
    // A debt beyond the bound is recovery's own, which may be no larger than what it was let pass.
    bytes = Math.max(bytes, Math.min(maxDebtBytes, bytes + othersBytes));
  }

  /** Counts recovery's own traffic. */
  void addOwn(double ownBytes, long nowNanos) {
    drain(nowNanos);
    bytes += ownBytes;
    // Of the last packet alone: what recovery has moved before, while there was room, is not held against it.
    floorBytes = ownBytes;
  }

  /** In how many nanoseconds recovery may send, if there is no other traffic until then; 0 or less: now. */
  long nanosUntilFree(long nowNanos) {
    drain(nowNanos);
    return (long) Math.min(bytes / drainPerNano, floorPerNano > 0 ? floorBytes / floorPerNano : Double.MAX_VALUE);
  }

  private void drain(long nowNanos) {
    long nanos = Math.max(0, nowNanos - atNanos);
    bytes = Math.max(-maxCreditBytes, bytes - nanos * drainPerNano);
    floorBytes = Math.max(0, floorBytes - nanos * floorPerNano);
    atNanos += nanos;
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

/**
 * A counter that fills with traffic and drains at a rate below the link's bandwidth. A sender that sends only while the
 * counter is empty leaves the difference to others, and no real queue builds up (phantom queues: Alizadeh et al.,
 * <i>Less is More: Trading a Little Bandwidth for Ultra-Low Latency in the Data Center</i>, NSDI 2012). Not
 * thread-safe; times are of {@link System#nanoTime()}.
 *
 * <p>Two bounds limit how long the past counts. Below zero the counter holds a credit: bandwidth that was not used
 * lately may be used now, up to a bound. Above zero it holds a debt; traffic that is added with a bound does not raise
 * the debt above that bound.
 */
final class PhantomQueue {
  private static final double NS_PER_SEC = 1e9;

  private final double drainBytesPerNs;
  private final double maxCreditBytes;
  private final double maxDebtBytes;
  private double bytes;
  private long atNs;

  /**
   * An empty queue, without credit.
   *
   * @param drainBytesPerSec what may be sent
   * @param creditSec how long the drain's unused bytes are kept
   * @param debtSec largest debt of traffic that is added with a bound, as seconds of the drain
   */
  PhantomQueue(double drainBytesPerSec, double creditSec, double debtSec, long nowNs) {
    this.drainBytesPerNs = drainBytesPerSec / NS_PER_SEC;
    this.maxCreditBytes = drainBytesPerSec * creditSec;
    this.maxDebtBytes = drainBytesPerSec * debtSec;
    this.atNs = nowNs;
  }

  /** This queue with another drain and other bounds; what it holds stays, within these. */
  PhantomQueue with(double drainBytesPerSec, double creditSec, double debtSec, long nowNs) {
    drain(nowNs);
    PhantomQueue next = new PhantomQueue(drainBytesPerSec, creditSec, debtSec, nowNs);
    next.bytes = Math.max(-next.maxCreditBytes, Math.min(next.maxDebtBytes, bytes));
    return next;
  }

  void add(double newBytes, long nowNs) {
    drain(nowNs);
    bytes += newBytes;
  }

  /** Adds traffic, but raises the debt at most to its bound. */
  void addBounded(double newBytes, long nowNs) {
    drain(nowNs);
    bytes = Math.max(bytes, Math.min(maxDebtBytes, bytes + newBytes));
  }

  /** Nanoseconds until the queue is empty if nothing is added; 0 or less if it is empty now. */
  long untilEmptyNs(long nowNs) {
    drain(nowNs);
    return (long) (bytes / drainBytesPerNs);
  }

  private void drain(long nowNs) {
    long durationNs = Math.max(0, nowNs - atNs);
    bytes = Math.max(-maxCreditBytes, bytes - durationNs * drainBytesPerNs);
    atNs += durationNs;
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.shaping;

/**
 * A counter that fills with traffic and drains at a rate below the link's bandwidth. A sender that sends only while the
 * counter is empty leaves the difference to others, and no real queue builds up (phantom queues: Alizadeh et al.,
 * <i>Less is More: Trading a Little Bandwidth for Ultra-Low Latency in the Data Center</i>, NSDI 2012). Not
 * thread-safe. Its user either tells the time at each call, by any clock, or how much time has passed.
 *
 * <p>Two bounds limit how long the past counts. Below zero the counter holds a credit: bandwidth that was not used
 * lately may be used now, up to a bound. Above zero it holds a debt; traffic that is added with a bound does not raise
 * the debt above that bound.
 */
public final class PhantomQueue {
  private static final double NS_PER_SEC = 1e9;

  private final double drainBytesPerSec;
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
  public PhantomQueue(double drainBytesPerSec, double creditSec, double debtSec, long nowNs) {
    this.drainBytesPerSec = drainBytesPerSec;
    this.maxCreditBytes = drainBytesPerSec * creditSec;
    this.maxDebtBytes = drainBytesPerSec * debtSec;
    this.atNs = nowNs;
  }

  /** This queue with another drain and other bounds; what it holds stays, within these. */
  public PhantomQueue with(double drainBytesPerSec, double creditSec, double debtSec, long nowNs) {
    drain(nowNs);
    PhantomQueue next = new PhantomQueue(drainBytesPerSec, creditSec, debtSec, nowNs);
    next.bytes = Math.max(-next.maxCreditBytes, Math.min(next.maxDebtBytes, bytes));
    return next;
  }

  public void add(double newBytes, long nowNs) {
    drain(nowNs);
    pass(0, newBytes, 0);
  }

  /** Adds traffic, but raises the debt at most to its bound. Returns how much it has added. */
  public double addBounded(double newBytes, long nowNs) {
    drain(nowNs);
    double before = bytes;
    pass(0, 0, newBytes);
    return bytes - before;
  }

  /** Nanoseconds until the queue is empty if nothing is added; 0 or less if it is empty now. */
  public long untilEmptyNs(long nowNs) {
    drain(nowNs);
    return (long) (bytes * NS_PER_SEC / drainBytesPerSec);
  }

  private void drain(long nowNs) {
    long durationNs = Math.max(0, nowNs - atNs);
    pass(durationNs / NS_PER_SEC, 0, 0);
    atNs += durationNs;
  }

  /**
   * Lets some time pass, in which the traffic comes evenly.
   *
   * @param newBytes traffic that is added in full
   * @param boundedBytes traffic that raises the debt at most to its bound
   */
  public void pass(double seconds, double newBytes, double boundedBytes) {
    double own = bytes + newBytes - drainBytesPerSec * seconds;
    double all = Math.max(own, Math.min(maxDebtBytes, own + boundedBytes));
    bytes = Math.max(-maxCreditBytes, all);
  }

  /** The rate of traffic, beside other traffic, after which the queue is empty in this time; below 0 if none is. */
  public double rateUntilEmpty(double otherBytesPerSec, double seconds) {
    return drainBytesPerSec - otherBytesPerSec - bytes / seconds;
  }
}

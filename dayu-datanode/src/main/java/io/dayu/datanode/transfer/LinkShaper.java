/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.conf.Settings;
import io.dayu.shaping.PhantomQueue;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Shapes the sum of a node's recovery traffic in one direction, so that clients' traffic keeps its share of the link.
 * Safe for use by all threads.
 *
 * <p><b>Goals.</b> Clients find some of the link free at every moment. Equation 1 of the paper (ATC'19 §2.1) holds as a
 * mean: what recovery gave up at one moment it takes at another.
 * <ul>
 * <li>α holds as a mean over minutes. In W seconds recovery and clients together take at most α + 8α/W of the link,
 *     unless clients alone take more. The 8 are {@link Settings#CREDIT_SEC}.
 * <li>Recovery gets at least B_min as a mean, and {@link Settings#HIGHEST_RISK_MIN_FACTOR} times as much while a block
 *     at the highest risk is on its way. If it had more than that, it may then get nothing of a full link for
 *     about {@link Settings#GUARANTEE_DEBT_SEC}.
 * </ul>
 *
 * <p><b>Algorithm.</b> Three {@link PhantomQueue}s:
 * <ul>
 * <li>{@link #peak} counts all traffic of the link and drains at the peak utilization, between α and 1. It forgets
 *     clients' bursts after {@link #BURST_SEC}: recovery gets, at any moment, what clients leave below that.
 * <li>{@link #mean} counts all traffic, drains at α and has a credit of {@link Settings#CREDIT_SEC}: it keeps α as a
 *     mean.
 * <li>{@link #guarantee} counts recovery alone and drains at B_min. While recovery gets more than B_min this queue is
 *     in debt, so for up to {@link Settings#GUARANTEE_DEBT_SEC} clients may have all of the link.
 * </ul>
 * A packet passes when {@link #peak} and {@link #mean} are both empty, or when {@link #guarantee} is. Threads pass one
 * after the other ({@link FairQueue}), so each transfer gets a share by its weight.
 *
 * <p>No node asks another: each end of a transfer shapes by its own counters, and the transfer moves at the rate of the
 * slower end.
 *
 * <p>{@link ForegroundCounter} tells clients' traffic from recovery's own.
 */
final class LinkShaper {
  private static final double BURST_SEC = 0.05;
  /**
   * The guarantee's debt may be at least so many batches, however small B_min is: what a batch adds beyond the bound of
   * the debt does not count, and recovery would get more than B_min. One may pass while some of the debt is left, and
   * the meter counts more for a packet than its block bytes.
   */
  private static final double MIN_GUARANTEE_DEBT_BATCHES = 2;
  /**
   * A thread that sleeps until the next packet may pass wakes up late by up to this time. Fast links must not lose it.
   */
  private static final double WAKEUP_SEC = 0.005;
  /**
   * What a transfer may receive or send between two waits, as time of the link: less than what a late wake-up passes on
   * at once anyway. On a link of 100 MB/s three packets of 64 KiB; on one below 65 MB/s each packet waits.
   */
  private static final double BATCH_SEC = 0.002;
  /** A wait costs more CPU time than a packet; one for 16 packets hardly counts. */
  private static final int MAX_BATCH_PACKETS = 16;
  private static final long HIGHEST_RISK_NS = TimeUnit.MILLISECONDS.toNanos(Settings.HIGHEST_RISK_MS);

  private final double countedPerBlockByte;
  private final double linkBytesPerSec;
  private final FairQueue waiting = new FairQueue();
  // Guarded by the monitor.
  private final ForegroundCounter foreground;
  private PhantomQueue peak;
  private PhantomQueue mean;
  private PhantomQueue guarantee;
  /** B_min and α of the link, what B_min is multiplied by now, and when a packet at the highest risk last waited. */
  private double minBytesPerSec;
  private double maxMeanBytesPerSec;
  private int minFactor = 1;
  private long highestRiskNs;
  /** When a packet last had to wait. */
  private volatile long fullNs;
  private boolean meterFailed;

  /**
   * @param linkBytesPerSec what the link carries
   * @param maxUtilization α
   * @param peakUtilization fraction of the link that recovery may fill at moments without clients
   * @param minBytesPerSec B_min of equation 1
   * @param countedPerBlockByte how much the meter counts for each block byte that is transferred; 0 if it sees nothing
   */
  LinkShaper(long linkBytesPerSec, double maxUtilization, double peakUtilization, double minBytesPerSec,
      double countedPerBlockByte, long nowNs) {
    this.countedPerBlockByte = Math.max(1, countedPerBlockByte);
    this.linkBytesPerSec = linkBytesPerSec;
    PhantomQueue empty = new PhantomQueue(linkBytesPerSec, 0, 0, nowNs);
    this.peak = empty;
    this.mean = empty;
    this.guarantee = empty;
    this.highestRiskNs = nowNs;
    setLimits(maxUtilization, peakUtilization, minBytesPerSec, nowNs);
    this.foreground = new ForegroundCounter(linkBytesPerSec, nowNs);
    this.fullNs = nowNs;
  }

  /** How many bytes of a transfer should wait for the link at once: one packet or more. */
  int batchBytes() {
    double packets = Math.min(MAX_BATCH_PACKETS, linkBytesPerSec * BATCH_SEC / ReceiveAllowance.PACKET_BYTES);
    return ReceiveAllowance.PACKET_BYTES * Math.max(1, (int) packets);
  }

  /** Shapes by another α or B_min from now on. Debts and credits stay, within their new bounds. */
  synchronized void setLimits(double maxUtilization, double peakUtilization, double newMinBytesPerSec, long nowNs) {
    minBytesPerSec = newMinBytesPerSec;
    maxMeanBytesPerSec = maxUtilization * linkBytesPerSec;
    peak = peak.with(peakUtilization * linkBytesPerSec, WAKEUP_SEC, BURST_SEC, nowNs);
    mean = mean.with(maxMeanBytesPerSec, Settings.CREDIT_SEC, Settings.MEAN_DEBT_SEC, nowNs);
    guarantee(nowNs);
  }

  private void guarantee(long nowNs) {
    double guaranteedBytesPerSec = Math.min(minFactor * minBytesPerSec, maxMeanBytesPerSec);
    guarantee = guarantee.with(guaranteedBytesPerSec, Settings.GUARANTEE_CREDIT_SEC,
        Math.max(Settings.GUARANTEE_DEBT_SEC, MIN_GUARANTEE_DEBT_BATCHES * batchBytes() / guaranteedBytesPerSec),
        nowNs);
  }

  /**
   * Raises the guarantee while transfers at the highest risk use the link. It holds for the whole link: these go first,
   * and the packet ahead of theirs must not hold them up.
   */
  private void followRisk(boolean highestRisk, long nowNs) {
    highestRiskNs = highestRisk ? nowNs : highestRiskNs;
    int factor = highestRisk ? Settings.HIGHEST_RISK_MIN_FACTOR
        : nowNs - highestRiskNs < HIGHEST_RISK_NS ? minFactor
        : 1;
    if (factor != minFactor) {
      minFactor = factor;
      guarantee(nowNs);
    }
  }

  /** Takes a reading of all traffic of the link, as a counter that only grows. */
  synchronized void metered(long totalBytes, long nowNs) {
    double bytes = foreground.metered(totalBytes, nowNs);
    peak.addBounded(bytes, nowNs);
    mean.addBounded(bytes, nowNs);
  }

  /** Says whether the meter fails. Then it is unknown what clients need, and recovery gets no more than B_min. */
  synchronized void setMeterFailed(boolean fails) {
    meterFailed = fails;
  }

  /**
   * Waits until a packet of recovery may pass.
   *
   * @param flow those of its transfer
   * @param bytes its block bytes
   * @param cancelled asked while waiting; if true this method returns at once
   * @return whether it may pass and is counted; false if it was cancelled before
   */
  boolean acquire(FairQueue.Flow flow, int bytes, BooleanSupplier cancelled) throws InterruptedException {
    return await(flow, bytes, () -> tryAcquire(bytes, flow.isAtHighestRisk(), System.nanoTime()), cancelled);
  }

  /**
   * Waits until the next packet of recovery may be sent.
   *
   * @param flow those of its transfer
   * @param bytes block bytes of the packet that has been sent just now
   * @param cancelled asked while waiting; if true this method returns at once
   */
  void acquireAfter(FairQueue.Flow flow, int bytes, BooleanSupplier cancelled) throws InterruptedException {
    sent(bytes, System.nanoTime());
    pass(flow, bytes, cancelled);
  }

  /** The second part of {@link #acquireAfter}, for packets of which {@link #sent} has been told. */
  void pass(FairQueue.Flow flow, int bytes, BooleanSupplier cancelled) throws InterruptedException {
    await(flow, bytes, () -> tryPass(bytes, flow.isAtHighestRisk(), System.nanoTime()), cancelled);
  }

  private boolean await(FairQueue.Flow flow, int bytes, LongSupplier attempt, BooleanSupplier cancelled)
      throws InterruptedException {
    FairQueue.Result result = waiting.await(flow, bytes, attempt, cancelled);
    if (result != FairQueue.Result.PASSED_AT_ONCE) {
      fullNs = System.nanoTime();
    }
    return result != FairQueue.Result.CANCELLED;
  }

  /** Notes that a packet of recovery is on the wire: the meter may show it from now on, also while it waits here. */
  synchronized void sent(int bytes, long nowNs) {
    foreground.passed(bytes * countedPerBlockByte, nowNs);
  }

  /** Counts a packet that is to come and returns 0 if it may, else how long to wait before the next try. */
  synchronized long tryAcquire(int bytes, boolean highestRisk, long nowNs) {
    long waitNs = tryPass(bytes, highestRisk, nowNs);
    if (waitNs <= 0) {
      sent(bytes, nowNs);
    }
    return waitNs;
  }

  private synchronized long tryPass(int bytes, boolean highestRisk, long nowNs) {
    followRisk(highestRisk, nowNs);
    long guaranteeNs = guarantee.untilEmptyNs(nowNs);
    long waitNs = meterFailed ? guaranteeNs
        : Math.min(guaranteeNs, Math.max(peak.untilEmptyNs(nowNs), mean.untilEmptyNs(nowNs)));
    if (waitNs > 0) {
      fullNs = nowNs;
      return waitNs;
    }
    double linkBytes = bytes * countedPerBlockByte;
    peak.add(linkBytes, nowNs);
    mean.add(linkBytes, nowNs);
    guarantee.addBounded(linkBytes, nowNs);
    return 0;
  }

  /**
   * Whether this shaper has made no packet wait in the last {@code durationNs}, also if none came. Then it does not
   * limit recovery: more transfers could move more. A shaper that is younger than {@code durationNs} has no room.
   */
  boolean hasRoom(long durationNs, long nowNs) {
    return nowNs - fullNs >= durationNs;
  }
}

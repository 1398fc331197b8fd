/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.conf.Settings;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Shapes the sum of a node's recovery traffic in one direction, so that clients' traffic keeps its share of the link.
 * Safe for use by all threads.
 *
 * <p><b>Goals.</b> Clients find some of the link free at every moment. Over some seconds recovery and clients together
 * take no more than α of it, and recovery gets at least B_min, as equation 1 of the paper (ATC'19 §2.1) has it; what
 * recovery gave up at one moment it takes at another.
 *
 * <p><b>Algorithm.</b> Three {@link PhantomQueue}s:
 * <ul>
 * <li>{@link #peak} counts all traffic of the link and drains at the peak utilization, between α and 1. It forgets
 *     clients' bursts after {@link #BURST_SEC}: recovery gets, at any moment, what clients leave below that.
 * <li>{@link #mean} counts all traffic, drains at α and has a credit of {@link Settings#CREDIT_SEC}: it keeps α as a
 *     mean.
 * <li>{@link #guarantee} counts recovery alone and drains at B_min. While recovery gets more than B_min this queue is in
 *     debt, so for up to {@link #GUARANTEE_DEBT_SEC} clients may have all of the link.
 * </ul>
 * A packet passes when {@link #peak} and {@link #mean} are both empty, or when {@link #guarantee} is. Threads pass one
 * after the other, in the order in which they came, so each transfer gets an equal share.
 *
 * <p>No node asks another: each end of a transfer shapes by its own counters, and the transfer moves at the rate of the
 * slower end.
 *
 * <p>The meter sees a packet of recovery only when the packet is on the wire. So the packet counts when it passes, and
 * its bytes are subtracted from what the meter sees next. Bytes that the meter does not see were not sent, since the
 * other end is slow; they are dropped in the course of {@link #UNSEEN_SEC}. Some counters move only about once a
 * second. The foreground that such a counter shows is spread over the time until it moves again.
 */
final class LinkShaper {
  private static final double BURST_SEC = 0.05;
  private static final double MEAN_DEBT_SEC = 1;
  private static final double GUARANTEE_CREDIT_SEC = 1;
  private static final double GUARANTEE_DEBT_SEC = 4;
  /**
   * The guarantee's debt may be at least this, however small B_min is: what a packet adds beyond the bound of the debt
   * does not count, and recovery would get more than B_min. These are two of HDFS's packets of 64 KiB: one may pass
   * while some of the debt is left, and the meter counts more for a packet than its block bytes.
   */
  private static final double MIN_GUARANTEE_DEBT_BYTES = 128 * 1024;
  private static final double UNSEEN_SEC = 0.5;
  /** The bytes that the meter has not seen yet are at most what the link carries in this time. */
  private static final double MAX_UNSEEN_SEC = 0.1;
  /**
   * A thread that sleeps until the next packet may pass wakes up late by up to this time. Fast links must not lose it.
   */
  private static final double WAKEUP_SEC = 0.005;
  /** No sleep is longer: the transfer may be cancelled, and the limits may change. */
  private static final long MAX_SLEEP_NS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final double NS_PER_SEC = 1e9;
  /**
   * A counter that does not move for longer than this while there is traffic is updated by its driver or host only now
   * and then.
   */
  private static final long COARSE_NS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final int MIN_UNCHANGED_READINGS = 2;
  /** If the counter does not move for longer than this, the link was idle. */
  private static final long MAX_COARSE_NS = TimeUnit.SECONDS.toNanos(5);
  /** How long foreground is assumed to stay the same, in periods of such a counter, since its next move may be late. */
  private static final double COARSE_PERIODS = 1.5;

  private final double countedPerBlockByte;
  private final double maxUnseenBytes;
  private final double linkBytesPerSec;
  // Guarded by the monitor.
  private PhantomQueue peak;
  private PhantomQueue mean;
  private PhantomQueue guarantee;
  private long meteredBytes = -1;
  private double unseenBytes;
  private long unseenNs;
  private volatile long fullNs;
  private boolean meterFailed;
  /** When the counter of the meter last changed, and the bytes of recovery since then. */
  private long movedNs;
  /** Readings since then. They distinguish a counter that does not change from a reader that paused. */
  private int unchangedReadings;
  private double passedBytes;
  /** Foreground between two moves of a coarse meter. */
  private double steadyBytesPerNs;
  /** What the last move has shown of it and was not added yet. */
  private double toSpreadBytes;
  private long steadyNs;
  private long steadyEndNs;
  /** Threads that want to pass, in the order in which they came: the first one may try. */
  private final Deque<Thread> waiting = new ArrayDeque<>();

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
    this.maxUnseenBytes = linkBytesPerSec * MAX_UNSEEN_SEC;
    this.linkBytesPerSec = linkBytesPerSec;
    setLimits(maxUtilization, peakUtilization, minBytesPerSec, nowNs);
    this.unseenNs = nowNs;
    this.movedNs = nowNs;
    this.fullNs = nowNs;
  }

  /** Shapes by another α or B_min from now on; what was counted so far is forgotten. */
  synchronized void setLimits(double maxUtilization, double peakUtilization, double minBytesPerSec, long nowNs) {
    double guaranteedBytesPerSec = Math.min(minBytesPerSec, maxUtilization * linkBytesPerSec);
    peak = new PhantomQueue(peakUtilization * linkBytesPerSec, WAKEUP_SEC, BURST_SEC, nowNs);
    mean = new PhantomQueue(maxUtilization * linkBytesPerSec, Settings.CREDIT_SEC, MEAN_DEBT_SEC, nowNs);
    guarantee = new PhantomQueue(guaranteedBytesPerSec, GUARANTEE_CREDIT_SEC,
        Math.max(GUARANTEE_DEBT_SEC, MIN_GUARANTEE_DEBT_BYTES / guaranteedBytesPerSec), nowNs);
  }

  /** Takes a reading of all traffic of the link, as a counter that only grows. */
  synchronized void metered(long totalBytes, long nowNs) {
    double newBytes = meteredBytes < 0 ? 0 : Math.max(0, totalBytes - meteredBytes);
    meteredBytes = totalBytes;
    addSteady(nowNs);
    if (newBytes == 0) {
      unchangedReadings++;
    } else {
      long unchangedNs = nowNs - movedNs;
      boolean wasUnchanged = unchangedReadings >= MIN_UNCHANGED_READINGS;
      movedNs = nowNs;
      unchangedReadings = 0;
      if (wasUnchanged && unchangedNs > COARSE_NS && unchangedNs <= MAX_COARSE_NS) {
        spread(newBytes, unchangedNs, nowNs);
      } else {
        // What was to be spread over the time to come has passed already.
        addForeground(newBytes - seen(newBytes, nowNs) + toSpreadBytes, nowNs);
        steadyBytesPerNs = 0;
        toSpreadBytes = 0;
        passedBytes = 0;
      }
    }
  }

  /** How many of these bytes are recovery's own, which the meter had not seen yet. */
  private double seen(double newBytes, long nowNs) {
    forgetUnseen(nowNs);
    double ownBytes = Math.min(unseenBytes, newBytes);
    unseenBytes -= ownBytes;
    return ownBytes;
  }

  /**
   * Spreads the foreground that a coarse counter shows at one moment evenly over its next period. A link that was quiet
   * for as long looks the same, so what recovery has passed and the meter has not seen yet may still come.
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

  private void addSteady(long nowNs) {
    long durationNs = Math.min(nowNs, steadyEndNs) - steadyNs;
    if (durationNs > 0) {
      addForeground(steadyBytesPerNs * durationNs, nowNs);
      toSpreadBytes = Math.max(0, toSpreadBytes - steadyBytesPerNs * durationNs);
      steadyNs += durationNs;
    }
  }

  private void addForeground(double bytes, long nowNs) {
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
   * @param bytes its block bytes
   * @param cancelled asked while waiting; if true this method returns at once
   */
  void acquire(int bytes, BooleanSupplier cancelled) throws InterruptedException {
    Thread self = Thread.currentThread();
    synchronized (this) {
      waiting.addLast(self);
    }
    try {
      long waitNs = tryNext(bytes, self);
      while (waitNs > 0 && !cancelled.getAsBoolean()) {
        // Traffic only delays a packet further, so waking up sooner gains nothing.
        LockSupport.parkNanos(this, Math.min(waitNs, MAX_SLEEP_NS));
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        fullNs = System.nanoTime();
        waitNs = tryNext(bytes, self);
      }
    } finally {
      leave(self);
    }
  }

  private synchronized long tryNext(int bytes, Thread self) {
    return waiting.peekFirst() == self ? tryAcquire(bytes, System.nanoTime()) : MAX_SLEEP_NS;
  }

  /** Wakes up the thread that is the first one now. */
  private synchronized void leave(Thread self) {
    boolean wasFirst = waiting.peekFirst() == self;
    waiting.remove(self);
    if (wasFirst) {
      LockSupport.unpark(waiting.peekFirst());
    }
  }

  /** Counts the packet and returns 0 if it may pass now, else how long to wait before the next try. */
  synchronized long tryAcquire(int bytes, long nowNs) {
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
    forgetUnseen(nowNs);
    unseenBytes = Math.min(maxUnseenBytes, unseenBytes + linkBytes);
    passedBytes += linkBytes;
    return 0;
  }

  /** Whether no packet had to wait for this long: recovery moves less than the link could take. */
  boolean hasRoom(long durationNs, long nowNs) {
    return nowNs - fullNs >= durationNs;
  }

  private void forgetUnseen(long nowNs) {
    unseenBytes *= Math.exp(-Math.max(0, nowNs - unseenNs) / NS_PER_SEC / UNSEEN_SEC);
    unseenNs = nowNs;
  }
}

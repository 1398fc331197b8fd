/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Lets threads pass one after the other, so that their flows get shares of what passes in proportion to their weights.
 * Safe for use by all threads.
 *
 * <p><b>Algorithm.</b> Start-time fair queueing (Goyal, Vin, Cheng, SIGCOMM 1996). A packet's start tag is the finish
 * tag of its flow's packet before, or the present virtual time if that is later; its finish tag is later than that by
 * its bytes, divided by the flow's weight. The packet with the smallest start tag passes first, and virtual time is the
 * start tag of the last one that has passed. So a flow that sent nothing for a while has no claim to more.
 *
 * <p>A thread that comes while nobody waits tries at once, under the monitor, so two threads that come at the same
 * moment do not wait for each other. A thread that may pass after a wait also tries for those behind it. So nobody
 * sleeps while there is room.
 */
final class FairQueue {
  /** The maximum sleep of the first one: its wait may be cancelled, and its condition may hold sooner. */
  private static final long MAX_SLEEP_NS = TimeUnit.MILLISECONDS.toNanos(100);
  /** The maximum sleep of the others. Those before them wake them, but for a wait that is cancelled. */
  private static final long MAX_SLEEP_BEHIND_NS = TimeUnit.MILLISECONDS.toNanos(400);

  /**
   * How much more the flows at the highest risk weigh, all that wait together: they get nearly all. The others get so
   * much that none waits for a packet until its reader's time-out.
   */
  static final double HIGHEST_RISK_WEIGHT = 64;

  /** How a wait ended. */
  enum Result {
    /** The thread passed and had not to wait. */
    PASSED_AT_ONCE,
    /** It passed after a wait, even if it was cancelled at the same moment. */
    PASSED,
    /** It was cancelled before it passed: nothing has been let through for it. */
    CANCELLED
  }

  /** Packets that share a weight, as those of one transfer. */
  static final class Flow {
    private volatile double weight = 1;
    private volatile boolean highestRisk;
    /** Guarded by the queue's monitor. Of the last packet; when it ends follows from the weight that holds then. */
    private double startTag = Double.NEGATIVE_INFINITY;
    private int lastBytes;

    private double finishTag(double riskWeight) {
      return startTag + lastBytes / (highestRisk ? weight * riskWeight : weight);
    }

    /** Whether the transfer goes before others. */
    boolean isAtHighestRisk() {
      return highestRisk;
    }

    /** As {@link #setWeight(double)}; at the highest risk it goes before others. */
    void setWeight(double newWeight, boolean isAtHighestRisk) {
      highestRisk = isAtHighestRisk;
      setWeight(newWeight);
    }

    /** @param newWeight relative to those of the other flows of the queue; more than 0 */
    void setWeight(double newWeight) {
      weight = newWeight;
    }
  }

  /** A thread that waits. Its fields are guarded by the queue's monitor. */
  private static final class Waiter {
    private final Thread thread = Thread.currentThread();
    private final Flow flow;
    private final boolean highestRisk;
    private final int bytes;
    private final LongSupplier attempt;
    private final double startTag;
    private final long order;
    /** Does not change any more once the thread has left. */
    private boolean passed;

    private Waiter(Flow flow, int bytes, LongSupplier attempt, double startTag, long order) {
      this.flow = flow;
      this.highestRisk = flow.highestRisk;
      this.bytes = bytes;
      this.attempt = attempt;
      this.startTag = startTag;
      this.order = order;
    }
  }

  /** Only the first one may try. */
  private final PriorityQueue<Waiter> waiting = new PriorityQueue<>(
      Comparator.<Waiter>comparingDouble(waiter -> waiter.startTag).thenComparingLong(waiter -> waiter.order));
  /** How many of them are at the highest risk. */
  private int waitingAtHighestRisk;
  private double virtualTime;
  private long arrivals;

  /**
   * Waits until the thread is the first one and has passed.
   *
   * @param bytes the length of its packet
   * @param attempt returns 0 if the thread has passed, else after how many nanoseconds to try again; called under this
   *     queue's monitor, by any thread that waits here
   * @param cancelled asked while waiting; if true this method returns at once
   * @throws InterruptedException if the thread was interrupted while it waited; it may have passed
   */
  Result await(Flow flow, int bytes, LongSupplier attempt, BooleanSupplier cancelled) throws InterruptedException {
    Waiter self;
    long waitNs;
    synchronized (this) {
      self = new Waiter(flow, bytes, attempt, Math.max(virtualTime, flow.finishTag(riskWeight())), arrivals++);
      waiting.add(self);
      waitingAtHighestRisk += self.highestRisk ? 1 : 0;
      waitNs = tryIfFirst(self);
      if (waitNs <= 0) {
        return Result.PASSED_AT_ONCE;
      }
    }
    try {
      while (waitNs > 0 && !cancelled.getAsBoolean()) {
        LockSupport.parkNanos(this, waitNs);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        waitNs = tryIfFirst(self);
      }
    } finally {
      leave(self);
    }
    return self.passed ? Result.PASSED : Result.CANCELLED;
  }

  /** Says how long the packet was with which the flow's thread last passed, where that was not known then. */
  synchronized void setLastBytes(Flow flow, int bytes) {
    flow.lastBytes = bytes;
  }

  private synchronized long tryIfFirst(Waiter self) {
    long waitNs = waiting.peek() == self ? Math.min(letPass(), MAX_SLEEP_NS) : MAX_SLEEP_BEHIND_NS;
    return self.passed ? 0 : waitNs;
  }

  /** Lets waiting threads pass until one must go on waiting. Returns for how long, or 0 if none is left. */
  private long letPass() {
    while (!waiting.isEmpty()) {
      Waiter first = waiting.peek();
      long waitNs = first.attempt.getAsLong();
      if (waitNs > 0) {
        wakeUp(first);
        return waitNs;
      }
      waiting.remove();
      waitingAtHighestRisk -= first.highestRisk ? 1 : 0;
      first.passed = true;
      virtualTime = first.startTag;
      first.flow.startTag = Math.max(first.startTag, first.flow.finishTag(riskWeight()));
      first.flow.lastBytes = first.bytes;
      wakeUp(first);
    }
    return 0;
  }

  /** Called at the end: a thread that was cancelled before it passed makes way for the next one. */
  private synchronized void leave(Waiter self) {
    if (waiting.remove(self)) {
      waitingAtHighestRisk -= self.highestRisk ? 1 : 0;
      if (!waiting.isEmpty()) {
        wakeUp(waiting.peek());
      }
    }
  }

  /** What each flow at the highest risk has of the weight that they have together. */
  private double riskWeight() {
    return Math.max(1, HIGHEST_RISK_WEIGHT / Math.max(1, waitingAtHighestRisk));
  }

  /** Wakes another thread: it has passed, or it is the first one now and decides how long to sleep. */
  private static void wakeUp(Waiter waiter) {
    if (waiter.thread != Thread.currentThread()) {
      LockSupport.unpark(waiter.thread);
    }
  }
}

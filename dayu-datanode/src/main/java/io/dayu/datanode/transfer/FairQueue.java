/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.conf.Settings;

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
 * <p>Flows at the highest risk and the others are two classes, which share what passes in the same way. The first one
 * weighs {@link Settings#HIGHEST_RISK_WEIGHT} times as much as one flow of the second, or as much for each of its flows
 * if more than that wait; the second one has a 65th at least. So each of the others has at least a 65th of what it has
 * without them, however little it weighs and however many they are: its reader does not time out. Flows at the highest
 * risk weigh the same: where one has little since its source is slow, the others get what it leaves.
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
    /** Whose virtual time its start tag is of. */
    private FlowClass lastClass;

    private double finishTag() {
      return startTag + lastBytes / lastClass.weightOf(this);
    }

    /** The next packet waits in this class. */
    private void enter(FlowClass next) {
      if (next != lastClass) {
        lastClass = next;
        startTag = Double.NEGATIVE_INFINITY;
      }
    }

    /** Whether the transfer goes before others. */
    boolean isAtHighestRisk() {
      return highestRisk;
    }

    /** As {@link #setWeight(double)}; at the highest risk it goes before others, and weighs as much as the next one. */
    void setWeight(double newWeight, boolean isAtHighestRisk) {
      highestRisk = isAtHighestRisk;
      setWeight(newWeight);
    }

    /** @param newWeight relative to those of the other flows of the queue; more than 0 */
    void setWeight(double newWeight) {
      weight = newWeight;
    }
  }

  /** The flows at the highest risk, or the others. Guarded by the queue's monitor. */
  private static final class FlowClass {
    private final PriorityQueue<Waiter> waiting = new PriorityQueue<>(
        Comparator.<Waiter>comparingDouble(waiter -> waiter.startTag).thenComparingLong(waiter -> waiter.order));
    private final boolean byWeight;
    /** In its own units, which are those of its flows' tags. */
    private double virtualTime;
    /** Of its next packet, in the queue's virtual time. */
    private double startTag;

    /** @param byWeight whether its flows weigh what they say; else all weigh the same */
    private FlowClass(boolean byWeight) {
      this.byWeight = byWeight;
    }

    private double weightOf(Flow flow) {
      return byWeight ? flow.weight : 1;
    }
  }

  /** A thread that waits. Its fields are guarded by the queue's monitor. */
  private static final class Waiter {
    private final Thread thread = Thread.currentThread();
    private final Flow flow;
    private final FlowClass ofClass;
    private final int bytes;
    private final LongSupplier attempt;
    private final double startTag;
    private final long order;
    /** Does not change any more once the thread has left. */
    private boolean passed;

    private Waiter(Flow flow, FlowClass ofClass, int bytes, LongSupplier attempt, double startTag, long order) {
      this.flow = flow;
      this.ofClass = ofClass;
      this.bytes = bytes;
      this.attempt = attempt;
      this.startTag = startTag;
      this.order = order;
    }
  }

  private final FlowClass atHighestRisk = new FlowClass(false);
  private final FlowClass others = new FlowClass(true);
  /** Of the two classes. */
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
      FlowClass own = flow.highestRisk ? atHighestRisk : others;
      flow.enter(own);
      self = new Waiter(flow, own, bytes, attempt, Math.max(own.virtualTime, flow.finishTag()), arrivals++);
      if (own.waiting.isEmpty()) {
        own.startTag = Math.max(virtualTime, own.startTag);
      }
      own.waiting.add(self);
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

  /** Whether a thread waits now. */
  synchronized boolean isWaitedFor() {
    return first() != null;
  }

  /** Says how long the packet was with which the flow's thread last passed, where that was not known then. */
  synchronized void setLastBytes(Flow flow, int bytes) {
    flow.lastBytes = bytes;
  }

  private synchronized long tryIfFirst(Waiter self) {
    long waitNs = first() == self ? Math.min(letPass(), MAX_SLEEP_NS) : MAX_SLEEP_BEHIND_NS;
    return self.passed ? 0 : waitNs;
  }

  /** The only one that may try; null if none waits. */
  private Waiter first() {
    boolean othersAreNext =
        atHighestRisk.waiting.isEmpty() || !others.waiting.isEmpty() && others.startTag < atHighestRisk.startTag;
    return (othersAreNext ? others : atHighestRisk).waiting.peek();
  }

  /** Lets waiting threads pass until one must go on waiting. Returns for how long, or 0 if none is left. */
  private long letPass() {
    for (Waiter first = first(); first != null; first = first()) {
      long waitNs = first.attempt.getAsLong();
      if (waitNs > 0) {
        wakeUp(first);
        return waitNs;
      }
      passed(first);
      wakeUp(first);
    }
    return 0;
  }

  private void passed(Waiter first) {
    FlowClass own = first.ofClass;
    virtualTime = own.startTag;
    own.startTag += first.bytes / weight(own);
    own.virtualTime = first.startTag;
    own.waiting.remove();
    if (first.flow.lastClass == own) {
      first.flow.startTag = Math.max(first.startTag, first.flow.finishTag());
      first.flow.lastBytes = first.bytes;
    }
    first.passed = true;
  }

  /** What all flows of a class weigh together, beside the other class. */
  private double weight(FlowClass one) {
    double ofFirst = Math.max(Settings.HIGHEST_RISK_WEIGHT, atHighestRisk.waiting.size());
    return one == atHighestRisk ? ofFirst : Math.max(others.waiting.size(), ofFirst / Settings.HIGHEST_RISK_WEIGHT);
  }

  /** Called at the end: a thread that was cancelled before it passed makes way for the next one. */
  private synchronized void leave(Waiter self) {
    if (self.ofClass.waiting.remove(self)) {
      Waiter first = first();
      if (first != null) {
        wakeUp(first);
      }
    }
  }

  /** Wakes another thread: it has passed, or it is the first one now and decides how long to sleep. */
  private static void wakeUp(Waiter waiter) {
    if (waiter.thread != Thread.currentThread()) {
      LockSupport.unpark(waiter.thread);
    }
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Lets threads pass one after the other, in the order in which they came. Safe for use by all threads. */
final class FairQueue {
  /** No sleep is longer: the wait may be cancelled, and what a thread waits for may come sooner. */
  private static final long MAX_SLEEP_NS = TimeUnit.MILLISECONDS.toNanos(100);

  /** In the order in which they came: only the first one may try. */
  private final Deque<Thread> waiting = new ArrayDeque<>();

  /**
   * Waits until the thread is the first one and has passed.
   *
   * @param attempt returns 0 if the thread has passed, else after how many nanoseconds to try again
   * @param cancelled asked while waiting; if true this method returns at once
   * @return whether the thread had to wait
   */
  boolean await(LongSupplier attempt, BooleanSupplier cancelled) throws InterruptedException {
    Thread self = Thread.currentThread();
    synchronized (this) {
      waiting.addLast(self);
    }
    try {
      long waitNs = tryIfFirst(attempt, self);
      boolean waits = waitNs > 0;
      while (waitNs > 0 && !cancelled.getAsBoolean()) {
        // What others do only delays the thread further, so waking up sooner gains nothing.
        LockSupport.parkNanos(this, Math.min(waitNs, MAX_SLEEP_NS));
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        waitNs = tryIfFirst(attempt, self);
      }
      return waits;
    } finally {
      leave(self);
    }
  }

  private long tryIfFirst(LongSupplier attempt, Thread self) {
    return isFirst(self) ? attempt.getAsLong() : MAX_SLEEP_NS;
  }

  private synchronized boolean isFirst(Thread self) {
    return waiting.peekFirst() == self;
  }

  /** Wakes up the thread that is the first one now. */
  private synchronized void leave(Thread self) {
    boolean wasFirst = isFirst(self);
    waiting.remove(self);
    if (wasFirst) {
      LockSupport.unpark(waiting.peekFirst());
    }
  }
}

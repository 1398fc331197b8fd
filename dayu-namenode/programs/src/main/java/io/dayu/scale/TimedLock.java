/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.scale;

import io.dayu.blocks.LockHolds;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A lock as the namesystem has, which records how long each thread holds it, for writing and for reading: so stock's
 * holds and Dayu's are measured by the same means. Thread-safe.
 */
final class TimedLock extends ReentrantReadWriteLock {
  private static final long serialVersionUID = 1L;

  private static final class TimedWriteLock extends WriteLock {
    private static final long serialVersionUID = 1L;
    private final TimedLock lock;
    private final transient ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final transient ConcurrentHashMap<Thread, LockHolds> holds = new ConcurrentHashMap<>();
    private long startNs;
    private long startCpuNs;

    TimedWriteLock(TimedLock lock) {
      super(lock);
      this.lock = lock;
    }

    @Override
    public void lock() {
      super.lock();
      begin();
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
      super.lockInterruptibly();
      begin();
    }

    private void begin() {
      if (lock.getWriteHoldCount() == 1) {
        startNs = System.nanoTime();
        startCpuNs = threads.getCurrentThreadCpuTime();
      }
    }

    @Override
    public void unlock() {
      if (lock.getWriteHoldCount() == 1) {
        holds.computeIfAbsent(Thread.currentThread(), thread -> new LockHolds()).record(System.nanoTime() - startNs,
            threads.getCurrentThreadCpuTime() - startCpuNs);
      }
      super.unlock();
    }
  }

  private static final class TimedReadLock extends ReadLock {
    private static final long serialVersionUID = 1L;
    private final TimedLock lock;
    private final transient ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final transient ConcurrentHashMap<Thread, LockHolds> holds = new ConcurrentHashMap<>();
    /** Of the thread's hold: when it began, and how much CPU time the thread had used. */
    private final transient ThreadLocal<long[]> start = ThreadLocal.withInitial(() -> new long[2]);

    TimedReadLock(TimedLock lock) {
      super(lock);
      this.lock = lock;
    }

    @Override
    public void lock() {
      super.lock();
      if (lock.getReadHoldCount() == 1) {
        start.get()[0] = System.nanoTime();
        start.get()[1] = threads.getCurrentThreadCpuTime();
      }
    }

    @Override
    public void unlock() {
      if (lock.getReadHoldCount() == 1) {
        long[] of = start.get();
        holds.computeIfAbsent(Thread.currentThread(), thread -> new LockHolds()).record(System.nanoTime() - of[0],
            threads.getCurrentThreadCpuTime() - of[1]);
      }
      super.unlock();
    }
  }

  private final TimedWriteLock timed = new TimedWriteLock(this);
  private final TimedReadLock timedRead = new TimedReadLock(this);

  TimedLock() {
    super(true);
  }

  @Override
  public WriteLock writeLock() {
    // Null while the parent's constructor runs.
    return timed;
  }

  @Override
  public ReadLock readLock() {
    return timedRead;
  }

  /** One thread's holds for writing since the last {@link #reset}. */
  LockHolds writesOf(Thread thread) {
    return timed.holds.getOrDefault(thread, new LockHolds());
  }

  /** One thread's holds for reading since the last {@link #reset}. */
  LockHolds readsOf(Thread thread) {
    return timedRead.holds.getOrDefault(thread, new LockHolds());
  }

  void reset() {
    timed.holds.clear();
    timedRead.holds.clear();
  }
}

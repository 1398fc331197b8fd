/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.LockHolds;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongConsumer;

/**
 * The namesystem's write lock, in holds that are bounded in time, end soon when others wait, and are recorded. Where
 * Hadoop has separate locks for the namespace and for blocks (3.5 on), work on blocks takes only the lock of the
 * blocks, as stock does. Thread-safe.
 */
final class NamesystemLock {
  /**
   * After this time the lock is released if other threads wait for it; the bound applies whether any wait or not. A
   * waiting thread needs about as long to wake up.
   */
  private static final long YIELD_NS = 20_000;
  /** A call that waits for the lock again and again holds it longer: a thousandth of the time that it takes so far. */
  private static final long MAX_YIELD_NS = 1_000_000;
  private static final int YIELD_SHARE = 1_000;

  private final FSNamesystem namesystem;
  private final long maxHoldNs;
  private final LongConsumer heldNs;
  private final MethodHandle lockBlocks;
  private final MethodHandle unlockBlocks;
  /** How many threads wait, for the whole lock or a part of it, and for the lock of the blocks. */
  private final IntSupplier namespaceQueue;
  private final IntSupplier blocksQueue;
  private final LockHolds holds = new LockHolds();
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final boolean measuresCpu = threads.isCurrentThreadCpuTimeSupported() && threads.isThreadCpuTimeEnabled();

  /** @param heldNs receives the length of each hold, in nanoseconds, after its end */
  NamesystemLock(FSNamesystem namesystem, long maxHoldNs, LongConsumer heldNs) throws ReflectiveOperationException {
    this.namesystem = namesystem;
    this.maxHoldNs = maxHoldNs;
    this.heldNs = heldNs;
    Class<?> mode = lockModeOrNull();
    if (mode == null) {
      this.lockBlocks = null;
      this.unlockBlocks = null;
      this.namespaceQueue = namesystem::getFsLockQueueLength;
      this.blocksQueue = namespaceQueue;
    } else {
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      Object blocks = mode.getField("BM").get(null);
      this.lockBlocks = MethodHandles.insertArguments(lookup.bind(namesystem, "writeLock",
          MethodType.methodType(void.class, mode)), 0, blocks);
      this.unlockBlocks = MethodHandles.insertArguments(lookup.bind(namesystem, "writeUnlock",
          MethodType.methodType(void.class, mode, String.class)), 0, blocks);
      MethodHandle queueLength = queueLengthByMode(mode);
      MethodHandle ofBlocks = MethodHandles.insertArguments(queueLength, 0, blocks);
      // With the fine-grained lock the whole lock consists of both locks and has no queue of its own; FSNamesystem
      // tells the queue of the FS lock only.
      this.blocksQueue = () -> queueLength(ofBlocks);
      this.namespaceQueue = () -> namesystem.getFsLockQueueLength() + queueLength(ofBlocks);
    }
  }

  /** {@code FSNamesystem.fsLock.getQueueLength(mode)} of Hadoop 3.5. */
  private MethodHandle queueLengthByMode(Class<?> mode) throws ReflectiveOperationException {
    Class<?> type = Class.forName("org.apache.hadoop.hdfs.server.namenode.fgl.FSNLockManager");
    Object manager = MethodHandles.privateLookupIn(FSNamesystem.class, MethodHandles.lookup())
        .findVarHandle(FSNamesystem.class, "fsLock", type).get(namesystem);
    return MethodHandles.publicLookup().findVirtual(type, "getQueueLength", MethodType.methodType(int.class, mode))
        .bindTo(manager).asType(MethodType.methodType(int.class, mode));
  }

  private static int queueLength(MethodHandle ofBlocks) {
    try {
      return (int) ofBlocks.invokeExact();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }

  private static Class<?> lockModeOrNull() {
    try {
      return Class.forName("org.apache.hadoop.hdfs.util.RwLockMode");
    } catch (ClassNotFoundException beforeHadoop35) {
      return null;
    }
  }

  /**
   * How long a hold may last while others wait.
   *
   * @param callNs how long the call that takes the hold has lasted, with its waits
   */
  static long yieldNs(long callNs) {
    return Math.min(MAX_YIELD_NS, Math.max(YIELD_NS, callNs / YIELD_SHARE));
  }

  /** Runs {@code action} for each item under the whole lock, letting others in whenever the bound is reached. */
  <T> void forEachInNamespace(String operation, List<T> items, Consumer<T> action) {
    long callNs = System.nanoTime();
    int next = 0;
    while (next < items.size()) {
      long startNs = 0;
      long startCpuNs = 0;
      long endNs = 0;
      long endCpuNs = 0;
      namesystem.writeLock();
      try {
        startNs = System.nanoTime();
        startCpuNs = cpuNs(startNs);
        next = runUntilBound(items, next, callNs, startNs, namespaceQueue, action);
        endNs = System.nanoTime();
        endCpuNs = cpuNs(endNs);
      } finally {
        namesystem.writeUnlock(operation);
      }
      record(endNs - startNs, endCpuNs - startCpuNs);
    }
  }

  /**
   * Runs {@code action} for each item under the lock of the blocks, letting others in whenever the bound is reached.
   */
  <T> void forEachInBlocks(String operation, List<T> items, Consumer<T> action) {
    if (lockBlocks == null) {
      forEachInNamespace(operation, items, action);
      return;
    }
    long callNs = System.nanoTime();
    int next = 0;
    while (next < items.size()) {
      long startNs = 0;
      long startCpuNs = 0;
      long endNs = 0;
      long endCpuNs = 0;
      lockBlocks();
      try {
        startNs = System.nanoTime();
        startCpuNs = cpuNs(startNs);
        next = runUntilBound(items, next, callNs, startNs, blocksQueue, action);
        endNs = System.nanoTime();
        endCpuNs = cpuNs(endNs);
      } finally {
        unlockBlocks(operation);
      }
      record(endNs - startNs, endCpuNs - startCpuNs);
    }
  }

  private <T> int runUntilBound(List<T> items, int first, long callNs, long startNs, IntSupplier queue,
      Consumer<T> action) {
    long yieldNs = yieldNs(startNs - callNs);
    int next = first;
    long heldNs;
    do {
      action.accept(items.get(next++));
      heldNs = System.nanoTime() - startNs;
    } while (next < items.size() && heldNs < maxHoldNs && (heldNs < yieldNs || queue.getAsInt() == 0));
    return next;
  }

  /** Records a hold; called after the release, so that a failure here cannot keep the lock. */
  private void record(long wallNs, long cpuNs) {
    holds.record(wallNs, cpuNs);
    heldNs.accept(wallNs);
  }

  /** CPU time of this thread; the wall clock where the JVM does not tell. */
  private long cpuNs(long nowNs) {
    return measuresCpu ? threads.getCurrentThreadCpuTime() : nowNs;
  }

  /** How long the lock was held, of all operations together. */
  LockHolds holds() {
    return holds;
  }

  private void lockBlocks() {
    try {
      lockBlocks.invokeExact();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }

  private void unlockBlocks(String operation) {
    try {
      unlockBlocks.invokeExact(operation);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }
}

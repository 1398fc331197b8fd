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
 * The namesystem lock, in holds that are bounded in time, end soon when others wait, and are recorded. Where Hadoop has
 * separate locks for the namespace and for blocks (3.5 on), work on blocks takes only the lock of the blocks, as stock
 * does; what needs the files, too, takes both, and only for reading. Thread-safe.
 */
final class NamesystemLock {
  /**
   * After this time the lock is released if other threads wait for it; the bound applies whether any wait or not. A
   * waiting thread needs about as long to wake up.
   */
  private static final long YIELD_NS = 20_000;
  /** Where the lock is hard to get, a hold may last this part of the time that it was waited for, but not longer. */
  private static final int YIELD_SHARE = 10;
  private static final long MAX_YIELD_NS = 1_000_000;

  /** One of the three ways to hold the lock. */
  private record Mode(Runnable lock, Consumer<String> unlock, IntSupplier queueLength) {
  }

  private final long maxHoldNs;
  private final LongConsumer heldNs;
  private final Mode readNamespace;
  private final Mode readBlocks;
  private final Mode writeBlocks;
  private final LockHolds holds = new LockHolds();
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final boolean measuresCpu = threads.isCurrentThreadCpuTimeSupported() && threads.isThreadCpuTimeEnabled();

  /** @param heldNs receives the length of each hold, in nanoseconds, after its end */
  NamesystemLock(FSNamesystem namesystem, long maxHoldNs, LongConsumer heldNs) throws ReflectiveOperationException {
    this.maxHoldNs = maxHoldNs;
    this.heldNs = heldNs;
    Class<?> mode = lockModeOrNull();
    if (mode == null) {
      this.readNamespace =
          new Mode(namesystem::readLock, namesystem::readUnlock, namesystem::getFsLockQueueLength);
      this.readBlocks = readNamespace;
      this.writeBlocks = new Mode(namesystem::writeLock, namesystem::writeUnlock, namesystem::getFsLockQueueLength);
    } else {
      Object blocks = mode.getField("BM").get(null);
      MethodHandle ofBlocks = MethodHandles.insertArguments(queueLengthByMode(namesystem, mode), 0, blocks);
      IntSupplier blocksQueue = () -> queueLength(ofBlocks);
      // With the fine-grained lock the whole lock consists of both locks and has no queue of its own; FSNamesystem
      // tells the queue of the FS lock only.
      IntSupplier namespaceQueue = () -> namesystem.getFsLockQueueLength() + queueLength(ofBlocks);
      this.readNamespace = new Mode(namesystem::readLock, namesystem::readUnlock, namespaceQueue);
      this.readBlocks = new Mode(locking(namesystem, "readLock", mode, blocks),
          unlocking(namesystem, "readUnlock", mode, blocks), blocksQueue);
      this.writeBlocks = new Mode(locking(namesystem, "writeLock", mode, blocks),
          unlocking(namesystem, "writeUnlock", mode, blocks), blocksQueue);
    }
  }

  /** {@code FSNamesystem.fsLock.getQueueLength(mode)} of Hadoop 3.5. */
  private static MethodHandle queueLengthByMode(FSNamesystem namesystem, Class<?> mode)
      throws ReflectiveOperationException {
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

  private static Runnable locking(FSNamesystem namesystem, String name, Class<?> mode, Object blocks)
      throws ReflectiveOperationException {
    MethodHandle lock = MethodHandles.insertArguments(
        MethodHandles.publicLookup().bind(namesystem, name, MethodType.methodType(void.class, mode)), 0, blocks);
    return () -> {
      try {
        lock.invokeExact();
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable t) {
        throw new IllegalStateException(t);
      }
    };
  }

  private static Consumer<String> unlocking(FSNamesystem namesystem, String name, Class<?> mode, Object blocks)
      throws ReflectiveOperationException {
    MethodHandle unlock = MethodHandles.insertArguments(MethodHandles.publicLookup().bind(namesystem, name,
        MethodType.methodType(void.class, mode, String.class)), 0, blocks);
    return operation -> {
      try {
        unlock.invokeExact(operation);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable t) {
        throw new IllegalStateException(t);
      }
    };
  }

  private static Class<?> lockModeOrNull() {
    try {
      return Class.forName("org.apache.hadoop.hdfs.util.RwLockMode");
    } catch (ClassNotFoundException beforeHadoop35) {
      return null;
    }
  }

  /**
   * How long a hold may last while others wait. A longer wait allows a longer hold, so that calls finish
   * even if others always wait for the lock.
   *
   * @param waitNs how long the hold was waited for
   */
  static long yieldNs(long waitNs) {
    return Math.min(MAX_YIELD_NS, Math.max(YIELD_NS, waitNs / YIELD_SHARE));
  }

  // The actions below run on the calling thread, one item after the other, with the lock held; between two holds others
  // may have changed anything. An action must not wait, call out, or take a lock that is taken before this one; the
  // monitors of the queues may be taken inside. What it throws ends the call after the lock is released. With a hold
  // for reading others read at the same time, and an action changes nothing that this lock guards.

  /** Runs {@code action}, which changes nothing, for each item under the whole lock, held for reading. */
  <T> void forEachReadingNamespace(String operation, List<T> items, Consumer<T> action) {
    forEach(readNamespace, operation, items, action);
  }

  /**
   * Runs {@code action} for each item under the lock of the blocks, held for reading. It changes no block; it may
   * change what has a lock of its own, as the pending copies have.
   */
  <T> void forEachReadingBlocks(String operation, List<T> items, Consumer<T> action) {
    forEach(readBlocks, operation, items, action);
  }

  /** Runs {@code action} for each item under the lock of the blocks. */
  <T> void forEachInBlocks(String operation, List<T> items, Consumer<T> action) {
    forEach(writeBlocks, operation, items, action);
  }

  /** Runs {@code action} for each item, letting others in whenever the bound is reached. */
  private <T> void forEach(Mode mode, String operation, List<T> items, Consumer<T> action) {
    int next = 0;
    while (next < items.size()) {
      long startNs = 0;
      long startCpuNs = 0;
      long endNs = 0;
      long endCpuNs = 0;
      long askedNs = System.nanoTime();
      mode.lock.run();
      try {
        startNs = System.nanoTime();
        startCpuNs = cpuNs(startNs);
        long yieldNs = yieldNs(startNs - askedNs);
        do {
          action.accept(items.get(next++));
          endNs = System.nanoTime();
        } while (next < items.size() && endNs - startNs < maxHoldNs
            && (endNs - startNs < yieldNs || mode.queueLength.getAsInt() == 0));
        endCpuNs = cpuNs(endNs);
      } finally {
        mode.unlock.accept(operation);
      }
      record(endNs - startNs, endCpuNs - startCpuNs);
    }
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
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * The namesystem's write lock, in holds that are bounded in time. Where Hadoop has separate locks for the namespace and for blocks (3.5
 * on), work that touches blocks only takes only that one, as stock does. Thread-safe.
 */
final class NamesystemLock {
  private final FSNamesystem namesystem;
  private final long maxHoldNs;
  private final LongConsumer heldNs;
  private final MethodHandle lockBlocks;
  private final MethodHandle unlockBlocks;

  /** @param heldNs receives the length of each hold, in nanoseconds, after its end */
  NamesystemLock(FSNamesystem namesystem, long maxHoldNs, LongConsumer heldNs) throws ReflectiveOperationException {
    this.namesystem = namesystem;
    this.maxHoldNs = maxHoldNs;
    this.heldNs = heldNs;
    Class<?> mode = lockModeOrNull();
    if (mode == null) {
      this.lockBlocks = null;
      this.unlockBlocks = null;
    } else {
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      Object blocks = mode.getField("BM").get(null);
      this.lockBlocks = MethodHandles.insertArguments(lookup.bind(namesystem, "writeLock",
          MethodType.methodType(void.class, mode)), 0, blocks);
      this.unlockBlocks = MethodHandles.insertArguments(lookup.bind(namesystem, "writeUnlock",
          MethodType.methodType(void.class, mode, String.class)), 0, blocks);
    }
  }

  private static Class<?> lockModeOrNull() {
    try {
      return Class.forName("org.apache.hadoop.hdfs.util.RwLockMode");
    } catch (ClassNotFoundException beforeHadoop35) {
      return null;
    }
  }

  /** Runs {@code action} for each item under the whole lock, letting others in whenever the bound is reached. */
  <T> void forEachInNamespace(String operation, List<T> items, Consumer<T> action) {
    int next = 0;
    while (next < items.size()) {
      namesystem.writeLock();
      long startNs = System.nanoTime();
      try {
        next = runUntilBound(items, next, action);
      } finally {
        namesystem.writeUnlock(operation);
      }
      heldNs.accept(System.nanoTime() - startNs);
    }
  }

  /** Runs {@code action} for each item under the lock of the blocks, letting others in whenever the bound is reached. */
  <T> void forEachInBlocks(String operation, List<T> items, Consumer<T> action) {
    if (lockBlocks == null) {
      forEachInNamespace(operation, items, action);
      return;
    }
    int next = 0;
    while (next < items.size()) {
      invoke(lockBlocks);
      long startNs = System.nanoTime();
      try {
        next = runUntilBound(items, next, action);
      } finally {
        invoke(unlockBlocks, operation);
      }
      heldNs.accept(System.nanoTime() - startNs);
    }
  }

  private <T> int runUntilBound(List<T> items, int first, Consumer<T> action) {
    long endNs = System.nanoTime() + maxHoldNs;
    int next = first;
    do {
      action.accept(items.get(next++));
    } while (next < items.size() && System.nanoTime() - endNs < 0);
    return next;
  }

  long maxHoldNs() {
    return maxHoldNs;
  }

  private static void invoke(MethodHandle handle, Object... arguments) {
    try {
      handle.invokeWithArguments(arguments);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Collections;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@link NamesystemLock} on both providers of Hadoop 3.5; those before have one, and leave the setting alone. */
class NamesystemLockIT {
  private static final int ITEMS = 2_000;

  @ParameterizedTest
  @ValueSource(strings = {"GlobalFSNamesystemLock", "FineGrainedFSNamesystemLock"})
  void holder_letsThoseInWhoWaitForTheBlocks(String provider) throws Exception {
    HdfsConfiguration conf = new HdfsConfiguration();
    conf.set("dfs.namenode.lock.model.provider.class", "org.apache.hadoop.hdfs.server.namenode.fgl." + provider);
    try (MiniDFSCluster nameNode = new MiniDFSCluster.Builder(conf).numDataNodes(0).build()) {
      // Far longer than the test takes: only who waits ends a hold.
      NamesystemLock lock = new NamesystemLock(nameNode.getNamesystem(), TimeUnit.MINUTES.toNanos(10), ns -> {});
      assertTrue(itemsBeforeAnother(lock, false) < ITEMS, "held to the end under the lock of the blocks");
      assertTrue(itemsBeforeAnother(lock, true) < ITEMS, "held to the end under the whole lock");
    }
  }

  /**
   * How many items were done when a thread had the lock of the blocks that began to wait for it during the first one.
   */
  private static int itemsBeforeAnother(NamesystemLock lock, boolean whole) throws InterruptedException {
    AtomicInteger done = new AtomicInteger();
    AtomicInteger doneWhenIn = new AtomicInteger(ITEMS);
    Thread other = new Thread(
        () -> lock.forEachInBlocks("test", Collections.singletonList(0), item -> doneWhenIn.set(done.get())));
    Consumer<Integer> action = item -> {
      if (done.getAndIncrement() == 0) {
        other.start();
        while (other.getState() != Thread.State.WAITING) {
          Thread.onSpinWait();
        }
      }
      long endNs = System.nanoTime() + 100_000;
      while (System.nanoTime() - endNs < 0) {
        LockSupport.parkNanos(10_000);
      }
    };
    if (whole) {
      lock.forEachReadingNamespace("test", Collections.nCopies(ITEMS, 0), action);
    } else {
      lock.forEachInBlocks("test", Collections.nCopies(ITEMS, 0), action);
    }
    other.join();
    return doneWhenIn.get();
  }
}

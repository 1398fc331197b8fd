/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.scale;

import org.HdrHistogram.Histogram;
import org.apache.hadoop.hdfs.server.blockmanagement.LostNodes;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * Other users of the namesystem lock, as RPC handlers are: readers and writers that come at random moments, and how
 * long each waits for the lock. Started and stopped by one thread.
 */
final class LockUsers {
  private static final int READERS = 6;
  private static final int WRITERS = 2;
  /** Mean time between two calls of one of them. */
  private static final long GAP_NS = 2_000_000;
  private static final long WRITE_NS = 30_000;

  private final FSNamesystem namesystem;
  private final LostNodes cluster;
  private final List<Thread> threads = new ArrayList<>();
  private final List<Histogram> waits = new ArrayList<>();
  private volatile boolean stopped;
  private volatile int sink;

  LockUsers(FSNamesystem namesystem, LostNodes cluster) {
    this.namesystem = namesystem;
    this.cluster = cluster;
  }

  void start() {
    for (int i = 0; i < READERS + WRITERS; i++) {
      Histogram histogram = new Histogram(3);
      waits.add(histogram);
      boolean writes = i >= READERS;
      Random random = new Random(i);
      Thread thread = new Thread(() -> run(histogram, writes, random), "lock-user-" + i);
      threads.add(thread);
      thread.start();
    }
  }

  private void run(Histogram histogram, boolean writes, Random random) {
    while (!stopped) {
      LockSupport.parkNanos((long) (-Math.log(1 - random.nextDouble()) * GAP_NS));
      long startNs = System.nanoTime();
      if (writes) {
        namesystem.writeLock();
        histogram.recordValue(System.nanoTime() - startNs);
        try {
          long endNs = System.nanoTime() + WRITE_NS;
          while (System.nanoTime() - endNs < 0) {
            sink += cluster.read(random);
          }
        } finally {
          namesystem.writeUnlock("benchWrite");
        }
      } else {
        namesystem.readLock();
        histogram.recordValue(System.nanoTime() - startNs);
        try {
          sink += cluster.read(random);
        } finally {
          namesystem.readUnlock("benchRead");
        }
      }
    }
  }

  /** Ends them all. Returns how long they have waited, in nanoseconds. */
  Histogram stop() throws InterruptedException {
    stopped = true;
    Histogram all = new Histogram(3);
    for (int i = 0; i < threads.size(); i++) {
      threads.get(i).join();
      all.add(waits.get(i));
    }
    return all;
  }
}

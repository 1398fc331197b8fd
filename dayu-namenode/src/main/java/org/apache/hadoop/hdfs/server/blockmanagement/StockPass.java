/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import org.apache.hadoop.util.Time;

/**
 * Says whether the pass of stock's scheduling that ran when stock was suspended has ended. Such a pass has chosen
 * sources before, and commits without looking for what Dayu has registered meanwhile. Thread-safe; takes no lock of
 * HDFS's.
 */
final class StockPass {
  private final BlockManager blocks;
  private final Runnable ended;
  private volatile boolean waits;
  private volatile long suspendedMs;

  /** @param ended called once after each suspension, when the pass has ended and before {@link #hasEnded} says so */
  StockPass(BlockManager blocks, Runnable ended) {
    this.blocks = blocks;
    this.ended = ended;
  }

  /** Stock was suspended just now. */
  synchronized void suspended() {
    suspendedMs = Time.monotonicNow();
    waits = true;
  }

  /** Stock goes on. */
  synchronized void resumed() {
    waits = false;
  }

  /** Whether stock commits nothing more, or was not suspended. */
  boolean hasEnded() {
    if (!waits) {
      return true;
    }
    if (blocks.getLastRedundancyMonitorTS() <= suspendedMs) {
      return false;
    }
    synchronized (this) {
      if (waits) {
        ended.run();
        waits = false;
      }
    }
    return true;
  }
}

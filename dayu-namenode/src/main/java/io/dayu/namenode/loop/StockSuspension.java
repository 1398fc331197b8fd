/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockManagement;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Suspends stock re-replication, and resumes it. While it is suspended, the recovery loop must send a heartbeat by
 * {@link #heartbeat}; if the loop is silent for too long, the {@link Watchdog} resumes stock re-replication.
 * Thread-safe.
 *
 * <p>The work multiplier of stock HDFS is 0 while stock re-replication is suspended. HDFS schedules again within
 * seconds after the multiplier is set back. An admin may set the multiplier meanwhile by {@code dfsadmin -reconfig}:
 * the new value is remembered for the time when stock re-replication resumes, and 0 is set again.
 */
public final class StockSuspension {
  private static final Logger LOG = LoggerFactory.getLogger(StockSuspension.class);

  private final BlockManagement blocks;
  private int stockMultiplier;
  private volatile boolean suspended;
  private volatile long lastHeartbeatNs;

  /** @param startedNs when the recovery loop was started, which counts as its first heartbeat */
  StockSuspension(BlockManagement blocks, long startedNs) {
    this.blocks = blocks;
    this.lastHeartbeatNs = startedNs;
  }

  /** Suspends stock re-replication; also a heartbeat. */
  synchronized void suspend(long nowNs) {
    lastHeartbeatNs = nowNs;
    if (!suspended) {
      stockMultiplier = blocks.stockMultiplier();
      blocks.setStockMultiplier(0);
      suspended = true;
    }
  }

  /** The recovery loop runs. Suspends stock again if an admin's reconfiguration has resumed it. */
  synchronized void heartbeat(long nowNs) {
    lastHeartbeatNs = nowNs;
    int multiplier = blocks.stockMultiplier();
    if (suspended && multiplier != 0) {
      LOG.info("RECONFIGURE* the work multiplier of stock HDFS changed to {}; it takes effect when stock "
          + "re-replication resumes", multiplier);
      stockMultiplier = multiplier;
      blocks.setStockMultiplier(0);
    }
  }

  /** Resumes stock re-replication. Returns whether it was suspended. */
  public synchronized boolean resume() {
    if (!suspended) {
      return false;
    }
    if (blocks.stockMultiplier() == 0) {
      blocks.setStockMultiplier(stockMultiplier);
    }
    // Afterwards: what fails above is tried again.
    suspended = false;
    return true;
  }

  /** Whether stock re-replication is suspended; asked under the namesystem lock before each commit. */
  boolean isSuspended() {
    return suspended;
  }

  /** The work multiplier of stock HDFS while it is not suspended. */
  synchronized int stockMultiplier() {
    return suspended ? stockMultiplier : blocks.stockMultiplier();
  }

  /** How long ago the recovery loop sent its last heartbeat. */
  public long silentNs(long nowNs) {
    return nowNs - lastHeartbeatNs;
  }
}

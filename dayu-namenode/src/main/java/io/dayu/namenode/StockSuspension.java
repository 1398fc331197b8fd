/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.blocks.BlockManagement;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Suspends the stock re-replication policy under a lease: the recovery loop must renew the lease, or a watchdog
 * restores the policy. Log lines say that stock is parked. Thread-safe.
 *
 * <p>Stock is suspended by a work multiplier of 0 and resumes within seconds of its return. An admin may set the
 * multiplier meanwhile by {@code dfsadmin -reconfig}: the new value is remembered as the one to restore, and 0 is set
 * again.
 */
final class StockSuspension {
  private static final Logger LOG = LoggerFactory.getLogger(StockSuspension.class);

  private final BlockManagement blocks;
  private int stockMultiplier;
  private volatile boolean stockSuspended;
  private volatile long lastRenewalNs;

  StockSuspension(BlockManagement blocks) {
    this.blocks = blocks;
  }

  synchronized void suspendStock(long nowNs) {
    lastRenewalNs = nowNs;
    if (!stockSuspended) {
      stockMultiplier = blocks.stockMultiplier();
      blocks.setStockMultiplier(0);
      stockSuspended = true;
    }
  }

  /** Renews the lease. Suspends stock again if an admin's reconfiguration has resumed it. */
  synchronized void renew(long nowNs) {
    lastRenewalNs = nowNs;
    int multiplier = blocks.stockMultiplier();
    if (stockSuspended && multiplier != 0) {
      LOG.info("RECONFIGURE* the work multiplier of stock HDFS changed to {}; it takes effect when Dayu hands back",
          multiplier);
      stockMultiplier = multiplier;
      blocks.setStockMultiplier(0);
    }
  }

  /** Gives the queues back to stock. Returns whether stock was suspended. */
  synchronized boolean restoreStock() {
    if (!stockSuspended) {
      return false;
    }
    stockSuspended = false;
    if (blocks.stockMultiplier() == 0) {
      blocks.setStockMultiplier(stockMultiplier);
    }
    return true;
  }

  /** Whether stock is suspended; asked under the namesystem lock before each commit. */
  boolean isStockSuspended() {
    return stockSuspended;
  }

  /** The multiplier that stock works by, suspended or not. */
  synchronized int stockMultiplier() {
    return stockSuspended ? stockMultiplier : blocks.stockMultiplier();
  }

  long silentNs(long nowNs) {
    return nowNs - lastRenewalNs;
  }
}

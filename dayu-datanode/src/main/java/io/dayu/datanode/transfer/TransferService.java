/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.shaping.TransferLimit;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;

/**
 * The transfers of this DataNode with their threads: one for each that has been started, and a timer. Safe for use by
 * all threads.
 */
public final class TransferService implements Closeable {
  private static final long TICK_MS = 100;
  private static final long CLOSE_TIMEOUT_MS = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(TransferService.class);

  private final AtomicLong receivedBytes = new AtomicLong();
  private final TransferRegistry transfers;
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
    Thread thread = new Thread(task, "dayu-transfer-timer");
    thread.setDaemon(true);
    return thread;
  });

  private final DiskActivity disks;

  // The timer's thread's own.
  private boolean failing;

  /**
   * @param maxTransfers how many may run at once, asked before each start; the others wait in a queue
   * @param shaper of what this node receives
   * @param volumes of this DataNode
   * @param rebuildBytes how much memory rebuilds may hold
   * @param onEnd called after each end of a transfer, on its thread
   */
  public TransferService(DataNodeAccess node, IntSupplier maxTransfers, NodeShaper shaper, VolumeShapers volumes,
      long rebuildBytes, Runnable onEnd) {
    RebuildMemory memory = new RebuildMemory(rebuildBytes);
    RecentDeletions deletions = new RecentDeletions(node);
    this.disks = new DiskActivity(() -> node.volumes().size(), () -> granted().runningNow(), System.nanoTime());
    this.transfers = new TransferRegistry(
        (blockPoolId, grant, sentNs, listener) -> new Transfer(node, blockPoolId, grant, sentNs, shaper, volumes, disks,
            memory, deletions, receivedBytes::addAndGet, listener),
        maxTransfers, nowNs -> !disks.areFull(nowNs) && shaper.in().hasRoom(TransferLimit.FILL_AFTER_NS, nowNs), onEnd,
        System::nanoTime);
  }

  /** Begins to check leases and to start transfers that wait; returns this service. */
  public TransferService start() {
    timer.scheduleWithFixedDelay(this::tick, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    return this;
  }

  public TransferRegistry granted() {
    return transfers;
  }

  /** Block bytes received by all transfers since the start. */
  public long receivedBytes() {
    return receivedBytes.get();
  }

  /** For how long transfers have kept this node's disks busy nearly all the time, since the start. */
  public long disksFullMs() {
    return disks.fullMs();
  }

  /** What this node's disks take of transfers in a second, if these kept all of them busy in the last ones; else 0. */
  public long disksBytesPerSec() {
    return disks.limitBytesPerSec();
  }

  private void tick() {
    try {
      transfers.tick();
      failing = false;
    } catch (RuntimeException | Error e) {
      if (failing) {
        LOG.debug("Dayu still could not check the leases of transfers", e);
      } else {
        failing = true;
        LOG.warn("Dayu could not check the leases of transfers; trying again", e);
      }
    }
  }

  /** Stops all transfers and waits, within bounds, until their temporary replicas are removed. */
  @Override
  public void close() {
    timer.shutdownNow();
    List<TransferHandle> last = transfers.close();
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_TIMEOUT_MS);
    try {
      for (TransferHandle transfer : last) {
        transfer.join(TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

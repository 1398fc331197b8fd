/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;

/**
 * All transfers of this DataNode: starts, adjusts and cancels them as commands say, and remembers how they ended.
 * Safe for use by all threads. A transfer passes from running to finished in one step, when its replica is final or
 * gone, so that every {@link #status} is consistent.
 */
public final class TransferService implements Closeable {
  private static final long TICK_MS = 100;
  private static final long CLOSE_TIMEOUT_MS = 10_000;
  private static final long WARN_INTERVAL_NS = TimeUnit.MINUTES.toNanos(1);

  private static final Logger LOG = LoggerFactory.getLogger(TransferService.class);

  /**
   * What a report says of one block pool's transfers.
   *
   * @param stopping whether one of the running ones has been told to stop and has not ended yet
   */
  public record Status(List<RunningTransferProto> running, List<FinishedTransferProto> finished, boolean stopping) {
  }

  private final DataNodeAccess node;
  private final IntSupplier maxTransfers;
  private final NodeShaper shaper;
  private final Runnable onEnd;
  private final Map<String, PoolTransfers> pools = new HashMap<>();
  private final Map<Outcome, Long> lastWarnNs = new EnumMap<>(Outcome.class);
  private final AtomicLong receivedBytes = new AtomicLong();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
    Thread thread = new Thread(task, "dayu-transfer-timer");
    thread.setDaemon(true);
    return thread;
  });
  /** Transfers that have been granted and not started yet, in the order of their grants. */
  private final Map<Transfer, PoolTransfers> queued = new LinkedHashMap<>();
  private int started;
  private final TransferLimit limit = new TransferLimit(System.nanoTime());
  private boolean closed;

  /**
   * @param maxTransfers how many may run at once, asked before each start; the others wait in a queue
   * @param shaper of what this node receives
   * @param onEnd called after each end of a transfer, on its thread
   */
  public TransferService(DataNodeAccess node, IntSupplier maxTransfers, NodeShaper shaper, Runnable onEnd) {
    this.node = node;
    this.maxTransfers = maxTransfers;
    this.shaper = shaper;
    this.onEnd = onEnd;
  }

  /** Begins to check leases and to start transfers that wait; returns this service. */
  public TransferService start() {
    timer.scheduleWithFixedDelay(this::tick, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    return this;
  }

  /**
   * Starts, adjusts and cancels transfers of a block pool until they are those that are granted.
   *
   * @param nowNs when the report was sent that the grants answer, by System.nanoTime(); leases count from here
   */
  public synchronized void apply(String blockPoolId, Collection<GrantProto> grants, long nowNs) {
    if (closed) {
      return;
    }
    PoolTransfers pool = pools.computeIfAbsent(blockPoolId, id -> new PoolTransfers());
    Set<Long> named = new HashSet<>();
    for (GrantProto grant : grants) {
      named.add(grant.getAttempt());
    }
    for (Transfer transfer : pool.running()) {
      if (!named.contains(transfer.attempt())) {
        stop(transfer, Outcome.CANCELLED, "no longer granted");
      }
    }
    for (GrantProto grant : grants) {
      Transfer transfer = pool.running(grant.getAttempt());
      if (transfer != null) {
        transfer.update(grant, nowNs);
        // The order of these grants counts, not that of earlier ones.
        if (queued.remove(transfer) != null) {
          queued.put(transfer, pool);
        }
      } else if (!pool.hasEnded(grant.getAttempt())) {
        enqueue(blockPoolId, pool, grant, nowNs);
      }
    }
    startQueued();
  }

  private void enqueue(String blockPoolId, PoolTransfers pool, GrantProto grant, long nowNs) {
    try {
      Transfer transfer = new Transfer(node, blockPoolId, grant, nowNs, shaper, new Transfer.Observer() {
        @Override
        public void received(int bytes) {
          receivedBytes.addAndGet(bytes);
        }

        @Override
        public void ended(Transfer ended, FinishedTransferProto end) {
          TransferService.this.ended(pool, end, true);
        }
      });
      pool.add(transfer);
      queued.put(transfer, pool);
      LOG.debug("BLOCK* {} to be pulled from {}", transfer.block(), grant.getSource().getHostName());
    } catch (IllegalArgumentException e) {
      ended(pool, FinishedTransferProto.newBuilder().setAttempt(grant.getAttempt()).setOutcome(Outcome.TARGET_FAILED)
          .setBlockId(grant.getBlock().getBlockId()).setMessage(String.valueOf(e.getMessage())).build(), false);
    }
  }

  private void startQueued() {
    startQueued(Math.min(limit.get(), maxTransfers.getAsInt()));
  }

  private void fillLink(long nowNs) {
    limit.look(shaper.in().hasRoom(TransferLimit.FILL_AFTER_NS, nowNs), started, !queued.isEmpty(), nowNs);
    startQueued();
  }

  private void startQueued(int limit) {
    Iterator<Map.Entry<Transfer, PoolTransfers>> next = queued.entrySet().iterator();
    while (!closed && next.hasNext() && started < limit) {
      Map.Entry<Transfer, PoolTransfers> entry = next.next();
      next.remove();
      started++;
      try {
        entry.getKey().start();
      } catch (OutOfMemoryError e) {
        // This is how Java says that the system has no more threads.
        started--;
        ended(entry.getValue(), entry.getKey().endUnstarted(Outcome.TARGET_FAILED, e.getMessage()), false);
        return;
      }
    }
  }

  private void stop(Transfer transfer, Outcome outcome, String why) {
    PoolTransfers pool = queued.remove(transfer);
    if (pool != null) {
      ended(pool, transfer.endUnstarted(outcome, why), false);
    } else {
      transfer.stop(outcome, why);
    }
  }

  private void ended(PoolTransfers pool, FinishedTransferProto end, boolean wasStarted) {
    synchronized (this) {
      pool.end(end);
      warn(end);
      if (wasStarted) {
        started--;
        startQueued();
      }
    }
    onEnd.run();
  }

  /** At most one line a minute for each kind of failure; the others are at DEBUG. */
  private void warn(FinishedTransferProto end) {
    if (closed || end.getOutcome() == Outcome.DONE || end.getOutcome() == Outcome.CANCELLED) {
      return;
    }
    long nowNs = System.nanoTime();
    Long last = lastWarnNs.get(end.getOutcome());
    if (last == null || nowNs - last >= WARN_INTERVAL_NS) {
      lastWarnNs.put(end.getOutcome(), nowNs);
      LOG.warn(
          "A recovery transfer ended with {}: block {}, {}. More of this kind within a minute are logged at DEBUG.",
          end.getOutcome(), end.getBlockId(), end.getMessage());
    }
  }

  /** Notes that the active NameNode has heard how these attempts ended. */
  public synchronized void acknowledge(String blockPoolId, Collection<Long> attempts) {
    PoolTransfers pool = pools.get(blockPoolId);
    if (pool != null) {
      pool.acknowledge(attempts);
    }
  }

  public synchronized Status status(String blockPoolId) {
    PoolTransfers pool = pools.get(blockPoolId);
    return pool == null ? new Status(List.of(), List.of(), false)
        : new Status(pool.runningReports(), pool.unacknowledged(), pool.isStopping());
  }

  /** The block pools with transfers to this DataNode. */
  public synchronized Set<String> activePools() {
    return pools.entrySet().stream().filter(pool -> !pool.getValue().isIdle()).map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  /** Block bytes received by all transfers since the start. */
  public long receivedBytes() {
    return receivedBytes.get();
  }

  private synchronized void tick() {
    try {
      long nowNs = System.nanoTime();
      for (PoolTransfers pool : pools.values()) {
        for (Transfer transfer : pool.running()) {
          if (transfer.isLeaseOver(nowNs)) {
            stop(transfer, Outcome.LEASE_EXPIRED, "not confirmed by the NameNode in time");
          }
          transfer.measure(nowNs);
        }
      }
      fillLink(nowNs);
    } catch (RuntimeException | OutOfMemoryError e) {
      LOG.warn("Dayu could not check the leases of transfers; trying again", e);
    }
  }

  /** Stops all transfers and waits, within bounds, until their temporary replicas are removed. */
  @Override
  public void close() {
    List<Transfer> last = new ArrayList<>();
    synchronized (this) {
      closed = true;
      List.copyOf(queued.keySet()).forEach(transfer -> stop(transfer, Outcome.CANCELLED, "the DataNode is stopping"));
      pools.values().forEach(pool -> last.addAll(pool.running()));
    }
    timer.shutdownNow();
    last.forEach(transfer -> transfer.stop(Outcome.CANCELLED, "the DataNode is stopping"));
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_TIMEOUT_MS);
    try {
      for (Transfer transfer : last) {
        transfer.join(TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

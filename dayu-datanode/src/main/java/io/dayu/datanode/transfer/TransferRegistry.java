/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.conf.Settings;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.shaping.TransferLimit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * All transfers that are granted to this DataNode: starts, adjusts and cancels them as commands say, ends those whose
 * lease is over, and remembers how they ended. It has no thread of its own. Safe for use by all threads. A transfer
 * passes from running to finished in one step, when its replica is final or gone, so that every {@link #status} is
 * consistent.
 */
public final class TransferRegistry {
  private static final long WARN_INTERVAL_NS = TimeUnit.MINUTES.toNanos(1);

  private static final Logger LOG = LoggerFactory.getLogger(TransferRegistry.class);

  /**
   * What a report says of one block pool's transfers.
   *
   * @param stopping whether one of the running ones has been told to stop and has not ended yet
   */
  public record Status(List<RunningTransferProto> running, List<FinishedTransferProto> finished, boolean stopping) {
  }

  private final TransferHandle.Factory factory;
  private final IntSupplier maxTransfers;
  private final LongPredicate hasRoom;
  private final Runnable onEnd;
  private final LongSupplier clock;
  private final Map<String, PoolTransfers> pools = new HashMap<>();
  private final Map<Outcome, Long> lastWarnNs = new EnumMap<>(Outcome.class);
  /** Transfers that have been granted and not started yet, in the order of their grants. */
  private final Map<TransferHandle, PoolTransfers> queued = new LinkedHashMap<>();
  private int started;
  private final TransferLimit limit;
  private boolean closed;

  /**
   * @param maxTransfers how many may run at once, asked before each start; the others wait in a queue
   * @param hasRoom asked at each {@link #tick}, with its time: whether this node's link has made no packet of recovery
   *     wait in the last {@link Settings#FILL_AFTER_MS}, and its disks are not the limit
   * @param onEnd called after each end of a transfer, by whoever ends it
   * @param clock monotonic, in nanoseconds
   */
  public TransferRegistry(TransferHandle.Factory factory, IntSupplier maxTransfers, LongPredicate hasRoom,
      Runnable onEnd, LongSupplier clock) {
    this.factory = factory;
    this.maxTransfers = maxTransfers;
    this.hasRoom = hasRoom;
    this.onEnd = onEnd;
    this.clock = clock;
    this.limit = new TransferLimit(Settings.MIN_RUNNING, clock.getAsLong());
  }

  /**
   * Starts, adjusts and cancels transfers of a block pool until they are those that are granted.
   *
   * @param sentNs when the report was sent that the grants answer; leases count from here
   */
  public synchronized void apply(String blockPoolId, Collection<GrantProto> grants, long sentNs) {
    if (closed) {
      return;
    }
    PoolTransfers pool = pools.computeIfAbsent(blockPoolId, id -> new PoolTransfers());
    Set<Long> named = new HashSet<>();
    for (GrantProto grant : grants) {
      named.add(grant.getAttempt());
    }
    for (TransferHandle transfer : pool.running()) {
      if (!named.contains(transfer.attempt())) {
        stop(transfer, Outcome.CANCELLED, "no longer granted");
      }
    }
    for (GrantProto grant : grants) {
      TransferHandle transfer = pool.running(grant.getAttempt());
      if (transfer != null) {
        transfer.update(grant, sentNs);
        // The order of these grants counts, not that of earlier ones.
        if (queued.remove(transfer) != null) {
          queued.put(transfer, pool);
        }
      } else if (!pool.hasEnded(grant.getAttempt())) {
        enqueue(blockPoolId, pool, grant, sentNs);
      }
    }
    startQueued();
  }

  /**
   * Renews the leases of transfers whose grants have been applied before, and say nothing else now.
   *
   * @param sentNs when the report was sent that the grants answer; leases count from here
   */
  public synchronized void renew(String blockPoolId, Collection<GrantProto> grants, long sentNs) {
    PoolTransfers pool = pools.get(blockPoolId);
    for (GrantProto grant : pool == null ? List.<GrantProto>of() : grants) {
      TransferHandle transfer = pool.running(grant.getAttempt());
      if (transfer != null) {
        transfer.renew(grant.getLeaseMs(), sentNs);
      }
    }
  }

  /** Whether the lease has ended while the thread that obeys the commands stood still. */
  private boolean isOver(GrantProto grant, long sentNs) {
    return clock.getAsLong() - sentNs >= TimeUnit.MILLISECONDS.toNanos(grant.getLeaseMs());
  }

  private void enqueue(String blockPoolId, PoolTransfers pool, GrantProto grant, long sentNs) {
    if (isOver(grant, sentNs)) {
      // What commands name either runs or has ended: the NameNode may do without it from the next report on.
      ended(pool, FinishedTransferProto.newBuilder().setAttempt(grant.getAttempt()).setOutcome(Outcome.LEASE_EXPIRED)
          .setBlockId(grant.getBlock().getBlockId()).setMessage("its lease was over before it was read").build(),
          false);
      return;
    }
    try {
      TransferHandle transfer = factory.create(blockPoolId, grant, sentNs, end -> ended(pool, end, true));
      pool.add(transfer);
      queued.put(transfer, pool);
      LOG.debug("BLOCK* {}:blk_{}_{} to be pulled from {}", blockPoolId, grant.getBlock().getBlockId(),
          grant.getBlock().getGenerationStamp(), grant.getSource().getHostName());
    } catch (IllegalArgumentException e) {
      refuse(pool, grant, String.valueOf(e.getMessage()));
    } catch (LinkageError e) {
      // Of a class that a jar of this host cannot give, such as a codec's; the other grants are followed.
      refuse(pool, grant, e.toString());
    }
  }

  private void refuse(PoolTransfers pool, GrantProto grant, String message) {
    ended(pool, FinishedTransferProto.newBuilder().setAttempt(grant.getAttempt()).setOutcome(Outcome.TARGET_FAILED)
        .setBlockId(grant.getBlock().getBlockId()).setMessage(message).build(), false);
  }

  /** What runs, by what bounds it. */
  private static final class Places {
    /**
     * Transfers that stand still, since a source has failed or does not answer: for seconds, while others could run in
     * their places. Those that go on again may be more than may start at once, twice as many at most.
     */
    private int awaitSource;
    /** Those that a plan has paused, besides the ones above. */
    private int paused;
    private int first;
    /**
     * Rebuilds, without {@link Settings#MAX_REBUILDS} of those that stand still: where a source is slow to answer, they
     * go on soon, and too many at once would all end late. Those at the highest risk are counted by themselves.
     */
    private int rebuilds;
    private int standingRebuilds;
    private int firstRebuilds;
    private int standingFirstRebuilds;

    private void add(TransferHandle transfer) {
      boolean isFirst = transfer.isAtHighestRisk();
      boolean stands = transfer.awaitsSource();
      boolean aRebuild = transfer.rebuilds() && !transfer.isPaused();
      awaitSource += stands ? 1 : 0;
      paused += !stands && transfer.isPaused() ? 1 : 0;
      first += isFirst ? 1 : 0;
      if (aRebuild && (!stands || ++standingRebuilds > Settings.MAX_REBUILDS)) {
        rebuilds++;
      }
      if (aRebuild && isFirst && (!stands || ++standingFirstRebuilds > Settings.MAX_REBUILDS)) {
        firstRebuilds++;
      }
    }

    private boolean hasOneForARebuild(boolean isFirst) {
      return (isFirst ? firstRebuilds : rebuilds) < Settings.MAX_REBUILDS;
    }
  }

  private Places places() {
    Places places = new Places();
    for (PoolTransfers pool : pools.values()) {
      for (TransferHandle transfer : pool.running()) {
        if (!queued.containsKey(transfer)) {
          places.add(transfer);
        }
      }
    }
    return places;
  }

  private int awaitingSource(Places places) {
    return Math.min(maxTransfers.getAsInt(), places.awaitSource);
  }

  /** How many transfers have been started and not ended, without those that wait for a source or are paused. */
  synchronized int runningNow() {
    if (started == 0) {
      return 0;
    }
    Places places = places();
    return started - awaitingSource(places) - places.paused;
  }

  private void startQueued() {
    if (!queued.isEmpty()) {
      startQueued(places());
    }
  }

  private void startQueued(Places places) {
    if (queued.isEmpty()) {
      return;
    }
    int max = Math.min(limit.get(), maxTransfers.getAsInt());
    // One at the highest risk does not wait until a place is free: on a full link that takes minutes.
    int maxWithOneFirst = Math.min(limit.get() + 1, maxTransfers.getAsInt());
    int waiting = awaitingSource(places);
    // The first that waits for memory is the next to get some; those that need none go on.
    boolean memoryIsAwaited = false;
    Iterator<Map.Entry<TransferHandle, PoolTransfers>> next = queued.entrySet().iterator();
    while (!closed && next.hasNext() && started - waiting < (places.first == 0 ? maxWithOneFirst : max)) {
      Map.Entry<TransferHandle, PoolTransfers> entry = next.next();
      boolean rebuilds = entry.getKey().rebuilds();
      boolean isFirst = entry.getKey().isAtHighestRisk();
      if (started - waiting >= max && !isFirst
          || rebuilds && (memoryIsAwaited || !places.hasOneForARebuild(isFirst))) {
        continue;
      }
      if (!entry.getKey().reserve()) {
        memoryIsAwaited = true;
        continue;
      }
      places.first += isFirst ? 1 : 0;
      places.rebuilds += rebuilds ? 1 : 0;
      places.firstRebuilds += rebuilds && isFirst ? 1 : 0;
      next.remove();
      started++;
      try {
        entry.getKey().start();
      } catch (Error e) {
        // An OutOfMemoryError is how Java says that the system has no more threads.
        started--;
        ended(entry.getValue(), entry.getKey().endUnstarted(Outcome.TARGET_FAILED, e.toString()), false);
        return;
      }
    }
  }

  private void stop(TransferHandle transfer, Outcome outcome, String why) {
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
    if (closed || end.getOutcome() == Outcome.DONE || end.getOutcome() == Outcome.CANCELLED
        || end.getTargetDeletes()) {
      return;
    }
    long nowNs = clock.getAsLong();
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

  /** Ends what has no lease any more, measures, and starts what waits and has room on the link. */
  public synchronized void tick() {
    long nowNs = clock.getAsLong();
    for (PoolTransfers pool : pools.values()) {
      for (TransferHandle transfer : pool.running()) {
        if (transfer.isLeaseOver(nowNs)) {
          stop(transfer, Outcome.LEASE_EXPIRED, "not confirmed by the NameNode in time");
        }
        transfer.measure(nowNs);
      }
    }
    Places places = places();
    limit.look(hasRoom.test(nowNs), started - awaitingSource(places), !queued.isEmpty(), nowNs);
    startQueued(places);
  }

  /** Stops all transfers and starts no more. Returns those that have yet to remove their traces. */
  synchronized List<TransferHandle> close() {
    closed = true;
    List<TransferHandle> last = new ArrayList<>();
    List.copyOf(queued.keySet()).forEach(transfer -> stop(transfer, Outcome.CANCELLED, "the DataNode is stopping"));
    pools.values().forEach(pool -> last.addAll(pool.running()));
    last.forEach(transfer -> transfer.stop(Outcome.CANCELLED, "the DataNode is stopping"));
    return last;
  }
}

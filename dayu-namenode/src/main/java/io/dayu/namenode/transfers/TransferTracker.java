/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.CommitResult;
import io.dayu.blocks.NeededBlock;
import io.dayu.blocks.TransferRequest;
import io.dayu.namenode.exchange.RunningTransfer;
import io.dayu.namenode.exchange.SourceAddress;
import io.dayu.namenode.status.FailureCause;
import io.dayu.namenode.transfers.Attempt.Phase;
import io.dayu.namenode.transfers.EndedTransfer.Result;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The transfers under way, by target. Its methods are the only steps that a transfer can take: {@link ReportReader}
 * calls them for what agents report, {@link BlockMapAudit} for what the block map says, {@link AgentCommands} for where
 * sources are, and the recovery loop for what the plan wants. Each step notes in {@link AgentUpdates} which agents need
 * new commands. Methods that end a transfer return it, and the caller has to act on that. Owned by the recovery loop;
 * not thread-safe.
 *
 * <p>A transfer ends only when no agent can be working on it any more: the block map has the replica, the agent has
 * said that it ended, the agent has obeyed commands that leave the transfer out, or its lease has ended.
 */
public final class TransferTracker {
  private static final Logger LOG = LoggerFactory.getLogger(TransferTracker.class);

  /** An agent needs a moment to remove what it has when its lease ends. */
  private static final long GRACE_NS = TimeUnit.SECONDS.toNanos(2);

  private final AgentUpdates updates;
  /** In no order: each attempt knows its index, so that it leaves without a search. */
  private final List<Attempt> all = new ArrayList<>();
  private final Map<String, List<Attempt>> byTarget = new LinkedHashMap<>();

  private long lastId;
  private long maxLeaseNs;
  private boolean needsPlan;
  /** Transfers of which {@link Attempt#live} is true. */
  private int live;

  public TransferTracker(AgentUpdates updates) {
    this.updates = updates;
  }

  /** Begins an activation: no transfer of an earlier one counts any more. */
  public void activate(long activation) {
    clear();
    lastId = activation << 20;
  }

  public void clear() {
    all.clear();
    byTarget.clear();
    live = 0;
    maxLeaseNs = 0;
  }

  /**
   * Takes note of the lease that is granted from now on. Agents may still have longer ones, so the longest of this
   * activation counts.
   */
  public void raiseMaxLease(long grantedNs) {
    maxLeaseNs = Math.max(maxLeaseNs, grantedNs + GRACE_NS);
  }

  /** How long after its last report an agent may still run the transfers that it was granted, in nanoseconds. */
  public long maxLeaseNs() {
    return maxLeaseNs;
  }

  /** All transfers, in no order; a copy, so the caller may end transfers while it goes through them. */
  public List<Attempt> all() {
    return List.copyOf(all);
  }

  /** The nodes that transfers go to; a copy. */
  List<String> targets() {
    return List.copyOf(byTarget.keySet());
  }

  /** The transfers to one target, in the order in which they were granted; a copy. */
  public List<Attempt> of(String target) {
    return List.copyOf(byTarget.getOrDefault(target, List.of()));
  }

  public boolean isEmpty() {
    return all.isEmpty();
  }

  /** Transfers that still make progress or are about to. */
  public int liveCount() {
    return live;
  }

  /** Whether something has happened that should not wait for the next timeslot: a transfer lost its source. */
  public boolean needsPlan() {
    return needsPlan;
  }

  /** A plan has been made that knows all that has happened so far. */
  public void planned() {
    needsPlan = false;
  }

  /**
   * Tracks a committed transfer, which its target is to be told of.
   *
   * @param block what it was planned for, with all nodes that could send it
   */
  public Attempt grant(TransferRequest request, NeededBlock block, CommitResult committed, long rateBytesPerSec,
      long nowNs) {
    Attempt attempt =
        Attempt.granted(++lastId, request, block, committed, rateBytesPerSec, updates.nextSequence(), nowNs);
    LOG.debug("BLOCK* Dayu: ask {} to pull {} from {} at {} bytes/s", attempt.target(), attempt.block(),
        attempt.source(), rateBytesPerSec);
    enter(attempt);
    return attempt;
  }

  /**
   * Tracks a transfer that an agent already runs.
   *
   * @param rateBytesPerSec what it is granted until it is planned
   */
  public Attempt adopt(RunningTransfer running, TransferRequest request, CommitResult committed,
      long rateBytesPerSec, long nowNs) {
    Attempt attempt =
        Attempt.adopted(running, request, committed, rateBytesPerSec, updates.nextSequence(), nowNs);
    enter(attempt);
    return attempt;
  }

  private void enter(Attempt attempt) {
    live++;
    attempt.place(all.size());
    all.add(attempt);
    byTarget.computeIfAbsent(attempt.target(), target -> new ArrayList<>()).add(attempt);
    updates.changed(attempt.target());
  }

  /**
   * Changes rate and source of a live transfer. Returns whether it goes on from another source, or again from the one
   * that was lost.
   */
  public boolean redirect(Attempt attempt, String source, long rateBytesPerSec) {
    boolean moved = attempt.sourceLost() || !attempt.source().equals(source);
    if (moved) {
      LOG.debug("BLOCK* Dayu: {} on {} goes on from {} instead of {} at {} bytes", attempt.block(), attempt.target(),
          source, attempt.source(), attempt.doneBytes());
      attempt.moveTo(source);
    }
    if (moved || attempt.rateBytesPerSec() != rateBytesPerSec) {
      attempt.grantRate(rateBytesPerSec);
      updates.changed(attempt.target());
    }
    return moved;
  }

  /** Its target's agent reports how far it is. A source that was lost and delivers is good again. */
  void progressed(Attempt attempt, RunningTransfer progress, long nowNs) {
    boolean delivers = progress.doneBytes() > attempt.doneBytes() && progress.failedSource() == null
        && progress.source().uuid().equals(attempt.source());
    boolean mayStay = !attempt.sourceSlow() || attempt.usableSources().contains(attempt.source());
    if (delivers && mayStay && attempt.sourceLost() && attempt.candidateSources().contains(attempt.source())) {
      attempt.regainSource();
    }
    attempt.progressed(progress.doneBytes(), progress.achievedBytesPerSec(), nowNs);
  }

  /** The transfer is compared with the block map now. */
  void checked(Attempt attempt, long nowNs) {
    attempt.checked(nowNs);
  }

  /** The block map still wants the transfer; these nodes could send it. Its source may not be one of them any more. */
  void wanted(Attempt attempt, List<String> sources) {
    attempt.replaceCandidates(sources);
    if (attempt.live() && !attempt.sourceLost() && !sources.contains(attempt.source())) {
      loseSource(attempt);
    }
  }

  /** The transfer's source is alive, and there. */
  void addressed(Attempt attempt, SourceAddress address) {
    attempt.addressed(address);
  }

  /**
   * The transfer's source cannot serve it any more. The next plan, which comes soon, names another one: see "When a
   * source dies" in {@code docs/architecture.md}.
   */
  void loseSource(Attempt attempt) {
    attempt.loseSource();
    needsPlan = true;
  }

  /** The agent has gone on from another source by itself, since the one of the plan has failed. */
  void followAgent(Attempt attempt, String source) {
    LOG.debug("BLOCK* Dayu: {} on {} has left {} for {} at {} bytes", attempt.block(), attempt.target(),
        attempt.source(), source, attempt.doneBytes());
    attempt.loseSource();
    attempt.moveTo(source);
    updates.changed(attempt.target());
  }

  /** The source is to be replaced because it is slow. The transfer goes on from there until it is. */
  public void leaveSlowSource(Attempt attempt) {
    attempt.leaveSlowSource();
    needsPlan = true;
  }

  /** The agent has received the whole block, as it says itself; the block map decides. */
  void received(Attempt attempt, long nowNs) {
    attempt.stoppedAt(attempt.request().numBytes());
    if (!attempt.reportedDone()) {
      LOG.debug("BLOCK* Dayu: {} has been received by {}", attempt.block(), attempt.target());
      live -= attempt.live() ? 1 : 0;
      attempt.received(nowNs);
      updates.changed(attempt.target());
    }
  }

  /** The agent has stopped before the block's end, as it says itself. */
  void stopped(Attempt attempt, long doneBytes) {
    attempt.stoppedAt(doneBytes);
  }

  /** Leaves the transfer out of its target's commands; it ends when the agent has obeyed, or with its lease. */
  public void cancel(Attempt attempt, String why, long nowNs) {
    if (attempt.phase() == Phase.CANCELLED) {
      return;
    }
    LOG.debug("BLOCK* Dayu: cancelling {} on {}: {}", attempt.block(), attempt.target(), why);
    live -= attempt.live() ? 1 : 0;
    attempt.cancelled(updates.nextSequence(), nowNs);
    updates.changed(attempt.target());
  }

  /** Ends a transfer that has made no replica. A cancelled transfer never counts as failed. */
  EndedTransfer fail(Attempt attempt, FailureCause cause, String why, boolean targetFailed) {
    if (attempt.phase() == Phase.CANCELLED) {
      return withdraw(attempt, targetFailed);
    }
    LOG.debug("BLOCK* Dayu: {} on {} failed: {}", attempt.block(), attempt.target(), why);
    return end(attempt, Result.FAILED, cause, targetFailed);
  }

  /** Ends a transfer that is not wanted any more. */
  public EndedTransfer withdraw(Attempt attempt, boolean targetFailed) {
    return end(attempt, Result.WITHDRAWN, null, targetFailed);
  }

  /** Ends a transfer that has made its replica. */
  public EndedTransfer finish(Attempt attempt) {
    return end(attempt, Result.FINISHED, null, false);
  }

  private EndedTransfer end(Attempt attempt, Result result, FailureCause cause, boolean targetFailed) {
    if (attempt.index() >= all.size() || all.get(attempt.index()) != attempt) {
      throw new IllegalStateException(attempt.block() + " to " + attempt.target() + " has ended before");
    }
    live -= attempt.live() ? 1 : 0;
    Attempt last = all.remove(all.size() - 1);
    if (last != attempt) {
      all.set(attempt.index(), last);
      last.place(attempt.index());
    }
    List<Attempt> toTarget = byTarget.get(attempt.target());
    toTarget.remove(attempt);
    if (toTarget.isEmpty()) {
      byTarget.remove(attempt.target());
    }
    updates.changed(attempt.target());
    return new EndedTransfer(attempt, result, cause, targetFailed);
  }
}

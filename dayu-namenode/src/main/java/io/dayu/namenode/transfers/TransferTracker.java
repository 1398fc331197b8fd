/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.CommitResult;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import io.dayu.namenode.exchange.RunningTransfer;
import io.dayu.namenode.exchange.SourceAddress;
import io.dayu.namenode.status.FailureCause;
import io.dayu.namenode.transfers.Attempt.Phase;
import io.dayu.namenode.transfers.EndedTransfer.Result;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

  /** A rebuild is slow because of one source if its target has waited for that one for this long in a second. */
  private static final int MIN_WAIT_MS = 500;

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

  /** All transfers, those to one target after each other, for those that look up something of each target; a copy. */
  public List<Attempt> allByTarget() {
    List<Attempt> grouped = new ArrayList<>(all.size());
    byTarget.values().forEach(grouped::addAll);
    return grouped;
  }

  /** The nodes that transfers go to; a copy. */
  public List<String> targets() {
    return List.copyOf(byTarget.keySet());
  }

  /** The transfers to one target, in the order in which they were granted; a copy. */
  public List<Attempt> of(String target) {
    return List.copyOf(byTarget.getOrDefault(target, List.of()));
  }

  /** What all grants say has changed. */
  public void targetsChanged() {
    byTarget.keySet().forEach(updates::changed);
  }

  /** Whether the target's commands grant anything. */
  boolean hasLive(String target) {
    return !liveIds(target).isEmpty();
  }

  /** The ids of the transfers that the target's commands grant. */
  public Set<Long> liveIds(String target) {
    Set<Long> ids = new HashSet<>();
    for (Attempt attempt : byTarget.getOrDefault(target, List.of())) {
      if (attempt.live()) {
        ids.add(attempt.id());
      }
    }
    return ids;
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
  public Attempt grant(TransferRequest request, WaitingBlock block, CommitResult committed, long rateBytesPerSec,
      long nowNs) {
    Attempt attempt =
        Attempt.granted(++lastId, request, block, committed, rateBytesPerSec, updates.nextSequence(), nowNs);
    if (attempt.rebuilds()) {
      LOG.debug("BLOCK* Dayu: ask {} to rebuild {} from {} at {} bytes/s", attempt.target(), attempt.replica(),
          request.group().sources(), rateBytesPerSec);
    } else {
      LOG.debug("BLOCK* Dayu: ask {} to pull {} from {} at {} bytes/s", attempt.target(), attempt.replica(),
          attempt.source(), rateBytesPerSec);
    }
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
   * Changes rate and sources of a live transfer. Returns whether it goes on from another source, or again from one that
   * was lost.
   *
   * @param nodes UUIDs of its sources from now on, each in the place of the one that it has there
   */
  public boolean redirect(Attempt attempt, List<String> nodes, long rateBytesPerSec) {
    boolean moved = false;
    for (int i = 0; i < nodes.size(); i++) {
      TransferSource source = attempt.sources().get(i);
      if (source.isLost() || !source.node().equals(nodes.get(i))) {
        LOG.debug("BLOCK* Dayu: {} on {} goes on from {} instead of {} at {} bytes", attempt.replica(),
            attempt.target(), nodes.get(i), source.node(), attempt.doneBytes());
        source.moveTo(nodes.get(i), attempt.indexOn(nodes.get(i)));
        moved = true;
      }
    }
    if (moved || attempt.rateBytesPerSec() != rateBytesPerSec) {
      attempt.grantRate(rateBytesPerSec);
      updates.changed(attempt.target());
    }
    return moved;
  }

  /** This JVM has stood still for this long: that no bytes came in this time says nothing of a transfer. */
  public void stoodStill(long durationNs) {
    if (durationNs > 0) {
      all.forEach(attempt -> attempt.stoodStill(durationNs));
    }
  }

  /** Its target's agent reports how far it is. A source that was lost and delivers is good again. */
  void progressed(Attempt attempt, RunningTransfer progress, long nowNs) {
    boolean delivers = progress.doneBytes() > attempt.doneBytes() && progress.failedSource() == null;
    if (delivers && attempt.sourceLost()) {
      regainSources(attempt, sourcesOf(progress));
    }
    RunningTransfer.Rebuild rebuild = progress.rebuild();
    attempt.waitsFor(rebuild != null && rebuild.waitedMs() >= MIN_WAIT_MS ? rebuild.slowestSource() : null);
    attempt.progressed(progress.doneBytes(), progress.achievedBytesPerSec(), nowNs);
  }

  private static void regainSources(Attempt attempt, List<String> present) {
    boolean allDeliver = attempt.sources().stream().allMatch(source -> present.contains(source.node()));
    for (TransferSource source : attempt.sources()) {
      boolean mayStay = !source.isSlow() || attempt.usableSources().contains(source.node());
      if (allDeliver && mayStay && source.isLost() && attempt.candidateSources().contains(source.node())) {
        attempt.regainSource(source);
      }
    }
  }

  /** UUIDs of the nodes that a transfer reads, as its agent reports it. */
  static List<String> sourcesOf(RunningTransfer running) {
    return running.sources().stream().map(SourceAddress::uuid).toList();
  }

  /** HDFS still has the transfer's registration. */
  void checked(Attempt attempt, long nowNs) {
    attempt.checked(nowNs);
  }

  /** The transfer is compared with the block map now. */
  void compared(Attempt attempt, long nowNs) {
    attempt.compared(nowNs);
  }

  /** The block map still wants the transfer, and says who could send it. One of its sources may not be among them. */
  void wanted(Attempt attempt, PendingCheck check) {
    boolean before = attempt.isAtHighestRisk();
    attempt.replaceCandidates(check.sources(), check.indexed());
    if (attempt.live() && attempt.isAtHighestRisk() != before) {
      updates.changed(attempt.target());
    }
    for (TransferSource source : attempt.sources()) {
      boolean hasIt = check.indexed().isEmpty() ? check.sources().contains(source.node())
          : check.indexed().contains(new IndexedNode(source.node(), source.index()));
      if (attempt.live() && !source.isLost() && !hasIt) {
        loseSource(attempt, source);
      }
    }
  }

  /** The node is alive, and there. */
  void addressed(TransferSource source, SourceAddress address) {
    source.addressed(address);
  }

  /**
   * A source of the transfer cannot serve it any more. The next plan, which comes soon, names another one: see "When a
   * source dies" in {@code docs/architecture.md}.
   */
  void loseSource(Attempt attempt, TransferSource source) {
    attempt.loseSource(source);
    needsPlan = true;
  }

  /** The agent has gone on from another node by itself, since the source of the plan has failed. */
  void followAgent(Attempt attempt, TransferSource failed, SourceAddress other) {
    LOG.debug("BLOCK* Dayu: {} on {} has left {} for {} at {} bytes", attempt.replica(), attempt.target(),
        failed.node(), other.uuid(), attempt.doneBytes());
    attempt.loseSource(failed);
    failed.moveTo(other.uuid(), attempt.indexOn(other.uuid()));
    failed.addressed(other);
    updates.changed(attempt.target());
  }

  /** The source is to be replaced because it is slow. The transfer goes on from there until it is. */
  public void leaveSlowSource(Attempt attempt, TransferSource source) {
    attempt.leaveSlowSource(source);
    needsPlan = true;
  }

  /** The agent has received the whole block, as it says itself; the block map decides. */
  void received(Attempt attempt, long nowNs) {
    attempt.stoppedAt(attempt.request().numBytes());
    if (!attempt.reportedDone()) {
      LOG.debug("BLOCK* Dayu: {} has been received by {}", attempt.replica(), attempt.target());
      live -= attempt.live() ? 1 : 0;
      attempt.received(nowNs);
      updates.ended(attempt.target());
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
    LOG.debug("BLOCK* Dayu: cancelling {} on {}: {}", attempt.replica(), attempt.target(), why);
    live -= attempt.live() ? 1 : 0;
    attempt.cancelled(updates.nextSequence(), nowNs);
    updates.changed(attempt.target());
  }

  /** Ends a transfer that has made no replica. A cancelled transfer never counts as failed. */
  EndedTransfer fail(Attempt attempt, FailureCause cause, String why, boolean targetFailed) {
    if (attempt.phase() == Phase.CANCELLED) {
      return withdraw(attempt, targetFailed);
    }
    LOG.debug("BLOCK* Dayu: {} on {} failed: {}", attempt.replica(), attempt.target(), why);
    return end(attempt, Result.FAILED, cause, why, targetFailed);
  }

  /** Ends a transfer that is not wanted any more. */
  public EndedTransfer withdraw(Attempt attempt, boolean targetFailed) {
    return end(attempt, Result.WITHDRAWN, null, null, targetFailed);
  }

  /** Ends a transfer that has made its replica. */
  public EndedTransfer finish(Attempt attempt) {
    return end(attempt, Result.FINISHED, null, null, false);
  }

  private EndedTransfer end(Attempt attempt, Result result, FailureCause cause, String why, boolean targetFailed) {
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
    if (attempt.live()) {
      // Else its target's commands have been without it since it was received or cancelled.
      updates.changed(attempt.target());
    }
    return new EndedTransfer(attempt, result, cause, why, targetFailed);
  }
}

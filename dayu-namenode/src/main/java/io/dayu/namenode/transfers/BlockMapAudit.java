/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.TransferRequest;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.status.FailureCause;
import io.dayu.namenode.transfers.Attempt.Phase;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Compares the tracked transfers with the block map, and checks their leases. Owned by the recovery loop; not
 * thread-safe.
 */
public final class BlockMapAudit {
  /** Transfers whose registrations are looked at in a second. */
  private static final int CHECKS_PER_SEC = 5_000;
  /** Transfers that are compared with the block map in a second while HDFS still has their registrations. */
  private static final int COMPARISONS_PER_SEC = 500;
  /** Each is compared after this time at the latest, since it may not be wanted any more. */
  private static final long MAX_COMPARISON_PERIOD_NS = TimeUnit.SECONDS.toNanos(10);
  /** A finished transfer whose registration is still there after this time is compared each time. */
  private static final long LATE_NS = TimeUnit.SECONDS.toNanos(3);

  private final AgentRegistry<AgentState> agents;
  private final TransferTracker tracker;
  private final Predicate<String> isDead;
  private final BlockMapDelay delay = new BlockMapDelay();

  /** @param isDead whether HDFS has declared the DataNode of this UUID dead */
  public BlockMapAudit(AgentRegistry<AgentState> agents, TransferTracker tracker, Predicate<String> isDead) {
    this.agents = agents;
    this.tracker = tracker;
    this.isDead = isDead;
  }

  public void clear() {
    delay.clear();
  }

  /**
   * The transfers that are to be compared with the block map now: each once a second, if there are few. Of many, mainly
   * those whose registrations HDFS has ended, which costs no namesystem lock to see, those that have a dead source, and
   * the others in turn.
   *
   * @param refresh refreshes registrations, and returns the indices of those that HDFS still has
   */
  public List<Attempt> dueForComparison(Function<List<TransferRequest>, BitSet> refresh, long nowNs) {
    List<Attempt> due = dueForCheck(nowNs);
    long periodNs =
        Math.min(MAX_COMPARISON_PERIOD_NS, TimeUnit.SECONDS.toNanos(tracker.all().size() / COMPARISONS_PER_SEC));
    if (periodNs == 0 || due.isEmpty()) {
      return due;
    }
    BitSet registered = refresh.apply(due.stream().map(Attempt::request).toList());
    Map<String, Boolean> dead = new HashMap<>();
    List<Attempt> compared = new ArrayList<>();
    for (int i = 0; i < due.size(); i++) {
      Attempt attempt = due.get(i);
      boolean isLate = attempt.reportedDone() && nowNs - attempt.reportedDoneNs() >= LATE_NS;
      if (!registered.get(i) || isLate || nowNs - attempt.comparedNs() >= periodNs
          || attempt.sources().stream().anyMatch(source -> dead.computeIfAbsent(source.node(), isDead::test))) {
        compared.add(attempt);
      } else {
        tracker.checked(attempt, nowNs);
      }
    }
    return compared;
  }

  /** The transfers whose registrations are to be looked at now: each once a second unless there are very many. */
  private List<Attempt> dueForCheck(long nowNs) {
    List<Attempt> all = tracker.all();
    long periodNs = Math.min(tracker.maxLeaseNs() / 3, TimeUnit.SECONDS.toNanos(all.size() / CHECKS_PER_SEC));
    return all.stream()
        .filter(a -> a.reportedDone() || a.phase() != Phase.CANCELLED && nowNs - a.checkedNs() >= periodNs)
        .toList();
  }

  /** Applies the block map's answers to these transfers, one for each. */
  public List<EndedTransfer> checked(List<Attempt> asked, List<PendingCheck> checks, long nowNs) {
    List<EndedTransfer> ended = new ArrayList<>();
    for (int i = 0; i < asked.size(); i++) {
      tracker.compared(asked.get(i), nowNs);
      apply(asked.get(i), checks.get(i), nowNs, ended);
    }
    return ended;
  }

  private void apply(Attempt attempt, PendingCheck check, long nowNs, List<EndedTransfer> ended) {
    switch (check.state()) {
      case COMPLETE -> {
        long doneNs = attempt.reportedDone() ? attempt.reportedDoneNs() : nowNs;
        delay.confirmed(attempt.target(), doneNs, agents.pauses().since(doneNs, nowNs));
        ended.add(tracker.finish(attempt));
      }
      case GONE -> {
        if (attempt.reportedDone()) {
          // The replica was made and announced in time, even if it is not needed any more.
          ended.add(attempt.phase() == Phase.CANCELLED ? tracker.withdraw(attempt, false) : tracker.finish(attempt));
        } else {
          tracker.cancel(attempt, "the block was deleted or reopened", nowNs);
        }
      }
      case UNWANTED -> {
        if (attempt.reportedDone()) {
          ended.add(tracker.withdraw(attempt, false));
        } else {
          tracker.cancel(attempt, "the block has enough replicas or is no longer pending there", nowNs);
        }
      }
      case WANTED -> tracker.wanted(attempt, check);
    }
  }

  /** Targets that reported blocks as done which the block map should have by now, and has not. */
  public Set<String> unconfirmed(long nowNs) {
    Set<String> targets = new HashSet<>();
    for (Attempt attempt : tracker.all()) {
      if (attempt.reportedDone() && delay.isLate(sinceDoneNs(attempt, nowNs))) {
        targets.add(attempt.target());
      }
    }
    return targets;
  }

  private boolean isOverdue(Attempt attempt, long nowNs) {
    return delay.isOverdue(attempt.target(), attempt.reportedDoneNs(), sinceDoneNs(attempt, nowNs));
  }

  /** Of each pause of this JVM since then half a second: a block report may be in a socket. */
  private long sinceDoneNs(Attempt attempt, long nowNs) {
    return agents.pauses().since(attempt.reportedDoneNs(), nowNs);
  }

  /**
   * Ends the transfers whose lease has ended or whose target is dead, and those that the agent has finished but that do
   * not appear in the block map ({@link BlockMapDelay}).
   *
   * @param pendingTimeoutNs how long HDFS waits for a block report
   */
  public List<EndedTransfer> endExpired(long pendingTimeoutNs, long nowNs) {
    List<EndedTransfer> ended = new ArrayList<>();
    for (String target : tracker.targets()) {
      long reportNs = agents.get(target).lastReportNs();
      boolean silent = nowNs - reportNs > tracker.maxLeaseNs();
      boolean gone = agents.pauses().since(reportNs, nowNs) > tracker.maxLeaseNs();
      boolean dead = isDead.test(target);
      for (Attempt attempt : tracker.of(target)) {
        if (dead) {
          // What it may still receive is excess if it comes back, as any other replica there.
          ended.add(tracker.fail(attempt, FailureCause.AGENT, "its target is dead", true));
        } else if (attempt.reportedDone() ? gone : silent) {
          // A silent one has ended what it was at; that is no reason to doubt what it has done before.
          ended.add(tracker.fail(attempt, FailureCause.AGENT, "no report from its agent within "
              + TimeUnit.NANOSECONDS.toSeconds(tracker.maxLeaseNs()) + " s: its lease has ended", true));
        } else if (attempt.phase() == Phase.CANCELLED && nowNs - attempt.cancelledNs() > tracker.maxLeaseNs()) {
          ended.add(tracker.withdraw(attempt, false));
        } else if (attempt.reportedDone() && (isOverdue(attempt, nowNs)
            || sinceDoneNs(attempt, nowNs) > Math.max(tracker.maxLeaseNs(), pendingTimeoutNs))) {
          ended.add(tracker.fail(attempt, FailureCause.BLOCK_MAP,
              "its agent finished it, but the block map does not have it", true));
        }
      }
    }
    return ended;
  }
}

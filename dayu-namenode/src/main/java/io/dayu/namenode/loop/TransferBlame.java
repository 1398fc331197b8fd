/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.CommitResult;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.TransferRequest;
import io.dayu.conf.Settings;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.cluster.ShownBandwidth;
import io.dayu.namenode.planning.BlockHistory;
import io.dayu.namenode.planning.FailedCopies.FailedCopy;
import io.dayu.namenode.status.FailureCause;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.AvoidedNodes;
import io.dayu.namenode.transfers.EndedTransfer;
import io.dayu.namenode.transfers.StalledTransfers;
import io.dayu.namenode.transfers.TransferSource;
import io.dayu.namenode.transfers.UnproductiveTargets;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Decides who is to blame for a transfer that makes no replica: which nodes transfers keep away from
 * ({@link AvoidedNodes}), and which targets its block keeps away from, or whether it goes to stock
 * ({@link BlockHistory}), and notes for people what has failed. What a transfer has made counts in favour of its nodes.
 * Owned by the recovery loop; not thread-safe.
 *
 * <table>
 * <caption>Who is to blame</caption>
 * <tr><th>what has happened</th><th>node</th><th>block</th></tr>
 * <tr><td>its source failed or was corrupt</td><td>source, by this target</td><td>failed</td></tr>
 * <tr><td>its target or agent failed</td><td>target</td><td>failed</td></tr>
 * <tr><td>its agent says it is done, but the block map has nothing</td><td>target, at once</td><td>failed</td></tr>
 * <tr><td>it stalls, from its first source</td><td>source, by this target</td><td>refused there, failed</td></tr>
 * <tr><td>it stalls, from another source, too</td><td>target</td><td>refused there, failed</td></tr>
 * <tr><td>it is slow at the end, from several sources</td><td>target</td><td>avoids it, failed</td></tr>
 * <tr><td>its target completes none of several</td><td>target, at once</td><td>avoids it, failed</td></tr>
 * <tr><td>it is evicted from its target</td><td>none</td><td>failed</td></tr>
 * <tr><td>HDFS does not want it at that target</td><td>none</td><td>refused there</td></tr>
 * <tr><td>the commit finds that its target has to delete another internal block first</td><td>none</td><td>waits for
 * it</td></tr>
 * <tr><td>its agent finds that</td><td>none</td><td>waits for it, failed</td></tr>
 * </table>
 */
final class TransferBlame {
  /** Why a transfer is given up, for people. */
  static final String STALLED = "too little progress";
  static final String SLOW_AT_TARGET = "slow from several sources";
  static final String UNPRODUCTIVE_TARGET = "its target completed none of several transfers";
  static final String EVICTED = "evicted: its target is saturated, or another one is faster";

  private final AgentRegistry<AgentState> agents;
  private final BlockHistory history;
  private final AvoidedNodes avoided;
  private final ShownBandwidth shown = new ShownBandwidth();
  private final UnproductiveTargets unproductive;

  TransferBlame(AgentRegistry<AgentState> agents, BlockHistory history, AvoidedNodes avoided, Settings settings) {
    this.agents = agents;
    this.history = history;
    this.avoided = avoided;
    this.unproductive = new UnproductiveTargets(agents, settings, history::hasLeftTarget);
  }

  AvoidedNodes avoided() {
    return avoided;
  }

  /** The bandwidths that transfers have shown. */
  ShownBandwidth shown() {
    return shown;
  }

  /** Forgets what is known of nodes. */
  void clear() {
    avoided.clear();
    shown.clear();
    unproductive.clear();
  }

  void ended(EndedTransfer end, long nowNs) {
    Attempt attempt = end.attempt();
    switch (end.result()) {
      case FINISHED -> finished(attempt, nowNs);
      case FAILED -> {
        blameNode(end, nowNs);
        // A deletion is waited for: stock would not wait.
        if (end.cause() != FailureCause.DELETION) {
          copyFailed(attempt, end.why(), nowNs);
        }
      }
      case WITHDRAWN -> {
      }
    }
    if (end.targetFailed()) {
      history.refuse(attempt.block(), attempt.target(), nowNs);
    }
  }

  private void finished(Attempt attempt, long nowNs) {
    String target = attempt.target();
    agents.get(target).progressNs = nowNs;
    for (TransferSource source : attempt.sources()) {
      avoided.confirmed(source.node(), target);
      unproductive.confirmed(source.node(), target, nowNs);
      shown.confirmed(source.node(), target, attempt.request().numBytes() - attempt.earlierBytes(), nowNs);
    }
    history.forget(attempt.block());
  }

  private void blameNode(EndedTransfer failed, long nowNs) {
    String target = failed.attempt().target();
    switch (failed.cause()) {
      case SOURCE, CORRUPTION -> {
        // Else it was counted when the source was lost. Of a rebuild the reader of the report knows which one failed.
        if (!failed.attempt().sourceLost() && failed.attempt().width() == 1) {
          avoided.failed(failed.attempt().source(), target, nowNs);
        }
      }
      case BLOCK_MAP -> avoided.avoidTarget(target,
          "it says that it has received a block, and the block map does not have it", nowNs);
      case TARGET, AGENT -> avoided.failedAtTarget(target, nowNs);
      case DELETION -> history.deleting(failed.attempt().block(), target, nowNs);
    }
  }

  /** It makes too little progress. */
  void stalled(Attempt attempt, long nowNs) {
    history.refuse(attempt.block(), attempt.target(), nowNs);
    copyFailed(attempt, STALLED, nowNs);
    if (attempt.hadSlowSource() || attempt.slowestSource() == null) {
      avoided.failedAtTarget(attempt.target(), nowNs);
    } else {
      avoided.failed(attempt.slowestSource().node(), attempt.target(), nowNs);
    }
  }

  /** It is one of the last, and slow from several sources. */
  void slowAtTarget(Attempt attempt, long nowNs) {
    history.avoid(attempt.block(), attempt.target(), nowNs);
    copyFailed(attempt, SLOW_AT_TARGET, nowNs);
    avoided.failedAtTarget(attempt.target(), nowNs);
  }

  /** Those of these transfers that are to be given up since their targets, avoided from now on, complete nothing. */
  List<Attempt> atUnproductiveTargets(List<Attempt> attempts, long nowNs) {
    List<Attempt> givenUp = new ArrayList<>();
    unproductive.find(attempts, nowNs).forEach((target, transfers) -> {
      if (avoided.avoidTarget(target, "it completes none of the transfers to it", nowNs)) {
        givenUp.addAll(transfers);
      }
    });
    return givenUp;
  }

  /** It is one of {@link #atUnproductiveTargets}. */
  void atUnproductiveTarget(Attempt attempt, long nowNs) {
    history.avoid(attempt.block(), attempt.target(), nowNs);
    copyFailed(attempt, UNPRODUCTIVE_TARGET, nowNs);
  }

  /** A plan takes it from its saturated target. */
  void evicted(Attempt attempt, long nowNs) {
    copyFailed(attempt, EVICTED, nowNs);
  }

  /** A copy of the block, or an internal block of the group, was begun and not made. */
  private void copyFailed(Attempt attempt, String why, long nowNs) {
    history.failed(attempt.block(), nowNs);
    history.failedCopies().add(attempt.block(), new FailedCopy(attempt.target(),
        attempt.sources().stream().map(TransferSource::node).toList(), why, nowNs));
  }

  /** HDFS does not want this copy there, or not yet. */
  void refused(TransferRequest request, CommitResult result, long nowNs) {
    if (result.verdict() == CommitResult.Verdict.TARGET_DELETES) {
      history.deleting(request.block(), request.target(), nowNs);
    } else {
      history.refuse(request.block(), request.target(), nowNs);
      history.failedCopies().add(request.block(), new FailedCopy(request.target(), sources(request),
          "HDFS refused it: " + result.reason(), nowNs));
    }
  }

  private static List<String> sources(TransferRequest request) {
    return request.group() == null ? List.of(request.source())
        : request.group().sources().stream().map(IndexedNode::node).toList();
  }

  /** Nothing gets on at these targets. */
  void idle(Set<String> targets, long nowNs) {
    targets.forEach(target -> avoided.avoidIdleTarget(target, StalledTransfers.AVOID_NS, nowNs));
  }
}

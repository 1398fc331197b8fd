/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.namenode.exchange.AgentReport;
import io.dayu.namenode.exchange.FinishedTransfer;
import io.dayu.namenode.exchange.FinishedTransfer.Outcome;
import io.dayu.namenode.exchange.RunningTransfer;
import io.dayu.namenode.exchange.SourceAddress;
import io.dayu.namenode.status.FailureCause;
import io.dayu.namenode.transfers.Attempt.Phase;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Updates the tracked transfers by what agents report. Owned by the recovery loop; not thread-safe. */
public final class ReportReader {
  private static final Logger LOG = LoggerFactory.getLogger(ReportReader.class);

  /**
   * What a report leads to.
   *
   * @param ended transfers that have ended
   * @param unknown what the agent runs and the tracker does not know, if this is its first report in this activation:
   *     to be adopted
   */
  public record ReportResult(List<EndedTransfer> ended, List<RunningTransfer> unknown) {
  }

  private final TransferTracker tracker;
  private final AgentUpdates updates;
  private final AvoidedNodes avoided;
  private final SharedMeters meters;
  private final Runnable resumed;

  /**
   * @param addressOf the address of the DataNode with a UUID
   * @param resumed is told of each transfer that its agent has moved to another source by itself
   */
  public ReportReader(TransferTracker tracker, AgentUpdates updates, AvoidedNodes avoided,
      UnaryOperator<String> addressOf, Runnable resumed) {
    this.resumed = resumed;
    this.tracker = tracker;
    this.updates = updates;
    this.avoided = avoided;
    this.meters = new SharedMeters(addressOf);
  }

  /** Brings the transfers of one agent in step with its report. */
  public ReportResult read(AgentState agent, AgentReport report, long nowNs) {
    boolean restarted = agent.incarnation != 0 && agent.incarnation != report.incarnation();
    if (restarted) {
      // The published commands were for the agent before its restart.
      updates.changed(agent.uuid);
    }
    agent.incarnation = report.incarnation();
    if (report.load() != null) {
      agent.reportedLoad = report.load();
      meters.learn(agent.uuid, report.load(), nowNs);
      agent.load = agent.withRecentDisks(meters.share(agent.uuid, report.load()), nowNs);
      int sharers = meters.sharers(agent.uuid);
      if (agent.meterSharers != sharers) {
        agent.meterSharers = sharers;
        updates.changed(agent.uuid);
      }
    }
    Map<Long, RunningTransfer> running = new LinkedHashMap<>();
    report.running().forEach(r -> running.put(r.attempt(), r));
    Map<Long, FinishedTransfer> finished = new HashMap<>();
    report.finished().forEach(f -> finished.put(f.attempt(), f));
    List<EndedTransfer> ended = new ArrayList<>();
    for (Attempt attempt : tracker.of(agent.uuid)) {
      RunningTransfer progress = running.remove(attempt.id());
      if (progress != null) {
        if (progress.doneBytes() > attempt.doneBytes()) {
          agent.progressNs = nowNs;
        }
        advance(attempt, progress, nowNs);
      } else if (finished.containsKey(attempt.id())) {
        conclude(attempt, finished.get(attempt.id()), nowNs, ended);
      } else if (restarted) {
        ended.add(tracker.fail(attempt, FailureCause.AGENT, "its agent was restarted", false));
      } else if (!attempt.reportedDone() && applied(report, attempt)) {
        ended.add(tracker.fail(attempt, FailureCause.AGENT, "its agent does not have it",
            attempt.phase() != Phase.CANCELLED));
      }
    }
    agent.confirmed |= report.obeyedActivation() == updates.activation();
    if (report.obeyedActivation() == updates.activation() && agent.suspects.checked(report.obeyedSequence())) {
      updates.changed(agent.uuid);
    }
    agent.verifications.reported(report.verified());
    boolean first = !agent.adopted;
    if (first) {
      agent.adopted = true;
      updates.changed(agent.uuid);
    }
    if (!finished.isEmpty() || !agent.acknowledged.isEmpty()) {
      agent.acknowledged.clear();
      agent.acknowledged.addAll(finished.keySet());
      // To name what the agent does not report any more does no harm; but without grants it would not wait for any.
      if (!finished.isEmpty() || !tracker.hasLive(agent.uuid)) {
        updates.ended(agent.uuid);
      }
    }
    return new ReportResult(ended, first ? List.copyOf(running.values()) : List.of());
  }

  private boolean applied(AgentReport report, Attempt attempt) {
    return report.obeyedActivation() == updates.activation() && report.obeyedSequence() >= attempt.sequence();
  }

  private void advance(Attempt attempt, RunningTransfer progress, long nowNs) {
    tracker.progressed(attempt, progress, nowNs);
    TransferSource failed = progress.failedSource() == null ? null : attempt.sourceOn(progress.failedSource());
    if (failed == null) {
      return;
    }
    follow(attempt, failed, progress, nowNs);
    // A report names one source that failed. The agent may have left others at the same time.
    for (TransferSource source : attempt.sources()) {
      follow(attempt, source, progress, nowNs);
    }
    if (failed.node().equals(progress.failedSource()) && !failed.isLost()) {
      LOG.debug("BLOCK* Dayu: {} on {} lost its source {} at {} bytes: {}", attempt.replica(), attempt.target(),
          failed.node(), attempt.doneBytes(), progress.failure());
      updates.suspect(attempt, failed);
      avoided.failed(failed.node(), attempt.target(), nowNs);
      tracker.loseSource(attempt, failed);
    }
  }

  /** If the agent has left this source for another one, that one is the transfer's from now on. */
  private void follow(Attempt attempt, TransferSource source, RunningTransfer progress, long nowNs) {
    List<SourceAddress> present = progress.sources();
    if (present.stream().anyMatch(now -> now.uuid().equals(source.node()))) {
      return;
    }
    List<String> usable = attempt.usableSources();
    present.stream().filter(now -> attempt.sourceOn(now.uuid()) == null && usable.contains(now.uuid())).findFirst()
        .ifPresent(other -> {
          updates.suspect(attempt, source);
          avoided.failed(source.node(), attempt.target(), nowNs);
          tracker.followAgent(attempt, source, other);
          resumed.run();
        });
  }

  private static FailureCause cause(Outcome outcome) {
    return switch (outcome) {
      case SOURCE_FAILED -> FailureCause.SOURCE;
      case SOURCE_CORRUPT -> FailureCause.CORRUPTION;
      case TARGET_FAILED -> FailureCause.TARGET;
      case TARGET_DELETES -> FailureCause.DELETION;
      default -> FailureCause.AGENT;
    };
  }

  private void conclude(Attempt attempt, FinishedTransfer end, long nowNs, List<EndedTransfer> ended) {
    if (end.outcome() == Outcome.DONE) {
      tracker.received(attempt, nowNs);
    } else {
      // Of a rebuild the agent counts what all of its sources sent.
      tracker.stopped(attempt, end.wastedBytes() / attempt.width());
      if (end.failedSource() != null) {
        sourceFailed(attempt, end.failedSource(), nowNs);
      }
      ended.add(tracker.fail(attempt, cause(end.outcome()), "its agent reports " + end.outcome()
          + (end.message().isEmpty() ? "" : ": " + end.message()), end.outcome() == Outcome.TARGET_FAILED));
    }
  }

  private void sourceFailed(Attempt attempt, String node, long nowNs) {
    TransferSource source = attempt.sourceOn(node);
    if (attempt.width() > 1 && source != null && !source.isLost()) {
      avoided.failed(node, attempt.target(), nowNs);
    }
    if (attempt.request().group() == null || attempt.indexOn(node) >= 0) {
      updates.suspect(attempt, new TransferSource(node, attempt.indexOn(node)));
    }
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.agents.ReportResponder;
import io.dayu.namenode.cluster.ShownBandwidth;
import io.dayu.namenode.exchange.AgentReport;
import io.dayu.namenode.exchange.RunningTransfer;
import io.dayu.namenode.planning.BlockHistory;
import io.dayu.namenode.planning.FirstCopies;
import io.dayu.namenode.planning.TimeslotDecision;
import io.dayu.namenode.planning.TimeslotPlanner;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.status.FailureCause;
import io.dayu.namenode.transfers.AdoptedTransfers;
import io.dayu.namenode.transfers.AgentCommands;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.AgentUpdates;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.AvoidedNodes;
import io.dayu.namenode.transfers.AvoidedNodes.Role;
import io.dayu.namenode.transfers.BlockMapAudit;
import io.dayu.namenode.transfers.EndedTransfer;
import io.dayu.namenode.transfers.HighestRiskNodes;
import io.dayu.namenode.transfers.NodeBandwidth;
import io.dayu.namenode.transfers.ReportReader;
import io.dayu.namenode.transfers.SlowTransfers;
import io.dayu.namenode.transfers.StalledTransfers;
import io.dayu.namenode.transfers.TransferTracker;
import org.apache.hadoop.fs.StorageType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * All that concerns transfers under way: has agents' reports read, adopts what agents are running, compares transfers
 * with the block map and with their grants, and carries out what was decided. For this it enters and ends the
 * NameNode's registrations (besides it, only the {@link Watchdog} ends any), tells agents what to do and counts what
 * became of it. {@link RecoveryController} calls it. {@link TransferTracker},
 * {@link TimeslotPlanner}, {@link StalledTransfers} and {@link StockHandover} decide; they change only what the loop
 * itself keeps. Owned by the recovery loop; not thread-safe.
 */
public final class TransferCoordinator {
  private static final Logger LOG = LoggerFactory.getLogger(TransferCoordinator.class);

  /** Time for the handover to stock in each second of the loop's thread. */
  private static final long MAX_HANDOVER_NS = TimeUnit.MILLISECONDS.toNanos(100);
  /** At most this many blocks are named when their transfers have ended; the queues have others again, too. */
  private static final int MAX_RETURNED = 10_000;

  private final BlockManagement blocks;
  private final StockSuspension suspension;
  private final PendingRegistrations registrations;
  private final AgentRegistry<AgentState> agents;
  private final ReportResponder responder;
  private final DayuStatus status;
  private final BlockHistory history;
  private final TransferTracker tracker;
  private final AgentUpdates updates;
  private final Settings settings;
  private final boolean holdsRates;
  private final ReportReader reader;
  private final BlockMapAudit audit;
  private final HighestRiskNodes highestRisk = new HighestRiskNodes();
  private final StalledTransfers stalled;
  private final SlowTransfers slowTransfers;
  private final TransferBlame blame;

  /** Blocks whose transfers have ended without a replica, and are not unregistered yet. */
  private final Set<BlockKey> stillRegistered = new LinkedHashSet<>();
  /** Agents whose commands could not be published, until they are. */
  private final Set<String> unpublished = new HashSet<>();
  /** That of the commands which were published last. */
  private OptionalDouble publishedPeak = OptionalDouble.empty();
  /** Of the transfers that agents reported in this activation: adopted, not adopted, and from how many agents. */
  private long adopted;
  private long refused;
  private long adoptedFrom;

  /** @param holdsRates see {@link io.dayu.schedule.PlanningAlgorithm} */
  TransferCoordinator(BlockManagement blocks, StockSuspension suspension, PendingRegistrations registrations,
      AgentRegistry<AgentState> agents, ReportResponder responder, DayuStatus status, BlockHistory history,
      TransferTracker tracker, AgentUpdates updates, Settings settings, boolean holdsRates) {
    this.blocks = blocks;
    this.suspension = suspension;
    this.registrations = registrations;
    this.agents = agents;
    this.responder = responder;
    this.status = status;
    this.history = history;
    this.tracker = tracker;
    this.updates = updates;
    this.settings = settings;
    this.holdsRates = holdsRates;
    AvoidedNodes avoided = new AvoidedNodes(blocks::addressOf,
        () -> (int) agents.all().stream().filter(agent -> agent.adopted).count());
    this.blame = new TransferBlame(agents, history, avoided, settings);
    this.reader = new ReportReader(tracker, updates, avoided, blocks::addressOf, status.counters()::countResumed);
    this.audit = new BlockMapAudit(agents, tracker, blocks::isDead);
    this.stalled = new StalledTransfers(agents, highestRisk,
        TimeUnit.MILLISECONDS.toNanos(settings.millis(Setting.STALL_WINDOW)));
    this.slowTransfers = new SlowTransfers(agents, settings, highestRisk);
  }

  /** The DataNodes that transfers keep away from. */
  AvoidedNodes avoided() {
    return blame.avoided();
  }

  /** The bandwidths that transfers have shown. */
  ShownBandwidth shown() {
    return blame.shown();
  }

  private void forgetOutcomes() {
    blame.clear();
    audit.clear();
    highestRisk.clear();
    slowTransfers.clear();
  }

  /** Begins an activation: nothing of an earlier one counts any more. */
  void activate(long activation) {
    adopted = 0;
    refused = 0;
    adoptedFrom = 0;
    forgetOutcomes();
    updates.activate(activation);
    tracker.activate(activation);
    registrations.clear();
    stillRegistered.clear();
  }

  /** Forgets all transfers. */
  void clear() {
    forgetOutcomes();
    updates.clear();
    tracker.clear();
    registrations.clear();
    stillRegistered.clear();
  }

  /**
   * Reads a report, and adopts what the agent is running if it is its first in this activation.
   *
   * @return the transfers that have ended by it
   */
  public List<EndedTransfer> read(AgentState agent, AgentReport report, long nowNs) {
    ReportReader.ReportResult result = reader.read(agent, report, nowNs);
    end(result.ended(), nowNs);
    if (!result.unknown().isEmpty()) {
      adopt(agent, result.unknown(), nowNs);
    }
    return result.ended();
  }

  private void adopt(AgentState agent, List<RunningTransfer> reported, long nowNs) {
    // A DataNode can make one replica of a block, or one internal block of a group, only. The end of a second one would
    // end the first one's registration.
    Set<BlockKey> blockKeys = new HashSet<>();
    List<RunningTransfer> running = reported.stream().filter(r -> isStorageType(r.storageType())
        && AdoptedTransfers.isComplete(r) && blockKeys.add(AdoptedTransfers.key(r))).toList();
    List<TransferRequest> requests = running.stream().map(r -> AdoptedTransfers.request(agent.uuid, r)).toList();
    List<CommitResult> results = blocks.adopt(requests);
    NodeBandwidth bandwidth = new NodeBandwidth(settings);
    int legs = running.stream().mapToInt(r -> r.sources().size()).sum();
    for (int i = 0; i < requests.size(); i++) {
      CommitResult result = results.get(i);
      if (result.committed()) {
        registrations.enter(running.get(i).attempt(), requests.get(i));
        tracker.adopt(running.get(i), requests.get(i), result,
            bandwidth.adopted(running.get(i).rateBytesPerSec(), agent.load, legs), nowNs);
        status.counters().countAdopted();
      }
      LOG.debug("BLOCK* Dayu: transfer of {} to {} at {} bytes: {}", requests.get(i).block(), agent.uuid,
          running.get(i).doneBytes(),
          result.committed() ? "adopted" : "not adopted, " + result.reason());
    }
    LOG.debug("Dayu: adopted {} of the {} transfers that the agent of DataNode {} ({}) is running",
        results.stream().filter(CommitResult::committed).count(), reported.size(), blocks.addressOf(agent.uuid),
        agent.uuid);
    adopted += results.stream().filter(CommitResult::committed).count();
    refused += reported.size() - results.stream().filter(CommitResult::committed).count();
    adoptedFrom++;
  }

  /** Says in one line what was adopted in this activation so far. */
  void logAdopted() {
    if (adoptedFrom > 0) {
      LOG.info("Dayu: adopted {} transfers that {} agents are running, and {} not", adopted, adoptedFrom, refused);
    }
  }

  /** A NameNode of another version may have granted a transfer to a storage type that this one does not know. */
  private static boolean isStorageType(String name) {
    return Arrays.stream(StorageType.values()).anyMatch(type -> type.name().equals(name));
  }

  /** Compares the transfers with the block map. Returns those that have ended. */
  List<EndedTransfer> check(long nowNs) {
    List<Attempt> compared = audit.dueForComparison(blocks::refresh, nowNs);
    List<PendingCheck> checks = blocks.check(compared.stream().map(Attempt::request).toList());
    for (int i = 0; i < compared.size(); i++) {
      if (checks.get(i).unregistered()) {
        registrations.forget(compared.get(i).target(), compared.get(i).id());
      }
    }
    List<EndedTransfer> ended = new ArrayList<>(audit.checked(compared, checks, nowNs));
    end(ended, nowNs);
    return ended;
  }

  /** Ends the transfers whose leases or registrations are over, and returns them. */
  List<EndedTransfer> expire(long nowNs) {
    List<EndedTransfer> expired = audit.endExpired(TimeUnit.MILLISECONDS.toNanos(blocks.pendingTimeoutMs()), nowNs);
    end(expired, nowNs);
    return expired;
  }

  /**
   * Compares the transfers with their grants.
   *
   * @param areLast whether nothing waits to be planned, and what is given up now is planned next
   */
  void judge(boolean areLast, long nowNs) {
    blame.avoided().unconfirmed(audit.unconfirmed(nowNs));
    highestRisk.look(tracker.all(), nowNs);
    carryOut(stalled.decide(tracker.allByTarget(), nowNs), nowNs);
    leaveUnproductiveTargets(nowNs);
    blame.avoided().expire(nowNs);
    if (areLast) {
      carryOut(slowTransfers.decide(tracker.all()), nowNs);
    } else {
      slowTransfers.clear();
    }
  }

  private void carryOut(StalledTransfers.Decision decision, long nowNs) {
    for (Attempt attempt : decision.tooSlowSource()) {
      updates.suspect(attempt, attempt.slowestSource());
      tracker.leaveSlowSource(attempt, attempt.slowestSource());
    }
    // First: what fails on trial avoids a target for a shorter time.
    blame.idle(decision.idleTargets(), nowNs);
    for (Attempt attempt : decision.givenUp()) {
      tracker.cancel(attempt, TransferBlame.STALLED, nowNs);
      blame.stalled(attempt, nowNs);
      blocks.countTimedOut();
    }
  }

  private void leaveUnproductiveTargets(long nowNs) {
    for (Attempt attempt : blame.atUnproductiveTargets(tracker.allByTarget(), nowNs)) {
      tracker.cancel(attempt, TransferBlame.UNPRODUCTIVE_TARGET, nowNs);
      blame.atUnproductiveTarget(attempt, nowNs);
    }
  }

  private void carryOut(SlowTransfers.Decision decision, long nowNs) {
    decision.slowSource().forEach(attempt -> tracker.leaveSlowSource(attempt, attempt.slowestSource()));
    for (Attempt attempt : decision.slowTarget()) {
      tracker.cancel(attempt, TransferBlame.SLOW_AT_TARGET, nowNs);
      blame.slowAtTarget(attempt, nowNs);
    }
  }

  private void end(List<EndedTransfer> ended, long nowNs) {
    for (EndedTransfer end : ended) {
      Attempt attempt = end.attempt();
      registrations.end(attempt.target(), attempt.id());
      if (end.result() != EndedTransfer.Result.FINISHED && stillRegistered.size() < MAX_RETURNED) {
        stillRegistered.add(attempt.block());
      }
      blame.ended(end, nowNs);
      switch (end.result()) {
        case FINISHED -> {
          highestRisk.confirmed(attempt, nowNs);
          status.counters().countFinished(attempt.request().numBytes(), attempt.width(), attempt.rebuilds(),
              attempt.width() * attempt.earlierBytes());
        }
        case FAILED -> {
          if (end.cause() == FailureCause.DELETION) {
            LOG.debug("BLOCK* Dayu: {} was not made on {} yet: {}; another DataNode gets it, or this one after {} s",
                attempt.replica(), blocks.nameOf(attempt.target()), end.why(), BlockHistory.DELETING_SEC);
          }
          status.counters().countFailed(end.cause(), end.targetFailed());
          status.counters().countWasted(attempt.width() * attempt.doneBytes());
          blocks.countTimedOut();
        }
        case WITHDRAWN -> status.counters().countWasted(attempt.width() * attempt.doneBytes());
      }
    }
  }

  /**
   * Unregisters the pending copies of what has ended.
   *
   * @return the blocks that are to be planned again, since these transfers have made no replica
   */
  List<BlockKey> unregisterEnded() {
    registrations.unregisterEnded();
    List<BlockKey> returned = List.copyOf(stillRegistered);
    stillRegistered.clear();
    return returned;
  }

  /** Carries out what a timeslot decided. Returns the results of its new transfers, in order. */
  List<CommitResult> carryOut(TimeslotDecision decision, long nowNs) {
    for (Attempt evicted : decision.evicted()) {
      tracker.cancel(evicted, TransferBlame.EVICTED, nowNs);
      blame.evicted(evicted, nowNs);
    }
    for (TimeslotDecision.Redirection running : decision.redirected()) {
      if (tracker.redirect(running.attempt(), running.sources(), running.rateBytesPerSec())) {
        status.counters().countResumed();
      }
    }
    List<CommitResult> results = blocks.commit(decision.requests(), suspension::isSuspended);
    for (int i = 0; i < results.size(); i++) {
      TimeslotDecision.Copy copy = decision.copies().get(i);
      TransferRequest request = copy.request();
      CommitResult result = results.get(i);
      if (result.committed()) {
        Attempt attempt = tracker.grant(request, copy.block(), result, copy.rateBytesPerSec(), nowNs);
        registrations.enter(attempt.id(), request);
        history.planned(request.block());
      } else {
        LOG.debug("BLOCK* Dayu: {} from {} to {} was rejected: {} ({})", request.block(), request.source(),
            request.target(), result.verdict(), result.reason());
        if (result.refusedByTarget()) {
          blame.refused(request, result, nowNs);
        }
      }
    }
    return results;
  }

  /**
   * Lets stock schedule blocks of the handover's round, for a bounded time: at least some, and the others when this is
   * called again. Those whose first copy has been planned since they were offered are not among them: stock would read
   * the same last source for a second one.
   */
  void handOver(StockHandover handover, LongSupplier stopwatchNs, long nowNs) {
    long startNs = stopwatchNs.getAsLong();
    List<WaitingBlock> chunk = handover.next();
    if (chunk.isEmpty()) {
      return;
    }
    FirstCopies firstCopies = new FirstCopies(tracker.all(), nowNs);
    while (!chunk.isEmpty()) {
      List<WaitingBlock> forStock = chunk.stream().filter(block -> !firstCopies.isAwaited(block)).toList();
      status.counters().countHandedToStock(blocks.scheduleByStock(forStock));
      chunk = stopwatchNs.getAsLong() - startNs < MAX_HANDOVER_NS ? handover.next() : List.of();
    }
  }

  /**
   * Publishes new commands for every agent whose commands have changed. Those that cannot be made are tried again;
   * meanwhile that agent gets none: with the old ones it would go on with transfers whose blocks may go elsewhere.
   */
  public void publish(Map<String, LiveNode> nodes, long nowNs) {
    OptionalDouble peakUtilization = peakUtilization();
    if (!peakUtilization.equals(publishedPeak)) {
      tracker.targetsChanged();
      publishedPeak = peakUtilization;
    }
    RuntimeException failure = null;
    int failed = 0;
    int published = 0;
    for (String uuid : updates.changed()) {
      AgentState agent = agents.get(uuid);
      try {
        if (agent != null && agent.adopted && !(updates.hasOnlyEnded(uuid) && publishEnds(agent))) {
          responder.publish(agent, agent.incarnation, AgentCommands.of(agent, tracker, updates.activation(),
              updates.takeSequence(), nodes, agents,
              source -> blame.avoided().isAvoided(Role.SOURCE, source, nowNs), peakUtilization));
        }
        updates.published(uuid);
        unpublished.remove(uuid);
        published++;
      } catch (RuntimeException e) {
        failure = e;
        failed++;
        if (agent != null) {
          responder.withdraw(agent);
        }
        if (unpublished.add(uuid)) {
          LOG.warn("Dayu: the commands for the agent of DataNode {} cannot be made; it gets none until they can, and "
              + "what it runs ends with its lease", blocks.addressOf(uuid), e);
        }
      }
    }
    if (failed > 1 && published == 0) {
      // It is not one agent's state that is the reason.
      throw failure;
    }
  }

  /** Publishes the agent's commands without what it has ended; returns whether it has any. */
  private boolean publishEnds(AgentState agent) {
    return responder.publishEnds(agent, agent.incarnation, updates.activation(), updates.takeSequence(),
        tracker.liveIds(agent.uuid), agent.acknowledged());
  }

  /**
   * Up to which fraction of a link a transfer may exceed its rate; empty where each is held to its rate, as the paper's
   * algorithm has it, or since all transfers together are limited.
   */
  private OptionalDouble peakUtilization() {
    boolean held = holdsRates || settings.bytesPerSec(Setting.MAX_TOTAL_BANDWIDTH) > 0;
    return held ? OptionalDouble.empty() : OptionalDouble.of(settings.peakUtilization());
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.TransferRequest;
import io.dayu.conf.Settings;
import io.dayu.namenode.Attempt.Phase;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;

import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerAccess;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Every attempt under way: kept in step with what agents report, what the block map says and what the plan wants. Owned by the recovery loop;
 * not thread-safe.
 *
 * <p>A block leaves an attempt only when nobody can be working on it any more: the block map has the replica, the agent has said that it
 * ended, the agent has obeyed directions that leave the attempt out, or its lease has ended.
 */
final class AttemptBook {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptBook.class);

  /** An agent needs a moment to remove what it has when its lease ends. */
  private static final long GRACE_NS = TimeUnit.SECONDS.toNanos(2);
  /** Attempts that are held against the block map in a second, each hold of the lock being bounded. */
  private static final int CHECKS_PER_SEC = 5_000;

  private final BlockManagerAccess blocks;
  private final double peakUtilization;
  private final AgentDesk desk;
  private final Ledger ledger;
  private final DayuStatus status;
  private final BlockHistory history;
  private final Map<Long, Attempt> attempts = new HashMap<>();
  private final List<Long> toSettle = new ArrayList<>();

  private long activation;
  private long lastId;
  private long leaseNs;
  private long sequence;
  private boolean needsPlan;
  private long finishedSincePlan;
  private long failedSincePlan;

  AttemptBook(BlockManagerAccess blocks, Settings settings, AgentDesk desk, Ledger ledger, DayuStatus status, BlockHistory history) {
    this.blocks = blocks;
    this.peakUtilization = settings.peakUtilization();
    this.desk = desk;
    this.ledger = ledger;
    this.status = status;
    this.history = history;
  }

  /** Begins an activation: nothing of an earlier one counts any more. */
  void activate(long newActivation) {
    clear();
    activation = newActivation;
    lastId = newActivation << 20;
  }

  void clear() {
    attempts.clear();
    leaseNs = 0;
    toSettle.clear();
    ledger.clear();
    desk.agents().forEach(AgentState::reset);
  }

  /** Takes the lease that is granted from now on. Longer ones may still be out, so the longest of this activation counts. */
  void leaseNs(long grantedNs) {
    leaseNs = Math.max(leaseNs, grantedNs + GRACE_NS);
  }

  Collection<Attempt> all() {
    return attempts.values();
  }

  boolean isEmpty() {
    return attempts.isEmpty();
  }

  /** Attempts that still make progress or are about to. */
  int liveCount() {
    int live = 0;
    for (Attempt attempt : attempts.values()) {
      live += attempt.live() ? 1 : 0;
    }
    return live;
  }

  /** Whether something happened that should not wait for the next timeslot: a transfer lost its source. Asking resets it. */
  boolean takeNeedsPlan() {
    boolean needed = needsPlan;
    needsPlan = false;
    return needed;
  }

  /** Attempts completed since this was last asked. */
  long takeFinished() {
    long finished = finishedSincePlan;
    finishedSincePlan = 0;
    return finished;
  }

  /** Attempts that failed since this was last asked. */
  long takeFailed() {
    long failed = failedSincePlan;
    failedSincePlan = 0;
    return failed;
  }

  /**
   * Registers a committed transfer and puts it into its target's directions.
   *
   * @param sources all nodes that could send the block, the request's among them
   */
  void grant(TransferRequest request, List<String> sources, CommitResult committed, long rateBytesPerSec) {
    Attempt attempt = new Attempt(++lastId, request, committed.storageId(), committed.storageType(), Phase.GRANTED);
    attempt.rateBytesPerSec = rateBytesPerSec;
    attempt.candidateSources = sources;
    LOG.debug("BLOCK* Dayu: ask {} to pull {} from {} at {} bytes/s", attempt.target(), attempt.block(), attempt.source, rateBytesPerSec);
    enter(attempt);
  }

  private void enter(Attempt attempt) {
    AgentState agent = desk.agent(attempt.target());
    attempt.sequence = sequence + 1;
    attempts.put(attempt.id, attempt);
    agent.attempts.put(attempt.id, attempt);
    agent.changed = true;
    ledger.enter(attempt.id, attempt.request);
  }

  /** Changes rate and source of a live attempt. */
  void direct(Attempt attempt, String source, long rateBytesPerSec) {
    boolean moved = attempt.sourceLost || !attempt.source.equals(source);
    if (moved) {
      LOG.debug("BLOCK* Dayu: {} on {} goes on from {} instead of {} at {} bytes", attempt.block(), attempt.target(), source,
          attempt.source, attempt.doneBytes);
      attempt.moveTo(source);
      status.countResumed();
    }
    if (moved || attempt.rateBytesPerSec != rateBytesPerSec) {
      attempt.rateBytesPerSec = rateBytesPerSec;
      desk.agent(attempt.target()).changed = true;
    }
  }

  /** Leaves the attempt out of its target's directions; it is settled when the agent has obeyed, or at the end of its lease. */
  void cancel(Attempt attempt, String why, long nowNs) {
    if (attempt.phase == Phase.CANCELLED) {
      return;
    }
    LOG.debug("BLOCK* Dayu: cancelling {} on {}: {}", attempt.block(), attempt.target(), why);
    AgentState agent = desk.agent(attempt.target());
    attempt.phase = Phase.CANCELLED;
    attempt.cancelledNs = nowNs;
    attempt.sequence = sequence + 1;
    agent.changed = true;
  }

  /** Brings the attempts of one agent in step with its report; adopts what it is running if this is its first in this activation. */
  void read(AgentState agent, ReportProto report, long nowNs) {
    boolean restarted = agent.incarnation != 0 && agent.incarnation != report.getAgentIncarnation();
    agent.incarnation = report.getAgentIncarnation();
    if (report.hasLoad()) {
      agent.load = report.getLoad();
    }
    Map<Long, RunningTransferProto> running = new HashMap<>();
    report.getRunningList().forEach(r -> running.put(r.getAttempt(), r));
    Map<Long, FinishedTransferProto> finished = new HashMap<>();
    report.getFinishedList().forEach(f -> finished.put(f.getAttempt(), f));
    for (Attempt attempt : List.copyOf(agent.attempts.values())) {
      RunningTransferProto progress = running.remove(attempt.id);
      if (progress != null) {
        advance(attempt, progress);
      } else if (finished.containsKey(attempt.id)) {
        conclude(attempt, finished.get(attempt.id), nowNs);
      } else if (restarted) {
        fail(attempt, "its agent was restarted");
      } else if (!attempt.reportedDone && obeyed(report, attempt)) {
        if (attempt.phase == Phase.CANCELLED) {
          fail(attempt, null);
        } else {
          desert(attempt, "its agent does not have it", nowNs);
        }
      }
    }
    if (!agent.adopted) {
      agent.adopted = true;
      agent.changed = true;
      adopt(agent, running.values());
    }
    if (!finished.isEmpty() || !agent.acknowledged.isEmpty()) {
      agent.acknowledged.clear();
      agent.acknowledged.addAll(finished.keySet());
      agent.changed = true;
    }
  }

  private boolean obeyed(ReportProto report, Attempt attempt) {
    return report.getObeyedActivation() == activation && report.getObeyedSequence() >= attempt.sequence;
  }

  private void advance(Attempt attempt, RunningTransferProto progress) {
    boolean delivers = progress.getDoneBytes() > attempt.doneBytes && !progress.hasFailedSourceUuid()
        && progress.getSource().getDatanodeUuid().equals(attempt.source);
    if (delivers && attempt.sourceLost && attempt.candidateSources.contains(attempt.source)) {
      attempt.failedSources.remove(attempt.source);
      attempt.sourceLost = false;
    }
    attempt.doneBytes = progress.getDoneBytes();
    attempt.achievedBytesPerSec = progress.getAchievedBytesPerSec();
    if (attempt.phase == Phase.GRANTED) {
      attempt.phase = Phase.RUNNING;
    }
    if (progress.hasFailedSourceUuid() && progress.getFailedSourceUuid().equals(attempt.source) && !attempt.sourceLost) {
      LOG.debug("BLOCK* Dayu: {} on {} lost its source {} at {} bytes: {}", attempt.block(), attempt.target(), attempt.source,
          attempt.doneBytes, progress.getFailure());
      attempt.loseSource();
      needsPlan = true;
    }
  }

  private void conclude(Attempt attempt, FinishedTransferProto end, long nowNs) {
    if (end.getOutcome() == FinishedTransferProto.Outcome.DONE) {
      attempt.doneBytes = attempt.request.numBytes();
      if (!attempt.reportedDone) {
        LOG.debug("BLOCK* Dayu: {} has been received by {}", attempt.block(), attempt.target());
        attempt.reportedDone = true;
        attempt.reportedDoneNs = nowNs;
        desk.agent(attempt.target()).changed = true;
      }
    } else {
      if (end.getOutcome() == FinishedTransferProto.Outcome.TARGET_FAILED) {
        history.refuse(attempt.block(), attempt.target(), nowNs);
      }
      fail(attempt, attempt.phase == Phase.CANCELLED ? null : end.getOutcome() + " " + end.getMessage());
    }
  }

  /** Ends an attempt of an agent that has let us down. */
  private void desert(Attempt attempt, String why, long nowNs) {
    history.refuse(attempt.block(), attempt.target(), nowNs);
    fail(attempt, why);
  }

  /** Ends an attempt without a replica; {@code why} is null if that was wanted. */
  private void fail(Attempt attempt, String why) {
    if (why != null) {
      LOG.debug("BLOCK* Dayu: {} on {} failed: {}", attempt.block(), attempt.target(), why);
      failedSincePlan++;
      status.countFailed();
    }
    end(attempt);
  }

  private void complete(Attempt attempt) {
    finishedSincePlan++;
    status.countFinished(attempt.request.numBytes());
    history.forget(attempt.block());
    end(attempt);
  }

  private void end(Attempt attempt) {
    attempts.remove(attempt.id);
    AgentState agent = desk.agent(attempt.target());
    agent.attempts.remove(attempt.id);
    agent.changed = true;
    toSettle.add(attempt.id);
  }

  private void adopt(AgentState agent, Collection<RunningTransferProto> running) {
    List<TransferRequest> requests = new ArrayList<>(running.size());
    for (RunningTransferProto r : running) {
      requests.add(new TransferRequest(new BlockKey(r.getBlock().getBlockId(), r.getBlock().getGenerationStamp()),
          r.getBlock().getNumBytes(), 0, r.getSource().getDatanodeUuid(), agent.uuid,
          1 << StorageType.valueOf(r.getStorageType()).ordinal()));
    }
    List<CommitResult> results = blocks.adopt(requests);
    int i = 0;
    for (RunningTransferProto r : running) {
      CommitResult result = results.get(i);
      if (result.committed()) {
        Attempt attempt = new Attempt(r.getAttempt(), requests.get(i), result.storageId(), result.storageType(), Phase.RUNNING);
        attempt.sourceAddress = r.getSource();
        attempt.doneBytes = r.getDoneBytes();
        attempt.rateBytesPerSec = r.getRateBytesPerSec();
        attempt.achievedBytesPerSec = r.getAchievedBytesPerSec();
        enter(attempt);
        status.countAdopted();
      }
      LOG.debug("BLOCK* Dayu: transfer of {} to {} at {} bytes: {}", requests.get(i).block(), agent.uuid, r.getDoneBytes(),
          result.committed() ? "adopted" : "not adopted, " + result.reason());
      i++;
    }
    if (i > 0) {
      LOG.info("Dayu: adopted {} of the {} transfers that agent {} is running", results.stream().filter(CommitResult::committed).count(),
          i, agent.uuid);
    }
  }

  /** Holds attempts against the block map, each once a second unless there are very many, and ends those whose lease has. */
  void check(long nowNs) {
    long periodNs = Math.min(leaseNs / 3, TimeUnit.SECONDS.toNanos(attempts.size() / CHECKS_PER_SEC));
    List<Attempt> open = attempts.values().stream()
        .filter(a -> a.reportedDone || a.phase != Phase.CANCELLED && (!a.checked || nowNs - a.checkedNs >= periodNs)).toList();
    List<PendingCheck> checks = blocks.check(open.stream().map(a -> a.request).toList());
    for (int i = 0; i < open.size(); i++) {
      open.get(i).checked = true;
      open.get(i).checkedNs = nowNs;
      apply(open.get(i), checks.get(i), nowNs);
    }
    for (Attempt attempt : List.copyOf(attempts.values())) {
      long heardNs = desk.agent(attempt.target()).heardNs();
      if (nowNs - heardNs > leaseNs) {
        desert(attempt, "its agent is silent and its lease has ended", nowNs);
      } else if (attempt.phase == Phase.CANCELLED && nowNs - attempt.cancelledNs > leaseNs) {
        fail(attempt, null);
      } else if (attempt.reportedDone && nowNs - attempt.reportedDoneNs > leaseNs) {
        desert(attempt, "its agent finished it, but the block map does not have it", nowNs);
      }
    }
  }

  private void apply(Attempt attempt, PendingCheck check, long nowNs) {
    switch (check.standing()) {
      case COMPLETE -> complete(attempt);
      case GONE -> {
        if (attempt.reportedDone && attempt.phase != Phase.CANCELLED) {
          // Made and announced in time; that nobody needs it any more does not undo that.
          complete(attempt);
        } else if (attempt.reportedDone) {
          end(attempt);
        } else {
          cancel(attempt, "the block was deleted or reopened", nowNs);
        }
      }
      case UNWANTED -> {
        if (attempt.reportedDone) {
          end(attempt);
        } else {
          cancel(attempt, "the block has enough replicas or is no longer pending there", nowNs);
        }
      }
      case WANTED -> {
        attempt.candidateSources = check.sources();
        if (attempt.live() && !attempt.sourceLost && !check.sources().contains(attempt.source)) {
          attempt.loseSource();
          needsPlan = true;
        }
      }
    }
  }

  /** One line for each of the first {@code limit} attempts under way, for people. */
  List<String> describe(Map<String, LiveNode> nodes, int limit) {
    return attempts.values().stream().filter(Attempt::live).limit(limit).map(a -> a.block() + " from "
        + name(nodes, a.source) + " to " + name(nodes, a.target()) + ": " + a.doneBytes + " of " + a.request.numBytes()
        + " bytes at " + a.achievedBytesPerSec + " of " + a.rateBytesPerSec + " bytes/s").toList();
  }

  private static String name(Map<String, LiveNode> nodes, String uuid) {
    LiveNode node = nodes.get(uuid);
    return node == null ? uuid : node.ipAddress() + ":" + node.transferPort();
  }

  /** Settles what has ended. */
  void settle() {
    if (!toSettle.isEmpty()) {
      ledger.settle(toSettle);
      toSettle.clear();
    }
  }

  /** Publishes new directions for every agent whose have changed. */
  void publish(Map<String, LiveNode> nodes, String namenodeId) {
    for (AgentState agent : desk.agents()) {
      if (agent.changed && agent.adopted) {
        agent.changed = false;
        desk.publish(agent, Directions.of(agent, activation, ++sequence, nodes, uuid -> desk.agent(uuid) != null,
            this::maxBytesPerSec, namenodeId));
      }
    }
  }

  /**
   * What a transfer may take while both its links have room; empty if its source has no agent, which could keep recovery from getting in the way of
   * clients there.
   */
  private OptionalLong maxBytesPerSec(Attempt attempt) {
    AgentState source = desk.agent(attempt.source);
    AgentState target = desk.agent(attempt.target());
    if (source == null || source.load == null || target.load == null) {
      return OptionalLong.empty();
    }
    long linkBytesPerSec = Math.min(source.load.getCapacityOutBytesPerSec(), target.load.getCapacityInBytesPerSec());
    return OptionalLong.of((long) (peakUtilization * linkBytesPerSec));
  }
}

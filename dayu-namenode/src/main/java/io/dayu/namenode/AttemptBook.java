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
import io.dayu.namenode.Attempt.Phase;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.DirectionsProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;

import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerAccess;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Every attempt under way: kept in step with what agents report, what the block map says and what the plan wants. Owned by the recovery loop;
 * not thread-safe.
 *
 * <p>A block leaves an attempt only when nobody can be working on it any more: the block map has the replica, the agent has said that it
 * ended, the agent has obeyed directions that leave the attempt out, or its lease has ended.
 */
final class AttemptBook {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptBook.class);

  private final BlockManagerAccess blocks;
  private final AgentDesk desk;
  private final Ledger ledger;
  private final DayuStatus status;
  private final BlockHistory history;
  private final Map<Long, Attempt> attempts = new HashMap<>();
  private final List<Long> toSettle = new ArrayList<>();

  private long activation;
  private long lastId;
  private long leaseNs;
  private boolean needsPlan;
  private long finishedSincePlan;

  AttemptBook(BlockManagerAccess blocks, AgentDesk desk, Ledger ledger, DayuStatus status, BlockHistory history) {
    this.blocks = blocks;
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
    toSettle.clear();
    ledger.clear();
    desk.agents().forEach(AgentState::reset);
  }

  void leaseNs(long newLeaseNs) {
    leaseNs = newLeaseNs;
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

  /** Registers a committed transfer and puts it into its target's directions. */
  void grant(TransferRequest request, CommitResult committed, long rateBytesPerSec) {
    Attempt attempt = new Attempt(++lastId, request, committed.storageId(), committed.storageType(), Phase.GRANTED);
    attempt.rateBytesPerSec = rateBytesPerSec;
    enter(attempt);
  }

  private void enter(Attempt attempt) {
    AgentState agent = desk.agent(attempt.target());
    attempt.sequence = agent.upcomingSequence();
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
    attempt.sequence = agent.upcomingSequence();
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
        fail(attempt, attempt.phase == Phase.CANCELLED ? null : "its agent does not have it");
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
    long received = progress.getDoneBytes() - attempt.doneBytes;
    AgentState server = desk.agent(attempt.source);
    if (received > 0 && server != null) {
      server.addServed(received);
    }
    attempt.doneBytes = progress.getDoneBytes();
    attempt.achievedBytesPerSec = progress.getAchievedBytesPerSec();
    if (attempt.phase == Phase.GRANTED) {
      attempt.phase = Phase.RUNNING;
    }
    if (progress.hasFailedSourceUuid() && progress.getFailedSourceUuid().equals(attempt.source) && !attempt.sourceLost) {
      LOG.info("Dayu: {} on {} lost its source {} at {} bytes: {}", attempt.block(), attempt.target(), attempt.source,
          attempt.doneBytes, progress.getFailure());
      attempt.loseSource();
      needsPlan = true;
    }
  }

  private void conclude(Attempt attempt, FinishedTransferProto end, long nowNs) {
    if (end.getOutcome() == FinishedTransferProto.Outcome.DONE) {
      if (!attempt.reportedDone) {
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
      LOG.info("Dayu: {} on {} failed: {}", attempt.block(), attempt.target(), why);
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
      LOG.info("Dayu: transfer of {} to {} at {} bytes: {}", requests.get(i).block(), agent.uuid, r.getDoneBytes(),
          result.committed() ? "adopted" : "not adopted, " + result.reason());
      i++;
    }
  }

  /** Holds every attempt against the block map, and ends those whose lease has. */
  void check(long nowNs) {
    List<Attempt> open = attempts.values().stream().filter(a -> a.phase != Phase.CANCELLED).toList();
    List<PendingCheck> checks = blocks.check(open.stream().map(a -> a.request).toList());
    for (int i = 0; i < open.size(); i++) {
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
      case UNWANTED -> {
        if (attempt.reportedDone) {
          end(attempt);
        } else {
          cancel(attempt, "the block was deleted, reopened or has enough replicas", nowNs);
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
        agent.publish(directions(agent, nodes, namenodeId));
      }
    }
  }

  private DirectionsProto directions(AgentState agent, Map<String, LiveNode> nodes, String namenodeId) {
    DirectionsProto.Builder directions = DirectionsProto.newBuilder()
        .setProtocolVersion(AgentDesk.REVISION)
        .setNamenodeId(namenodeId)
        .setActivation(activation)
        .setSequence(agent.nextSequence())
        .setAuthoritative(true)
        .setNextReportMs(0)
        .addAllAcknowledged(agent.acknowledged);
    for (Attempt attempt : agent.attempts.values()) {
      LiveNode source = nodes.get(attempt.source);
      if (attempt.live()) {
        directions.addGrants(grant(attempt, source));
      }
    }
    return directions.build();
  }

  /** A source that is no longer alive is named where it last was: the agent waits for another one. */
  private static GrantProto grant(Attempt attempt, LiveNode source) {
    if (source != null) {
      attempt.sourceAddress = SourceProto.newBuilder().setDatanodeUuid(source.uuid()).setIpAddress(source.ipAddress())
          .setHostName(source.hostName()).setTransferPort(source.transferPort()).build();
    }
    return GrantProto.newBuilder()
        .setAttempt(attempt.id)
        .setBlock(BlockSpecProto.newBuilder().setBlockId(attempt.block().blockId())
            .setGenerationStamp(attempt.block().generationStamp()).setNumBytes(attempt.request.numBytes()))
        .setSource(attempt.sourceAddress)
        .setStorageType(attempt.storageType)
        .setStorageId(attempt.storageId)
        .setRateBytesPerSec(attempt.rateBytesPerSec)
        .setLeaseMs(0)
        .build();
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.blocks.GroupTransfer;
import io.dayu.datanode.transfer.RebuildGrants;
import io.dayu.datanode.transfer.TransferHandle;
import io.dayu.datanode.transfer.TransferState;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.fs.StorageType;

import java.util.ArrayList;
import java.util.List;

/**
 * A block being pulled, or an internal block of a group being rebuilt. Production code decides what it does next;
 * simulated are the connections, the bytes and the partial replica. Not thread-safe.
 */
final class SimulatedTransfer implements TransferHandle {
  private static final int MAX_STOP_MS = 1_500;
  /** What it waits in a second for a source that sends nothing. */
  private static final int AWAITED_MS = 1_000;
  /** More than what counts as no progress. */
  private static final double FAKED_SHARE = 0.05;

  private final SimulatedAgent agent;
  private final SimulatedCluster cluster;
  private final String pool;
  private final GrantProto grant;
  private final Listener onEnd;
  /** Of the NameNode that has granted it. */
  private final long term;
  private final TransferState state;
  private final List<SimulatedConnection> connections;
  /** What it rebuilds, as the agent checks it; null if it pulls a block. */
  private final RebuildGrants rebuild;
  /** By the contract of the protocol; what the agent keeps to is {@link #state}. */
  long leaseEndNs;
  private boolean started;
  /** Has stopped receiving, for this reason, and has not yet removed its partial replica. */
  private TransferState.Stop stopping;
  /** That reason is another internal block of its group on this DataNode. */
  private boolean hasAnother;
  private boolean ended;
  private boolean hasWaited;
  /** The source that a rebuild waits for; null if it waits for none. */
  private String awaited;
  private boolean partial;
  private double doneBytes;
  private long achievedBytesPerSec;

  /** @param nowNs when the report was sent that the grant answers: the lease counts from there */
  SimulatedTransfer(SimulatedAgent agent, String pool, GrantProto grant, long nowNs, Listener onEnd) {
    this.agent = agent;
    this.cluster = agent.cluster;
    this.pool = pool;
    this.grant = grant;
    this.onEnd = onEnd;
    this.term = agent.term();
    this.state = new TransferState(grant, nowNs);
    this.connections = state.sources().stream().map(source -> new SimulatedConnection(this, agent, source)).toList();
    this.rebuild = grant.hasGroup() ? new RebuildGrants(pool, grant) : null;
    this.leaseEndNs = leaseEndNs(grant, nowNs);
  }

  private static long leaseEndNs(GrantProto grant, long nowNs) {
    return nowNs + grant.getLeaseMs() * EventQueue.MS;
  }

  long blockId() {
    return grant.getBlock().getBlockId();
  }

  long generationStamp() {
    return grant.getBlock().getGenerationStamp();
  }

  long numBytes() {
    return grant.getBlock().getNumBytes();
  }

  String pool() {
    return pool;
  }

  private boolean isOfOtherNamespace() {
    return pool.equals(OtherNamespace.POOL);
  }

  StorageType storageType() {
    return StorageType.valueOf(grant.getStorageType());
  }

  boolean hasPartial() {
    return partial;
  }

  /** Whether it has been started and goes on. */
  boolean runs() {
    return started && stopping == null && !ended;
  }

  boolean hasEnded() {
    return ended;
  }

  /** The nodes that it reads. */
  List<SimulatedDataNode> sources() {
    List<SimulatedDataNode> sources = new ArrayList<>(connections.size());
    for (SimulatedConnection connection : connections) {
      sources.add(cluster.dataNode(connection.sourceUuid()));
    }
    return sources;
  }

  long term() {
    return term;
  }

  @Override
  public boolean rebuilds() {
    return rebuild != null;
  }

  @Override
  public boolean isPaused() {
    return rateBytesPerSec() == 0;
  }

  @Override
  public boolean isAtHighestRisk() {
    return state.isAtHighestRisk();
  }

  @Override
  public boolean awaitsSource() {
    boolean waits = state.awaitsSource();
    hasWaited |= waits;
    return waits;
  }

  /** Whether it has stood still for want of a source: others may have begun in its place. */
  boolean hasWaited() {
    return hasWaited;
  }

  /** How many nodes it reads at once. */
  int width() {
    return connections.size();
  }

  long rateBytesPerSec() {
    return state.rateBytesPerSec();
  }

  long achievedBytesPerSec() {
    return achievedBytesPerSec;
  }

  private boolean isLeaseOverByContract() {
    return cluster.events.nowNs() - leaseEndNs >= 0;
  }

  private boolean isWithinLease() {
    return !isLeaseOverByContract();
  }

  /** Whether it may go on, by its lease, and has not been stopped. */
  boolean mayGoOn() {
    return stopping == null && !ended && isWithinLease();
  }

  /** Whether it may go on, by its lease, and received something at the last tick of its agent. */
  boolean receives() {
    return mayGoOn() && achievedBytesPerSec > 0;
  }

  @Override
  public long attempt() {
    return grant.getAttempt();
  }

  @Override
  public void start() {
    started = true;
  }

  @Override
  public void update(GrantProto newer, long nowNs) {
    if (rebuild != null) {
      try {
        rebuild.check(newer);
      } catch (IllegalArgumentException e) {
        stop(Outcome.TARGET_FAILED, e.getMessage());
        return;
      }
    }
    state.update(newer, nowNs);
  }

  @Override
  public void renew(long leaseMs, long nowNs) {
    state.renew(leaseMs, nowNs);
  }

  /** An agent has obeyed commands that name this transfer, in answer to a report that was sent at this moment. */
  void confirmed(GrantProto newest, long sentNs) {
    leaseEndNs = leaseEndNs(newest, sentNs);
  }

  @Override
  public void stop(Outcome outcome, String why) {
    cluster.invariants.agents.stopping(agent, this, outcome);
    if (state.stop(outcome, why)) {
      remove(state.stopped());
    }
  }

  /** What it has written is lost, and there is nowhere to write the rest. */
  void storageFailed() {
    if (partial && runs()) {
      remove(new TransferState.Stop(Outcome.TARGET_FAILED, "its storage has failed", null));
    }
  }

  /** Ends the transfer when its partial replica is removed, which takes a moment. */
  void remove(TransferState.Stop why) {
    state.abandon();
    stopping = why;
    achievedBytesPerSec = 0;
    cluster.events.after(cluster.random.nextInt(MAX_STOP_MS), this::removed);
  }

  private void removed() {
    if ((agent.node.hangs || agent.node.diskHangs) && !agent.isStopped()) {
      cluster.events.after(cluster.random.nextInt(MAX_STOP_MS), this::removed);
    } else if (!agent.isStopped()) {
      end(stopping.outcome(), stopping.message());
    }
  }

  private void end(Outcome outcome, String message) {
    ended = true;
    FinishedTransferProto.Builder end = FinishedTransferProto.newBuilder().setAttempt(attempt()).setBlockId(blockId())
        .setOutcome(outcome).setMessage(message)
        .setWastedBytes(outcome == Outcome.DONE ? 0 : width() * (long) doneBytes);
    if (stopping != null && stopping.sourceUuid() != null) {
      end.setSourceUuid(stopping.sourceUuid());
    }
    if (hasAnother) {
      end.setTargetDeletes(true);
    }
    onEnd.ended(end.build());
  }

  @Override
  public FinishedTransferProto endUnstarted(Outcome outcome, String message) {
    cluster.invariants.agents.stopping(agent, this, outcome);
    ended = true;
    return FinishedTransferProto.newBuilder().setAttempt(attempt()).setBlockId(blockId()).setOutcome(outcome)
        .setMessage(message).build();
  }

  @Override
  public boolean isStopping() {
    return state.isStopRequested();
  }

  @Override
  public boolean isLeaseOver(long nowNs) {
    boolean over = state.isLeaseOver(nowNs);
    if (over != isLeaseOverByContract()) {
      cluster.invariants.violated(Invariants.LEASE_KEPT,
          this + (over ? " ends before its lease" : " goes on after its lease"));
    }
    return over;
  }

  /** To be called after the agent's timer: whatever has no lease must have been stopped by it. */
  void checkLease() {
    if (runs() && isLeaseOverByContract()) {
      cluster.invariants.violated(Invariants.LEASE_KEPT, this + " goes on after its lease");
    }
  }

  /**
   * Receives what comes in {@code periodMs}. A rebuild goes on while each of its sources sends.
   *
   * @param shareBytesPerSec of a source, what the target's link has for it
   */
  void advance(long shareBytesPerSec, long periodMs) {
    if (lies(shareBytesPerSec, periodMs)) {
      return;
    }
    achievedBytesPerSec = 0;
    awaited = null;
    for (SimulatedConnection connection : connections) {
      boolean sends = connection.advance(periodMs);
      if (stopping != null) {
        return;
      }
      if (!sends && awaited == null) {
        awaited = connection.sourceUuid();
      }
    }
    if (awaited == null) {
      receive(Math.min(state.maxBytesPerSec(), shareBytesPerSec), periodMs);
    }
  }

  /** Ends it, or says what is not so, if the agent lies about transfers. Returns whether it does. */
  private boolean lies(long shareBytesPerSec, long periodMs) {
    if (agent.node.lies(Lie.CLAIMS_DONE)) {
      end(Outcome.DONE, "");
    } else if (agent.node.lies(Lie.BLAMES_SOURCES)) {
      stopping = new TransferState.Stop(Outcome.SOURCE_FAILED, "a lie", sources().get(0).uuid);
      end(Outcome.SOURCE_FAILED, "a lie");
    } else if (agent.node.lies(Lie.CANNOT_WRITE)) {
      end(Outcome.TARGET_FAILED, "a lie");
    } else if (agent.node.lies(Lie.DROPS_TRANSFERS)) {
      end(Outcome.CANCELLED, "a lie");
    } else if (agent.node.lies(Lie.FAKES_PROGRESS)) {
      achievedBytesPerSec = (long) (FAKED_SHARE * Math.min(state.rateBytesPerSec(), shareBytesPerSec));
      doneBytes = Math.min(doneBytes + achievedBytesPerSec * periodMs / 1e3, grant.getBlock().getNumBytes() - 1);
    } else {
      return false;
    }
    return true;
  }

  /** Whether the node serves it what it has. */
  boolean isServedBy(SimulatedDataNode node, SourceProto from) {
    return isOfOtherNamespace() ? node.serves(agent.node)
        : node.canServe(agent.node, idOn(from), generationStamp());
  }

  /** Whether its target writes what comes now; it may have to stop. Creates the replica when the first bytes come. */
  boolean canWrite() {
    if (!partial && (!agent.node.canCreate(blockId()) || agent.hasPartial(blockId()))) {
      remove(new TransferState.Stop(Outcome.TARGET_FAILED, "it cannot create the replica", null));
      return false;
    }
    if (!partial && hasAnotherOfItsGroup()) {
      remove(another());
      return false;
    }
    if (!partial) {
      cluster.invariants.agents.creating(agent.node, blockId(), storageType());
    }
    partial = true;
    if (agent.node.disksFull) {
      remove(new TransferState.Stop(Outcome.TARGET_FAILED, "no space left on device", null));
      return false;
    }
    return !agent.node.diskHangs;
  }

  /** One of its sources has failed. */
  void sourceFailed() {
    if (rebuild != null && doneBytes > 0) {
      cluster.situations.add(MetSituation.SOURCE_LOST);
    }
  }

  /** What a source has. */
  long idOn(SourceProto from) {
    return rebuild == null ? blockId() : GroupTransfer.internalBlockId(GroupTransfer.groupId(blockId()),
        from.getIndex());
  }

  private void receive(long bytesPerSec, long periodMs) {
    achievedBytesPerSec = bytesPerSec;
    doneBytes += bytesPerSec * periodMs / 1e3;
    if (doneBytes >= grant.getBlock().getNumBytes()) {
      doneBytes = grant.getBlock().getNumBytes();
      complete();
    }
  }

  private boolean hasAnotherOfItsGroup() {
    return ModelGroup.isOfGroup(blockId()) && agent.node.hasAnother(blockId());
  }

  private TransferState.Stop another() {
    hasAnother = true;
    return new TransferState.Stop(Outcome.TARGET_FAILED, "it has another internal block of the group", null);
  }

  private void complete() {
    TransferState.Stop refused = state.commit(cluster.events.nowNs());
    if (refused == null && hasAnotherOfItsGroup()) {
      refused = another();
    }
    if (refused != null) {
      remove(refused);
      return;
    }
    if (isLeaseOverByContract()) {
      cluster.invariants.violated(Invariants.LEASE_KEPT, this + " makes a replica after its lease");
    }
    if (ModelGroup.isOfGroup(blockId())) {
      cluster.invariants.agents.making(agent.node, this);
    }
    if (!isOfOtherNamespace()) {
      agent.node.finalizeReplica(blockId(), generationStamp());
    }
    if (ModelGroup.isOfGroup(blockId())) {
      cluster.situations.add(rebuild == null ? MetSituation.COPIED_BY_DAYU : MetSituation.REBUILT_BY_DAYU);
    }
    end(Outcome.DONE, "");
  }

  @Override
  public void measure(long nowNs) {
    // It moves at the same rate until the next tick, so there is nothing to measure.
  }

  @Override
  public RunningTransferProto report() {
    RunningTransferProto.Builder report = RunningTransferProto.newBuilder().setAttempt(attempt())
        .setBlock(grant.getBlock()).setStorageType(grant.getStorageType()).setDoneBytes((long) doneBytes)
        .setAchievedBytesPerSec(achievedBytesPerSec);
    state.describe(report);
    if (rebuild != null) {
      report.setGroup(grant.getGroup());
      if (awaited != null) {
        report.setSlowestSourceUuid(awaited).setWaitedForSlowestMs(AWAITED_MS);
      }
    }
    return report.build();
  }

  @Override
  public void join(long millis) {
    throw new UnsupportedOperationException("there is no thread to wait for");
  }

  @Override
  public String toString() {
    return "blk_" + blockId() + "_" + generationStamp() + " by attempt " + attempt() + " from "
        + sources().stream().map(source -> source.uuid).toList() + " at "
        + (long) doneBytes + " of " + grant.getBlock().getNumBytes() + " bytes"
        + (stopping != null ? ", stopping: " + stopping : started ? "" : ", queued");
  }
}

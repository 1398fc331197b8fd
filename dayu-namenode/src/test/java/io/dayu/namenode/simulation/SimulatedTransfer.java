/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.datanode.transfer.TransferLease;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;

/**
 * A block being pulled, by the contract of the protocol: at the granted rate from the granted source, until it is
 * complete, told to stop, or no longer confirmed. Not thread-safe.
 */
final class SimulatedTransfer {
  private static final long SOURCE_TIMEOUT_MS = 15_000;
  private static final long PAUSE_TIMEOUT_MS = 60_000;

  final GrantProto grant;
  /** By the contract; what the agent keeps to is {@link #lease}. */
  long leaseEndNs;
  /** Why it has been told to stop; null while it has not. */
  Outcome stop;
  private final TransferLease lease;
  private SourceProto source;
  private long rateBytesPerSec;
  private double doneBytes;
  private boolean partial;
  private String failedSource;
  private long failedSinceNs;
  private long pausedSinceNs;
  private long achievedBytesPerSec;

  SimulatedTransfer(GrantProto grant, long sentNs) {
    this.grant = grant;
    this.pausedSinceNs = sentNs;
    this.lease = new TransferLease(grant, sentNs);
    follow(grant, sentNs);
  }

  long blockId() {
    return grant.getBlock().getBlockId();
  }

  long generationStamp() {
    return grant.getBlock().getGenerationStamp();
  }

  boolean hasPartial() {
    return partial;
  }

  String sourceUuid() {
    return source.getDatanodeUuid();
  }

  long rateBytesPerSec() {
    return rateBytesPerSec;
  }

  /** Whether it may go on, by its lease, and received something at the last tick of its agent. */
  boolean receives(long nowNs) {
    return stop == null && achievedBytesPerSec > 0 && leaseEndNs - nowNs > 0;
  }

  /** @param sentNs when the report was sent that the grant answers: the lease counts from there */
  void follow(GrantProto newer, long sentNs) {
    lease.update(newer, sentNs);
    leaseEndNs = sentNs + newer.getLeaseMs() * EventQueue.MS;
    if (newer.getRateBytesPerSec() == 0 && rateBytesPerSec > 0) {
      pausedSinceNs = sentNs;
    }
    rateBytesPerSec = newer.getRateBytesPerSec();
    source = newer.getSource();
  }

  /** As the agent's timer: whether the transfer is to end since the NameNode has not confirmed it. */
  boolean isLeaseOver(SimulatedCluster cluster) {
    boolean over = lease.isOver(cluster.events.nowNs());
    if (over != isLeaseOverByContract(cluster)) {
      cluster.invariants.violated(Invariants.LEASE_KEPT,
          this + (over ? " ends before its lease" : " goes on after its lease"));
    }
    return over;
  }

  private boolean isLeaseOverByContract(SimulatedCluster cluster) {
    return cluster.events.nowNs() - leaseEndNs >= 0;
  }

  private Outcome complete(SimulatedCluster cluster) {
    if (!lease.mayCommit(cluster.events.nowNs())) {
      return Outcome.LEASE_EXPIRED;
    }
    if (isLeaseOverByContract(cluster)) {
      cluster.invariants.violated(Invariants.LEASE_KEPT, this + " makes a replica after its lease");
    }
    return Outcome.DONE;
  }

  /**
   * Receives what comes in so much time. Returns how the transfer ends, or null if it goes on. The lease is checked
   * before a replica is made, and by the timer after that.
   */
  Outcome advance(SimulatedDataNode target, SimulatedCluster cluster, long periodMs) {
    long nowNs = cluster.events.nowNs();
    achievedBytesPerSec = 0;
    if (rateBytesPerSec == 0) {
      return nowNs - pausedSinceNs > PAUSE_TIMEOUT_MS * EventQueue.MS ? Outcome.CANCELLED : null;
    }
    SimulatedDataNode from = cluster.dataNode(source.getDatanodeUuid());
    if (!from.canServe(target, blockId(), generationStamp())) {
      if (!source.getDatanodeUuid().equals(failedSource)) {
        failedSource = source.getDatanodeUuid();
        failedSinceNs = nowNs;
      }
      return nowNs - failedSinceNs > SOURCE_TIMEOUT_MS * EventQueue.MS ? Outcome.SOURCE_FAILED : null;
    }
    failedSource = null;
    if (!partial && !target.canCreate(blockId())) {
      return Outcome.TARGET_FAILED;
    }
    partial = true;
    if (target.diskHangs) {
      return null;
    }
    achievedBytesPerSec = rateBytesPerSec;
    doneBytes += rateBytesPerSec * periodMs / 1e3;
    if (doneBytes < grant.getBlock().getNumBytes()) {
      return null;
    }
    doneBytes = grant.getBlock().getNumBytes();
    return complete(cluster);
  }

  RunningTransferProto report() {
    RunningTransferProto.Builder report = RunningTransferProto.newBuilder().setAttempt(grant.getAttempt())
        .setBlock(grant.getBlock())
        .setSource(source).setStorageType(grant.getStorageType()).setDoneBytes((long) doneBytes)
        .setRateBytesPerSec(rateBytesPerSec)
        .setAchievedBytesPerSec(achievedBytesPerSec);
    if (source.getDatanodeUuid().equals(failedSource)) {
      report.setFailedSourceUuid(failedSource).setFailure("it does not serve the block").setFailedSourceCorrupt(false);
    }
    return report.build();
  }

  FinishedTransferProto end(Outcome outcome) {
    return FinishedTransferProto.newBuilder().setAttempt(grant.getAttempt()).setOutcome(outcome).setBlockId(blockId())
        .setMessage("in the simulation").setWastedBytes(outcome == Outcome.DONE ? 0 : (long) doneBytes).build();
  }

  @Override
  public String toString() {
    return "blk_" + blockId() + "_" + generationStamp() + " by attempt " + grant.getAttempt() + " from "
        + source.getDatanodeUuid() + " at "
        + (long) doneBytes + " of " + grant.getBlock().getNumBytes() + " bytes"
        + (stop == null ? "" : ", stopping: " + stop);
  }
}

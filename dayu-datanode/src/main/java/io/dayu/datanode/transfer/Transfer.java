/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.conf.Setting;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.function.IntConsumer;

/**
 * Brings one replica onto this DataNode: from the first byte to "block received", or to the removal of the partial
 * replica. It runs on a thread of its own, which ends on interrupt: HDFS interrupts and joins a replica's writer before
 * it removes the replica. All other methods may be called by any thread.
 *
 * <p>{@link TransferControl} holds the grant and has the transfer wait until it may continue; {@link ReplicaContent}
 * says where the bytes come from. Until it is started it is queued, and has received nothing.
 */
final class Transfer implements TransferHandle, Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Transfer.class);

  private final GrantProto grant;
  private final ExtendedBlock block;
  private final Listener onEnd;
  private final Thread thread;
  private final TransferControl control;
  private final IncomingReplica replica;
  private final ReplicaContent content;
  /** What it rebuilds; null if it copies a block. */
  private final RebuildSpec rebuild;
  private final RebuildMemory memory;
  private final AchievedRate achieved;

  /**
   * @param sentNs when the report was sent that the grant answers, by System.nanoTime()
   * @param volumes of this DataNode
   * @param disks to be told of each write
   * @param memory of the rebuilds of this DataNode
   * @param deletions of replicas of this DataNode
   * @param onReceived called with the bytes of each packet, by any thread of the transfer
   * @param onEnd called on the transfer's thread
   * @throws IllegalArgumentException if the grant names no known storage type, or asks for a rebuild that this DataNode
   *     cannot do; the message says why
   */
  Transfer(DataNodeAccess node, String blockPoolId, GrantProto grant, long sentNs, NodeShaper shaper,
      VolumeShapers volumes, DiskActivity disks, RebuildMemory memory, RecentDeletions deletions,
      IntConsumer onReceived, Listener onEnd) {
    this.grant = grant;
    this.block = new ExtendedBlock(blockPoolId, grant.getBlock().getBlockId(), grant.getBlock().getNumBytes(),
        grant.getBlock().getGenerationStamp());
    this.onEnd = onEnd;
    this.memory = memory;
    this.rebuild = grant.hasGroup() ? RebuildSpec.of(block, grant) : null;
    this.achieved = new AchievedRate(sentNs);
    this.thread = new Thread(this, "dayu-transfer-" + block.getLocalBlock());
    this.thread.setDaemon(true);
    this.control = new TransferControl(grant, sentNs, thread, shaper.in());
    this.replica = new IncomingReplica(node, block, StorageType.valueOf(grant.getStorageType()),
        grant.hasStorageId() ? grant.getStorageId() : null, volumes, deletions, disks,
        control::isAtHighestRisk);
    this.content = rebuild == null ? new PulledBlock(node, control, shaper, replica, onReceived)
        : new RebuiltBlock(node, control, shaper, rebuild, grant.getGroup(), replica, memory, thread.getName(),
            onReceived);
    if (rebuild != null && RebuiltBlock.memoryBytes(rebuild) > memory.maxBytes()) {
      throw rebuild.refusal("it takes " + RebuiltBlock.memoryBytes(rebuild) + " bytes of memory, and "
          + Setting.REBUILD_MEMORY.key() + " is " + memory.maxBytes() + " on this DataNode; raise it");
    }
  }

  @Override
  public boolean reserve() {
    return rebuild == null || memory.tryReserve(RebuiltBlock.memoryBytes(rebuild));
  }

  @Override
  public boolean rebuilds() {
    return rebuild != null;
  }

  @Override
  public boolean isPaused() {
    return control.rateBytesPerSec() == 0;
  }

  @Override
  public boolean isAtHighestRisk() {
    return control.isAtHighestRisk();
  }

  @Override
  public boolean awaitsSource() {
    return control.awaitsSource(System.nanoTime());
  }

  @Override
  public void start() {
    try {
      thread.start();
    } catch (OutOfMemoryError noMoreThreads) {
      content.close();
      throw noMoreThreads;
    }
  }

  @Override
  public void join(long millis) throws InterruptedException {
    thread.join(Math.max(1, millis));
  }

  @Override
  public long attempt() {
    return grant.getAttempt();
  }

  @Override
  public boolean isStopping() {
    return control.isStopRequested();
  }

  @Override
  public void update(GrantProto newer, long sentNs) {
    if (rebuild != null) {
      try {
        rebuild.checkSources(newer);
      } catch (IllegalArgumentException e) {
        control.stop(Outcome.TARGET_FAILED, e.getMessage());
        return;
      }
    }
    control.update(newer, sentNs);
    content.granted();
  }

  @Override
  public void renew(long leaseMs, long sentNs) {
    control.renew(leaseMs, sentNs);
  }

  @Override
  public void stop(Outcome outcome, String why) {
    control.stop(outcome, why);
  }

  @Override
  public boolean isLeaseOver(long nowNs) {
    return control.isLeaseOver(nowNs);
  }

  @Override
  public void measure(long nowNs) {
    achieved.measure(content.doneBytes(), nowNs);
    content.measure(nowNs);
  }

  @Override
  public FinishedTransferProto endUnstarted(Outcome outcome, String message) {
    return FinishedTransferProto.newBuilder().setAttempt(grant.getAttempt()).setBlockId(block.getBlockId())
        .setOutcome(outcome).setMessage(String.valueOf(message)).build();
  }

  @Override
  public RunningTransferProto report() {
    RunningTransferProto.Builder report = RunningTransferProto.newBuilder().setAttempt(grant.getAttempt())
        .setBlock(grant.getBlock()).setDoneBytes(content.doneBytes()).setAchievedBytesPerSec(achieved.bytesPerSec())
        .setStorageType(grant.getStorageType());
    control.describe(report);
    content.describe(report);
    String storageId = replica.storageId();
    if (storageId != null) {
      report.setStorageId(storageId);
    }
    return report.build();
  }

  @Override
  public void run() {
    FinishedTransferProto.Builder end = FinishedTransferProto.newBuilder().setAttempt(grant.getAttempt())
        .setBlockId(block.getBlockId());
    try {
      content.receive();
      control.commit();
      content.finish();
      end.setOutcome(Outcome.DONE);
      LOG.info("Received {} size {} from {} for Dayu", block, block.getNumBytes(), content.origin());
    } catch (Throwable e) {
      if (e instanceof TransferControl.StopException stopped) {
        end.setOutcome(stopped.outcome());
        if (stopped.sourceUuid() != null) {
          end.setSourceUuid(stopped.sourceUuid());
        }
      } else {
        end.setOutcome(Outcome.TARGET_FAILED);
        if (e instanceof OtherInternalBlockException) {
          end.setTargetDeletes(true);
        }
      }
      end.setMessage(SourceReader.shortened(e)).setWastedBytes(content.receivedBytes());
      LOG.debug("BLOCK* {} not received: {}", block, end.getOutcome(), e);
      control.abandon();
      content.abort();
    } finally {
      try {
        onEnd.ended(end.build());
      } finally {
        content.close();
      }
    }
  }
}

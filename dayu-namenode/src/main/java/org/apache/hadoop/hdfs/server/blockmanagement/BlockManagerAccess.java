/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.BlockDetails;
import io.dayu.blocks.BlockInspection;
import io.dayu.blocks.BlockKey;
import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.CommitResult.Verdict;
import io.dayu.blocks.CorruptReplica;
import io.dayu.blocks.HadoopInternals;
import io.dayu.blocks.IncompatibleHadoopException;
import io.dayu.blocks.LeavingNode;
import io.dayu.blocks.LeavingPipeline;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.LockHolds;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.StockReconstruction;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.util.LightWeightLinkedSet;
import org.apache.hadoop.util.Time;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/**
 * The NameNode's block management as Dayu needs it: suspending the stock policy, reading what needs copies, and
 * registering pending copies. It contains no policy of ours, and hands most work to the other classes of this package.
 * Thread-safe by the namesystem lock, which every method takes itself, in holds bounded in time, unless it says
 * otherwise. {@link BlockManagerInternals} lists the members of Hadoop that this package touches; this class itself
 * touches {@code BlockManager.blocksReplWorkMultiplier}, which is private.
 */
public final class BlockManagerAccess implements BlockManagement, BlockInspection {
  private final FSNamesystem namesystem;
  private final LongSupplier lastTransitionMs;
  private final BlockManager blocks;
  private final BlockReading reading;
  private final ArrivedCopies arrived;
  private final LiveNodeReading liveNodes;
  private final PendingReconstructionAccess pending;
  private final NamesystemLock lock;
  private final LowRedundancyQueues queues;
  private final StockScheduling stock;
  private final LeavingNodeReading leaving;
  private final OpenFileReading openFiles;
  private final CorruptReplicaAccess corruptReplicas;
  private final FailingBlocks failing = new FailingBlocks();
  private final VarHandle workMultiplier;
  private final GroupEntries entries;
  private final AtomicLong entriesSinceMs = new AtomicLong();
  private final GroupReading groups;
  private final StockPass stockPass;
  private final PendingEntries pendingEntries;

  private BlockManagerAccess(FSNamesystem namesystem, LongSupplier lastTransitionMs, long maxHoldNs,
      LongConsumer heldNs) throws ReflectiveOperationException {
    this.namesystem = namesystem;
    this.lastTransitionMs = lastTransitionMs;
    this.blocks = namesystem.getBlockManager();
    GroupEntries entries = new GroupEntries();
    StockTargets stockTargets = new StockTargets();
    this.stockPass = new StockPass(blocks, this::rememberStock);
    CopyStorageTypes storageTypes = new CopyStorageTypes(blocks);
    this.groups = new GroupReading(blocks, entries, stockTargets, stockPass, storageTypes);
    this.entries = entries;
    this.reading = new BlockReading(blocks, groups, storageTypes,
        MethodHandles.privateLookupIn(BlockPlacementPolicyWithUpgradeDomain.class, MethodHandles.lookup())
            .findVarHandle(BlockPlacementPolicyWithUpgradeDomain.class, "upgradeDomainFactor", int.class));
    this.arrived = new ArrivedCopies(blocks.pendingReconstruction);
    this.liveNodes = new LiveNodeReading(blocks, reading, arrived);
    List<LightWeightLinkedSet<BlockInfo>> byRisk = LowRedundancyQueues.byRisk(blocks.neededReconstruction);
    this.pending = new PendingReconstructionAccess(blocks, reading, groups, byRisk, arrived, entries);
    this.lock = new NamesystemLock(namesystem, maxHoldNs, heldNs);
    this.pendingEntries = new PendingEntries(blocks.pendingReconstruction);
    this.queues = new LowRedundancyQueues(blocks, reading, pending, lock, byRisk, failing);
    this.leaving = new LeavingNodeReading(blocks, lock, failing);
    this.openFiles = new OpenFileReading(namesystem, lock);
    this.corruptReplicas = new CorruptReplicaAccess(blocks, reading, pending, lock, failing);
    this.stock = new StockScheduling(blocks, reading, pending, lock, failing, entries, stockTargets);
    this.workMultiplier = MethodHandles.privateLookupIn(BlockManager.class, MethodHandles.lookup())
        .findVarHandle(BlockManager.class, "blocksReplWorkMultiplier", int.class);
  }

  /** Whatever stock has pending when Dayu takes over goes on, also when its entries have timed out. */
  private void rememberStock() {
    stock.rememberTargets(pendingEntries.groups());
  }

  /** Every member of Hadoop that this package touches and that Hadoop does not publish. */
  public static HadoopInternals required() {
    return BlockManagerInternals.required();
  }

  /**
   * Opens the block management of a NameNode.
   *
   * @param lastTransitionMs when the NameNode last became active or standby, in milliseconds since the epoch
   * @param maxHoldNs bound on one hold of the namesystem lock, in nanoseconds
   * @param heldNs receives the length of each hold, in nanoseconds, after its end
   */
  public static BlockManagerAccess open(FSNamesystem namesystem, LongSupplier lastTransitionMs, long maxHoldNs,
      LongConsumer heldNs) throws IncompatibleHadoopException {
    try {
      return new BlockManagerAccess(namesystem, lastTransitionMs, maxHoldNs, heldNs);
    } catch (ReflectiveOperationException | LinkageError e) {
      throw new IncompatibleHadoopException(e.toString());
    }
  }

  /** Takes no lock. */
  @Override
  public boolean keepsQueues() {
    return namesystem.isRunning() && blocks.isPopulatingReplQueues();
  }

  /** Takes no lock. */
  @Override
  public boolean inSafeMode() {
    return namesystem.isInSafeMode();
  }

  /** Takes no lock. */
  @Override
  public int stockMultiplier() {
    return (int) workMultiplier.getVolatile(blocks);
  }

  /** Takes no lock. */
  @Override
  public synchronized void setStockMultiplier(int multiplier) {
    forgetEarlierActivation();
    int before = (int) workMultiplier.getAndSet(blocks, multiplier);
    if (multiplier > 0) {
      stockPass.resumed();
    } else if (before > 0) {
      stockPass.suspended();
    }
  }

  /** Takes no lock. */
  @Override
  public boolean recoversGroups() {
    return groups.isEnabled();
  }

  /** Takes no lock. */
  @Override
  public void setRecoversGroups(boolean byDayu) {
    groups.setEnabled(byDayu);
  }

  /** Takes no lock. */
  @Override
  public long pendingTimeoutMs() {
    return blocks.pendingReconstruction.getTimeout();
  }

  /** Takes no lock. */
  @Override
  public boolean hasStandby() {
    return namesystem.isHaEnabled();
  }

  /** Takes no lock. */
  @Override
  public long lastTransitionMs() {
    return lastTransitionMs.getAsLong();
  }

  /** Takes the lock, which {@code HAState.setStateInternal} holds from the change of state to the note of its time. */
  @Override
  public long lastCompletedTransitionMs() {
    long[] atMs = new long[1];
    lock.forEachReadingNamespace("dayuLastTransition", List.of(lastTransitionMs), time -> atMs[0] = time.getAsLong());
    return atMs[0];
  }

  /** Takes no lock: the block pool never changes. */
  @Override
  public String blockPoolId() {
    return namesystem.getBlockPoolId();
  }

  /** Takes no lock. */
  @Override
  public LockHolds lockHolds() {
    return lock.holds();
  }

  /** Takes no namesystem lock. */
  @Override
  public long waitingBlocks() {
    return queues.size();
  }

  /** Takes no namesystem lock. */
  @Override
  public String addressOf(String datanodeUuid) {
    DatanodeDescriptor node = blocks.getDatanodeManager().getDatanode(datanodeUuid);
    return node == null ? null : node.getIpAddr();
  }

  /** Takes no namesystem lock. */
  @Override
  public String nameOf(String datanodeUuid) {
    DatanodeDescriptor node = blocks.getDatanodeManager().getDatanode(datanodeUuid);
    return node == null ? datanodeUuid : node.getXferAddrWithHostname();
  }

  /** Takes no namesystem lock. */
  @Override
  public String ownUuid(String datanodeUuid) {
    DatanodeDescriptor node = blocks.getDatanodeManager().getDatanode(datanodeUuid);
    return node == null ? null : node.getDatanodeUuid();
  }

  /** Takes no namesystem lock. */
  @Override
  public boolean knowsStorages(String datanodeUuid) {
    DatanodeDescriptor node = blocks.getDatanodeManager().getDatanode(datanodeUuid);
    return node != null && node.getStorageInfos().length > 0;
  }

  /** Takes no namesystem lock. */
  @Override
  public long silentMs(String datanodeUuid) {
    DatanodeDescriptor node = blocks.getDatanodeManager().getDatanode(datanodeUuid);
    return node == null ? 0 : Time.monotonicNow() - node.getLastUpdateMonotonic();
  }

  /** Takes no namesystem lock. */
  @Override
  public boolean isDead(String datanodeUuid) {
    DatanodeDescriptor node = blocks.getDatanodeManager().getDatanode(datanodeUuid);
    return node == null || !node.isAlive();
  }

  /** Takes no namesystem lock. */
  @Override
  public boolean isRoomChanging() {
    return arrived.watchesAny();
  }

  @Override
  public int liveNodeCount() {
    return blocks.getDatanodeManager().getHeartbeatManager().getLiveDatanodeCount();
  }

  /** Takes no namesystem lock. */
  @Override
  public int nodesWithoutBlockReport() {
    return liveNodes.countWithoutBlockReport();
  }

  /** Takes no lock. */
  @Override
  public boolean hasBlocks() {
    return blocks.getTotalBlocks() > 0;
  }

  /** Takes no namesystem lock. Also notes the last generation stamp: the loop reads the nodes about once a second. */
  @Override
  public List<LiveNode> liveNodes() {
    groups.noteGenerationStamp();
    return liveNodes.read();
  }

  @Override
  public List<WaitingBlock> readHighestRisk(int limit) {
    return queues.readHighestRisk(limit);
  }

  @Override
  public boolean readNext(List<WaitingBlock> read) {
    return queues.readNext(read);
  }

  @Override
  public List<WaitingBlock> readAgain(List<BlockKey> keys) {
    return queues.readAgain(keys);
  }

  @Override
  public List<WaitingBlock> peek(int limitPerLevel) {
    return queues.peek(limitPerLevel);
  }

  @Override
  public BlockDetails detailsOf(long blockId) {
    List<BlockDetails> found = new ArrayList<>(1);
    lock.forEachReadingNamespace("dayuExplain", List.of(blockId), id -> {
      BlockInfo block = blocks.getStoredBlock(new Block(id));
      if (block != null && !block.isDeleted()) {
        found.add(reading.details(block, pendingEntries.sinceMs(block)));
      }
    });
    return found.isEmpty() ? null : found.get(0);
  }

  /** Takes no lock. */
  @Override
  public long waitingBlocks(int risk) {
    return queues.size(risk);
  }

  /** Takes no lock. */
  @Override
  public long corruptReplicaBlocks() {
    return blocks.getCorruptReplicaBlocksCount();
  }

  /** Takes no namesystem lock. */
  @Override
  public long pendingBlocks() {
    return blocks.pendingReconstruction.size();
  }

  @Override
  public List<LeavingNode> leavingNodes(LongPredicate unplaceable) {
    return leaving.read(unplaceable);
  }

  @Override
  public List<LeavingPipeline> leavingPipelines(int limit) {
    return openFiles.leavingPipelines(limit);
  }

  /** Takes no namesystem lock. */
  @Override
  public int nodesOutOfService() {
    return openFiles.nodesOutOfService();
  }

  /** Takes no lock. */
  @Override
  public long missingBlocks() {
    return blocks.getMissingBlocksCount();
  }

  /**
   * Under the lock for reading, which keeps out everything that changes a block or its replicas. What a commit changes
   * has locks of its own: the pending copies, the queues, and the heartbeats, which move the counters of scheduled
   * blocks.
   */
  @Override
  public List<CommitResult> commit(List<TransferRequest> requests, BooleanSupplier allowed) {
    forgetEarlierActivation();
    List<CommitResult> results = new ArrayList<>(requests.size());
    List<BlockInfo> inOtherQueues = new ArrayList<>();
    lock.forEachReadingBlocks("dayuCommit", requests,
        request -> results.add(allowed.getAsBoolean() ? pending.commitOrReject(request, true, inOtherQueues::add)
            : CommitResult.rejected(Verdict.CHANGED, "stock re-replication has resumed")));
    lock.forEachInBlocks("dayuCommit", inOtherQueues, failing.guard("commit", BlockRecords::keyOf, block -> {
      if (!BlockReading.isGone(block) && reading.hasEnough(block)) {
        blocks.neededReconstruction.remove(block, LowRedundancyBlocks.LEVEL);
      }
    }));
    return results;
  }

  /** HDFS forgets its pending entries when a NameNode becomes standby or active; those it has then are stock's. */
  private void forgetEarlierActivation() {
    if (entriesSinceMs.getAndSet(lastTransitionMs()) != lastTransitionMs()) {
      entries.clear();
    }
  }

  @Override
  public List<CommitResult> adopt(List<TransferRequest> requests) {
    forgetEarlierActivation();
    List<CommitResult> results = new ArrayList<>(requests.size());
    lock.forEachInBlocks("dayuAdopt", requests, request -> results.add(pending.commitOrReject(request, false,
        block -> blocks.neededReconstruction.remove(block, LowRedundancyBlocks.LEVEL))));
    return results;
  }

  /** Takes the monitor of the pending copies only. */
  @Override
  public BitSet refresh(List<TransferRequest> running) {
    return pendingEntries.refresh(running);
  }

  /** A copy whose block cannot be checked is given up. */
  @Override
  public List<PendingCheck> check(List<TransferRequest> running) {
    List<PendingCheck> checks = new ArrayList<>(running.size());
    lock.forEachReadingBlocks("dayuCheck", running,
        failing.guard("check", TransferRequest::block, request -> checks.add(pending.check(request)),
            request -> checks.add(new PendingCheck(PendingCheck.State.UNWANTED, List.of()))));
    return checks;
  }

  /**
   * The DataNode's report has unregistered most of them already; to see that takes the lock for reading only. What
   * cannot be unregistered is left to HDFS's own timeout.
   */
  @Override
  public void unregister(List<TransferRequest> ended) {
    List<TransferRequest> registered = new ArrayList<>();
    lock.forEachReadingBlocks("dayuUnregister", ended, failing.guard("unregister", TransferRequest::block, request -> {
      if (pending.isUnregistered(request)) {
        pending.forget(request);
      } else {
        registered.add(request);
      }
    }));
    lock.forEachInBlocks("dayuUnregister", registered,
        failing.guard("unregister", TransferRequest::block, pending::unregister));
  }

  @Override
  public CorruptReplica corruptReplica(BlockKey block) {
    return corruptReplicas.find(block);
  }

  @Override
  public boolean removeCorruptReplica(CorruptReplica replica, Set<String> good) {
    return corruptReplicas.remove(replica, good);
  }

  /** Takes no lock. */
  @Override
  public void countTimedOut() {
    NameNode.getNameNodeMetrics().incTimeoutReReplications();
  }

  /** Takes the lock as stock does. */
  @Override
  public int scheduleByStock(List<WaitingBlock> handed) {
    return stock.schedule(handed);
  }

  /** Takes no namesystem lock. */
  @Override
  public List<StockReconstruction> stockReconstructions() {
    return stock.running();
  }
}

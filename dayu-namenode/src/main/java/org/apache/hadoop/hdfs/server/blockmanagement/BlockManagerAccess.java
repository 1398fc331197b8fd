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
import io.dayu.blocks.HadoopInternals;
import io.dayu.blocks.IncompatibleHadoopException;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.LockHolds;
import io.dayu.blocks.NeededBlock;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.StockReconstruction;
import io.dayu.blocks.TransferRequest;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.apache.hadoop.util.Time;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The NameNode's block management as Dayu needs it: parking the stock policy, reading what needs copies, and
 * registering pending copies. It contains no policy of ours. Thread-safe by the namesystem lock, which every method
 * takes itself, in holds bounded in time, unless it says otherwise.
 *
 * <p>Touches, in {@code BlockManager}: {@code blocksReplWorkMultiplier} (private), {@code neededReconstruction},
 * {@code pendingReconstruction}, {@code hasEnoughEffectiveReplicas}, {@code getBlockPlacementStatus},
 * {@code getBlockCollection}, {@code isReplicaCorrupt}, {@code isNeededReconstruction},
 * {@code computeReconstructionWorkForBlocks}; {@code priorityQueues} of {@code LowRedundancyBlocks} (private); and the
 * scheduled-blocks counters of {@code DatanodeStorageInfo}.
 */
public final class BlockManagerAccess implements BlockManagement, BlockInspection {
  /** Blocks asked of the queues in one go: others are let in between two of these. */
  private static final int CHUNK = 64;
  /** Blocks read in one call. */
  private static final int BATCH = 1_024;
  private static final List<Integer> CHUNKS = Collections.nCopies(BATCH / CHUNK, CHUNK);

  /** A block in a queue. */
  private record QueuedBlock(BlockInfo block, int level) {
  }

  private final FSNamesystem namesystem;
  private final LongSupplier lastTransitionMs;
  private final BlockManager blocks;
  private final BlockReading reading;
  private final LiveNodeReading liveNodes;
  private final PendingReconstructionAccess pending;
  private final NamesystemLock lock;
  private final VarHandle workMultiplier;
  /** By risk; changed under the monitor of {@code neededReconstruction}. */
  private final List<Collection<?>> queues;

  /**
   * What stock was told to reconstruct: from where, and when.
   *
   * @param copies whether internal blocks are only copied: every one of the group has a source, but on too few racks or
   *     on a node that is leaving
   */
  private record Reconstructed(List<String> sources, boolean copies, long atNs) {
  }

  /** Erasure-coded blocks that stock reconstructs. */
  private final Map<BlockInfoStriped, Reconstructed> reconstructed = new ConcurrentHashMap<>();

  private BlockManagerAccess(FSNamesystem namesystem, LongSupplier lastTransitionMs, long maxHoldNs,
      LongConsumer heldNs) throws ReflectiveOperationException {
    this.namesystem = namesystem;
    this.lastTransitionMs = lastTransitionMs;
    this.blocks = namesystem.getBlockManager();
    this.reading = new BlockReading(blocks,
        MethodHandles.privateLookupIn(BlockPlacementPolicyWithUpgradeDomain.class, MethodHandles.lookup())
            .findVarHandle(BlockPlacementPolicyWithUpgradeDomain.class, "upgradeDomainFactor", int.class));
    this.liveNodes = new LiveNodeReading(blocks, reading);
    this.pending = new PendingReconstructionAccess(blocks, reading);
    this.lock = new NamesystemLock(namesystem, maxHoldNs, heldNs);
    this.workMultiplier = MethodHandles.privateLookupIn(BlockManager.class, MethodHandles.lookup())
        .findVarHandle(BlockManager.class, "blocksReplWorkMultiplier", int.class);
    this.queues = queuesOf(blocks.neededReconstruction);
  }

  @SuppressWarnings("unchecked")
  private static List<Collection<?>> queuesOf(LowRedundancyBlocks needed) throws ReflectiveOperationException {
    return (List<Collection<?>>) MethodHandles.privateLookupIn(LowRedundancyBlocks.class, MethodHandles.lookup())
        .findVarHandle(LowRedundancyBlocks.class, "priorityQueues", List.class).get(needed);
  }

  /** Every member of Hadoop that this package touches and that Hadoop does not publish. */
  public static HadoopInternals required() {
    return new HadoopInternals()
        .field(BlockManager.class, "blocksReplWorkMultiplier")
        .field(BlockManager.class, "neededReconstruction")
        .field(BlockManager.class, "pendingReconstruction")
        .method(BlockManager.class, "hasEnoughEffectiveReplicas", BlockInfo.class, NumberReplicas.class, int.class)
        .method(BlockManager.class, "getExpectedLiveRedundancyNum", BlockInfo.class, NumberReplicas.class)
        .method(BlockManager.class, "getExpectedRedundancyNum", BlockInfo.class)
        .method(BlockManager.class, "getBlockPlacementStatus", BlockInfo.class)
        .method(BlockManager.class, "getBlockPlacementStatus", BlockInfo.class, DatanodeStorageInfo[].class)
        .method(BlockManager.class, "getBlockCollection", BlockInfo.class)
        .method(BlockManager.class, "isReplicaCorrupt", BlockInfo.class, DatanodeDescriptor.class)
        .method(BlockManager.class, "isExcess", DatanodeDescriptor.class, BlockInfo.class)
        .method(BlockManager.class, "isNeededReconstruction", BlockInfo.class, NumberReplicas.class, int.class)
        .method(BlockManager.class, "computeReconstructionWorkForBlocks", List.class)
        .method(BlockManager.class, "getBlockPlacementPolicy")
        .method(BlockPlacementPolicyDefault.class, "isGoodDatanode", DatanodeDescriptor.class, int.class, boolean.class,
            List.class,
            boolean.class)
        .method(BlockPlacementPolicyDefault.class, "getExcludeSlowNodesEnabled")
        .field(BlockPlacementPolicyDefault.class, "considerLoad")
        .method(BlockPlacementPolicyDefault.class, "excludeNodeByLoad", DatanodeDescriptor.class)
        .field(BlockPlacementPolicyDefault.class, "debugLoggingBuilder")
        .field(BlockPlacementPolicyWithUpgradeDomain.class, "upgradeDomainFactor")
        .method(DatanodeManager.class, "getSlowNodesUuidSet")
        .field(LowRedundancyBlocks.class, "priorityQueues")
        .method(LowRedundancyBlocks.class, "getLowRedundancyBlockCount")
        .method(LowRedundancyBlocks.class, "chooseLowRedundancyBlocks", int.class, boolean.class)
        .method(LowRedundancyBlocks.class, "iterator", int.class)
        .method(LowRedundancyBlocks.class, "contains", BlockInfo.class)
        .method(LowRedundancyBlocks.class, "remove", BlockInfo.class, int.class)
        .method(LowRedundancyBlocks.class, "update", BlockInfo.class, int.class, int.class, int.class, int.class,
            int.class, int.class)
        .method(PendingReconstructionBlocks.class, "increment", BlockInfo.class, DatanodeStorageInfo[].class)
        .method(PendingReconstructionBlocks.class, "decrement", BlockInfo.class, DatanodeStorageInfo.class)
        .method(PendingReconstructionBlocks.class, "getTargets", BlockInfo.class)
        .method(PendingReconstructionBlocks.class, "getNumReplicas", BlockInfo.class)
        .method(PendingReconstructionBlocks.class, "size")
        .method(PendingReconstructionBlocks.class, "getTimeout")
        .method(BlockInfo.class, "findStorageInfo", DatanodeDescriptor.class)
        .method(DatanodeStorageInfo.class, "incrementBlocksScheduled", DatanodeStorageInfo[].class)
        .method(DatanodeStorageInfo.class, "decrementBlocksScheduled", DatanodeStorageInfo[].class)
        .method(DatanodeManager.class, "getHeartbeatManager")
        .method(HeartbeatManager.class, "getLiveDatanodeCount")
        .method(DatanodeDescriptor.class, "chooseStorage4Block", StorageType.class, long.class, int.class)
        .method(FSNamesystem.class, "readLock")
        .method(FSNamesystem.class, "readUnlock", String.class)
        .method(FSNamesystem.class, "writeLock")
        .method(FSNamesystem.class, "writeUnlock", String.class);
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
  public void setStockMultiplier(int multiplier) {
    workMultiplier.setVolatile(blocks, multiplier);
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
    return blocks.neededReconstruction.getLowRedundancyBlockCount();
  }

  /** Takes no namesystem lock. */
  @Override
  public String addressOf(String datanodeUuid) {
    DatanodeDescriptor node = blocks.getDatanodeManager().getDatanode(datanodeUuid);
    return node == null ? null : node.getIpAddr();
  }

  /** Takes no namesystem lock. */
  @Override
  public long silentMs(String datanodeUuid) {
    DatanodeDescriptor node = blocks.getDatanodeManager().getDatanode(datanodeUuid);
    return node == null ? 0 : Time.monotonicNow() - node.getLastUpdateMonotonic();
  }

  /** Takes no namesystem lock. */
  @Override
  public int liveNodeCount() {
    return blocks.getDatanodeManager().getHeartbeatManager().getLiveDatanodeCount();
  }

  /** Takes no namesystem lock. */
  @Override
  public List<LiveNode> liveNodes() {
    return liveNodes.read();
  }

  @Override
  public List<NeededBlock> readHighestRisk(int limit) {
    List<NeededBlock> read = readHead("dayuReadHighestRisk", LowRedundancyBlocks.QUEUE_HIGHEST_PRIORITY, limit);
    read.forEach(BlockManagerAccess::countIfWithoutSource);
    return read;
  }

  @Override
  public List<NeededBlock> peek(int limitPerLevel) {
    List<NeededBlock> read = new ArrayList<>();
    for (int level = 0; level < LowRedundancyBlocks.QUEUE_WITH_CORRUPT_BLOCKS; level++) {
      read.addAll(readHead("dayuPeek", level, limitPerLevel));
    }
    return read;
  }

  /** The head of a queue is copied in one hold of the lock, and its blocks are read in others. */
  private List<NeededBlock> readHead(String operation, int level, int limit) {
    List<QueuedBlock> head = new ArrayList<>();
    lock.forEachReadingNamespace(operation, List.of(limit), most -> {
      synchronized (blocks.neededReconstruction) {
        Iterator<BlockInfo> queue = blocks.neededReconstruction.iterator(level);
        while (head.size() < most && queue.hasNext()) {
          head.add(new QueuedBlock(queue.next(), level));
        }
      }
    });
    return read(operation, head);
  }

  @Override
  public BlockDetails detailsOf(long blockId) {
    List<BlockDetails> found = new ArrayList<>(1);
    lock.forEachReadingNamespace("dayuExplain", List.of(blockId), id -> {
      BlockInfo block = blocks.getStoredBlock(new Block(id));
      if (block != null && !block.isDeleted()) {
        found.add(reading.details(block));
      }
    });
    return found.isEmpty() ? null : found.get(0);
  }

  /** Takes no lock, so that metrics wait for none: it reads one int, which may be a moment old. */
  @Override
  public long waitingBlocks(int risk) {
    return queues.get(risk).size();
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

  /** Takes no lock. */
  @Override
  public long missingBlocks() {
    return blocks.getMissingBlocksCount();
  }

  /** The next blocks of the queues are chosen in some holds of the lock, and read in others. */
  @Override
  public boolean readNext(List<NeededBlock> read) {
    List<QueuedBlock> chosen = new ArrayList<>(BATCH);
    boolean[] ended = new boolean[1];
    lock.forEachInNamespace("dayuReadNext", CHUNKS, wanted -> {
      // After the end of the queues the next ones would be their first again.
      ended[0] = ended[0] || chooseNext(chosen, wanted) < wanted;
      if (ended[0]) {
        // The queue of blocks without a good replica would be gone through before the first ones come again.
        blocks.neededReconstruction.chooseLowRedundancyBlocks(0, true);
      }
    });
    List<NeededBlock> next = read("dayuReadNext", chosen);
    next.forEach(BlockManagerAccess::countIfWithoutSource);
    read.addAll(next);
    return ended[0];
  }

  /** Returns how many blocks were met: those of deleted files, which leave the queues, too. */
  private int chooseNext(List<QueuedBlock> chosen, int wanted) {
    int before = chosen.size();
    int waiting = blocks.neededReconstruction.size();
    List<List<BlockInfo>> levels = blocks.neededReconstruction.chooseLowRedundancyBlocks(wanted, false);
    for (int level = 0; level < levels.size(); level++) {
      for (BlockInfo block : levels.get(level)) {
        chosen.add(new QueuedBlock(block, level));
      }
    }
    return chosen.size() - before + waiting - blocks.neededReconstruction.size();
  }

  @Override
  public List<NeededBlock> readAgain(List<BlockKey> keys) {
    List<QueuedBlock> waiting = new ArrayList<>(keys.size());
    lock.forEachReadingNamespace("dayuReadAgain", keys, key -> {
      BlockInfo block = pending.storedBlock(key);
      if (block != null && blocks.neededReconstruction.contains(block)) {
        waiting.add(new QueuedBlock(block, reading.risk(block)));
      }
    });
    return read("dayuReadAgain", waiting);
  }

  /** As scheduleReconstruction of BlockManager does. */
  private static void countIfWithoutSource(NeededBlock block) {
    if (block.sources().isEmpty() && !block.stockOnly()) {
      NameNode.getNameNodeMetrics().incNumTimesReReplicationNotScheduled();
    }
  }

  /** Reads blocks; those that do not belong in the queues leave them, and are counted, as by stock. */
  private List<NeededBlock> read(String operation, List<QueuedBlock> queued) {
    List<NeededBlock> read = new ArrayList<>(queued.size());
    List<QueuedBlock> needless = new ArrayList<>();
    lock.forEachReadingNamespace(operation, queued, next -> {
      NeededBlock needed = reading.read(next.block, next.level, block -> needless.add(next));
      if (needed != null) {
        read.add(needed);
      }
    });
    lock.forEachInNamespace(operation, needless, next -> {
      if (BlockReading.isGone(next.block)) {
        blocks.neededReconstruction.remove(next.block, next.level);
      } else if (reading.hasEnough(next.block)) {
        blocks.neededReconstruction.remove(next.block, next.level);
        NameNode.getNameNodeMetrics().incNumTimesReReplicationNotScheduled();
      }
    });
    return read;
  }

  @Override
  public List<CommitResult> commit(List<TransferRequest> requests, BooleanSupplier allowed) {
    List<CommitResult> results = new ArrayList<>(requests.size());
    lock.forEachInBlocks("dayuCommit", requests,
        request -> results.add(allowed.getAsBoolean() ? pending.commitOrReject(request, true)
            : CommitResult.rejected(Verdict.CHANGED, "stock HDFS has taken the queues back")));
    return results;
  }

  @Override
  public List<CommitResult> adopt(List<TransferRequest> requests) {
    List<CommitResult> results = new ArrayList<>(requests.size());
    lock.forEachInBlocks("dayuAdopt", requests, request -> results.add(pending.commitOrReject(request, false)));
    return results;
  }

  @Override
  public List<PendingCheck> check(List<TransferRequest> running) {
    List<PendingCheck> checks = new ArrayList<>(running.size());
    lock.forEachReadingBlocks("dayuCheck", running, request -> checks.add(pending.check(request)));
    return checks;
  }

  /** Most have been settled by the DataNode's report, which shows without the lock for writing. */
  @Override
  public void settle(List<TransferRequest> ended) {
    List<TransferRequest> unsettled = new ArrayList<>();
    lock.forEachReadingBlocks("dayuSettle", ended, request -> {
      if (!pending.isSettled(request)) {
        unsettled.add(request);
      }
    });
    lock.forEachInBlocks("dayuSettle", unsettled, pending::settle);
  }

  /** Takes no lock. */
  @Override
  public void countTimedOut() {
    NameNode.getNameNodeMetrics().incTimeoutReReplications();
  }

  /** Takes the lock as stock does. */
  @Override
  public int scheduleByStock(List<NeededBlock> handed) {
    List<List<BlockInfo>> byLevel = new ArrayList<>();
    for (int level = 0; level < LowRedundancyBlocks.LEVEL; level++) {
      byLevel.add(new ArrayList<>());
    }
    Map<BlockInfoStriped, Reconstructed> sources = new HashMap<>();
    lock.forEachReadingBlocks("dayuHandToStock", handed, needed -> {
      BlockInfo block = pending.storedBlock(needed.key());
      if (block != null) {
        byLevel.get(needed.risk()).add(block);
      }
      if (block instanceof BlockInfoStriped striped) {
        List<String> holders = List.copyOf(new Replicas(blocks, block).sources());
        sources.put(striped, new Reconstructed(holders, hasEveryInternalBlock(striped, holders), System.nanoTime()));
      }
    });
    int scheduled = blocks.computeReconstructionWorkForBlocks(byLevel);
    reconstructed.putAll(sources);
    return scheduled;
  }

  /** As {@code ErasureCodingWork.hasAllInternalBlocks} decides between a copy and a reconstruction. */
  private boolean hasEveryInternalBlock(BlockInfoStriped block, List<String> sources) {
    BitSet found = new BitSet(block.getTotalBlockNum());
    for (DatanodeStorageInfo storage : blocks.getStorages(block)) {
      if (sources.contains(storage.getDatanodeDescriptor().getDatanodeUuid())) {
        found.set(block.getStorageBlockIndex(storage));
      }
    }
    return found.cardinality() == block.getRealTotalBlockNum();
  }

  /** Takes no namesystem lock. */
  @Override
  public List<StockReconstruction> stockReconstructions() {
    List<StockReconstruction> running = new ArrayList<>();
    reconstructed.forEach((block, known) -> {
      List<String> targets = reading.pendingTargets(block).stream()
          .map(storage -> storage.getDatanodeDescriptor().getDatanodeUuid()).toList();
      if (targets.isEmpty()) {
        reconstructed.remove(block);
      } else {
        int needed = block.getRealDataBlockNum();
        long internalBytes = StripedBlockUtil.getInternalBlockLength(block.getNumBytes(), block.getCellSize(),
            block.getDataBlockNum(), 0);
        long ageMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - known.atNs());
        if (known.copies()) {
          targets.forEach(target -> running
              .add(new StockReconstruction(known.sources(), 1, List.of(target), internalBytes, ageMs)));
        } else {
          running.add(new StockReconstruction(known.sources(), needed, targets, internalBytes, ageMs));
        }
      }
    });
    return running;
  }
}

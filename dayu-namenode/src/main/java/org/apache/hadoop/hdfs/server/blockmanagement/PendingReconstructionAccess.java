/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.CommitResult.Verdict;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.PendingCheck.State;
import io.dayu.blocks.TransferRequest;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.util.LightWeightLinkedSet;

import java.util.List;
import java.util.function.Consumer;

/**
 * Registers, refreshes and unregisters transfers in HDFS's own records of pending copies, block by block, as stock's
 * {@code validateReconstructionWork} and incremental block reports do. It has no state of its own but
 * {@link ArrivedCopies} and {@link GroupEntries}. It may be called by any thread that holds the lock of the blocks: for
 * writing, unless a method says that reading is enough. Methods that change the queues take their monitor
 * ({@code neededReconstruction}) inside; those of pending copies are guarded by their own, and commits take that of the
 * heartbeats. No method calls out.
 */
final class PendingReconstructionAccess {
  private static final StorageType[] TYPES = StorageType.values();
  private static final int ALL_TYPES = (1 << TYPES.length) - 1;

  private final BlockManager blocks;
  private final BlockReading reading;
  private final List<LightWeightLinkedSet<BlockInfo>> queues;
  private final ArrivedCopies arrived;
  private final GroupReading groups;
  private final GroupChecks groupChecks;
  private final GroupEntries entries;

  /**
   * @param queues the low-redundancy queues by risk; they change under their monitor
   * @param arrived is told of each copy that is registered
   * @param entries keeps which internal block each registration of a group stands for
   */
  PendingReconstructionAccess(BlockManager blocks, BlockReading reading, GroupReading groups,
      List<LightWeightLinkedSet<BlockInfo>> queues, ArrivedCopies arrived, GroupEntries entries) {
    this.blocks = blocks;
    this.reading = reading;
    this.groups = groups;
    this.groupChecks = new GroupChecks(blocks, groups);
    this.queues = queues;
    this.arrived = arrived;
    this.entries = entries;
  }

  /**
   * Commits one transfer. A failure rejects this transfer only, not those that are registered already. Needs the lock
   * for reading only: what it validates changes under the lock for writing, and what it changes is guarded by the
   * monitors of the queues, of the pending copies and, for the counters of scheduled blocks, of the heartbeats.
   *
   * @param choosing whether the transfer was planned; else an agent is making it already
   * @param inOtherQueue receives a block that should leave the queues, and is not in that of the request's risk. To
   *     look for it in the others needs the lock for writing: others read the queue of blocks without any good replica
   *     with the lock held for reading, and without its monitor
   */
  CommitResult commitOrReject(TransferRequest request, boolean choosing, Consumer<BlockInfo> inOtherQueue) {
    if (!blocks.isPopulatingReplQueues()) {
      return CommitResult.rejected(Verdict.CHANGED, "this NameNode is no longer active");
    }
    try {
      return commitOne(request, choosing, inOtherQueue);
    } catch (RuntimeException e) {
      return CommitResult.rejected(Verdict.TARGET_REFUSED, e.toString());
    }
  }

  private CommitResult commitOne(TransferRequest request, boolean choosing, Consumer<BlockInfo> inOtherQueue) {
    BlockInfo block = storedBlock(request.block());
    boolean otherLength = block != null && !block.isStriped() && block.getNumBytes() != request.numBytes();
    if (block == null || !choosing && otherLength) {
      return CommitResult.rejected(Verdict.CHANGED, "the block was deleted or reopened");
    }
    if (block.isStriped() != (request.group() != null)) {
      return CommitResult.rejected(Verdict.CHANGED, "an internal block of a group needs its index and sources");
    }
    if (block instanceof BlockInfoStriped group) {
      return commitOfGroup(request, group, choosing, inOtherQueue);
    }
    synchronized (blocks.neededReconstruction) {
      DatanodeStorageInfo registered = choosing ? null : pendingOn(block, request.target());
      if (registered != null) {
        return committed(registered);
      }
      BlockReplicas replicas = new BlockReplicas(blocks, block);
      if (replicas.areEnough()) {
        dequeue(block, request.risk(), inOtherQueue);
      }
      if (replicas.copiesBesidePending() <= 0) {
        return CommitResult.rejected(Verdict.NOT_NEEDED, "it has enough replicas, or enough copies are pending");
      }
      if (!(choosing ? replicas.sources() : replicas.holders()).contains(request.source())) {
        return CommitResult.rejected(Verdict.CHANGED, "the source cannot serve it");
      }
      DatanodeDescriptor node = blocks.getDatanodeManager().getDatanode(request.target());
      if (node == null || !node.isAlive() || replicas.holders().contains(request.target())) {
        return CommitResult.rejected(Verdict.TARGET_REFUSED, "the target is dead, or has or awaits a replica");
      }
      DatanodeStorageInfo storage = storageFor(node, request.storageTypes(), choosing ? block.getNumBytes() : 0);
      if (storage == null) {
        return CommitResult.rejected(Verdict.TARGET_FULL, "the target has no room on a storage of an allowed type");
      }
      String refusal = choosing ? policyRefusal(block, replicas, node, storage, request.storageTypes()) : null;
      if (refusal != null) {
        return CommitResult.rejected(Verdict.TARGET_MISPLACED, refusal);
      }
      register(block, storage, block.getNumBytes());
      if (replicas.areEnoughWith(1)) {
        dequeue(block, request.risk(), inOtherQueue);
      }
      return committed(storage);
    }
  }

  private CommitResult commitOfGroup(TransferRequest request, BlockInfoStriped group, boolean choosing,
      Consumer<BlockInfo> inOtherQueue) {
    synchronized (blocks.neededReconstruction) {
      int index = request.group().index();
      DatanodeStorageInfo registered = choosing ? null : pendingOn(group, request.target());
      if (registered != null && entries.indexOf(group, request.target()) == index) {
        return committed(registered);
      }
      if (choosing && !groups.mayBegin()) {
        return CommitResult.rejected(Verdict.CHANGED, "groups are left to stock HDFS, or it still schedules some");
      }
      GroupReplicas replicas = groups.replicas(group);
      if (replicas.areEnough()) {
        dequeue(group, request.risk(), inOtherQueue);
      }
      CommitResult rejected = groupChecks.refusal(request, replicas, choosing);
      if (rejected != null) {
        return rejected;
      }
      DatanodeDescriptor node = blocks.getDatanodeManager().getDatanode(request.target());
      DatanodeStorageInfo storage = storageFor(node, request.storageTypes(), choosing ? request.numBytes() : 0);
      if (storage == null) {
        return CommitResult.rejected(Verdict.TARGET_FULL, "the target has no room on a storage of an allowed type");
      }
      String refusal = choosing ? groupChecks.policyRefusal(request, replicas, node, storage) : null;
      if (refusal != null) {
        return CommitResult.rejected(Verdict.TARGET_MISPLACED, refusal);
      }
      entries.put(group, request.target(), index);
      register(group, storage, request.numBytes());
      if (replicas.areEnoughWith(1)) {
        dequeue(group, request.risk(), inOtherQueue);
      }
      return committed(storage);
    }
  }

  private void register(BlockInfo block, DatanodeStorageInfo storage, long bytes) {
    arrived.add(block, storage, bytes);
    // A heartbeat rolls these counters with the namesystem lock held for reading, as we do, and under this monitor.
    synchronized (blocks.getDatanodeManager().getHeartbeatManager()) {
      DatanodeStorageInfo.incrementBlocksScheduled(storage);
    }
    blocks.pendingReconstruction.increment(block, storage);
  }

  private void dequeue(BlockInfo block, int risk, Consumer<BlockInfo> inOtherQueue) {
    if (queues.get(risk).contains(block)) {
      blocks.neededReconstruction.remove(block, risk);
    } else {
      inOtherQueue.accept(block);
    }
  }

  private static CommitResult committed(DatanodeStorageInfo storage) {
    return CommitResult.committed(storage.getStorageID(), storage.getStorageType().name());
  }

  private static DatanodeStorageInfo storageFor(DatanodeDescriptor node, int storageTypes, long bytes) {
    for (int rest = storageTypes & ALL_TYPES; rest != 0; rest &= rest - 1) {
      DatanodeStorageInfo storage = node.chooseStorage4Block(TYPES[Integer.numberOfTrailingZeros(rest)], bytes, 1);
      if (storage != null) {
        return storage;
      }
    }
    return null;
  }

  /**
   * Why the placement policy does not want the new copy together with live replicas and pending copies; null if it
   * does.
   */
  private String policyRefusal(BlockInfo block, BlockReplicas replicas, DatanodeDescriptor node,
      DatanodeStorageInfo storage, int storageTypes) {
    if (!isOnTwoRacks(replicas, node)) {
      List<DatanodeStorageInfo> pending = replicas.pending();
      DatanodeStorageInfo[] before = pending.toArray(new DatanodeStorageInfo[0]);
      DatanodeStorageInfo[] after = pending.toArray(new DatanodeStorageInfo[pending.size() + 1]);
      after[pending.size()] = storage;
      BlockPlacementStatus statusAfter = blocks.getBlockPlacementStatus(block, after);
      if (!statusAfter.isPlacementPolicySatisfied() && statusAfter.getAdditionalReplicasRequired()
          >= blocks.getBlockPlacementStatus(block, before).getAdditionalReplicasRequired()
          && !reading.mayStayInRack(replicas, block.getNumBytes(), storageTypes)) {
        return statusAfter.getErrorDescription();
      }
    }
    List<DatanodeStorageInfo> chosen = replicas.chosen();
    int racks = blocks.getDatanodeManager().getNetworkTopology().getNumOfNonEmptyRacks();
    int maxInRack = RackRules.maxNodesPerRack(blocks.getBlockPlacementPolicy(),
        Math.max(chosen.size() + 1, replicas.expected()), racks);
    boolean refused = blocks.getBlockPlacementPolicy() instanceof BlockPlacementPolicyDefault policy
        && !policy.isGoodDatanode(node, maxInRack, false, chosen, true);
    return refused ? "the placement policy refuses the target: not in service, stale, slow, or more than " + maxInRack
        + " replicas on its rack" : null;
  }

  /**
   * Whether this node gives the default policy its two racks. Then its verification, which costs as much as all the
   * rest, can be skipped.
   */
  private boolean isOnTwoRacks(BlockReplicas replicas, DatanodeDescriptor node) {
    if (blocks.getBlockPlacementPolicy().getClass() != BlockPlacementPolicyDefault.class) {
      return false;
    }
    for (DatanodeStorageInfo chosen : replicas.chosen()) {
      if (!chosen.getDatanodeDescriptor().getNetworkLocation().equals(node.getNetworkLocation())) {
        return true;
      }
    }
    return false;
  }

  /**
   * How a copy under way stands; refreshes its pending entry if it is still wanted. Needs the lock for reading only:
   * the entry has a lock of its own, and is refreshed for a copy that is registered already.
   */
  PendingCheck check(TransferRequest request) {
    BlockInfo block = storedBlock(request.block());
    DatanodeDescriptor node = blocks.getDatanodeManager().getDatanode(request.target());
    if (block == null) {
      return new PendingCheck(State.GONE, List.of());
    }
    if (node == null) {
      return new PendingCheck(State.UNWANTED, List.of());
    }
    DatanodeStorageInfo pending = pendingOn(block, request.target());
    if (block instanceof BlockInfoStriped group) {
      return checkOfGroup(request, group, pending);
    }
    if (block.findStorageInfo(node) != null) {
      return PendingCheck.complete(pending == null && !blocks.isReplicaCorrupt(block, node));
    }
    if (pending == null || blocks.hasEnoughEffectiveReplicas(block, blocks.countNodes(block), 0)) {
      return new PendingCheck(State.UNWANTED, List.of());
    }
    blocks.pendingReconstruction.increment(block, pending);
    return new PendingCheck(State.WANTED, new BlockReplicas(blocks, block).sources());
  }

  /**
   * An entry that has gone proves nothing: a report of any index of the group ends that of its node. One that stands
   * for another index is not this transfer's.
   */
  private PendingCheck checkOfGroup(TransferRequest request, BlockInfoStriped group, DatanodeStorageInfo pending) {
    if (request.group() == null) {
      return new PendingCheck(State.UNWANTED, List.of());
    }
    boolean isPending = pending != null && entries.indexOf(group, request.target()) == request.group().index();
    PendingCheck check = groupChecks.check(request, groups.replicas(group), isPending);
    if (check.state() == State.WANTED) {
      blocks.pendingReconstruction.increment(group, pending);
    }
    return check;
  }

  /**
   * Whether nothing is left of a copy's registration: HDFS has dropped it, or has ended it when the replica was
   * reported. A replica that was reported as corrupt is none. Needs the lock for reading only.
   */
  boolean isUnregistered(TransferRequest request) {
    BlockInfo block = anyVersion(request.block());
    if (block == null || block.isDeleted() || !blocks.isPopulatingReplQueues()) {
      return true;
    }
    DatanodeDescriptor node = blocks.getDatanodeManager().getDatanode(request.target());
    return node != null && hasArrived(request, block, node) && !blocks.isReplicaCorrupt(block, node)
        && pendingOn(block, request.target()) == null;
  }

  /** Whether the block map has the replica, or the internal block that was to be made, on its target. */
  private static boolean hasArrived(TransferRequest request, BlockInfo block, DatanodeDescriptor node) {
    DatanodeStorageInfo storage = block.findStorageInfo(node);
    return storage != null && (request.group() == null
        || block instanceof BlockInfoStriped group && group.getStorageBlockIndex(storage) == request.group().index());
  }

  /** Ends the registration of a copy that is complete or will never be completed. */
  void unregister(TransferRequest request) {
    if (isUnregistered(request)) {
      forget(request);
      return;
    }
    BlockInfo block = anyVersion(request.block());
    boolean sameVersion = block.getGenerationStamp() == request.block().generationStamp();
    synchronized (blocks.neededReconstruction) {
      DatanodeStorageInfo pending = pendingOn(block, request.target());
      boolean ours = request.group() == null
          || entries.indexOf(block, request.target()) == request.group().index();
      if (pending != null && sameVersion && ours) {
        blocks.pendingReconstruction.decrement(block, pending);
        DatanodeStorageInfo.decrementBlocksScheduled(pending);
      }
      forget(request);
      NumberReplicas replicas = blocks.countNodes(block);
      int stillPending = blocks.pendingReconstruction.getNumReplicas(block);
      if (blocks.isNeededReconstruction(block, replicas, stillPending)) {
        blocks.neededReconstruction.update(block, replicas.liveReplicas() + stillPending, replicas.readOnlyReplicas(),
            replicas.outOfServiceReplicas(), blocks.getExpectedRedundancyNum(block), 0, 0);
      }
    }
  }

  /** Forgets what the registration of a group stood for, where HDFS has ended it. Needs no lock. */
  void forget(TransferRequest request) {
    if (request.group() != null) {
      entries.remove(request.block().blockId(), request.target(), request.group().index());
    }
  }

  private DatanodeStorageInfo pendingOn(BlockInfo block, String datanodeUuid) {
    for (DatanodeStorageInfo storage : reading.pendingTargets(block)) {
      if (storage.getDatanodeDescriptor().getDatanodeUuid().equals(datanodeUuid)) {
        return storage;
      }
    }
    return null;
  }

  /** The block in any version; null if there is none. One that the block map no longer has is deleted. */
  private BlockInfo anyVersion(BlockKey key) {
    return key.stored() instanceof BlockInfo known && !known.isDeleted() ? known
        : blocks.getStoredBlock(new Block(key.blockId()));
  }

  /** The block in the version that we know, complete; else null. */
  BlockInfo storedBlock(BlockKey key) {
    BlockInfo block = anyVersion(key);
    boolean same = block != null && !block.isDeleted() && block.isCompleteOrCommitted()
        && block.getGenerationStamp() == key.generationStamp();
    return same ? block : null;
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.CorruptReplica;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.server.blockmanagement.CorruptReplicasMap.Reason;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Finds and deletes a corrupt replica that keeps its block from being copied. HDFS itself deletes one only when the
 * block has enough live replicas, so it waits for ever where each DataNode that could take a copy has a replica already
 * (HDFS-17798). One that has room on types of storage alone that the file's policy does not allow could take none, nor
 * with the default placement policy one on a rack that may hold no more replicas of the block. Thread-safe.
 */
final class CorruptReplicaAccess {
  /** In the log of HDFS's lock, and in our own. */
  private static final String OPERATION = "dayuCorruptReplica";
  private static final String OPERATION_NAME = "corrupt replica";
  /** As many replicas have to be good before a corrupt one goes, or all but one of a smaller replication factor. */
  private static final int GOOD_NEEDED = 2;

  private final BlockManager blocks;
  private final BlockReading reading;
  private final PendingReconstructionAccess pending;
  private final NamesystemLock lock;
  private final FailingBlocks failing;

  CorruptReplicaAccess(BlockManager blocks, BlockReading reading, PendingReconstructionAccess pending,
      NamesystemLock lock, FailingBlocks failing) {
    this.blocks = blocks;
    this.reading = reading;
    this.pending = pending;
    this.lock = lock;
    this.failing = failing;
  }

  /** As {@link io.dayu.blocks.BlockManagement#corruptReplica}. Takes no lock while no block has a corrupt replica. */
  CorruptReplica find(BlockKey key) {
    if (blocks.getCorruptBlocks() == 0) {
      return null;
    }
    List<CorruptReplica> found = new ArrayList<>(1);
    forFile(key, file -> {
      CorruptReplica replica = read(key, file.getStoragePolicyID());
      if (replica != null) {
        found.add(replica);
      }
    });
    return found.isEmpty() ? null : found.get(0);
  }

  /** Runs {@code action} for the file of a block, if there is one, under the whole lock, held for reading. */
  private void forFile(BlockKey key, Consumer<BlockCollection> action) {
    lock.forEachReadingNamespace(OPERATION, List.of(key), failing.guard(OPERATION_NAME, block -> block, block -> {
      BlockInfo stored = pending.storedBlock(block);
      BlockCollection file = stored == null || stored.isDeleted() ? null : blocks.getBlockCollection(stored);
      if (file != null) {
        action.accept(file);
      }
    }));
  }

  private CorruptReplica read(BlockKey key, byte policyId) {
    BlockInfo block = pending.storedBlock(key);
    if (block == null || block.isStriped() || !blocks.isPopulatingReplQueues()) {
      return null;
    }
    BlockReplicas replicas = new BlockReplicas(blocks, block);
    if (!replicas.pending().isEmpty() || replicas.areEnoughWith(0)) {
      return null;
    }
    Set<String> fullRacks = reading.fullRacks(replicas);
    if (reading.hasTarget(replicas, block.getNumBytes(), policyId, fullRacks)) {
      return null;
    }
    int goodNeeded = Math.max(1, Math.min(GOOD_NEEDED, blocks.getExpectedRedundancyNum(block) - 1));
    List<String> live = new ArrayList<>();
    for (DatanodeStorageInfo storage : replicas.chosen()) {
      live.add(storage.getDatanodeDescriptor().getDatanodeUuid());
    }
    DatanodeDescriptor corrupt = null;
    for (DatanodeStorageInfo storage : blocks.getStorages(block)) {
      DatanodeDescriptor node = storage.getDatanodeDescriptor();
      if (storage.areBlockContentsStale()) {
        // Since the failover it has not reported what it has; HDFS deletes nothing then.
        return null;
      }
      if (corrupt == null && storage.getState() == DatanodeStorage.State.NORMAL && node.isAlive()
          && node.isInService() && isDeletable(block, node) && !fullRacks.contains(RackRules.rackOf(blocks, node))
          && reading.mayHaveCopyOn(storage.getStorageType(), replicas, policyId)) {
        corrupt = node;
      }
    }
    return corrupt == null || live.size() < goodNeeded ? null
        : new CorruptReplica(key, block.getNumBytes(), corrupt.getDatanodeUuid(), live, goodNeeded);
  }

  /**
   * Whether a replica is corrupt and of the block's own generation. A DataNode does not delete one of another
   * generation: the order names the block as it is stored here.
   */
  private boolean isDeletable(BlockInfo block, DatanodeDescriptor node) {
    String reason = blocks.getCorruptReason(block, node);
    return Reason.CORRUPTION_REPORTED.name().equals(reason) || Reason.SIZE_MISMATCH.name().equals(reason);
  }

  /** As {@link io.dayu.blocks.BlockManagement#removeCorruptReplica}. */
  boolean remove(CorruptReplica replica, Set<String> good) {
    // In a hold of its own, so that none nests. A policy that is set in between counts the next time.
    List<Byte> policyIds = new ArrayList<>(1);
    forFile(replica.block(), file -> policyIds.add(file.getStoragePolicyID()));
    boolean[] removed = new boolean[1];
    policyIds.forEach(policyId -> lock.forEachInBlocks(OPERATION, List.of(replica), failing.guard(OPERATION_NAME,
        CorruptReplica::block, one -> removed[0] = removeIfUnchanged(one, good, policyId))));
    return removed[0];
  }

  private boolean removeIfUnchanged(CorruptReplica replica, Set<String> good, byte policyId) {
    CorruptReplica now = read(replica.block(), policyId);
    if (!replica.equals(now) || now.holders().stream().filter(good::contains).count() < now.goodNeeded()) {
      return false;
    }
    BlockInfo block = pending.storedBlock(replica.block());
    DatanodeDescriptor node = blocks.getDatanodeManager().getDatanode(replica.node());
    blocks.addToInvalidates(new Block(block), node);
    blocks.removeStoredBlock(block, node);
    return true;
  }
}

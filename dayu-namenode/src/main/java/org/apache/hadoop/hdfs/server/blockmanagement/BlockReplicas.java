/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;

import java.util.ArrayList;
import java.util.List;

/**
 * The replicas and pending copies of one block, as one walk over its storages finds them by BlockManager's own rules.
 * On a large NameNode each look at a storage is a miss of the processor's caches, so no storage is looked at twice.
 * Made within one hold of the namesystem lock. Those methods that ask for the placement need the same hold.
 */
final class BlockReplicas {
  private static final NumberReplicas NONE = new NumberReplicas();

  private final BlockManager blocks;
  private final BlockInfo block;
  private final List<DatanodeStorageInfo> chosen = new ArrayList<>(4);
  private final List<String> sources = new ArrayList<>(3);
  private final List<String> holders;
  private final List<DatanodeStorageInfo> pending;
  private final int pendingCount;
  private final int expected;
  private final int live;
  private final int expectedLive;
  private final boolean provided;

  BlockReplicas(BlockManager blocks, BlockInfo block) {
    this.blocks = blocks;
    this.block = block;
    List<String> decommissioned = new ArrayList<>(0);
    List<DatanodeStorageInfo> others = new ArrayList<>(0);
    boolean anyProvided = false;
    for (DatanodeStorageInfo storage : blocks.getStorages(block)) {
      anyProvided |= storage.getStorageType() == StorageType.PROVIDED;
      DatanodeDescriptor node = storage.getDatanodeDescriptor();
      boolean useful = !blocks.isReplicaCorrupt(block, node) && !blocks.isExcess(node, block);
      if (useful && storage.getState() == DatanodeStorage.State.NORMAL && node.isInService() && node.isAlive()) {
        chosen.add(storage);
        sources.add(node.getDatanodeUuid());
      } else {
        others.add(storage);
        if (useful && storage.getState() != DatanodeStorage.State.FAILED && node.isAlive() && !node.isInMaintenance()) {
          (node.isDecommissioned() ? decommissioned : sources).add(node.getDatanodeUuid());
        }
      }
    }
    this.provided = anyProvided;
    // If all replicas are chosen, BlockManager.countNodes counts exactly these as live, so it need not be called.
    boolean plain = others.isEmpty() && !block.isStriped();
    NumberReplicas counted = plain ? NONE : blocks.countNodes(block);
    this.expected = blocks.getExpectedRedundancyNum(block);
    this.live = plain ? chosen.size() : counted.liveReplicas();
    this.expectedLive = blocks.getExpectedLiveRedundancyNum(block, counted);
    List<DatanodeStorageInfo> targets = blocks.pendingReconstruction.getTargets(block);
    this.pending = targets == null ? List.of() : targets;
    this.pendingCount = pending.size();
    this.holders = plain && pending.isEmpty() ? sources : holders(others);
    chosen.addAll(pending);
    if (sources.isEmpty()) {
      sources.addAll(decommissioned);
    }
  }

  private List<String> holders(List<DatanodeStorageInfo> others) {
    List<String> all = new ArrayList<>(chosen.size() + others.size() + pending.size());
    addNodes(all, chosen);
    addNodes(all, others);
    addNodes(all, pending);
    return all;
  }

  private static void addNodes(List<String> nodes, List<DatanodeStorageInfo> storages) {
    for (DatanodeStorageInfo storage : storages) {
      String node = storage.getDatanodeDescriptor().getDatanodeUuid();
      if (!nodes.contains(node)) {
        nodes.add(node);
      }
    }
  }

  /** Live replicas in service, and pending copies: what the placement of further copies has to go together with. */
  List<DatanodeStorageInfo> chosen() {
    return chosen;
  }

  /**
   * DataNodes that can serve the block: live, decommissioning and readable entering-maintenance replicas;
   * decommissioned ones only if there is nothing else; never corrupt, excess or unreadable ones.
   */
  List<String> sources() {
    return sources;
  }

  /** DataNodes that have a replica in any state or await one, each once. */
  List<String> holders() {
    return holders;
  }

  /** Whether a replica is in provided storage, whose DataNode is one that HDFS makes up and never counts as alive. */
  boolean inProvidedStorage() {
    return provided;
  }

  /** Storages that await a copy. */
  List<DatanodeStorageInfo> pending() {
    return pending;
  }

  /** How many replicas the block is to have. */
  int expected() {
    return expected;
  }

  /** BlockManager.hasEnoughEffectiveReplicas. */
  boolean areEnough() {
    return live + pendingCount >= expectedLive
        && (pendingCount > 0 || blocks.getBlockPlacementStatus(block).isPlacementPolicySatisfied());
  }

  /** Whether no further copy is needed when {@code more} are pending. */
  boolean areEnoughWith(int more) {
    return live + pendingCount + more >= expectedLive;
  }

  /**
   * Copies that are needed beside the pending ones. Stock issues all copies that a badly placed block needs at once;
   * Dayu registers them one by one, and the first must not make the others seem unneeded.
   */
  int copiesBesidePending() {
    return live < expectedLive || pendingCount == 0 ? copiesToIssue() : blocks
        .getBlockPlacementStatus(block, pending.toArray(new DatanodeStorageInfo[0])).getAdditionalReplicasRequired();
  }

  /** BlockManager.scheduleReconstruction's additionalReplRequired. */
  int copiesToIssue() {
    return live < expectedLive ? expectedLive - live - pendingCount
        : blocks.getBlockPlacementStatus(block).getAdditionalReplicasRequired();
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.HadoopInternals;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;

import java.util.List;

/** The list of Hadoop's members that this package touches and that Hadoop does not publish. No state. */
final class BlockManagerInternals {
  private BlockManagerInternals() {
  }

  /** All of them, to be looked for before Dayu starts. */
  static HadoopInternals required() {
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
        .method(BlockManager.class, "addToInvalidates", Block.class, DatanodeInfo.class)
        .method(BlockManager.class, "isNeededReconstruction", BlockInfo.class, NumberReplicas.class, int.class)
        .method(BlockManager.class, "computeReconstructionWorkForBlocks", List.class)
        .method(BlockManager.class, "getBlockPlacementPolicy")
        .method(BlockManager.class, "getStriptedBlockPlacementPolicy")
        .method(BlockManager.class, "getLastRedundancyMonitorTS")
        .method(BlockInfoStriped.class, "getStorageAndIndexInfos")
        .method(BlockInfoStriped.class, "getStorageBlockIndex", DatanodeStorageInfo.class)
        .field(PendingReconstructionBlocks.class, "pendingReconstructions")
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
        .method(PendingReconstructionBlocks.PendingBlockInfo.class, "getTargets")
        .method(PendingReconstructionBlocks.PendingBlockInfo.class, "getTimeStamp")
        .method(PendingReconstructionBlocks.PendingBlockInfo.class, "setTimeStamp")
        .method(BlockInfo.class, "findStorageInfo", DatanodeDescriptor.class)
        .method(BlockInfo.class, "findStorageInfo", DatanodeStorageInfo.class)
        .method(BlockInfo.class, "getNext", int.class)
        .method(DatanodeStorageInfo.class, "getBlockIterator")
        .method(DatanodeManager.class, "getDatanodeAdminManager")
        .method(DatanodeAdminManager.class, "isSufficient", BlockInfo.class, BlockCollection.class,
            NumberReplicas.class, boolean.class, boolean.class)
        .method(DatanodeStorageInfo.class, "incrementBlocksScheduled", DatanodeStorageInfo[].class)
        .method(DatanodeStorageInfo.class, "decrementBlocksScheduled", DatanodeStorageInfo[].class)
        .method(DatanodeManager.class, "getHeartbeatManager")
        .method(HeartbeatManager.class, "getLiveDatanodeCount")
        .method(HeartbeatManager.class, "getNumDatanodesInService")
        .method(HeartbeatManager.class, "getDatanodes")
        .method(DatanodeManager.class, "isDatanodeDead", DatanodeDescriptor.class)
        .method(DatanodeDescriptor.class, "chooseStorage4Block", StorageType.class, long.class, int.class)
        .method(FSNamesystem.class, "readLock")
        .method(FSNamesystem.class, "readUnlock", String.class)
        .method(FSNamesystem.class, "writeLock")
        .method(FSNamesystem.class, "writeUnlock", String.class);
  }
}

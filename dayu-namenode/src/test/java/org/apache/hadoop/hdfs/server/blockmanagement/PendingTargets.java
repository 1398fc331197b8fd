/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;

import java.util.List;

/** The DataNodes from which HDFS expects replicas. */
public final class PendingTargets {
  private PendingTargets() {
  }

  /**
   * Whether none of them will report any more: each is dead, or has lost the volume.
   *
   * @param late whether some were chosen before their first block report. Such a one refuses a block that it has, and
   *     nobody behind it gets the block either: so a block counts, too, if a target has it, or if it lacks no replica,
   *     since HDFS may have removed one meanwhile
   */
  public static boolean areAllInVain(FSNamesystem namesystem, boolean late) {
    BlockManager blocks = namesystem.getBlockManager();
    namesystem.writeLock();
    try {
      for (BlockInfo block : blocks.blocksMap.getBlocks()) {
        List<DatanodeStorageInfo> targets = blocks.pendingReconstruction.getTargets(block);
        if (targets != null && !targets.stream().allMatch(PendingTargets::isGone)
            && !(late && isRefused(blocks, block, targets))) {
          return false;
        }
      }
      return true;
    } finally {
      namesystem.writeUnlock("pendingTargets");
    }
  }

  private static boolean isRefused(BlockManager blocks, BlockInfo block, List<DatanodeStorageInfo> targets) {
    return !blocks.isNeededReconstruction(block, blocks.countNodes(block), 0)
        || targets.stream().anyMatch(target -> block.findStorageInfo(target.getDatanodeDescriptor()) != null);
  }

  /** Has HDFS expect replicas of a block on DataNodes, by UUID, as if it were copied to them by a pipeline. */
  public static void expect(FSNamesystem namesystem, Block block, List<String> uuids) {
    BlockManager blocks = namesystem.getBlockManager();
    namesystem.writeLock();
    try {
      DatanodeStorageInfo[] targets = uuids.stream()
          .map(uuid -> blocks.getDatanodeManager().getDatanode(uuid).getStorageInfos()[0])
          .toArray(DatanodeStorageInfo[]::new);
      DatanodeStorageInfo.incrementBlocksScheduled(targets);
      blocks.pendingReconstruction.increment(blocks.getStoredBlock(block), targets);
    } finally {
      namesystem.writeUnlock("pendingTargets");
    }
  }

  private static boolean isGone(DatanodeStorageInfo target) {
    DatanodeDescriptor node = target.getDatanodeDescriptor();
    return !node.isAlive() || target.getState() != DatanodeStorage.State.NORMAL
        || node.getStorageInfo(target.getStorageID()) == null;
  }
}

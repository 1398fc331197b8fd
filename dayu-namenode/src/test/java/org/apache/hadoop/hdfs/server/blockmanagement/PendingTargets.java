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
   * @param orHaveIt whether those count, too, that have the replica: HDFS has known of it since before it was copied
   */
  public static boolean areAllInVain(FSNamesystem namesystem, boolean orHaveIt) {
    BlockManager blocks = namesystem.getBlockManager();
    namesystem.writeLock();
    try {
      for (BlockInfo block : blocks.blocksMap.getBlocks()) {
        List<DatanodeStorageInfo> targets = blocks.pendingReconstruction.getTargets(block);
        if (targets != null && !targets.stream()
            .allMatch(target -> isGone(target) || orHaveIt && block.findStorageInfo(target) >= 0)) {
          return false;
        }
      }
      return true;
    } finally {
      namesystem.writeUnlock("pendingTargets");
    }
  }

  /** Has HDFS expect a replica on a DataNode that has one, as when it was chosen before its first block report. */
  public static void expectAgain(FSNamesystem namesystem, Block block) {
    BlockManager blocks = namesystem.getBlockManager();
    namesystem.writeLock();
    try {
      BlockInfo stored = blocks.getStoredBlock(block);
      blocks.pendingReconstruction.increment(stored, stored.getStorageInfo(0));
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

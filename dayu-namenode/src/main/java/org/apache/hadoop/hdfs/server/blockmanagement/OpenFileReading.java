/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.LeavingPipeline;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.NameNodeAccess;

import java.util.ArrayList;
import java.util.List;

/** Looks for files whose last block is being written to DataNodes that leave, and to no other. No state. */
final class OpenFileReading {
  private final FSNamesystem namesystem;
  private final NamesystemLock lock;

  OpenFileReading(FSNamesystem namesystem, NamesystemLock lock) {
    this.namesystem = namesystem;
    this.lock = lock;
  }

  /** How many live DataNodes are leaving or have left service. Takes no namesystem lock. */
  int nodesOutOfService() {
    HeartbeatManager heartbeats = namesystem.getBlockManager().getDatanodeManager().getHeartbeatManager();
    return Math.max(0, heartbeats.getLiveDatanodeCount() - heartbeats.getNumDatanodesInService());
  }

  /** As {@link io.dayu.blocks.BlockInspection#leavingPipelines}. */
  List<LeavingPipeline> leavingPipelines(int limit) {
    List<LeavingPipeline> found = new ArrayList<>();
    List<Long> openFiles = nodesOutOfService() == 0 ? List.of() : NameNodeAccess.openFiles(namesystem);
    lock.forEachReadingNamespace("dayuOpenFiles", openFiles, id -> {
      BlockCollection file = found.size() < limit ? namesystem.getBlockCollection(id) : null;
      BlockInfo last = file == null ? null : file.getLastBlock();
      BlockUnderConstructionFeature written = last == null ? null : last.getUnderConstructionFeature();
      if (written != null && isLeaving(written.getExpectedStorageLocations())) {
        List<String> nodes = new ArrayList<>();
        for (DatanodeStorageInfo storage : written.getExpectedStorageLocations()) {
          DatanodeDescriptor node = storage.getDatanodeDescriptor();
          nodes.add(node.getHostName() + ":" + node.getXferPort());
        }
        found.add(new LeavingPipeline(file.getName(), nodes));
      }
    });
    return found;
  }

  private static boolean isLeaving(DatanodeStorageInfo[] pipeline) {
    for (DatanodeStorageInfo storage : pipeline) {
      if (storage.getDatanodeDescriptor().isInService()) {
        return false;
      }
    }
    return pipeline.length > 0;
  }
}

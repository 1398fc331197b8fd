/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeStorageInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Faults of the volumes of DataNodes. They are for one thread at a time. */
public final class NodeVolumes {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final DayuCluster cluster;

  NodeVolumes(DayuCluster cluster) {
    this.cluster = cluster;
  }

  /**
   * Breaks a volume under a running DataNode, as if its disk were lost: its directory is no more. Returns when the
   * DataNode has found out and the active NameNode counts no block there any more.
   */
  public void fail(int node, int volume) throws Exception {
    FsVolumeImpl lost = volume(node, volume);
    String storage = lost.getStorageID();
    DataNodeTestUtils.injectDataDirFailure(new File(lost.getBaseURI()));
    AtomicLong askedAfterMs = new AtomicLong(-1);
    Await.until("the DataNode finds out", LIMIT, () -> {
      // A check that was under way already may have found nothing.
      if (askedAfterMs.getAndSet(cluster.dataNode(node).getLastDiskErrorCheck())
          != cluster.dataNode(node).getLastDiskErrorCheck()) {
        cluster.dataNode(node).checkDiskErrorAsync(lost);
      }
      return !volumes(node).contains(lost);
    });
    Await.until("loss of " + storage + " is known", LIMIT,
        () -> cluster.blocksOn(node).stream().noneMatch(block -> isIn(block, storage)));
  }

  private boolean isIn(BlockInfo block, String storage) {
    for (DatanodeStorageInfo candidate : cluster.blockManager().getStorages(block)) {
      if (candidate.getStorageID().equals(storage)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Leaves no room on a volume beyond what its blocks take, by lowering the capacity that it claims. Returns when the
   * active NameNode knows. Lasts until the DataNode is restarted.
   */
  public void fill(int node, int volume) throws Exception {
    fill(node, volume, 0);
  }

  /** The same, but leaves room for {@code leftBytes}. */
  public void fill(int node, int volume, long leftBytes) throws Exception {
    FsVolumeImpl full = volume(node, volume);
    full.setCapacityForTesting(full.getDfsUsed() + leftBytes);
    DataNodeTestUtils.triggerHeartbeat(cluster.dataNode(node));
    Await.until("the room of node " + node + " is known", LIMIT,
        () -> Arrays.stream(cluster.descriptor(node).getStorageReports())
            .filter(report -> report.getStorage().getStorageID().equals(full.getStorageID()))
            .anyMatch(report -> report.getCapacity() == full.getCapacity()));
  }

  private FsVolumeImpl volume(int node, int volume) throws IOException {
    String directory = DataNode.getStorageLocations(cluster.dataNode(node).getConf()).get(volume).getUri().getPath();
    return volumes(node).stream()
        .filter(candidate -> Path.of(candidate.getBaseURI()).equals(Path.of(directory)))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("DataNode " + node + " has no volume " + volume + " any more"));
  }

  private List<FsVolumeImpl> volumes(int node) throws IOException {
    List<FsVolumeImpl> all = new ArrayList<>();
    try (FsDatasetSpi.FsVolumeReferences volumes = cluster.dataNode(node).getFSDataset().getFsVolumeReferences()) {
      volumes.forEach(volume -> all.add((FsVolumeImpl) volume));
    }
    return all;
  }
}

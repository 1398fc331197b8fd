/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.harness.Await;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Clients truncate files, and take snapshots of them, while their blocks are copied. */
final class NamespaceChangesIT {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final int NODES = 6;
  private static final int FILES = 6;
  private static final int BLOCK_BYTES = 3 << 20;
  private static final String DIRECTORY = "/d";

  private DayuCluster cluster;
  private DistributedFileSystem fs;

  /** Files of two blocks each; returns those whose blocks are being copied, and which block of each. */
  private Map<String, Integer> begin() throws Exception {
    cluster = FaultsFixture.slowAtFirst(FaultsIT.builder(), 200_000).start();
    StatusProbe.awaitDayu(NODES);
    fs = cluster.fileSystem();
    fs.mkdirs(new Path(DIRECTORY));
    for (int i = 0; i < FILES; i++) {
      cluster.write(DIRECTORY + "/f" + i, 2L * BLOCK_BYTES - 1_000 * i - 1, 3);
    }
    cluster.kill(cluster.fullestNode());
    Map<String, Integer> seen = new LinkedHashMap<>();
    StatusProbe.await("blocks of two files are copied", () -> {
      seen.clear();
      seen.putAll(filesInTransfer());
      return seen.size() >= 2;
    });
    return seen;
  }

  @AfterEach
  void close() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  private Map<String, Integer> filesInTransfer() throws Exception {
    List<Long> copied = StatusProbe.status().getTransfers().stream()
        .map(line -> Long.parseLong(line.replaceFirst("^blk_(\\d+)_.*", "$1"))).toList();
    Map<String, Integer> files = new LinkedHashMap<>();
    for (int i = 0; i < FILES; i++) {
      List<LocatedBlock> blocks = cluster.blocksOf(DIRECTORY + "/f" + i);
      for (int index = 0; index < blocks.size(); index++) {
        if (copied.contains(blocks.get(index).getBlock().getBlockId())) {
          files.put(DIRECTORY + "/f" + i, index);
        }
      }
    }
    return files;
  }

  /** Cuts the block that is being copied. */
  private void truncate(String path, int blockIndex) throws Exception {
    cluster.files().truncate(fs, path, (long) blockIndex * BLOCK_BYTES + BLOCK_BYTES / 3);
    Await.until(path + " is closed", LIMIT, () -> fs.isFileClosed(new Path(path)));
  }

  @Test
  void truncate_everyReplicaIsOfTheNewLength() throws Exception {
    for (Map.Entry<String, Integer> file : begin().entrySet()) {
      truncate(file.getKey(), file.getValue());
    }
    FaultsFixture.hurry(cluster);
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    StatusProbe.await("no transfer under way", () -> StatusProbe.status().getRunningTransfers() == 0);
  }

  /** A truncated file gets a new block, and a deleted one is in the snapshot only: the old blocks are still needed. */
  @Test
  void snapshot_itsBlocksAreRecoveredThoughTheFilesAreTruncatedAndDeleted() throws Exception {
    List<Map.Entry<String, Integer>> copied = List.copyOf(begin().entrySet());
    fs.allowSnapshot(new Path(DIRECTORY));
    fs.createSnapshot(new Path(DIRECTORY), "s");
    for (int i = 0; i < FILES; i++) {
      cluster.files().copied(DIRECTORY + "/f" + i, DIRECTORY + "/.snapshot/s/f" + i);
    }
    truncate(copied.get(0).getKey(), copied.get(0).getValue());
    for (Map.Entry<String, Integer> file : copied.subList(1, copied.size())) {
      cluster.delete(file.getKey());
    }
    FaultsFixture.hurry(cluster);
    ClusterVerifier.Verdict verdict = new ClusterVerifier(cluster).verify(LIMIT);
    verdict.assertSound();
    assertEquals(2 * FILES - (copied.size() - 1), verdict.filesRead(), "files read, those of the snapshot with them");
  }
}

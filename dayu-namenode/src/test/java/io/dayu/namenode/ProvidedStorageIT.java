/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.harness.Await;
import io.dayu.harness.ClusterBuilder;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.common.FileRegion;
import org.apache.hadoop.hdfs.server.namenode.metrics.ReReplications;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Blocks with a replica in provided storage, which Dayu leaves to stock HDFS. */
@Tag("slow")
@Tag("both-lines")
@Timeout(900)
final class ProvidedStorageIT {
  private static final Duration LIMIT = Duration.ofSeconds(180);
  private static final Path PROVIDED = new Path("/provided");
  private static final int NODES = 7;
  private static final int FILES = 2;
  private static final int BLOCK_BYTES = 256 << 10;

  private DayuCluster cluster;
  private DistributedFileSystem fs;

  /** HDFS counts a block's place in provided storage as a replica, in place of one on a DataNode that is gone. */
  @Test
  void blocksInProvidedStorage_areLeftToStock_andDayuRecoversTheOthers(@TempDir java.nio.file.Path remote)
      throws Exception {
    String stock = run(builder(remote.resolve("stock")).withoutDayu(), remote, false);
    String dayu = run(builder(remote.resolve("dayu")), remote, true);
    assertEquals(stock, dayu);
  }

  private static ClusterBuilder builder(java.nio.file.Path providedDirectory) {
    return DayuCluster.builder().dataNodes(NODES).blockSizeBytes(BLOCK_BYTES).bandwidthBytesPerSec(50 << 20)
        .conf("dayu.timeslot.interval", "600ms").conf("dayu.heartbeat.interval", "200ms")
        .conf("dfs.namenode.reconstruction.pending.timeout-sec", "8")
        // Else files are not always written where a test says.
        .conf("dfs.namenode.redundancy.considerLoad", "false")
        // Else stock finds sources busy, or not, as copies end.
        .conf("dfs.namenode.replication.max-streams", "100")
        .conf("dfs.namenode.replication.max-streams-hard-limit", "100")
        .storageTypes(StorageType.DISK, StorageType.PROVIDED)
        .conf("hdfs.minidfs.basedir.provided", providedDirectory.toString())
        .conf("dfs.namenode.provided.enabled", "true")
        .conf("dfs.provided.aliasmap.class", ProvidedBlocks.class.getName());
  }

  /**
   * Returns how HDFS's counter of copies has moved until every block has the replicas that it should have. Those of
   * timeouts and of blocks that were not scheduled follow from the sources that stock chooses at random.
   */
  private String run(ClusterBuilder builder, java.nio.file.Path remote, boolean byDayu) throws Exception {
    cluster = builder.start();
    try {
      fs = cluster.fileSystem();
      List<BlockInfo> provided = provide(remote.resolve("f"));
      // Daemons learn which blocks are provided when they start; a DataNode provides those that it does not hold.
      for (int node = 0; node < NODES; node++) {
        cluster.restart(node);
      }
      cluster.stop(2);
      cluster.nameNodes().restartAfterAllBlockReports(LIMIT);
      if (byDayu) {
        StatusProbe.awaitDayu(NODES - 1);
      }
      new ClusterVerifier(cluster).awaitSettled(LIMIT);
      String all = String.join(", ", Collections.nCopies(FILES, "[DISK, DISK, PROVIDED]"));
      assertEquals(all, types(provided));
      ReReplications before = ReReplications.now();
      cluster.volumes().fail(0, 0);
      Await.until("two copies of each provided block again", LIMIT, () -> types(provided).equals(all),
          () -> types(provided));
      // Stock itself may choose a source without the block, and then needs another attempt, or several.
      new ClusterVerifier(cluster).afterTimeoutsOfStock().assertRecovers(LIMIT);
      assertArrayEquals(Files.readAllBytes(remote.resolve("f")), DFSTestUtil.readFileAsBytes(fs, PROVIDED));
      if (byDayu) {
        StatusProbe.await("the others recovered by Dayu", () -> StatusProbe.status().getTotalFinished() == FILES);
        assertTrue(StatusProbe.status().getTotalHandedToStock() >= FILES, StatusProbe.describe());
      }
      ReReplications now = ReReplications.now();
      return "successful beyond those needed " + (now.successful() - before.successful() - 2 * FILES);
    } finally {
      ProvidedBlocks.set(List.of());
      cluster.close();
    }
  }

  /** Writes a file to HDFS and the same bytes to provided storage; returns its blocks. */
  private List<BlockInfo> provide(java.nio.file.Path remote) throws Exception {
    for (int i = 0; i < FILES; i++) {
      cluster.files().write(fs, "/plain" + i, BLOCK_BYTES, 3, addresses(0, 3, 4));
    }
    DFSTestUtil.createFile(fs, PROVIDED, false, BLOCK_BYTES, FILES * (long) BLOCK_BYTES, BLOCK_BYTES, (short) 3, 3,
        false,
        addresses(0, 1, 2));
    fs.setStoragePolicy(PROVIDED, "PROVIDED");
    Files.write(remote, DFSTestUtil.readFileAsBytes(fs, PROVIDED));
    List<FileRegion> regions = new ArrayList<>();
    List<BlockInfo> blocks = new ArrayList<>();
    for (LocatedBlock block : cluster.blocksOf(PROVIDED.toString())) {
      Block local = block.getBlock().getLocalBlock();
      regions.add(new FileRegion(local.getBlockId(), new Path(remote.toUri()), block.getStartOffset(),
          local.getNumBytes(), local.getGenerationStamp()));
      blocks.add(cluster.blockManager().getStoredBlock(local));
    }
    ProvidedBlocks.set(regions);
    return blocks;
  }

  private InetSocketAddress[] addresses(int... nodes) {
    return Arrays.stream(nodes).mapToObj(node -> cluster.dataNode(node).getXferAddress())
        .toArray(InetSocketAddress[]::new);
  }

  private String types(List<BlockInfo> blocks) {
    return blocks.stream().map(block -> Arrays
        .stream(cluster.blockManager().getStorages(cluster.blockManager().getStoredBlock(block)))
        .map(storage -> storage.getStorageType().name()).sorted().toList().toString())
        .collect(Collectors.joining(", "));
  }
}

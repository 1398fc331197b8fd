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
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Blocks with corrupt replicas. Where each of three DataNodes has one of three replicas, HDFS itself waits for ever
 * (HDFS-17798).
 */
class CorruptReplicaIT {
  private static final Duration LIMIT = Duration.ofSeconds(120);
  private static final int BLOCK_BYTES = 1 << 20;
  private static final int FILES = 5;

  private static DayuCluster start() throws Exception {
    return DayuCluster.builder().dataNodes(3).blockSizeBytes(BLOCK_BYTES).conf("dayu.heartbeat.interval", "200ms")
        .start();
  }

  /** Damages replicas, and tells the NameNode, as a reader does. */
  private static LocatedBlock corrupt(DayuCluster cluster, String path, int replication, int... holders)
      throws Exception {
    cluster.awaitReplicas(path, replication);
    LocatedBlock block = cluster.blocksOf(path).get(0);
    DatanodeInfo[] nodes = new DatanodeInfo[holders.length];
    for (int i = 0; i < holders.length; i++) {
      nodes[i] = block.getLocations()[holders[i]];
      cluster.corruptReplica(block.getBlock(), cluster.nodeOf(nodes[i].getDatanodeUuid()));
    }
    return new LocatedBlock(block.getBlock(), nodes);
  }

  @Test
  void corruptReplica_whereEveryNodeHasOne_givesWayToAGoodOne() throws Exception {
    try (DayuCluster cluster = start()) {
      cluster.write("/f", 2L * BLOCK_BYTES, 3);
      LocatedBlock bad = corrupt(cluster, "/f", 3, 1);
      cluster.fileSystem().getClient().reportBadBlocks(new LocatedBlock[] {bad});
      // Known now. The verifier would see the damaged replica if it were still there.
      Await.until("three good replicas", LIMIT, () -> cluster.blockManager().getCorruptReplicaBlocksCount() == 0
          && cluster.blocksOf("/f").get(0).getLocations().length == 3, StatusProbe::describe);
      new ClusterVerifier(cluster).assertRecovers(LIMIT);
    }
  }

  /** The highest risk: one good replica of two is left. Dayu copies each to another node. */
  @Test
  void corruptReplicasOfTwo_areReplacedFromTheirLastGoodOnes() throws Exception {
    try (DayuCluster cluster = DayuCluster.builder().dataNodes(4).blockSizeBytes(BLOCK_BYTES).start()) {
      for (int i = 0; i < FILES; i++) {
        cluster.write("/two" + i, BLOCK_BYTES, 2);
      }
      LocatedBlock[] bad = new LocatedBlock[FILES];
      for (int i = 0; i < FILES; i++) {
        bad[i] = corrupt(cluster, "/two" + i, 2, 0);
      }
      StatusProbe.awaitDayu(4);
      long finished = StatusProbe.status().getTotalFinished();
      long reportedNs = System.nanoTime();
      cluster.fileSystem().getClient().reportBadBlocks(bad);
      Await.until("two good replicas of each block", LIMIT, () -> {
        for (int i = 0; i < FILES; i++) {
          List<DatanodeInfo> holders = List.of(cluster.blocksOf("/two" + i).get(0).getLocations());
          if (holders.size() < 2 || holders.contains(bad[i].getLocations()[0])) {
            return false;
          }
        }
        return true;
      }, StatusProbe::describe);
      System.out.printf("%d blocks with one corrupt replica of two: all have two good ones %d ms after the report%n",
          FILES, (System.nanoTime() - reportedNs) / 1_000_000);
      StatusProbe.await("Dayu made them", () -> StatusProbe.status().getTotalFinished() >= finished + FILES);
      new ClusterVerifier(cluster).assertRecovers(LIMIT);
    }
  }

  /** A second replica is damaged, and nobody knows: it is found when it is read, and nothing is deleted. */
  @Test
  void corruptReplica_beforeOneThatIsBadAndNotKnownAsSuch_stays() throws Exception {
    try (DayuCluster cluster = start()) {
      cluster.write("/f", BLOCK_BYTES, 3);
      LocatedBlock both = corrupt(cluster, "/f", 3, 0, 1);
      LocatedBlock known = new LocatedBlock(both.getBlock(), new DatanodeInfo[] {both.getLocations()[1]});
      cluster.fileSystem().getClient().reportBadBlocks(new LocatedBlock[] {known});
      long id = both.getBlock().getBlockId();
      Await.until("the other corrupt replica is known", LIMIT,
          () -> cluster.blockManager().getCorruptReplicas(new org.apache.hadoop.hdfs.protocol.Block(id)).size() == 2,
          StatusProbe::describe);
      assertEquals(List.of(both.getBlock().getNumBytes()),
          cluster.blocksOf("/f").stream().map(block -> block.getBlock().getNumBytes()).toList());
    }
  }
}

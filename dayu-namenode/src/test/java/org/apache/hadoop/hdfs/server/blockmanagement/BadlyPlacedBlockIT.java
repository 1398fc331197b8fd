/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.CommitResult.Verdict;
import io.dayu.blocks.TransferRequest;
import io.dayu.harness.RackByAddress;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.net.DNSToSwitchMapping;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * What {@link BlockManagerAccess} registers for a block that has enough replicas, on too few racks, on a real
 * BlockManager.
 */
class BadlyPlacedBlockIT {
  private static final int RACK = RackByAddress.RACK_SIZE;
  private static final long BYTES = 1 << 20;
  private static final int BADLY = LowRedundancyBlocks.QUEUE_REPLICAS_BADLY_DISTRIBUTED;

  private final HdfsConfiguration conf = new HdfsConfiguration();
  private LostNodes cluster;

  private MiniDFSCluster start() throws Exception {
    conf.setClass(CommonConfigurationKeysPublic.NET_TOPOLOGY_NODE_SWITCH_MAPPING_IMPL_KEY, RackByAddress.class,
        DNSToSwitchMapping.class);
    conf.setClass(DFSConfigKeys.DFS_BLOCK_REPLICATOR_CLASSNAME_KEY, BlockPlacementPolicyRackFaultTolerant.class,
        BlockPlacementPolicy.class);
    LostNodes.configure(conf);
    MiniDFSCluster nameNode =
        new MiniDFSCluster.Builder(conf).numDataNodes(0).useConfiguredTopologyMappingClass(true).build();
    cluster = new LostNodes(nameNode.getNamesystem(), RACK, 1, BYTES);
    cluster.addNodes(4 * RACK, node -> StorageType.DISK);
    return nameNode;
  }

  @Test
  void copiesThatPlacementNeedsTogether_areRegisteredTogether() throws Exception {
    try (MiniDFSCluster nameNode = start()) {
      long block = cluster.addBadlyDistributed(0, 1, 2);
      BlockManagerAccess access = open(nameNode);
      List<Verdict> verdicts =
          access.commit(List.of(copy(block, BADLY, RACK), copy(block, BADLY, 2 * RACK), copy(block, BADLY, 3 * RACK)),
              () -> true).stream()
              .map(CommitResult::verdict).toList();
      assertEquals(List.of(Verdict.COMMITTED, Verdict.COMMITTED, Verdict.NOT_NEEDED), verdicts);
    }
  }

  @Test
  void commit_waitsForNobodyWhoReads_andFindsABlockInAnotherQueue() throws Exception {
    try (MiniDFSCluster nameNode = start()) {
      long first = cluster.addBadlyDistributed(0, 1, 2);
      long moved = cluster.addBadlyDistributed(0, 1, 2);
      assertEquals(2, cluster.waiting());
      BlockManagerAccess access = open(nameNode);
      CountDownLatch reads = new CountDownLatch(1);
      CountDownLatch committed = new CountDownLatch(1);
      Thread reader = new Thread(() -> {
        nameNode.getNamesystem().readLock();
        try {
          reads.countDown();
          committed.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        } finally {
          nameNode.getNamesystem().readUnlock("test");
        }
      });
      reader.start();
      reads.await();
      assertTrue(access.commit(List.of(copy(first, BADLY, RACK)), () -> true).get(0).committed());
      assertEquals(1, cluster.waiting());
      committed.countDown();
      reader.join();
      TransferRequest request = copy(moved, LowRedundancyBlocks.QUEUE_LOW_REDUNDANCY, RACK);
      assertTrue(access.commit(List.of(request), () -> true).get(0).committed());
      assertEquals(0, cluster.waiting());
    }
  }

  private static BlockManagerAccess open(MiniDFSCluster nameNode) throws Exception {
    return BlockManagerAccess.open(nameNode.getNamesystem(), () -> 0L, TimeUnit.SECONDS.toNanos(1), ns -> {});
  }

  private static TransferRequest copy(long block, int risk, int target) {
    return new TransferRequest(new BlockKey(block, LostNodes.GENERATION), BYTES, risk, LostNodes.uuid(0),
        LostNodes.uuid(target), 1 << StorageType.DISK.ordinal());
  }
}

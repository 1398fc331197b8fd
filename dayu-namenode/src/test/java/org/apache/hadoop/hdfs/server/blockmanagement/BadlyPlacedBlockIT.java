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
import io.dayu.scale.RackByAddress;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.net.DNSToSwitchMapping;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * What {@link BlockManagerAccess} registers for a block that has enough replicas, on too few racks, on a real
 * BlockManager.
 */
class BadlyPlacedBlockIT {
  private static final int RACK = RackByAddress.RACK_SIZE;
  private static final long BYTES = 1 << 20;

  @Test
  void copiesThatPlacementNeedsTogether_areRegisteredTogether() throws Exception {
    HdfsConfiguration conf = new HdfsConfiguration();
    conf.setClass(CommonConfigurationKeysPublic.NET_TOPOLOGY_NODE_SWITCH_MAPPING_IMPL_KEY, RackByAddress.class,
        DNSToSwitchMapping.class);
    conf.setClass(DFSConfigKeys.DFS_BLOCK_REPLICATOR_CLASSNAME_KEY, BlockPlacementPolicyRackFaultTolerant.class,
        BlockPlacementPolicy.class);
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_REDUNDANCY_INTERVAL_SECONDS_KEY, 100_000);
    try (MiniDFSCluster nameNode =
        new MiniDFSCluster.Builder(conf).numDataNodes(0).useConfiguredTopologyMappingClass(true).build()) {
      LostNodes cluster = new LostNodes(nameNode.getNamesystem(), RACK, 1, BYTES);
      cluster.addNodes(4 * RACK, node -> StorageType.DISK);
      long block = cluster.addBadlyDistributed(0, 1, 2);
      BlockManagerAccess access =
          BlockManagerAccess.open(nameNode.getNamesystem(), () -> 0L, TimeUnit.SECONDS.toNanos(1), ns -> {});
      List<Verdict> verdicts =
          access.commit(List.of(copy(block, RACK), copy(block, 2 * RACK), copy(block, 3 * RACK)), () -> true).stream()
              .map(CommitResult::verdict).toList();
      assertEquals(List.of(Verdict.COMMITTED, Verdict.COMMITTED, Verdict.NOT_NEEDED), verdicts);
    }
  }

  private static TransferRequest copy(long block, int target) {
    return new TransferRequest(new BlockKey(block, LostNodes.GENERATION), BYTES,
        LowRedundancyBlocks.QUEUE_REPLICAS_BADLY_DISTRIBUTED,
        LostNodes.uuid(0), LostNodes.uuid(target), 1 << StorageType.DISK.ordinal());
  }
}

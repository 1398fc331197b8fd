/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.WaitingBlock;
import io.dayu.harness.RackByAddress;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.net.DNSToSwitchMapping;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** How {@link LowRedundancyQueues} goes through the queues of a real NameNode. */
class LowRedundancyQueuesIT {
  private static final int MISSING = 200;

  @Test
  void passes_readTheQueuesFromTheTop_andGoThroughAllBlocksWithoutAReplica() throws Exception {
    HdfsConfiguration conf = new HdfsConfiguration();
    conf.setClass(CommonConfigurationKeysPublic.NET_TOPOLOGY_NODE_SWITCH_MAPPING_IMPL_KEY, RackByAddress.class,
        DNSToSwitchMapping.class);
    LostNodes.configure(conf);
    try (MiniDFSCluster nameNode =
        new MiniDFSCluster.Builder(conf).numDataNodes(0).useConfiguredTopologyMappingClass(true).build()) {
      BlockManager blocks = nameNode.getNamesystem().getBlockManager();
      LostNodes nodes = new LostNodes(nameNode.getNamesystem(), RackByAddress.RACK_SIZE, 1, 1 << 20);
      nodes.addNodes(2 * RackByAddress.RACK_SIZE, node -> StorageType.DISK);
      BlockManagerAccess access =
          BlockManagerAccess.open(nameNode.getNamesystem(), () -> 0L, TimeUnit.SECONDS.toNanos(1), ns -> {});
      long waiting = nodes.addBlockOn(0, 1);
      List<BlockInfo> missing = new ArrayList<>();
      for (int i = 0; i < MISSING; i++) {
        missing.add(blocks.getStoredBlock(new Block(nodes.addBlockOn())));
      }
      for (int deletedIndex : List.of(0, 100, MISSING - 1)) {
        BlockInfo deleted = missing.get(deletedIndex);
        deleted.delete();
        int passes = 0;
        while (blocks.neededReconstruction.contains(deleted)) {
          assertTrue(passes++ < 5, "block " + deletedIndex + " of " + MISSING + " is still there");
          List<WaitingBlock> read = new ArrayList<>();
          assertTrue(access.readNext(read));
          assertEquals(List.of(waiting), read.stream().map(block -> block.key().blockId()).toList());
        }
      }
      assertEquals(MISSING - 3, blocks.neededReconstruction.getCorruptBlockSize());
      assertFalse(blocks.neededReconstruction.contains(missing.get(0)));
    }
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.WaitingBlock;
import io.dayu.harness.Await;
import io.dayu.harness.RackByAddress;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.net.DNSToSwitchMapping;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** How {@link LowRedundancyQueues} goes through the queues of a real NameNode. */
class LowRedundancyQueuesIT {
  private static final int MISSING = 200;
  private static final int HIGHEST_RISK = 100;
  private static final int AT_ONCE = 64;
  private static final int LOW_RISK = 1_500;

  private static MiniDFSCluster nameNode() throws IOException {
    HdfsConfiguration conf = new HdfsConfiguration();
    conf.setClass(CommonConfigurationKeysPublic.NET_TOPOLOGY_NODE_SWITCH_MAPPING_IMPL_KEY, RackByAddress.class,
        DNSToSwitchMapping.class);
    LostNodes.configure(conf);
    return new MiniDFSCluster.Builder(conf).numDataNodes(0).useConfiguredTopologyMappingClass(true).build();
  }

  @Test
  void pass_readsEachBlockOnce_highestRiskFirst() throws Exception {
    try (MiniDFSCluster nameNode = nameNode()) {
      LostNodes nodes = new LostNodes(nameNode.getNamesystem(), RackByAddress.RACK_SIZE, 1, 1 << 20);
      nodes.addNodes(2 * RackByAddress.RACK_SIZE, node -> StorageType.DISK);
      BlockManagerAccess access =
          BlockManagerAccess.open(nameNode.getNamesystem(), () -> 0L, TimeUnit.SECONDS.toNanos(1), ns -> {});
      List<Long> lowRisk = new ArrayList<>();
      for (int i = 0; i < LOW_RISK; i++) {
        lowRisk.add(nodes.addBlockOn(0, 1));
      }
      List<Long> all = new ArrayList<>();
      for (int i = 0; i < HIGHEST_RISK; i++) {
        all.add(nodes.addBlockOn(0));
      }
      assertEquals(all, ids(access.readHighestRisk(2 * HIGHEST_RISK)));
      assertEquals(all.subList(0, 1), ids(access.readHighestRisk(1)));
      all.addAll(lowRisk);
      for (int pass = 0; pass < 2; pass++) {
        List<WaitingBlock> read = new ArrayList<>();
        int calls = 1;
        while (!access.readNext(read)) {
          assertTrue(calls++ < all.size(), "the pass does not end");
        }
        assertEquals(all, ids(read));
      }
    }
  }

  /**
   * A report of a DataNode holds the lock for writing while it waits for the monitor of the queues. So a read of them
   * asks for the lock after a few blocks, and lets the report go on.
   */
  @Test
  void blocksBehindTheFirst_areTakenOnlyWhenTheseAreRead() throws Exception {
    try (MiniDFSCluster nameNode = nameNode()) {
      FSNamesystem namesystem = nameNode.getNamesystem();
      BlockManager blocks = namesystem.getBlockManager();
      LostNodes nodes = new LostNodes(namesystem, RackByAddress.RACK_SIZE, 1, 1 << 20);
      nodes.addNodes(2 * RackByAddress.RACK_SIZE, node -> StorageType.DISK);
      BlockManagerAccess access =
          BlockManagerAccess.open(namesystem, () -> 0L, TimeUnit.SECONDS.toNanos(1), ns -> {});
      List<Long> queued = new ArrayList<>();
      for (int i = 0; i < HIGHEST_RISK; i++) {
        queued.add(nodes.addBlockOn(0));
      }
      List<WaitingBlock> next = new ArrayList<>();
      List<WaitingBlock> head = new ArrayList<>();
      Thread readsNext = new Thread(() -> access.readNext(next));
      Thread readsHead = new Thread(() -> head.addAll(access.readHighestRisk(HIGHEST_RISK)));
      namesystem.writeLock();
      try {
        readsNext.start();
        readsHead.start();
        Await.until("both wait for the lock", Duration.ofSeconds(30), () -> readsNext.getState() == Thread.State.WAITING
            && readsHead.getState() == Thread.State.WAITING);
        for (long id : queued.subList(AT_ONCE, HIGHEST_RISK)) {
          blocks.neededReconstruction.remove(blocks.getStoredBlock(new Block(id)), 0);
        }
      } finally {
        namesystem.writeUnlock("test");
      }
      readsNext.join();
      readsHead.join();
      assertEquals(queued.subList(0, AT_ONCE), ids(next));
      assertEquals(queued.subList(0, AT_ONCE), ids(head));
    }
  }

  private static List<Long> ids(List<WaitingBlock> read) {
    return read.stream().map(block -> block.key().blockId()).toList();
  }

  @Test
  void passes_readTheQueuesFromTheTop_andGoThroughAllBlocksWithoutAReplica() throws Exception {
    try (MiniDFSCluster nameNode = nameNode()) {
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
          assertEquals(List.of(waiting), ids(read));
        }
      }
      assertEquals(MISSING - 3, blocks.neededReconstruction.getCorruptBlockSize());
      assertFalse(blocks.neededReconstruction.contains(missing.get(0)));
    }
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.LeavingNode;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import io.dayu.harness.RackByAddress;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.net.DNSToSwitchMapping;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The separate locks of Hadoop 3.5 for namespace and blocks, on a real BlockManager: Dayu takes the ones that it needs,
 * which HDFS's own assertions check, and keeps nobody from reading the namespace. On 3.4, which has one lock, the same
 * calls run under it.
 */
class SeparateLocksIT {
  private static final int RACK = RackByAddress.RACK_SIZE;
  private static final long BYTES = 1 << 20;

  private LostNodes cluster;
  private BlockManagerAccess access;

  private MiniDFSCluster start() throws Exception {
    HdfsConfiguration conf = new HdfsConfiguration();
    conf.setClass(CommonConfigurationKeysPublic.NET_TOPOLOGY_NODE_SWITCH_MAPPING_IMPL_KEY, RackByAddress.class,
        DNSToSwitchMapping.class);
    LostNodes.configure(conf);
    conf.set("dfs.namenode.lock.model.provider.class",
        "org.apache.hadoop.hdfs.server.namenode.fgl.FineGrainedFSNamesystemLock");
    MiniDFSCluster nameNode =
        new MiniDFSCluster.Builder(conf).numDataNodes(0).useConfiguredTopologyMappingClass(true).build();
    cluster = new LostNodes(nameNode.getNamesystem(), RACK, 1, BYTES);
    cluster.addNodes(4 * RACK, node -> StorageType.DISK);
    access = BlockManagerAccess.open(nameNode.getNamesystem(), () -> 0L, TimeUnit.SECONDS.toNanos(1), ns -> {});
    return nameNode;
  }

  /** The lock of the namespace alone, held for reading while {@code action} runs. */
  private static void whileTheNamespaceIsRead(FSNamesystem namesystem, Runnable action) throws Exception {
    Class<?> mode = null;
    try {
      mode = Class.forName("org.apache.hadoop.hdfs.util.RwLockMode");
    } catch (ClassNotFoundException beforeHadoop35) {
      Assumptions.abort("this Hadoop has one lock");
    }
    Object namespace = mode.getField("FS").get(null);
    FSNamesystem.class.getMethod("readLock", mode).invoke(namesystem, namespace);
    try {
      action.run();
    } finally {
      FSNamesystem.class.getMethod("readUnlock", mode, String.class).invoke(namesystem, namespace, "test");
    }
  }

  @Test
  void queuesAreRead_whileOthersReadTheNamespace() throws Exception {
    try (MiniDFSCluster nameNode = start()) {
      BlockKey block = new BlockKey(cluster.addBlockOn(0, 1), LostNodes.GENERATION);
      List<WaitingBlock> read = new ArrayList<>();
      whileTheNamespaceIsRead(nameNode.getNamesystem(), () -> CompletableFuture.runAsync(() -> {
        access.readNext(read);
        read.addAll(access.readAgain(List.of(block)));
      }).orTimeout(60, TimeUnit.SECONDS).join());
      assertEquals(List.of(block, block), read.stream().map(WaitingBlock::key).toList());
    }
  }

  @Test
  void whatNeedsFiles_hasTheLockOfTheNamespace() throws Exception {
    try (MiniDFSCluster nameNode = start()) {
      cluster.addBlockOn(0, 1);
      DatanodeManager datanodes = nameNode.getNamesystem().getBlockManager().getDatanodeManager();
      datanodes.getDatanodeAdminManager().startDecommission(datanodes.getDatanode(LostNodes.uuid(0)));
      List<LeavingNode> leaving = access.leavingNodes(block -> false);
      assertEquals(List.of(1L), leaving.stream().map(LeavingNode::replicas).toList());
    }
  }

  /** The queue of another risk than the request names is looked at under the lock of the blocks alone. */
  @Test
  void blockThatHasChangedItsQueue_leavesItWhenEnoughCopiesArePending() throws Exception {
    try (MiniDFSCluster nameNode = start()) {
      BlockKey block = new BlockKey(cluster.addBlockOn(0, 1), LostNodes.GENERATION);
      TransferRequest copy = new TransferRequest(block, BYTES, LowRedundancyBlocks.QUEUE_HIGHEST_PRIORITY,
          LostNodes.uuid(0), LostNodes.uuid(RACK), 1 << StorageType.DISK.ordinal());
      assertTrue(access.commit(List.of(copy), () -> true).get(0).committed());
      assertEquals(0, cluster.waiting());
    }
  }
}

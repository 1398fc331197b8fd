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
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import io.dayu.harness.RackByAddress;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.net.DNSToSwitchMapping;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A block at which HDFS throws, beside another one, on a real BlockManager: the other one is handled as always. */
class FailingBlockIT {
  private static final int RACK = RackByAddress.RACK_SIZE;
  private static final long BYTES = 1 << 20;
  private static final int BADLY = LowRedundancyBlocks.QUEUE_REPLICAS_BADLY_DISTRIBUTED;
  /** The node whose blocks the policy cannot judge; none at first. */
  private static volatile String failingNode = "";

  /** Fails at blocks that have a replica on one node. */
  public static final class FailingPolicy extends BlockPlacementPolicyRackFaultTolerant {
    @Override
    public BlockPlacementStatus verifyBlockPlacement(DatanodeInfo[] nodes, int replicas) {
      if (Arrays.stream(nodes).anyMatch(node -> node.getDatanodeUuid().equals(failingNode))) {
        throw new IllegalStateException("as the test wants");
      }
      return super.verifyBlockPlacement(nodes, replicas);
    }
  }

  private final HdfsConfiguration conf = new HdfsConfiguration();
  private LostNodes cluster;
  private long failing;
  private long other;
  private BlockManagerAccess access;

  private MiniDFSCluster start() throws Exception {
    conf.setClass(CommonConfigurationKeysPublic.NET_TOPOLOGY_NODE_SWITCH_MAPPING_IMPL_KEY, RackByAddress.class,
        DNSToSwitchMapping.class);
    conf.setClass(DFSConfigKeys.DFS_BLOCK_REPLICATOR_CLASSNAME_KEY, FailingPolicy.class, BlockPlacementPolicy.class);
    LostNodes.configure(conf);
    MiniDFSCluster nameNode =
        new MiniDFSCluster.Builder(conf).numDataNodes(0).useConfiguredTopologyMappingClass(true).build();
    cluster = new LostNodes(nameNode.getNamesystem(), RACK, 1, BYTES);
    cluster.addNodes(4 * RACK, node -> StorageType.DISK);
    failing = cluster.addBadlyDistributed(0, 1, 2);
    other = cluster.addBadlyDistributed(3, 4, 5);
    access = BlockManagerAccess.open(nameNode.getNamesystem(), () -> 0L, TimeUnit.SECONDS.toNanos(1), ns -> {});
    return nameNode;
  }

  @AfterEach
  void mend() {
    failingNode = "";
  }

  private static TransferRequest copy(long block, int source, int target) {
    return new TransferRequest(new BlockKey(block, LostNodes.GENERATION), BYTES, BADLY, LostNodes.uuid(source),
        LostNodes.uuid(target), 1 << StorageType.DISK.ordinal());
  }

  @Test
  void blockThatCannotBeRead_isStocks() throws Exception {
    try (MiniDFSCluster nameNode = start()) {
      failingNode = LostNodes.uuid(0);
      List<WaitingBlock> read = new ArrayList<>();
      access.readNext(read);
      Map<Long, Boolean> forStock =
          read.stream().collect(Collectors.toMap(block -> block.key().blockId(), WaitingBlock::isForStock));
      assertEquals(Map.of(failing, true, other, false), forStock);
      assertEquals(1, access.readAgain(List.of(new BlockKey(failing, LostNodes.GENERATION),
          new BlockKey(other, LostNodes.GENERATION))).stream().filter(block -> !block.isForStock()).count());
      assertEquals(1, access.scheduleByStock(read), "stock fails at it, too");
    }
  }

  /** A DataNode must not look as if it could go since HDFS cannot say what keeps it. */
  @Test
  void leavingNodeWithABlockThatCannotBeJudged_isShown_withThatBlock() throws Exception {
    try (MiniDFSCluster nameNode = start()) {
      DatanodeManager nodes = nameNode.getNamesystem().getBlockManager().getDatanodeManager();
      for (int node : new int[] {1, 4}) {
        nodes.getDatanode(LostNodes.uuid(node)).startMaintenance();
      }
      failingNode = LostNodes.uuid(0);
      Map<String, Set<LeavingNode.Cause>> causes = access.leavingNodes(id -> false).stream()
          .collect(Collectors.toMap(LeavingNode::uuid, node -> node.left().keySet()));
      assertEquals(Map.of(LostNodes.uuid(1), Set.of(LeavingNode.Cause.UNREADABLE), LostNodes.uuid(4), Set.of()),
          causes);
    }
  }

  @Test
  void copyThatCannotBeCheckedOrUnregistered_keepsNoOtherFromIt() throws Exception {
    try (MiniDFSCluster nameNode = start()) {
      List<TransferRequest> copies = List.of(copy(failing, 0, RACK), copy(other, 3, RACK));
      assertTrue(access.commit(copies, () -> true).stream().allMatch(result -> result.committed()));
      failingNode = LostNodes.uuid(0);
      assertEquals(List.of(PendingCheck.State.UNWANTED, PendingCheck.State.WANTED),
          access.check(copies).stream().map(PendingCheck::state).toList());
      access.unregister(copies);
      assertEquals(1, access.readAgain(List.of(new BlockKey(other, LostNodes.GENERATION))).size(), "it waits again");
    }
  }
}

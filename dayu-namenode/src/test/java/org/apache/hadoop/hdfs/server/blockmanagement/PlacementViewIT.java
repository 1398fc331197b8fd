/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.CommitResult.Verdict;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import io.dayu.harness.Await;
import io.dayu.harness.RackByAddress;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;
import org.apache.hadoop.hdfs.server.protocol.StorageReport;
import org.apache.hadoop.net.DNSToSwitchMapping;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What {@link BlockManagerAccess} tells the planner of HDFS's rules for targets and sources, on a real one. */
class PlacementViewIT {
  private static final int NODES = 3 * RackByAddress.RACK_SIZE;
  private static final long BYTES = 1 << 20;

  private LostNodes nodes;
  private BlockManagerAccess access;

  private MiniDFSCluster start(boolean considerLoad, Class<? extends BlockPlacementPolicy> policy, StorageType type)
      throws Exception {
    HdfsConfiguration conf = new HdfsConfiguration();
    conf.setClass(CommonConfigurationKeysPublic.NET_TOPOLOGY_NODE_SWITCH_MAPPING_IMPL_KEY, RackByAddress.class,
        DNSToSwitchMapping.class);
    conf.setClass(DFSConfigKeys.DFS_BLOCK_REPLICATOR_CLASSNAME_KEY, policy, BlockPlacementPolicy.class);
    LostNodes.configure(conf);
    MiniDFSCluster nameNode = new MiniDFSCluster.Builder(conf).numDataNodes(0)
        .useConfiguredTopologyMappingClass(true).build();
    // MiniDFSCluster overrides the setting.
    BlockPlacementPolicy used = nameNode.getNamesystem().getBlockManager().getBlockPlacementPolicy();
    ((BlockPlacementPolicyDefault) used).considerLoad = considerLoad;
    nodes = new LostNodes(nameNode.getNamesystem(), RackByAddress.RACK_SIZE, 1, BYTES);
    nodes.addNodes(NODES, node -> type);
    access = BlockManagerAccess.open(nameNode.getNamesystem(), () -> 0L, TimeUnit.SECONDS.toNanos(1), ns -> {});
    return nameNode;
  }

  private List<LiveNode> liveNodes() {
    List<LiveNode> live = new ArrayList<>(access.liveNodes());
    live.sort(Comparator.comparing(LiveNode::uuid));
    return live;
  }

  @Test
  void busyEmptyAndLeavingNodes_areKnown() throws Exception {
    try (MiniDFSCluster nameNode = start(true, AvailableSpaceBlockPlacementPolicy.class, StorageType.DISK)) {
      nodes.heartbeat(0, 50, 40);
      nodes.heartbeat(1, 90, 4);
      BlockManager blocks = nameNode.getNamesystem().getBlockManager();
      blocks.getDatanodeManager().getDatanodeAdminManager()
          .startDecommission(blocks.getDatanodeManager().getDatanode(LostNodes.uuid(2)));
      List<LiveNode> live = liveNodes();
      assertEquals(List.of(40, 0, 0),
          live.stream().limit(3).map(node -> node.placement().xceiversIfOverloaded()).toList());
      assertEquals(50, live.get(0).placement().usedPercent(), 1);
      assertEquals(90, live.get(1).placement().usedPercent(), 1);
      assertEquals(List.of(false, false, true), live.stream().limit(3).map(node -> node.status().leaving()).toList());
      assertEquals(List.of(true, true, false), live.stream().limit(3).map(LiveNode::target).toList());
    }
  }

  /** Registrations and clients' calls need this monitor, and this reads all nodes each second. */
  @Test
  void nodes_areRead_whileAnotherThreadHasTheMonitorOfDatanodeManager() throws Exception {
    try (MiniDFSCluster nameNode = start(false, BlockPlacementPolicyDefault.class, StorageType.DISK)) {
      synchronized (nameNode.getNamesystem().getBlockManager().getDatanodeManager()) {
        CompletableFuture<List<LiveNode>> read = CompletableFuture.supplyAsync(this::liveNodes);
        assertEquals(NODES, read.orTimeout(60, TimeUnit.SECONDS).join().size());
        CompletableFuture<Integer> silent = CompletableFuture.supplyAsync(access::nodesWithoutBlockReport);
        assertEquals(NODES, silent.orTimeout(60, TimeUnit.SECONDS).join());
      }
    }
  }

  @Test
  void replicaThatHasArrived_takesRoom_beforeItsNodesNextHeartbeat() throws Exception {
    try (MiniDFSCluster nameNode = start(false, BlockPlacementPolicyDefault.class, StorageType.DISK)) {
      nodes.addBlocks(1);
      WaitingBlock block = read();
      int target = IntStream.range(0, NODES).filter(node -> !block.holders().contains(LostNodes.uuid(node))
          && !liveNodes().get(node).isForbidden(block)).findFirst().orElseThrow();
      TransferRequest copy = new TransferRequest(block.key(), block.numBytes(), block.risk(), block.sources().get(0),
          LostNodes.uuid(target), block.storageTypes());
      long roomBytes = 4 * BYTES;
      nodes.heartbeat(target, roomBytes, 4);
      assertFalse(access.isRoomChanging());
      assertEquals(Verdict.COMMITTED, access.commit(List.of(copy), () -> true).get(0).verdict());
      assertTrue(access.isRoomChanging());
      assertEquals(roomBytes, roomOn(target));
      nodes.receive(new LostNodes.Copy(block.key().blockId(), LostNodes.uuid(target)));
      assertEquals(roomBytes - BYTES, roomOn(target));
      // The clock has milliseconds.
      Await.until("the heartbeat says what room there is", Duration.ofSeconds(30), () -> {
        nodes.heartbeat(target, roomBytes, 4);
        return roomOn(target) == roomBytes;
      });
      assertFalse(access.isRoomChanging());
    }
  }

  @Test
  void storages_areKnownFromTheFirstHeartbeat_alsoAfterAnotherRegistration() throws Exception {
    try (MiniDFSCluster nameNode = start(false, BlockPlacementPolicyDefault.class, StorageType.DISK)) {
      assertFalse(access.knowsStorages(LostNodes.uuid(NODES)), "unknown");
      nodes.register(NODES);
      assertFalse(access.knowsStorages(LostNodes.uuid(NODES)), "no heartbeat yet");
      assertTrue(access.knowsStorages(LostNodes.uuid(0)));
      nodes.register(0);
      assertTrue(access.knowsStorages(LostNodes.uuid(0)));
    }
  }

  @Test
  void deadNode_keepsItsName() throws Exception {
    try (MiniDFSCluster nameNode = start(false, BlockPlacementPolicyDefault.class, StorageType.DISK)) {
      LiveNode live = liveNodes().get(0);
      assertEquals(live.name(), access.nameOf(live.uuid()));
      nameNode.getNamesystem().getBlockManager().getDatanodeManager().getDatanode(live.uuid()).setAlive(false);
      assertTrue(access.isDead(live.uuid()));
      assertEquals(live.name(), access.nameOf(live.uuid()));
      assertEquals(LostNodes.uuid(NODES), access.nameOf(LostNodes.uuid(NODES)), "unknown");
    }
  }

  private long roomOn(int node) {
    return liveNodes().get(node).space().maxVolumeFreeBytes()[StorageType.DISK.ordinal()];
  }

  @Test
  void typeWithoutRoom_isReplacedByThePolicysFallback() throws Exception {
    try (MiniDFSCluster nameNode = start(false, BlockPlacementPolicyDefault.class, StorageType.ARCHIVE)) {
      nodes.heartbeat(0, 50, 1_000);
      nodes.addBlocks(1);
      assertEquals(1 << StorageType.DISK.ordinal(), read().storageTypes(), "before it is known what there is");
      List<LiveNode> live = liveNodes();
      assertEquals(0, live.get(0).placement().xceiversIfOverloaded());
      assertEquals(0, live.get(0).placement().usedPercent());
      WaitingBlock block = read();
      assertEquals(1 << StorageType.ARCHIVE.ordinal(), block.storageTypes());
      assertNull(block.stockReason());
      LiveNode target = live.stream().filter(node -> !block.holders().contains(node.uuid()) && !node.isForbidden(block))
          .findFirst().orElseThrow();
      TransferRequest copy = new TransferRequest(block.key(), block.numBytes(), block.risk(), block.sources().get(0),
          target.uuid(), block.storageTypes());
      assertEquals(Verdict.COMMITTED, access.commit(List.of(copy), () -> true).get(0).verdict());
    }
  }

  @Test
  void nodesThatThePolicyExcludesAsSlow_areNoTargets() throws Exception {
    try (MiniDFSCluster nameNode = start(false, BlockPlacementPolicyDefault.class, StorageType.DISK)) {
      BlockManager blocks = nameNode.getNamesystem().getBlockManager();
      blocks.getDatanodeManager().addSlowPeers(LostNodes.uuid(1));
      try {
        assertEquals(List.of(true, true), liveNodes().stream().limit(2).map(LiveNode::target).toList());
        blocks.getBlockPlacementPolicy().setExcludeSlowNodesEnabled(true);
        assertEquals(List.of(true, false), liveNodes().stream().limit(2).map(LiveNode::target).toList());
      } finally {
        DatanodeManager.getSlowNodesUuidSet().clear();
      }
    }
  }

  @Test
  void room_isThatOfTheVolumeThatHasMost() throws Exception {
    try (MiniDFSCluster nameNode = start(false, BlockPlacementPolicyDefault.class, StorageType.DISK)) {
      DatanodeManager datanodes = nameNode.getNamesystem().getBlockManager().getDatanodeManager();
      DatanodeDescriptor node = datanodes.getDatanode(LostNodes.uuid(0));
      StorageReport[] reports = new StorageReport[3];
      for (int i = 0; i < reports.length; i++) {
        String id = i == 0 ? node.getStorageInfos()[0].getStorageID() : "another-" + i;
        reports[i] = new StorageReport(new DatanodeStorage(id), false, 10 * BYTES, 9 * BYTES, (i + 1) * BYTES,
            9 * BYTES, 0);
      }
      datanodes.getHeartbeatManager().updateHeartbeat(node, reports, 0, 0, 0, 0, null);
      LiveNode read = liveNodes().get(0);
      assertEquals(3 * BYTES, read.space().maxVolumeFreeBytes()[StorageType.DISK.ordinal()]);
      assertEquals(3, read.space().volumes()[StorageType.DISK.ordinal()]);
    }
  }

  @Test
  void blockOnProvidedStorage_isLeftToStock() throws Exception {
    try (MiniDFSCluster nameNode = start(false, BlockPlacementPolicyDefault.class, StorageType.PROVIDED)) {
      nodes.addBlocks(1);
      nodes.addNodes(NODES + RackByAddress.RACK_SIZE, node -> StorageType.DISK);
      liveNodes();
      assertEquals(WaitReason.PROVIDED_STORAGE, read().stockReason());
    }
  }

  private WaitingBlock read() {
    List<WaitingBlock> read = access.peek(1);
    assertEquals(1, read.size());
    return read.get(0);
  }
}

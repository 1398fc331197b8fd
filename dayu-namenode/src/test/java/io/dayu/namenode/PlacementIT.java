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
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.blockmanagement.AvailableSpaceBlockPlacementPolicy;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockPlacementPolicyRackFaultTolerant;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockPlacementPolicyWithUpgradeDomain;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeManager;
import org.apache.hadoop.hdfs.server.blockmanagement.SpaceAndLoadPolicy;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.protocol.OutlierMetrics;
import org.apache.hadoop.hdfs.server.protocol.StorageReport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The planner knows what HDFS's placement policies ask for: none of its copies is refused, and no block is left to
 * stock.
 */
final class PlacementIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int BLOCK_BYTES = 256 << 10;
  private static final int FILES = 20;

  private DayuCluster cluster;

  /** No agent that stands still for a while ends a transfer, which would count as failed. */
  private static ClusterBuilder builder(int nodes, int racks) {
    return FaultsIT.builder().dataNodes(nodes).racks(racks).blockSizeBytes(BLOCK_BYTES).bandwidthBytesPerSec(20 << 20)
        .conf("dayu.transfer.lease", "30s");
  }

  private void write(int replication) throws Exception {
    for (int i = 0; i < FILES; i++) {
      cluster.write("/f" + i, BLOCK_BYTES, replication);
    }
    StatusProbe.awaitSettled(cluster);
  }

  private void assertRecoveredWithoutRefusal() throws Exception {
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    assertEquals(0, StatusProbe.status().getTotalRejected(), StatusProbe.refusals() + ", " + StatusProbe.describe());
    assertEquals(0, StatusProbe.status().getTotalFailed(), StatusProbe.describe());
    assertEquals(0, StatusProbe.status().getTotalHandedToStock(), StatusProbe.describe());
  }

  @AfterEach
  void close() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void nodeGroups_holdOneReplicaEach() throws Exception {
    cluster = builder(12, 3).nodeGroups(6).start();
    StatusProbe.awaitDayu(12);
    write(3);
    cluster.kill(cluster.fullestNode());
    assertRecoveredWithoutRefusal();
  }

  @Test
  void upgradeDomains_holdOneReplicaEach() throws Exception {
    cluster = builder(12, 3)
        .conf("dfs.block.replicator.classname", BlockPlacementPolicyWithUpgradeDomain.class.getName()).start();
    for (int node = 0; node < cluster.nodeCount(); node++) {
      cluster.descriptor(node).setUpgradeDomain("domain" + node / 3);
    }
    StatusProbe.awaitDayu(12);
    write(3);
    cluster.kill(cluster.fullestNode());
    assertRecoveredWithoutRefusal();
  }

  @Test
  void blockNeedsRoomOnOneVolume_withAvailableSpaceAndLoadConsidered() throws Exception {
    cluster = builder(9, 3).volumesPerNode(2)
        .conf("dfs.block.replicator.classname", SpaceAndLoadPolicy.class.getName()).start();
    StatusProbe.awaitDayu(9);
    write(3);
    int lost = cluster.fullestNode();
    int full = (lost + 1) % cluster.nodeCount();
    for (int volume = 0; volume < 2; volume++) {
      cluster.volumes().fill(full, volume, BLOCK_BYTES * 3 / 5);
    }
    Await.until("room is known", LIMIT, () -> cluster.descriptor(full).getRemaining() < 2 * BLOCK_BYTES);
    int blocks = cluster.blocksOn(full).size();
    cluster.kill(lost);
    assertRecoveredWithoutRefusal();
    assertEquals(blocks, cluster.blocksOn(full).size());
  }

  /**
   * All nodes have the same bandwidth, and for each block there is an emptier node without a transfer yet. Without
   * the preference 1 plan in 126 would choose the same.
   */
  @Test
  void emptierNodes_areChosenBeforeFullerOnes() throws Exception {
    cluster = builder(3 + 5 + 4, 3)
        .conf("dfs.block.replicator.classname", AvailableSpaceBlockPlacementPolicy.class.getName())
        .conf("dayu.scheduler.eviction-factor", "0").start();
    StatusProbe.awaitDayu(12);
    List<Integer> fuller = List.of(8, 9, 10, 11);
    cluster.files().write(cluster.fileSystem(), "/ballast", 20 * BLOCK_BYTES, 4, addresses(fuller));
    for (int i = 0; i < 5; i++) {
      cluster.files().write(cluster.fileSystem(), "/f" + i, BLOCK_BYTES, 3, addresses(List.of(0, 1, 2)));
    }
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    for (int node : fuller) {
      cluster.volumes().fill(node, 0, 5 * BLOCK_BYTES);
    }
    Await.until("use is known", LIMIT,
        () -> fuller.stream().allMatch(node -> cluster.descriptor(node).getDfsUsedPercent() > 75));
    try (TransferLog log = new TransferLog()) {
      cluster.kill(0);
      assertRecoveredWithoutRefusal();
      List<Integer> targets = log.pulls().stream().map(pull -> cluster.nodeOf(pull.target())).toList();
      assertTrue(targets.size() >= 5 && Collections.disjoint(targets, fuller), targets::toString);
    }
  }

  private InetSocketAddress[] addresses(List<Integer> nodes) {
    return nodes.stream().map(node -> cluster.dataNode(node).getXferAddress()).toArray(InetSocketAddress[]::new);
  }

  /** HDFS chooses no node with more than twice the threads of data transfer that its nodes have on average. */
  @Test
  void busyNode_isNoTarget_whileOthersHaveBandwidth() throws Exception {
    cluster = builder(9, 3).conf("dfs.block.replicator.classname", SpaceAndLoadPolicy.class.getName()).start();
    StatusProbe.awaitDayu(9);
    write(3);
    int lost = cluster.fullestNode();
    int busy = (lost + 1) % cluster.nodeCount();
    SpaceAndLoadPolicy policy = (SpaceAndLoadPolicy) cluster.blockManager().getBlockPlacementPolicy();
    List<FSDataOutputStream> open = new ArrayList<>();
    try {
      policy.considerLoad(false);
      for (int i = 0; i < 12; i++) {
        FSDataOutputStream out = cluster.fileSystem().create(new Path("/open" + i), FsPermission.getFileDefault(),
            false, 512, (short) 1, BLOCK_BYTES, null,
            new InetSocketAddress[] {cluster.dataNode(busy).getXferAddress()});
        open.add(out);
        out.write(1);
        out.hflush();
      }
      policy.considerLoad(true);
      Await.until("the NameNode knows of the threads", LIMIT, () -> cluster.descriptor(busy).getXceiverCount() >= 12,
          () -> cluster.descriptor(busy).getXceiverCount());
      try (TransferLog log = new TransferLog()) {
        long before = StatusProbe.status().getTotalFinished();
        cluster.kill(lost);
        StatusProbe.await("all waiting blocks are recovered", () -> StatusProbe.status().getTotalFinished() > before
            && StatusProbe.status().getWaitingBlocks() + StatusProbe.status().getRunningTransfers() == 0);
        String uuid = cluster.dataNode(busy).getDatanodeUuid();
        assertFalse(log.pulls().isEmpty());
        assertTrue(log.pulls().stream().noneMatch(pull -> pull.target().equals(uuid)), log.pulls()::toString);
      }
    } finally {
      for (int i = 0; i < open.size(); i++) {
        open.get(i).close();
        cluster.fileSystem().delete(new Path("/open" + i), false);
      }
    }
    assertRecoveredWithoutRefusal();
  }

  @Test
  void leavingNode_servesAllItsBlocks_whileItHasBandwidth() throws Exception {
    cluster = builder(9, 3).start();
    StatusProbe.awaitDayu(9);
    write(3);
    int leaving = cluster.fullestNode();
    int blocks = cluster.blocksOn(leaving).size();
    try (TransferLog log = new TransferLog()) {
      cluster.admin().decommission(leaving);
      Await.until("decommissioned", LIMIT, () -> cluster.descriptor(leaving).isDecommissioned(),
          StatusProbe::describe);
      String uuid = cluster.dataNode(leaving).getDatanodeUuid();
      assertEquals(blocks, log.pulls().stream().map(TransferLog.Pull::blockId).distinct().count());
      assertTrue(log.pulls().stream().allMatch(pull -> pull.source().equals(uuid)), log.pulls()::toString);
    }
    assertRecoveredWithoutRefusal();
  }

  @Test
  void rackFaultTolerantPolicy_spreadsReplicasEvenly() throws Exception {
    cluster = builder(9, 3)
        .conf("dfs.block.replicator.classname", BlockPlacementPolicyRackFaultTolerant.class.getName()).start();
    StatusProbe.awaitDayu(9);
    write(4);
    cluster.kill(cluster.fullestNode());
    assertRecoveredWithoutRefusal();
  }

  /** HDFS finds a slow node by its address alone. All have the same here, so it takes any of them. */
  @Test
  void nodesThatOthersReportAsSlow_receiveNothing() throws Exception {
    cluster = builder(9, 3).conf(DFSConfigKeys.DFS_DATANODE_PEER_STATS_ENABLED_KEY, "true")
        .conf(DFSConfigKeys.DFS_DATANODE_OUTLIERS_REPORT_INTERVAL_KEY, "1s")
        .conf(DFSConfigKeys.DFS_NAMENODE_BLOCKPLACEMENTPOLICY_EXCLUDE_SLOW_NODES_ENABLED_KEY, "true").start();
    StatusProbe.awaitDayu(9);
    write(3);
    DataNode outlier = cluster.dataNode(0);
    String address = outlier.getDatanodeId().getIpAddr() + ":" + outlier.getIpcPort();
    cluster.dataNode(1).getPeerMetrics().setTestOutliers(Map.of(address, new OutlierMetrics(1.0, 1.0, 2.0, 9.0)));
    DatanodeManager datanodes = cluster.blockManager().getDatanodeManager();
    Await.until("the report of an outlier", LIMIT, () -> datanodes.getSlowPeersReport().contains(address));
    Await.until("a slow node", LIMIT, () -> {
      boolean found = DatanodeManager.getSlowNodesUuidSet().size() == 1;
      if (!found) {
        // Forgets what it knew, looks once at the reports of the last seconds, and then after an hour.
        datanodes.restartSlowPeerCollector(TimeUnit.HOURS.toMillis(1));
      }
      return found;
    });
    int slow = cluster.nodeOf(DatanodeManager.getSlowNodesUuidSet().iterator().next());
    int blocks = cluster.blocksOn(slow).size();
    cluster.kill(fullestNodeBut(slow));
    assertRecoveredWithoutRefusal();
    assertEquals(blocks, cluster.blocksOn(slow).size());
  }

  private int fullestNodeBut(int other) {
    return IntStream.range(0, cluster.nodeCount()).filter(node -> node != other).boxed()
        .max(Comparator.comparingInt(node -> cluster.blocksOn(node).size())).orElseThrow();
  }

  @Test
  void ssdsWithoutRoom_areReplacedByThePoliciesFallback() throws Exception {
    cluster = builder(9, 3).storageTypes(StorageType.SSD, StorageType.DISK).start();
    StatusProbe.awaitDayu(9);
    for (String policy : List.of("ALL_SSD", "ONE_SSD")) {
      Path directory = new Path("/" + policy);
      cluster.fileSystem().mkdirs(directory);
      cluster.fileSystem().setStoragePolicy(directory, policy);
      for (int i = 0; i < FILES / 2; i++) {
        cluster.write(directory + "/f" + i, BLOCK_BYTES, 3);
      }
    }
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    // Two of them have room for two blocks each.
    int room = BLOCK_BYTES * 5 / 2;
    for (int node = 0; node < cluster.nodeCount(); node++) {
      cluster.volumes().fill(node, 0, node < 2 ? room : 0);
    }
    Await.until("room is known", LIMIT, () -> IntStream.range(0, cluster.nodeCount())
        .allMatch(node -> room(node, StorageType.SSD) <= room));
    cluster.kill(fullestNodeBut(0));
    assertRecoveredWithoutRefusal();
  }

  private long room(int node, StorageType type) {
    return Arrays.stream(cluster.descriptor(node).getStorageReports())
        .filter(volume -> volume.getStorage().getStorageType() == type).mapToLong(StorageReport::getRemaining).sum();
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.namenode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.dayu.harness.Await;
import io.dayu.harness.ClusterBuilder;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;

import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.net.StaticMapping;
import org.apache.hadoop.test.MetricsAsserts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.File;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/**
 * The same cases under stock HDFS and under Dayu, with an observer NameNode beside the active one: each ends with the replication goal
 * reached, and what HDFS itself counts and reports of it is the same.
 */
@Timeout(300)
final class StockCountersIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int NODES = 6;
  private static final int BLOCK_BYTES = 256 << 10;

  private final Map<String, Object> seen = new LinkedHashMap<>();
  private DayuCluster cluster;
  private DistributedFileSystem fs;

  /** Leases are a third of the pending timeout, so it is not too short. */
  private static ClusterBuilder builder() {
    return DayuCluster.builder().dataNodes(NODES).blockSizeBytes(BLOCK_BYTES).bandwidthBytesPerSec(50 << 20).highAvailability()
        .conf("dayu.timeslot.interval", "600ms").conf("dayu.heartbeat.interval", "200ms")
        .conf("dfs.namenode.reconstruction.pending.timeout-sec", "15")
        // Else stock finds sources busy, or not, as copies end.
        .conf("dfs.namenode.replication.max-streams", "100").conf("dfs.namenode.replication.max-streams-hard-limit", "100");
  }

  @Test
  void counters_areThoseOfStock() throws Exception {
    Map<String, Object> stock = run(builder().withoutDayu(), false);
    Map<String, Object> dayu = run(builder(), true);
    assertEquals(stock.toString(), dayu.toString());
  }

  private Map<String, Object> run(ClusterBuilder builder, boolean byDayu) throws Exception {
    seen.clear();
    cluster = builder.start();
    try {
      cluster.mini().transitionToObserver(1);
      if (byDayu) {
        StatusProbe.awaitDayu(NODES);
      }
      fs = cluster.fileSystem();
      count("setrep up, several missing, truncated, in a snapshot", this::moreReplicas);
      count("saveNamespace meanwhile", this::saveNamespace);
      count("maintenance and decommission", this::leave);
      pendingTimeout();
      count("topology change", this::topologyChange);
      if (byDayu) {
        assertTrue(StatusProbe.status().getTotalFinished() > 0, StatusProbe.describe());
        assertEquals(0, StatusProbe.status().getTotalHandedToStock(), StatusProbe.describe());
      }
      return new LinkedHashMap<>(seen);
    } finally {
      cluster.close();
    }
  }

  private static long counter(String name) {
    MetricsRecordBuilder metrics = MetricsAsserts.getMetrics("NameNodeActivity");
    return MetricsAsserts.getLongCounter(name, metrics);
  }

  /** Runs a case, which returns how many copies it needs, until all is as it should be; notes how HDFS's counters have moved. */
  private void count(String name, Callable<Integer> work) throws Exception {
    long successful = counter("SuccessfulReReplications");
    long timedOut = counter("TimeoutReReplications");
    long notScheduled = counter("NumTimesReReplicationNotScheduled");
    int copies = work.call();
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    seen.put(name, "successful beyond those needed " + (counter("SuccessfulReReplications") - successful - copies) + ", timed out "
        + (counter("TimeoutReReplications") - timedOut) + ", not scheduled "
        + (counter("NumTimesReReplicationNotScheduled") - notScheduled) + ", " + metasave());
  }

  /** What metasave says of queues and pending copies; it names blocks and nodes as well, which differ. */
  private String metasave() throws Exception {
    fs.metaSave("metasave.txt");
    StringBuilder lines = new StringBuilder();
    File file = new File(System.getProperty("hadoop.log.dir", "target"), "metasave.txt");
    for (String line : Files.readAllLines(file.toPath())) {
      if (line.startsWith("Metasave: ") || line.startsWith("Mis-replicated blocks that have been postponed")) {
        lines.append(line).append('\n');
      }
    }
    Files.delete(file.toPath());
    return lines.toString();
  }

  private int moreReplicas() throws Exception {
    for (int i = 0; i < 4; i++) {
      cluster.write("/up" + i, BLOCK_BYTES, 2);
      cluster.write("/several" + i, BLOCK_BYTES, 1);
    }
    DFSTestUtil.createFile(fs, new Path("/truncated"), 2L * BLOCK_BYTES, (short) 2, 1);
    fs.truncate(new Path("/truncated"), BLOCK_BYTES / 2);
    Path directory = new Path("/snapshot");
    DFSTestUtil.createFile(fs, new Path(directory, "deleted"), BLOCK_BYTES, (short) 2, 2);
    fs.allowSnapshot(directory);
    fs.createSnapshot(directory, "s");
    Await.until("the truncated file is closed", LIMIT, () -> fs.isFileClosed(new Path("/truncated")));
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    for (int i = 0; i < 4; i++) {
      cluster.setReplication("/up" + i, 3);
      cluster.setReplication("/several" + i, 4);
    }
    cluster.setReplication("/truncated", 3);
    fs.setReplication(new Path(directory, "deleted"), (short) 3);
    return 4 + 4 * 3 + 1 + 1;
  }

  private int saveNamespace() throws Exception {
    for (int i = 0; i < 4; i++) {
      cluster.setReplication("/up" + i, 4);
    }
    fs.setSafeMode(SafeModeAction.SAFEMODE_ENTER);
    fs.saveNamespace();
    fs.setSafeMode(SafeModeAction.SAFEMODE_LEAVE);
    return 4;
  }

  private int leave() throws Exception {
    for (int i = 0; i < 4; i++) {
      cluster.write("/single" + i, BLOCK_BYTES, 1);
    }
    int maintained = cluster.nodeOf(cluster.blocksOf("/single0").get(0).getLocations()[0].getDatanodeUuid());
    int copies = (int) cluster.blocksOn(maintained).stream().filter(block -> cluster.blockManager().countNodes(block).liveReplicas() == 1)
        .count();
    cluster.enterMaintenance(maintained);
    Await.until("maintenance", LIMIT, () -> cluster.descriptor(maintained).isInMaintenance());
    seen.put("maintenance", status(maintained));
    cluster.comeBack(maintained);
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    int leaving = cluster.fullestNode();
    copies += cluster.blocksOn(leaving).size();
    cluster.decommission(leaving);
    Await.until("decommission", LIMIT, () -> cluster.descriptor(leaving).isDecommissioned());
    seen.put("decommission", status(leaving));
    cluster.comeBack(leaving);
    return copies;
  }

  private String status(int node) {
    DatanodeDescriptor descriptor = cluster.descriptor(node);
    return descriptor.getAdminState() + " with " + descriptor.getLeavingServiceStatus().getUnderReplicatedBlocks() + " under-replicated";
  }

  /** A copy that is made and not announced: HDFS gives it up, counts it and has it made again. */
  private void pendingTimeout() throws Exception {
    cluster.write("/unannounced", BLOCK_BYTES, 1);
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    long timedOut = counter("TimeoutReReplications");
    for (int node = 0; node < NODES; node++) {
      DataNodeTestUtils.pauseIBR(cluster.dataNode(node));
    }
    cluster.blockManager().setReconstructionPendingTimeout(5);
    cluster.setReplication("/unannounced", 2);
    Await.until("pending", LIMIT, () -> {
      BlockManagerTestUtil.updateState(cluster.blockManager());
      return cluster.blockManager().getPendingReconstructionBlocksCount() == 1;
    });
    seen.put("pending", metasave());
    Await.until("timed out", LIMIT, () -> counter("TimeoutReReplications") > timedOut);
    seen.put("pending timeout", counter("TimeoutReReplications") - timedOut);
    for (int node = 0; node < NODES; node++) {
      DataNodeTestUtils.resumeIBR(cluster.dataNode(node));
    }
    cluster.blockManager().setReconstructionPendingTimeout(15);
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
  }

  /** The cluster has had one rack; with two, each block has to be on both. */
  private int topologyChange() throws Exception {
    int moved = NODES - 1;
    Set<Long> there = cluster.blocksOn(moved).stream().map(BlockInfo::getBlockId).collect(Collectors.toSet());
    Set<Long> alone = new HashSet<>();
    for (int node = 0; node < moved; node++) {
      cluster.blocksOn(node).stream().filter(block -> !there.contains(block.getBlockId()) && block.getReplication() > 1)
          .forEach(block -> alone.add(block.getBlockId()));
    }
    StaticMapping.addNodeToRack(cluster.dataNode(moved).getDatanodeId().getHostName(), "/other");
    cluster.restart(moved);
    Await.until("the node is on its rack", LIMIT, () -> cluster.descriptor(moved).getNetworkLocation().equals("/other"));
    return alone.size();
  }
}

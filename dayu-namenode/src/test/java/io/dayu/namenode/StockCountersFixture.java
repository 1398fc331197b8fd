/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.harness.Await;
import io.dayu.harness.ClusterBuilder;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.namenode.metrics.ReReplications;

import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/**
 * The same cases under stock HDFS and under Dayu, of which what HDFS itself counts and reports is to be the same. For
 * one thread.
 */
abstract class StockCountersFixture {
  static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String LOG_DIRECTORY = "hadoop.log.dir";
  static final int NODES = 7;
  static final int FILES = 4;
  static final int BLOCK_BYTES = 256 << 10;
  /** No copy that is announced late on a slow machine times out. */
  static final int PENDING_TIMEOUT_SEC = 30;
  final Map<String, String> seen = new LinkedHashMap<>();
  DayuCluster cluster;
  DistributedFileSystem fs;

  static ClusterBuilder builder() {
    return DayuCluster.builder().dataNodes(NODES).blockSizeBytes(BLOCK_BYTES).bandwidthBytesPerSec(50 << 20)
        .conf("dayu.timeslot.interval", "600ms").conf("dayu.heartbeat.interval", "200ms")
        .conf("dfs.namenode.reconstruction.pending.timeout-sec", String.valueOf(PENDING_TIMEOUT_SEC))
        // Else files are not always written where a test says.
        .conf("dfs.namenode.redundancy.considerLoad", "false")
        // Else stock finds sources busy, or not, as copies end, and counts them as not scheduled.
        .conf("dfs.namenode.replication.max-streams", "100")
        .conf("dfs.namenode.replication.max-streams-hard-limit", "100");
  }

  static String lines(Map<String, String> cases) {
    return cases.entrySet().stream().map(Object::toString).collect(Collectors.joining("\n"));
  }

  /**
   * Runs a case, which returns how many copies it needs, until all is as it should be; notes how HDFS's counters have
   * moved.
   */
  void count(String name, Callable<Integer> work) throws Exception {
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    ReReplications before = ReReplications.now();
    int copies = work.call();
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    seen.put(name, before.moved(ReReplications.now(), copies) + ", " + metasave());
  }

  /** What metasave says of queues and pending copies; it names blocks and nodes as well, which differ. */
  String metasave() throws Exception {
    String before = System.getProperty(LOG_DIRECTORY);
    System.setProperty(LOG_DIRECTORY, cluster.directory().toString());
    try {
      fs.metaSave("metasave.txt");
    } finally {
      if (before == null) {
        System.clearProperty(LOG_DIRECTORY);
      } else {
        System.setProperty(LOG_DIRECTORY, before);
      }
    }
    return Files.readAllLines(cluster.directory().resolve("metasave.txt")).stream()
        .filter(line -> line.startsWith("Metasave: ")).collect(Collectors.joining(", "));
  }

  /**
   * Files with replicas to come, one of them truncated in the middle of a block, and one that is left in a snapshot
   * only.
   */
  void writeFiles() throws Exception {
    for (int i = 0; i < FILES; i++) {
      cluster.write("/up" + i, BLOCK_BYTES, 2);
      cluster.write("/several" + i, BLOCK_BYTES, 2);
    }
    cluster.write("/truncated", 2L * BLOCK_BYTES, 2);
    cluster.files().truncate(fs, "/truncated", BLOCK_BYTES / 2);
    Await.until("the truncated file is closed", LIMIT, () -> fs.isFileClosed(new Path("/truncated")));
    cluster.write("/snapshot/deleted", BLOCK_BYTES, 2);
    fs.allowSnapshot(new Path("/snapshot"));
    fs.createSnapshot(new Path("/snapshot"), "s");
    cluster.files().deleteButInSnapshot(fs, "/snapshot/deleted", "/snapshot/.snapshot/s/deleted");
  }

  /** From two replicas: a block with one gets one copy first, which HDFS counts by itself. */
  int raiseReplication() throws Exception {
    for (int i = 0; i < FILES; i++) {
      cluster.setReplication("/up" + i, 3);
      cluster.setReplication("/several" + i, 4);
    }
    cluster.setReplication("/truncated", 3);
    return FILES + 2 * FILES + 1;
  }

  int loseNode(Callable<?> meanwhile) throws Exception {
    int lost = cluster.nodeOf(cluster.blocksOf("/truncated").get(0).getLocations()[0].getDatanodeUuid());
    int copies = cluster.blocksOn(lost).size();
    cluster.kill(lost);
    meanwhile.call();
    return copies;
  }

  int decommission() throws Exception {
    int leaving = cluster.fullestNode();
    cluster.files().write(fs, "/nowhere-else", BLOCK_BYTES, 1, cluster.dataNode(leaving).getXferAddress());
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    int copies = cluster.blocksOn(leaving).size();
    announceNothing(true);
    cluster.admin().decommission(leaving);
    Await.until("decommission is under way", LIMIT,
        () -> cluster.descriptor(leaving).getLeavingServiceStatus().getUnderReplicatedBlocks() > 0);
    seen.put("DataNode that is decommissioned", statusWhileCopying(leaving, copies));
    announceNothing(false);
    Await.until("decommission", LIMIT, () -> cluster.descriptor(leaving).isDecommissioned());
    seen.put("decommissioned DataNode", status(leaving));
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    cluster.admin().comeBack(leaving);
    return copies;
  }

  String status(int node) {
    DatanodeDescriptor descriptor = cluster.descriptor(node);
    return descriptor.getAdminState() + " with " + descriptor.getLeavingServiceStatus().getUnderReplicatedBlocks()
        + " under-replicated";
  }

  /** How many blocks are still to be copied is said in several places; whether it is all of them. */
  private String statusWhileCopying(int node, int copies) throws Exception {
    String address = cluster.descriptor(node).getXferAddr();
    JsonNode shown = new ObjectMapper().readTree(cluster.namesystem().getDecomNodes());
    List<String> pages = new ArrayList<>();
    shown.fields().forEachRemaining(entry -> pages.add((entry.getKey().contains(address) ? "the node: " : "another: ")
        + "all under-replicated: " + (entry.getValue().path("underReplicatedBlocks").asInt() == copies)
        + ", nowhere else: " + entry.getValue().path("decommissionOnlyReplicas").asInt()
        + ", in open files: " + entry.getValue().path("underReplicateInOpenFiles").asInt()));
    return pages + ", dfsadmin: " + fs.getDataNodeStats(DatanodeReportType.DECOMMISSIONING).length
        + " decommissioning";
  }

  void announceNothing(boolean paused) {
    for (DataNode node : cluster.mini().getDataNodes()) {
      if (paused) {
        DataNodeTestUtils.pauseIBR(node);
      } else {
        DataNodeTestUtils.resumeIBR(node);
      }
    }
  }
}

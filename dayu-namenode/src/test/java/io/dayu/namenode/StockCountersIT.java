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
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.SafeModeAction;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.RollingUpgradeAction;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.namenode.ha.HATestUtil;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.net.StaticMapping;
import org.apache.hadoop.test.MetricsAsserts;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The same cases under stock HDFS and under Dayu: what HDFS itself counts and reports of them is the same. */
@Tag("slow")
@Tag("both-lines")
@Timeout(300)
final class StockCountersIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String LOG_DIRECTORY = "hadoop.log.dir";
  private static final String NAME_NODE = "NameNodeActivity";
  /** Its metrics stand beside those of the one before in this JVM, and begin at 0. */
  static final String RESTARTED = "NameNodeActivity-1";
  private static final String ANOTHER_RACK = "/another-rack";
  private static final int NODES = 7;
  private static final int FILES = 4;
  private static final int BLOCK_BYTES = 256 << 10;
  /** No copy that is announced late on a slow machine times out. */
  private static final int PENDING_TIMEOUT_SEC = 30;
  private static final int SHORT_PENDING_TIMEOUT_SEC = 10;

  private final Map<String, String> seen = new LinkedHashMap<>();
  private String counted = NAME_NODE;
  private DayuCluster cluster;
  private DistributedFileSystem fs;

  private static ClusterBuilder builder() {
    return DayuCluster.builder().dataNodes(NODES).blockSizeBytes(BLOCK_BYTES).bandwidthBytesPerSec(50 << 20)
        .conf("dayu.timeslot.interval", "600ms").conf("dayu.heartbeat.interval", "200ms")
        .conf("dfs.namenode.reconstruction.pending.timeout-sec", String.valueOf(PENDING_TIMEOUT_SEC))
        // Else files are not always written where a test says.
        .conf("dfs.namenode.redundancy.considerLoad", "false")
        // Else stock finds sources busy, or not, as copies end, and counts them as not scheduled.
        .conf("dfs.namenode.replication.max-streams", "100")
        .conf("dfs.namenode.replication.max-streams-hard-limit", "100");
  }

  @Test
  void counters_areThoseOfStock() throws Exception {
    Map<String, String> stock = run(builder().withoutDayu(), false);
    Map<String, String> dayu = run(builder(), true);
    assertEquals(lines(stock), lines(dayu));
  }

  /** All NameNodes of this JVM count in one place, the observer with them. */
  @Test
  void countersWithAnObserver_areThoseOfStock() throws Exception {
    Map<String, String> stock = runWithObserver(builder().withoutDayu(), false);
    Map<String, String> dayu = runWithObserver(builder(), true);
    assertEquals(lines(stock), lines(dayu));
  }

  private Map<String, String> runWithObserver(ClusterBuilder builder, boolean byDayu) throws Exception {
    seen.clear();
    cluster = builder.observer().conf("dfs.ha.tail-edits.period", "1").start();
    counted = NAME_NODE + "-2";
    try {
      if (byDayu) {
        StatusProbe.awaitDayu(NODES);
      }
      // A NameNode that has become active removes no excess replica before the next block reports.
      cluster.renewBlockReports(LIMIT);
      fs = cluster.fileSystem();
      writeFiles();
      count("replication raised by one and by three", this::raiseReplication);
      seen.put("the observer, after that", observed());
      count("a DataNode lost", () -> loseNode(() -> null));
      seen.put("the observer, after the loss", observed());
      count("decommission", this::decommission);
      seen.put("the observer, after the decommission", observed());
      if (byDayu) {
        StatusProbe.awaitFinished();
        assertEquals(0, StatusProbe.status().getTotalHandedToStock(), StatusProbe.describe());
      }
      return new LinkedHashMap<>(seen);
    } finally {
      cluster.close();
    }
  }

  /** What the observer has left over when the active NameNode has nothing to do, and whether it knows all replicas. */
  private String observed() throws Exception {
    BlockManager blocks = cluster.mini().getNamesystem(2).getBlockManager();
    assertTrue(cluster.mini().getNameNode(2).isObserverState());
    HATestUtil.waitForStandbyToCatchUp(cluster.nameNode(), cluster.mini().getNameNode(2));
    Await.until("the observer knows all replicas", LIMIT, () -> {
      for (String path : cluster.files().lengthsBytes().keySet()) {
        for (LocatedBlock block : cluster.blocksOf(path)) {
          BlockInfo stored = blocks.getStoredBlock(block.getBlock().getLocalBlock());
          if (stored == null || blocks.countNodes(stored).liveReplicas() != block.getLocations().length) {
            return false;
          }
        }
      }
      return true;
    });
    BlockManagerTestUtil.updateState(blocks);
    int scheduled = blocks.getDatanodeManager().getDatanodeListForReport(DatanodeReportType.LIVE).stream()
        .mapToInt(DatanodeDescriptor::getBlocksScheduled).sum();
    return "low redundancy " + blocks.getLowRedundancyBlocksCount() + ", pending "
        + blocks.getPendingReconstructionBlocksCount() + ", scheduled " + scheduled + ", excess "
        + blocks.getExcessBlocksCount();
  }

  private static String lines(Map<String, String> cases) {
    return cases.entrySet().stream().map(Object::toString).collect(Collectors.joining("\n"));
  }

  private Map<String, String> run(ClusterBuilder builder, boolean byDayu) throws Exception {
    seen.clear();
    cluster = builder.start();
    try {
      if (byDayu) {
        StatusProbe.awaitDayu(NODES);
      }
      fs = cluster.fileSystem();
      writeFiles();
      count("replication raised by one and by three", this::raiseReplication);
      count("a DataNode lost", () -> loseNode(() -> null));
      count("maintenance", this::maintain);
      cluster.delete("/single");
      count("decommission", this::decommission);
      cluster.delete("/nowhere-else");
      count("a DataNode lost and the namespace saved", () -> loseNode(() -> inSafeMode(() -> fs.saveNamespace(0, 0))));
      count("a DataNode lost as a rolling upgrade begins",
          () -> loseNode(() -> inSafeMode(() -> fs.rollingUpgrade(RollingUpgradeAction.PREPARE))));
      fs.rollingUpgrade(RollingUpgradeAction.FINALIZE);
      pendingTimeout();
      if (byDayu) {
        StatusProbe.awaitFinished();
        assertEquals(0, StatusProbe.status().getTotalHandedToStock(), StatusProbe.describe());
      }
      topologyChange();
      return new LinkedHashMap<>(seen);
    } finally {
      cluster.close();
    }
  }

  /** HDFS's own counters. */
  record Counters(long successful, long timedOut, long notScheduled) {
    static Counters of(String nameNode) {
      MetricsRecordBuilder metrics = MetricsAsserts.getMetrics(nameNode);
      return new Counters(MetricsAsserts.getLongCounter("SuccessfulReReplications", metrics),
          MetricsAsserts.getLongCounter("TimeoutReReplications", metrics),
          MetricsAsserts.getLongCounter("NumTimesReReplicationNotScheduled", metrics));
    }

    /** How the counters have moved from there to here, in a case that needed {@code copies}. */
    String moved(Counters now, int copies) {
      return "successful beyond those needed " + (now.successful - successful - copies) + ", timed out "
          + (now.timedOut - timedOut) + ", not scheduled " + (now.notScheduled - notScheduled);
    }
  }

  /**
   * Runs a case, which returns how many copies it needs, until all is as it should be; notes how HDFS's counters have
   * moved.
   */
  private void count(String name, Callable<Integer> work) throws Exception {
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    Counters before = Counters.of(counted);
    int copies = work.call();
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    seen.put(name, before.moved(Counters.of(counted), copies) + ", " + metasave());
  }

  /** What metasave says of queues and pending copies; it names blocks and nodes as well, which differ. */
  private String metasave() throws Exception {
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
  private void writeFiles() throws Exception {
    for (int i = 0; i < FILES; i++) {
      cluster.write("/up" + i, BLOCK_BYTES, 2);
      cluster.write("/several" + i, BLOCK_BYTES, 1);
    }
    cluster.write("/truncated", 2L * BLOCK_BYTES, 2);
    cluster.files().truncate(fs, "/truncated", BLOCK_BYTES / 2);
    Await.until("the truncated file is closed", LIMIT, () -> fs.isFileClosed(new Path("/truncated")));
    cluster.write("/snapshot/deleted", BLOCK_BYTES, 2);
    fs.allowSnapshot(new Path("/snapshot"));
    fs.createSnapshot(new Path("/snapshot"), "s");
    cluster.files().deleteButInSnapshot(fs, "/snapshot/deleted", "/snapshot/.snapshot/s/deleted");
  }

  private int raiseReplication() throws Exception {
    for (int i = 0; i < FILES; i++) {
      cluster.setReplication("/up" + i, 3);
      cluster.setReplication("/several" + i, 4);
    }
    cluster.setReplication("/truncated", 3);
    return FILES + 3 * FILES + 1;
  }

  private int loseNode(Callable<?> meanwhile) throws Exception {
    int lost = cluster.nodeOf(cluster.blocksOf("/truncated").get(0).getLocations()[0].getDatanodeUuid());
    int copies = cluster.blocksOn(lost).size();
    cluster.kill(lost);
    meanwhile.call();
    return copies;
  }

  private Object inSafeMode(Callable<?> work) throws Exception {
    fs.setSafeMode(SafeModeAction.ENTER);
    try {
      return work.call();
    } finally {
      fs.setSafeMode(SafeModeAction.LEAVE);
    }
  }

  /** Two DataNodes move to another rack, which HDFS notices when the NameNode restarts. */
  private void topologyChange() throws Exception {
    List<DataNode> moved = cluster.mini().getDataNodes().subList(0, 2);
    InetSocketAddress[] addresses = moved.stream().map(DataNode::getXferAddress).toArray(InetSocketAddress[]::new);
    cluster.files().write(fs, "/on-one-rack", BLOCK_BYTES, 2, addresses);
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    for (DataNode node : moved) {
      StaticMapping.addNodeToRack(node.getDatanodeId().getHostName(), ANOTHER_RACK);
    }
    Set<String> uuids = moved.stream().map(DataNode::getDatanodeUuid).collect(Collectors.toSet());
    int copies = blocksOnOneRack(uuids);
    assertTrue(copies > 0, "no block is on one rack now");
    cluster.restartNameNodeAfterAllBlockReports(LIMIT);
    // HDFS looks for such blocks in the background; until it has found one, nothing seems to be going on.
    Await.until("all blocks on two racks", LIMIT, () -> blocksOnOneRack(uuids) == 0);
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    assertEquals(ANOTHER_RACK, cluster.descriptor(cluster.nodeOf(moved.get(0).getDatanodeUuid())).getNetworkLocation());
    seen.put("topology changed", new Counters(0, 0, 0).moved(Counters.of(RESTARTED), copies) + ", " + metasave());
  }

  private int blocksOnOneRack(Set<String> moved) throws Exception {
    int blocks = 0;
    for (String root : List.of("/", "/snapshot/.snapshot/s")) {
      RemoteIterator<LocatedFileStatus> files = fs.listFiles(new Path(root), true);
      while (files.hasNext()) {
        for (LocatedBlock block : cluster.blocksOf(files.next().getPath().toUri().getPath())) {
          DatanodeInfo[] nodes = block.getLocations();
          long there = Arrays.stream(nodes).filter(node -> moved.contains(node.getDatanodeUuid())).count();
          blocks += nodes.length > 1 && (there == 0 || there == nodes.length) ? 1 : 0;
        }
      }
    }
    return blocks;
  }

  private int maintain() throws Exception {
    cluster.write("/single", BLOCK_BYTES, 1);
    int maintained = cluster.nodeOf(cluster.blocksOf("/single").get(0).getLocations()[0].getDatanodeUuid());
    int copies = (int) cluster.blocksOn(maintained).stream()
        .filter(block -> cluster.blockManager().countNodes(block).liveReplicas() == 1).count();
    cluster.enterMaintenance(maintained);
    Await.until("maintenance", LIMIT, () -> cluster.descriptor(maintained).isInMaintenance());
    seen.put("DataNode in maintenance", status(maintained));
    cluster.comeBack(maintained);
    return copies;
  }

  private int decommission() throws Exception {
    int leaving = cluster.fullestNode();
    cluster.files().write(fs, "/nowhere-else", BLOCK_BYTES, 1, cluster.dataNode(leaving).getXferAddress());
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    int copies = cluster.blocksOn(leaving).size();
    announceNothing(true);
    cluster.decommission(leaving);
    Await.until("decommission is under way", LIMIT,
        () -> cluster.descriptor(leaving).getLeavingServiceStatus().getUnderReplicatedBlocks() > 0);
    seen.put("DataNode that is decommissioned", statusWhileCopying(leaving, copies));
    announceNothing(false);
    Await.until("decommission", LIMIT, () -> cluster.descriptor(leaving).isDecommissioned());
    seen.put("decommissioned DataNode", status(leaving));
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    cluster.comeBack(leaving);
    return copies;
  }

  private String status(int node) {
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

  private void announceNothing(boolean paused) {
    for (DataNode node : cluster.mini().getDataNodes()) {
      if (paused) {
        DataNodeTestUtils.pauseIBR(node);
      } else {
        DataNodeTestUtils.resumeIBR(node);
      }
    }
  }

  /** A copy that is made and not announced: HDFS gives it up, counts it and has it made again. */
  private void pendingTimeout() throws Exception {
    cluster.write("/unannounced", BLOCK_BYTES, 1);
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    Counters before = Counters.of(NAME_NODE);
    announceNothing(true);
    cluster.blockManager().setReconstructionPendingTimeout(SHORT_PENDING_TIMEOUT_SEC);
    cluster.setReplication("/unannounced", 2);
    Await.until("pending", LIMIT, () -> {
      BlockManagerTestUtil.updateState(cluster.blockManager());
      return cluster.blockManager().getPendingReconstructionBlocksCount() == 1;
    });
    seen.put("while a copy is pending", metasave());
    // What the await has seen: it is made again, and may time out again.
    AtomicLong timedOut = new AtomicLong();
    Await.until("timed out", LIMIT, () -> {
      timedOut.set(Counters.of(NAME_NODE).timedOut - before.timedOut);
      return timedOut.get() > 0;
    });
    seen.put("a copy that is not announced, timed out", timedOut.toString());
    announceNothing(false);
    cluster.blockManager().setReconstructionPendingTimeout(PENDING_TIMEOUT_SEC);
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
  }
}

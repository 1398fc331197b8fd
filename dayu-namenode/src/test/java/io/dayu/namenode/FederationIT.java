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
import io.dayu.harness.DeadDataNodes;
import io.dayu.harness.ReplicaComparison;
import io.dayu.harness.SeededFiles;
import io.dayu.harness.TestDirectory;
import io.dayu.namenode.status.DayuStatusMXBean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Two nameservices that recover at the same time on the same DataNodes: together they plan a node's bandwidth once. */
@Tag("slow")
@Tag("both-lines")
final class FederationIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final long SEED = 20261123;
  private static final int NAMESERVICES = 2;
  private static final int NODES = 5;
  private static final int FILES = 8;
  private static final int MIN_SAMPLES = 30;
  /** In multiples of alpha. If each nameservice plans a node for itself alone, it is 2. */
  private static final double MAX_PLANNED = 1.3;
  private static final int BLOCK_BYTES = 1 << 20;
  private static final long BANDWIDTH = 1_500_000;
  private static final double ALPHA = 0.75;
  private static final Pattern TRANSFER = Pattern.compile(".* from (\\S+) to (\\S+): .* of (\\d+) bytes/s");

  private final SeededFiles[] files = new SeededFiles[NAMESERVICES];
  private final Map<String, List<Long>> planned = new HashMap<>();
  private Path directory;
  private MiniDFSCluster cluster;

  @BeforeEach
  void start() throws Exception {
    System.out.println("seed " + SEED);
    Configuration conf = new HdfsConfiguration();
    conf.setInt(DFSConfigKeys.DFS_HEARTBEAT_INTERVAL_KEY, 1);
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_REDUNDANCY_INTERVAL_SECONDS_KEY, 1);
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_DECOMMISSION_INTERVAL_KEY, 1);
    conf.setLong(DFSConfigKeys.DFS_BLOCK_SIZE_KEY, BLOCK_BYTES);
    conf.set(DFSConfigKeys.DFS_NAMENODE_PLUGINS_KEY, ClusterBuilder.NAMENODE_PLUGIN);
    conf.set(DFSConfigKeys.DFS_DATANODE_PLUGINS_KEY, ClusterBuilder.DATANODE_PLUGIN);
    conf.set("dayu.datanode.meter", "fixed");
    conf.setLong("dayu.datanode.bandwidthPerSec", BANDWIDTH);
    conf.set("dayu.timeslot.interval", "600ms");
    conf.set("dayu.timeslot.lead", "100ms");
    conf.set("dayu.heartbeat.interval", "200ms");
    Path parent = Path.of(System.getProperty("test.build.data", System.getProperty("java.io.tmpdir")));
    directory = Files.createTempDirectory(Files.createDirectories(parent).toAbsolutePath(), "federation-");
    cluster = new MiniDFSCluster.Builder(conf, directory.toFile())
        .nnTopology(MiniDFSNNTopology.simpleFederatedTopology(NAMESERVICES)).numDataNodes(NODES).build();
    cluster.waitActive();
    Await.until("Dayu on both nameservices", LIMIT, () -> StatusProbe.all().stream()
        .filter(status -> status.getState().equals("DAYU") && status.getLiveAgents() == NODES).count() == NAMESERVICES);
    for (int ns = 0; ns < NAMESERVICES; ns++) {
      files[ns] = new SeededFiles(SEED + ns);
    }
  }

  private void write(int fileCount, int replication) throws Exception {
    for (int ns = 0; ns < NAMESERVICES; ns++) {
      for (int file = 0; file < fileCount; file++) {
        files[ns].write(cluster.getFileSystem(ns), "/f" + file, BLOCK_BYTES, replication,
            cluster.getDataNodes().get(0).getXferAddress());
        DFSTestUtil.waitReplication(cluster.getFileSystem(ns), new org.apache.hadoop.fs.Path("/f" + file),
            (short) replication);
      }
    }
  }

  @AfterEach
  void close() throws Exception {
    if (cluster != null) {
      cluster.shutdown(true);
      TestDirectory.delete(directory);
    }
  }

  private BlockManager blocks(int ns) {
    return cluster.getNamesystem(ns).getBlockManager();
  }

  private DatanodeDescriptor descriptor(int ns, DataNode node) {
    return blocks(ns).getDatanodeManager().getDatanode(node.getDatanodeUuid());
  }

  /** Adds up what the NameNodes plan for each node and direction, if all have transfers under way. */
  private void lookAtPlans() throws Exception {
    List<DayuStatusMXBean> nameNodes = StatusProbe.all();
    Map<String, Long> sums = new HashMap<>();
    for (DayuStatusMXBean status : nameNodes) {
      List<String> transfers = status.getTransfers();
      if (transfers.isEmpty()) {
        return;
      }
      for (String transfer : transfers) {
        Matcher line = TRANSFER.matcher(transfer);
        assertTrue(line.matches(), transfer);
        sums.merge("out of " + line.group(1), Long.parseLong(line.group(3)), Long::sum);
        sums.merge("into " + line.group(2), Long.parseLong(line.group(3)), Long::sum);
      }
    }
    sums.forEach((link, rate) -> planned.computeIfAbsent(link, l -> new ArrayList<>()).add(rate));
  }

  /**
   * The first timeslots overlap, until a DataNode has reported that it works for both nameservices: the first third of
   * the samples does not count.
   */
  private void assertPlannedOnce() {
    assertTrue(planned.values().stream().anyMatch(rates -> rates.size() >= MIN_SAMPLES),
        () -> "both nameservices recovered together: " + planned);
    planned.forEach((link, rates) -> {
      List<Long> counted = rates.subList(rates.size() / 3, rates.size()).stream().sorted().toList();
      double ratio = counted.get(counted.size() / 2) / (ALPHA * BANDWIDTH);
      System.out.printf("%s: %.2f of alpha planned, median of %d%n", link, ratio, counted.size());
      assertTrue(rates.size() < MIN_SAMPLES || ratio < MAX_PLANNED, () -> link + " " + rates);
    });
  }

  private void assertRecovered(int replication) throws Exception {
    for (int ns = 0; ns < NAMESERVICES; ns++) {
      BlockManager blocks = blocks(ns);
      Await.until("nothing going on in nameservice " + ns, LIMIT, () -> {
        BlockManagerTestUtil.updateState(blocks);
        return blocks.getLowRedundancyBlocksCount() == 0 && blocks.getPendingReconstructionBlocksCount() == 0;
      });
      List<String> problems = new ArrayList<>();
      for (String path : files[ns].lengthsBytes().keySet()) {
        DFSTestUtil.waitReplication(cluster.getFileSystem(ns), new org.apache.hadoop.fs.Path(path),
            (short) replication);
        assertEquals(replication, ReplicaComparison.compare(cluster.getFileSystem(ns), files[ns],
            cluster.getDataNodes(), path, problems), path);
        files[ns].compare(cluster.getFileSystem(ns), path).ifPresent(problems::add);
      }
      assertEquals(List.of(), problems);
    }
    for (DayuStatusMXBean status : StatusProbe.all()) {
      // HDFS counts a replica when its DataNode announces it, Dayu with its own agent's next report.
      Await.until("Dayu did it, on each NameNode", LIMIT, () -> status.getTotalFinished() > 0);
      assertEquals(0, status.getTotalHandedToStock());
      assertEquals(0, status.getTotalFailed());
    }
    Await.until("nothing is left over", LIMIT, () -> ClusterVerifier.leftOver(cluster.getDataNodes()).isEmpty(),
        () -> ClusterVerifier.leftOver(cluster.getDataNodes()));
  }

  /** The leaving node serves both and receives nothing. */
  @Test
  void leavingNode_servesBothNameservicesWithItsBandwidth() throws Exception {
    write(FILES, 1);
    DataNode leaving = cluster.getDataNodes().get(0);
    for (int ns = 0; ns < NAMESERVICES; ns++) {
      FSNamesystem namesystem = cluster.getNamesystem(ns);
      namesystem.writeLock();
      try {
        blocks(ns).getDatanodeManager().getDatanodeAdminManager().startDecommission(descriptor(ns, leaving));
      } finally {
        namesystem.writeUnlock("test");
      }
    }
    Await.until("decommissioned in both nameservices", LIMIT, () -> {
      lookAtPlans();
      return descriptor(0, leaving).isDecommissioned() && descriptor(1, leaving).isDecommissioned();
    });
    assertPlannedOnce();
    assertRecovered(2);
  }

  @Test
  void lostNode_isRecoveredByBothNameservicesWithinEachNodesBandwidth() throws Exception {
    // Enough files that both recover at the same time for about ten seconds.
    write(3 * FILES, 3);
    DataNode lost = cluster.getDataNodes().get(0);
    cluster.stopDataNode(0);
    for (int ns = 0; ns < NAMESERVICES; ns++) {
      DeadDataNodes.declare(blocks(ns), descriptor(ns, lost));
    }
    Await.until("recovered in both nameservices", LIMIT, () -> {
      lookAtPlans();
      for (int ns = 0; ns < NAMESERVICES; ns++) {
        BlockManagerTestUtil.updateState(blocks(ns));
        if (blocks(ns).getLowRedundancyBlocksCount() + blocks(ns).getPendingReconstructionBlocksCount() > 0) {
          return false;
        }
      }
      return true;
    });
    assertPlannedOnce();
    assertRecovered(3);
  }
}

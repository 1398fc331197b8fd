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
import io.dayu.cli.DayuAdmin;
import io.dayu.harness.Await;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.DayuScheduler;
import io.dayu.schedule.TimeslotScheduler;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerAccess;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Stock HDFS reconstructs an erasure-coded block while Dayu recovers blocks of the same lost DataNode: plans leave the
 * nodes that take part the bandwidth for it, and admins see it.
 */
@Tag("slow")
@Tag("both-lines")
final class ReconstructionTrafficIT {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final int NODES = 7;
  private static final int FILES = 5;
  private static final int BLOCK_BYTES = 3 << 20;
  private static final long BYTES_PER_SEC = 1_500_000;
  private static final double ALPHA = 0.75;
  private static final long HORIZON_SEC = 8;
  private static final String CODED = "/coded/f";
  private static final int INTERNAL_BLOCKS = 5;
  private static final long INTERNAL_BYTES = 1 << 20;
  /** Of the four internal blocks that are left, three are read. */
  private static final long READ_BYTES = 3 * INTERNAL_BYTES;
  private static final long MAX_BYTES_PER_SEC = (long) (ALPHA * BYTES_PER_SEC);

  private DayuCluster cluster;

  /** Remembers what plans might use of each node, to receive and to send. */
  private static final class Watcher implements TimeslotScheduler {
    static final Queue<List<Long>> RECEIVE = new ConcurrentLinkedQueue<>();
    static final Queue<List<Long>> SEND = new ConcurrentLinkedQueue<>();

    private final TimeslotScheduler real = new DayuScheduler();

    @Override
    public String name() {
      return "watched";
    }

    @Override
    public TimeslotPlan plan(ClusterSnapshot snapshot) {
      // In this order: the test awaits the second and then looks at the first.
      SEND.add(Arrays.stream(snapshot.nodes().recoverOutBytesPerSec()).sorted().boxed().toList());
      RECEIVE.add(Arrays.stream(snapshot.nodes().recoverInBytesPerSec()).sorted().boxed().toList());
      return real.plan(snapshot);
    }
  }

  /** The plugin with the scheduler that remembers. */
  public static final class WatchedPlugin extends RuntimePlugin {
    public WatchedPlugin() {
      super(new NameNodeRuntime(new Watcher(), BlockManagerAccess::required));
    }
  }

  @Test
  void plans_leaveBandwidthToReconstructionsByStock_andTheStatusShowsThem() throws Exception {
    try (DayuCluster started = FaultsIT.builder().dataNodes(NODES).racks(1).bandwidthBytesPerSec(BYTES_PER_SEC)
        .conf("dayu.timeslot.horizon", HORIZON_SEC + "s").conf("dfs.namenode.redundancy.considerLoad", "false")
        .conf(DFSConfigKeys.DFS_NAMENODE_PLUGINS_KEY, WatchedPlugin.class.getName()).start()) {
      cluster = started;
      StatusProbe.awaitDayu(NODES);
      Set<String> holders = writeCodedFile();
      int lost = cluster.nodeOf(cluster.blocksOf(CODED).get(0).getLocations()[0].getDatanodeUuid());
      for (int i = 0; i < FILES; i++) {
        cluster.files().write(cluster.fileSystem(), "/f" + i, BLOCK_BYTES, 2, cluster.dataNode(lost).getXferAddress());
      }
      new ClusterVerifier(cluster).awaitSettled(LIMIT);
      assertEquals(FILES + 1, cluster.blocksOn(lost).size());
      String lostAddress = cluster.dataNode(lost).getDatanodeId().getXferAddrWithHostname();
      holders.remove(lostAddress);
      Watcher.RECEIVE.clear();
      Watcher.SEND.clear();

      announceNothing(true);
      cluster.kill(lost);
      Await.until("lower limits of those that take part", LIMIT, () -> takePart(holders), this::limits);
      Await.until("the status says so", LIMIT, () -> run("-status").contains("stock HDFS    1 block is copied or "
          + "reconstructed by it; reconstructions move 3.0 MB"), () -> run("-status"));
      Await.until("a plan with lower limits", LIMIT, () -> Watcher.RECEIVE.contains(inPlan(1, READ_BYTES)),
          Watcher.RECEIVE::toString);
      assertTrue(Watcher.SEND.contains(inPlan(holders.size(), READ_BYTES / holders.size())), Watcher.SEND::toString);

      announceNothing(false);
      new ClusterVerifier(cluster).assertRecovers(LIMIT);
      Await.until("all limits as before", LIMIT,
          () -> limits().values().stream().allMatch(List.of(MAX_BYTES_PER_SEC, MAX_BYTES_PER_SEC)::equals),
          this::limits);
    }
  }

  /** Returns the addresses of those that hold its internal blocks. */
  private Set<String> writeCodedFile() throws Exception {
    DistributedFileSystem fs = cluster.fileSystem();
    fs.enableErasureCodingPolicy("RS-3-2-1024k");
    Path directory = new Path(CODED).getParent();
    fs.mkdirs(directory);
    fs.setErasureCodingPolicy(directory, "RS-3-2-1024k");
    cluster.write(CODED, 3 * INTERNAL_BYTES, 1);
    // The file is closed when three of the five are reported.
    Await.until("all internal blocks are known", LIMIT,
        () -> cluster.blocksOf(CODED).get(0).getLocations().length == INTERNAL_BLOCKS);
    // What is written already is reconstructed all the same.
    fs.disableErasureCodingPolicy("RS-3-2-1024k");
    return Arrays.stream(cluster.blocksOf(CODED).get(0).getLocations()).map(DatanodeInfo::getXferAddrWithHostname)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private void announceNothing(boolean paused) {
    for (int node = 0; node < NODES; node++) {
      if (cluster.isRunning(node) && paused) {
        DataNodeTestUtils.pauseIBR(cluster.dataNode(node));
      } else if (cluster.isRunning(node)) {
        DataNodeTestUtils.resumeIBR(cluster.dataNode(node));
      }
    }
  }

  /** What a plan may use of the live nodes if {@code lowered} of them are to move {@code bytes} for reconstructions. */
  private static List<Long> inPlan(int lowered, long bytes) {
    Long[] limits = new Long[NODES - 1];
    Arrays.fill(limits, MAX_BYTES_PER_SEC);
    Arrays.fill(limits, 0, lowered, MAX_BYTES_PER_SEC - bytes / HORIZON_SEC);
    return List.of(limits);
  }

  /** Whether one other node is to receive what is read, the holders are to send it, and no further node has traffic. */
  private boolean takePart(Set<String> holders) throws Exception {
    Map<String, List<Long>> limits = limits();
    long lowerIn = MAX_BYTES_PER_SEC - READ_BYTES / HORIZON_SEC;
    long lowerOut = MAX_BYTES_PER_SEC - READ_BYTES / holders.size() / HORIZON_SEC;
    long workers = limits.entrySet().stream().filter(entry -> !holders.contains(entry.getKey()))
        .filter(entry -> entry.getValue().equals(List.of(lowerIn, MAX_BYTES_PER_SEC))).count();
    long others = limits.entrySet().stream().filter(entry -> !holders.contains(entry.getKey()))
        .filter(entry -> entry.getValue().equals(List.of(MAX_BYTES_PER_SEC, MAX_BYTES_PER_SEC))).count();
    return workers == 1 && others == NODES - 1 - holders.size() - 1
        && holders.stream().allMatch(holder -> List.of(MAX_BYTES_PER_SEC, lowerOut).equals(limits.get(holder)));
  }

  /** What recovery may use of each live node, to receive and to send, as admins see it. */
  private Map<String, List<Long>> limits() throws Exception {
    Map<String, List<Long>> limits = new HashMap<>();
    for (JsonNode node : new ObjectMapper().readTree(run("-nodes", "-json")).path("nodes")) {
      limits.put(node.path("node").asText(), List.of(node.path("in").path("recoveryLimitBytesPerSec").asLong(),
          node.path("out").path("recoveryLimitBytesPerSec").asLong()));
    }
    return limits;
  }

  private String run(String... command) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    assertEquals(0, ToolRunner.run(new DayuAdmin(new Configuration(cluster.conf()), new PrintStream(out, true),
        System.err), command));
    return out.toString(StandardCharsets.UTF_8);
  }
}

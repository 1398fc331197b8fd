/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import io.dayu.namenode.status.DayuStatusMXBean;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.StorageLocation;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * The oracle of every recovery: what must hold once it is over, whatever the fault was (docs/architecture.md).
 * Single-threaded; the cluster must have no writers left.
 */
public final class ClusterVerifier {
  private static final String CORRUPT = "corrupt replicas";
  private static final String PARTIAL = "partial replica";
  private static final String PENDING = "pending reconstruction";
  private static final String NO_REPORT = "no block report yet";

  private final DayuCluster cluster;
  private final ExpectedReplicas expected;
  private boolean pipelinesBroke;
  private boolean dataNodesWereLate;
  /** Whether HDFS counts blocks as scheduled that nobody copies any more. */
  private boolean scheduledIsStale;

  public ClusterVerifier(DayuCluster cluster) {
    this.cluster = cluster;
    this.expected = new ExpectedReplicas(cluster.conf().getTimeDuration(
        DFSConfigKeys.DFS_NAMENODE_REDUNDANCY_INTERVAL_SECONDS_KEY,
        DFSConfigKeys.DFS_NAMENODE_REDUNDANCY_INTERVAL_SECONDS_DEFAULT, TimeUnit.SECONDS));
  }

  /**
   * Says that clients were writing when a DataNode or a volume went away. HDFS itself, with or without Dayu, then
   * leaves partial replicas until a later full block report, which is asked for while they are all that is left, and
   * blocks counted as scheduled for up to 20 minutes, which are ignored. It also expects replicas that the lost
   * DataNode had finished and not reported, until it is made to give them up.
   */
  public ClusterVerifier afterBrokenPipelines() {
    pipelinesBroke = true;
    scheduledIsStale = true;
    return this;
  }

  /**
   * Says that a NameNode was active before, stood by, and is active again. At a failover HDFS itself, with or without
   * Dayu, forgets the copies that are pending, but counts their blocks as scheduled for up to 20 minutes, unless they
   * arrive: these counts are ignored.
   */
  public ClusterVerifier afterFailover() {
    scheduledIsStale = true;
    return this;
  }

  /**
   * Says that copies by stock HDFS may have timed out. HDFS then counts their blocks as scheduled for up to 20 minutes:
   * these counts are ignored.
   */
  public ClusterVerifier afterTimeoutsOfStock() {
    scheduledIsStale = true;
    return this;
  }

  /**
   * Says that DataNodes have registered, anew or again, while stock HDFS recovered. HDFS itself, with or without Dayu,
   * may choose one as a target before its block report, of a block that it has. The copy is refused, and HDFS expects
   * it for five minutes, until it is made to give it up; and it counts the block as scheduled for up to 20 minutes,
   * which is ignored.
   */
  public ClusterVerifier afterLateDataNodes() {
    dataNodesWereLate = true;
    scheduledIsStale = true;
    return this;
  }

  /**
   * What was checked, and everything that is wrong.
   *
   * @param blocks how many blocks fsck looked at
   * @param replicas how many replicas, and internal blocks of striped ones, were read on the DataNodes' disks and
   *     compared
   * @param filesRead how many files were read back and compared
   * @param bytesRead their sizes together
   * @param problems one line each; empty if all is well
   */
  public record Verdict(long blocks, int replicas, int filesRead, long bytesRead, List<String> problems) {
    public Verdict {
      problems = List.copyOf(problems);
    }

    public void assertSound() {
      if (!problems.isEmpty()) {
        throw new AssertionError(String.join("\n", problems));
      }
    }
  }

  /**
   * Waits until recovery is over, runs fsck, reads every replica and every file back; throws an AssertionError with all
   * that is wrong.
   */
  public void assertRecovers(Duration limit) throws Exception {
    verify(limit).assertSound();
  }

  /** The same, with the findings as the answer. */
  public Verdict verify(Duration limit) throws Exception {
    List<String> problems = Collections.synchronizedList(new ArrayList<>());
    try {
      Await.until("recovery over", limit, this::isSettled, this::describeUnsettled);
    } catch (AssertionError notSettled) {
      problems.add(notSettled.getMessage());
    }
    FsckReport fsck = FsckReport.run(cluster.conf());
    problems.addAll(fsck.problems());
    FileSystem fs = cluster.fileSystem();
    Map<String, Long> files = cluster.files().lengthsBytes();
    // Before any client reads: it would report a bad replica, which HDFS would then replace.
    int replicas = files.keySet().parallelStream().mapToInt(path -> compareReplicas(path, problems)).sum();
    files.keySet().parallelStream().forEach(path -> cluster.files().compare(fs, path).ifPresent(problems::add));
    long bytesRead = files.values().stream().mapToLong(Long::longValue).sum();
    return new Verdict(fsck.healthy() ? fsck.sum("Total blocks (validated)") : 0, replicas, files.size(), bytesRead,
        problems);
  }

  private int compareReplicas(String path, List<String> problems) {
    try {
      List<DataNode> nodes = new ArrayList<>();
      for (int node = 0; node < cluster.nodeCount(); node++) {
        nodes.add(cluster.isRunning(node) ? cluster.dataNode(node) : null);
      }
      return ReplicaComparison.compare(cluster.fileSystem(), cluster.files(), nodes, path, problems);
    } catch (IOException e) {
      problems.add(path + ": its replicas cannot be looked up: " + e.getMessage());
      return 0;
    }
  }

  /** Waits until all replicas are reported and no recovery is under way, also right after writing. */
  public void awaitSettled(Duration limit) throws Exception {
    Await.until("nothing going on", limit, this::isSettled, this::describeUnsettled);
  }

  private boolean isSettled() throws IOException {
    List<String> left = unsettled();
    boolean givingUp = expected.look(cluster.namesystem(),
        (pipelinesBroke || dataNodesWereLate) && areAll(left, PENDING), dataNodesWereLate);
    if (left.stream().anyMatch(entry -> entry.startsWith(NO_REPORT))) {
      cluster.blockReports().requestMissing();
    } else if (areAll(left, CORRUPT) || pipelinesBroke && areAll(left, CORRUPT, PARTIAL, PENDING)
        && !areAll(left, PENDING)) {
      // If HDFS could not remove a corrupt replica at once, since a storage of another holder was stale, it looks at it
      // again with the next block report. Pending replicas are given up when they are all that is left.
      cluster.blockReports().requestAll();
    }
    return left.isEmpty() && !givingUp;
  }

  /** Whether there are entries, and all of these kinds. */
  private static boolean areAll(List<String> entries, String... kinds) {
    return !entries.isEmpty() && entries.stream().allMatch(entry -> Stream.of(kinds).anyMatch(entry::startsWith));
  }

  private String describeUnsettled() throws IOException {
    return String.join("; ", unsettled()) + " " + cluster.blockReports().describeMissing();
  }

  /**
   * What is still going on or left over, one entry each: queues, counters, partial replicas and reserved space on
   * running DataNodes, Dayu's transfers and their threads.
   */
  public List<String> unsettled() throws IOException {
    List<String> left = new ArrayList<>();
    BlockManager blocks = cluster.blockManager();
    BlockManagerTestUtil.updateState(blocks);
    addIfAny(left, "low redundancy blocks", blocks.getLowRedundancyBlocksCount());
    addIfAny(left, PENDING, blocks.getPendingReconstructionBlocksCount());
    addIfAny(left, "pending deletion", blocks.getPendingDeletionBlocksCount());
    addIfAny(left, "excess replicas", blocks.getExcessBlocksCount());
    addIfAny(left, CORRUPT, blocks.getCorruptReplicaBlocksCount());
    addIfAny(left, "postponed misreplicated", blocks.getPostponedMisreplicatedBlocksCount());
    for (DatanodeDescriptor node : blocks.getDatanodeManager().getDatanodeListForReport(DatanodeReportType.LIVE)) {
      if (!node.checkBlockReportReceived()) {
        // Its replicas are not counted yet, so there may be too many of a block in a moment.
        left.add(NO_REPORT + " of node " + cluster.nodeOf(node.getDatanodeUuid()));
      }
      addIfAny(left, "blocks scheduled on node " + cluster.nodeOf(node.getDatanodeUuid()),
          scheduledIsStale ? 0 : node.getBlocksScheduled());
    }
    for (int node = 0; node < cluster.nodeCount(); node++) {
      if (cluster.isRunning(node)) {
        for (Path partial : partialReplicas(node)) {
          left.add(PARTIAL + " on node " + node + ": " + partial);
        }
        // HDFS itself does not always release what appends, and writers of a broken pipeline, have reserved.
        addIfAny(left, "bytes reserved on node " + node,
            pipelinesBroke || cluster.hasAppended() ? 0 : reservedBytes(cluster.dataNode(node)));
      }
    }
    addDayus(left);
    return left;
  }

  /**
   * What transfers have left over, or not ended yet, in a cluster that is no {@link DayuCluster}: partial replicas,
   * reserved space, transfers that Dayu believes to be under way, and threads.
   */
  public static List<String> leftOver(List<DataNode> nodes) throws IOException {
    List<String> left = new ArrayList<>();
    for (DataNode node : nodes) {
      partialReplicas(node).forEach(partial -> left.add(PARTIAL + " on " + node + ": " + partial));
      addIfAny(left, "bytes reserved on " + node, reservedBytes(node));
    }
    addDayus(left);
    return left;
  }

  private static long reservedBytes(DataNode node) throws IOException {
    long bytes = 0;
    try (FsDatasetSpi.FsVolumeReferences volumes = node.getFSDataset().getFsVolumeReferences()) {
      for (FsVolumeSpi volume : volumes) {
        bytes += ((FsVolumeImpl) volume).getReservedForReplicas();
      }
    }
    return bytes;
  }

  /**
   * What a NameNode's Dayu shows as waiting or under way, and threads that receive or serve a transfer; of all clusters
   * of this JVM. What Dayu has registered with HDFS shows in HDFS's own counts of pending and scheduled blocks.
   */
  private static void addDayus(List<String> left) throws IOException {
    try {
      MBeanServer server = ManagementFactory.getPlatformMBeanServer();
      for (ObjectName name : server.queryNames(new ObjectName("Hadoop:service=NameNode,name=DayuStatus*"), null)) {
        DayuStatusMXBean status = JMX.newMXBeanProxy(server, name, DayuStatusMXBean.class);
        if (!isSilent(status)) {
          String of = " in " + name.getKeyProperty("name");
          addIfAny(left, "transfers under way" + of, status.getRunningTransfers());
          addIfAny(left, "bytes of transfers that have not ended" + of, status.getProgressBytes());
          addIfAny(left, "waiting blocks" + of, status.getWaitingBlocks());
        }
      }
    } catch (JMException e) {
      throw new IOException(e);
    }
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      String name = thread.getName();
      if (name.startsWith("dayu-transfer-") && !name.equals("dayu-transfer-timer")
          || name.startsWith("DataXceiver for client dayu-recovery")) {
        left.add("thread " + name);
      }
    }
  }

  /** A loop that hangs, for which stock HDFS recovers, does not know what has ended since. */
  private static boolean isSilent(DayuStatusMXBean status) {
    return status.getState().equals("STOCK") && status.getStateReason().contains("the recovery loop has ");
  }

  /** The files of replicas that were begun and neither finished nor removed. */
  public List<Path> partialReplicas(int node) throws IOException {
    return partialReplicas(cluster.dataNode(node));
  }

  private static List<Path> partialReplicas(DataNode node) throws IOException {
    List<Path> partial = new ArrayList<>();
    for (StorageLocation volume : DataNode.getStorageLocations(node.getConf())) {
      for (Path pool : list(Path.of(volume.getUri()).resolve("current"))) {
        for (String directory : List.of("tmp", "current/rbw")) {
          for (Path file : list(pool.resolve(directory))) {
            if (file.getFileName().toString().startsWith("blk_")) {
              partial.add(file);
            }
          }
        }
      }
    }
    return partial;
  }

  private static List<Path> list(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static void addIfAny(List<String> left, String what, long count) {
    if (count != 0) {
      left.add(what + ": " + count);
    }
  }
}

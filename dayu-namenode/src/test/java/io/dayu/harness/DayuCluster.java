/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import io.dayu.cli.DayuAdmin;
import io.dayu.conf.Setting;
import io.dayu.harness.nic.EmulatedNic;
import io.dayu.harness.nic.EmulatedNics;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.SafeModeAction;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.AdminStates;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeStorageInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.namenode.ha.HATestUtil;
import org.apache.hadoop.util.ToolRunner;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.BindException;
import java.net.URI;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * An embedded HDFS cluster of real NameNode and DataNode code, with Dayu's plugins, and faults in one line each.
 * DataNodes go by a number, 0 to n - 1, that stays theirs over stops and restarts. Faults are for one thread at a time.
 *
 * <p>It does not model: a network between the nodes (all is loopback: no switches, no latency, no loss, of partitions
 * only {@link #partitionAgent}), disks of their own (all volumes share one file system, its room and its speed),
 * processes of their own (one JVM: statics, the metrics system and the class path are shared, and a DataNode is ended
 * by {@link DataNode#shutdown()}, not by SIGKILL or loss of power), and time (heartbeats and rechecks are shortened,
 * and {@link #kill} tells the NameNode at once).
 *
 * <p>Of the nodes' own network interfaces it models nothing either, unless {@link ClusterBuilder#emulatedNics} asks for
 * it: without, {@code bandwidthBytesPerSec} is what Dayu plans and throttles by, while clients and stock recovery run
 * unthrottled. Emulated NICs carry the data of blocks, pipelines included. They do not carry RPCs, packet headers and
 * checksums, short-circuit reads, what a node that reconstructs a striped block takes in and sends out (its peers' NICs
 * carry the other end of it), or a client's own interface. A block that is read counts at its source when it leaves the
 * disk, so up to a socket buffer before it arrives.
 */
public final class DayuCluster implements AutoCloseable {
  private static final int OBSERVER = 2;
  private static final int DELETING_THREADS = 4;
  private static final Duration DELETION_LIMIT = Duration.ofMinutes(2);
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int MAX_LOOKS = 100;
  private static final int MAX_STARTS = 60;

  private final MiniDFSCluster cluster;
  private final java.nio.file.Path base;
  private final CombinedHostsFile hosts;
  private final SeededFiles files;
  private final SeededPlacement placement;
  private final EmulatedNics nics;
  private final BlockReports reports = new BlockReports(this);
  private final List<String> uuids = new ArrayList<>();
  private final Map<Integer, DataNodeProperties> stopped = new HashMap<>();
  private boolean appended;
  private boolean closed;

  DayuCluster(MiniDFSCluster cluster, java.nio.file.Path base, CombinedHostsFile hosts, long seed, EmulatedNics nics)
      throws IOException {
    this.cluster = cluster;
    this.base = base;
    this.hosts = hosts;
    this.files = new SeededFiles(seed);
    this.placement = new SeededPlacement(this, seed);
    this.nics = nics;
    if (cluster.getNumNameNodes() > 1) {
      cluster.transitionToActive(0);
      if (cluster.getNumNameNodes() > OBSERVER) {
        cluster.transitionToObserver(OBSERVER);
      }
      cluster.waitActive();
    }
    for (DataNode node : cluster.getDataNodes()) {
      uuids.add(node.getDatanodeUuid());
    }
  }

  public static ClusterBuilder builder() {
    return new ClusterBuilder();
  }

  /** Access to what this class has no method for. Do not stop or start DataNodes through it. */
  public MiniDFSCluster mini() {
    return cluster;
  }

  public SeededFiles files() {
    return files;
  }

  /** The network interface of a DataNode, in a cluster with emulated ones; the same one after a restart. */
  public EmulatedNic nic(int node) {
    return nics().get(node);
  }

  /** All network interfaces by number of the DataNode. */
  public List<EmulatedNic> nics() {
    if (nics == null) {
      throw new IllegalStateException("this cluster has no emulated NICs");
    }
    return nics.all();
  }

  public int nodeCount() {
    return uuids.size();
  }

  /** The index of the active NameNode. */
  public int active() {
    for (int index = 0; index < cluster.getNumNameNodes(); index++) {
      if (cluster.isNameNodeUp(index) && cluster.getNameNode(index).isActiveState()) {
        return index;
      }
    }
    throw new IllegalStateException("no NameNode is active");
  }

  public NameNode nameNode() {
    return cluster.getNameNode(active());
  }

  public FSNamesystem namesystem() {
    return cluster.getNamesystem(active());
  }

  public BlockManager blockManager() {
    return namesystem().getBlockManager();
  }

  /** A client's configuration for the active NameNode. */
  public Configuration conf() {
    return cluster.getConfiguration(active());
  }

  public DistributedFileSystem fileSystem() throws IOException {
    return cluster.getFileSystem(active());
  }

  /**
   * A configuration for clients that outlive a failover: with two NameNodes it knows both, under {@link #clientUri()}.
   */
  public Configuration clientConf() {
    Configuration conf = new Configuration(conf());
    if (cluster.getNumNameNodes() > 1) {
      HATestUtil.setFailoverConfigurations(cluster, conf);
    }
    return conf;
  }

  public URI clientUri() {
    return FileSystem.getDefaultUri(clientConf());
  }

  public boolean isRunning(int node) {
    return !stopped.containsKey(node);
  }

  public DataNode dataNode(int node) {
    return cluster.getDataNodes().get(indexOf(node));
  }

  String uuid(int node) {
    return uuids.get(node);
  }

  /** The number of a DataNode by its UUID. */
  public int nodeOf(String uuid) {
    int node = uuids.indexOf(uuid);
    if (node < 0) {
      throw new IllegalArgumentException("no DataNode with UUID " + uuid);
    }
    return node;
  }

  /** What the active NameNode knows of a DataNode. */
  public DatanodeDescriptor descriptor(int node) {
    return descriptor(node, active());
  }

  /** What one NameNode knows of a DataNode; null if that has not registered. */
  DatanodeDescriptor descriptor(int node, int nameNode) {
    return cluster.getNamesystem(nameNode).getBlockManager().getDatanodeManager().getDatanode(uuids.get(node));
  }

  /** The blocks that the active NameNode counts on a DataNode, without those of deleted files that HDFS still has. */
  public List<BlockInfo> blocksOn(int node) {
    List<BlockInfo> blocks = new ArrayList<>();
    namesystem().readLock();
    try {
      Iterator<BlockInfo> all = BlockManagerTestUtil.getBlockIterator(namesystem(), uuids.get(node), 0);
      all.forEachRemaining(blocks::add);
      blocks.removeIf(BlockInfo::isDeleted);
    } finally {
      namesystem().readUnlock("blocksOn");
    }
    return blocks;
  }

  /** The running DataNode that holds the most blocks, the first of several: the one whose loss makes work. */
  public int fullestNode() {
    int fullest = -1;
    for (int node = 0; node < nodeCount(); node++) {
      if (isRunning(node) && (fullest < 0 || blocksOn(node).size() > blocksOn(fullest).size())) {
        fullest = node;
      }
    }
    return fullest;
  }

  public List<LocatedBlock> blocksOf(String path) throws IOException {
    return fileSystem().getClient().getLocatedBlocks(path, 0, Long.MAX_VALUE).getLocatedBlocks();
  }

  // ---- Faults and changes.

  /**
   * Ends a DataNode without telling the NameNode, which notices when heartbeats have been missing for 11 to 16 seconds.
   */
  public void stop(int node) {
    stopped.put(node, cluster.stopDataNode(indexOf(node)));
  }

  /** Ends a DataNode and lets every NameNode declare it dead at once. */
  public void kill(int node) {
    stop(node);
    declareDead(node);
  }

  /** Lets every NameNode declare a stopped DataNode dead at once. */
  public void declareDead(int node) {
    for (int index = 0; index < cluster.getNumNameNodes(); index++) {
      if (cluster.isNameNodeUp(index)) {
        declareDead(cluster.getNamesystem(index).getBlockManager(), descriptor(node, index));
      }
    }
  }

  /**
   * Lets a NameNode declare a stopped DataNode dead at once, unless it is in safe mode since its start. HDFS's check
   * ends without that if it takes longer than the recheck interval, or if the NameNode gets to a heartbeat of before
   * only now.
   *
   * @throws AssertionError if the DataNode stays alive; the message says what the NameNode knows of it
   */
  public static void declareDead(BlockManager blocks, DatanodeDescriptor node) {
    for (int look = 0; node.isAlive() && look < MAX_LOOKS; look++) {
      DFSTestUtil.setDatanodeDead(node);
      BlockManagerTestUtil.checkHeartbeat(blocks);
    }
    if (node.isAlive() && !blocks.isInSafeMode()) {
      throw new AssertionError("after " + MAX_LOOKS + " looks the NameNode still takes " + node + " ("
          + node.getDatanodeUuid() + ") for alive: it is " + node.getAdminState()
          + (node.getLastUpdate() == 0 ? ", has sent no heartbeat since" : ", has sent a heartbeat since")
          + ", and this UUID is registered as " + blocks.getDatanodeManager().getDatanode(node.getDatanodeUuid()));
    }
  }

  /** Starts a DataNode on the disks that it had, stopping it first if it runs, and waits until it is registered. */
  public void restart(int node) throws IOException {
    if (isRunning(node)) {
      stop(node);
    }
    cluster.restartDataNode(stopped.get(node));
    stopped.remove(node);
    reports.awaitHeartbeats();
    cluster.waitActive();
  }

  public void restartNameNode() throws IOException {
    int index = active();
    restartNameNode(index);
    if (cluster.getNumNameNodes() > 1) {
      cluster.transitionToActive(index);
    }
    reports.awaitHeartbeats();
    cluster.waitActive(index);
  }

  /**
   * Restarts the only NameNode, which leaves safe mode when all DataNodes have sent a full block report. Else it counts
   * replicas that are only reported later as lost.
   */
  public void restartNameNodeAfterAllBlockReports(Duration limit) throws Exception {
    cluster.getConfiguration(0).set(DFSConfigKeys.DFS_NAMENODE_SAFEMODE_THRESHOLD_PCT_KEY, "1.5");
    restartNameNode(0);
    reports.awaitFirst(limit);
    cluster.getFileSystem(0).setSafeMode(SafeModeAction.LEAVE);
  }

  /** While it is down, another process may take its port, which DataNodes and clients know: then waits for that. */
  private void restartNameNode(int index) throws IOException {
    for (int start = 1;; start++) {
      try {
        cluster.restartNameNode(index, false);
        return;
      } catch (BindException e) {
        if (start == MAX_STARTS) {
          throw e;
        }
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
      }
    }
  }

  /**
   * Lets each running DataNode send another full block report and waits until the NameNodes have them. Else a NameNode
   * that has become active removes no excess replica before the next reports, up to six hours later.
   */
  public void renewBlockReports(Duration limit) throws Exception {
    reports.renew(limit);
  }

  BlockReports blockReports() {
    return reports;
  }

  /** Makes the standby NameNode the active one. */
  public void failover() throws IOException {
    int from = active();
    int to = 1 - from;
    cluster.transitionToStandby(from);
    cluster.transitionToActive(to);
    cluster.waitActive(to);
  }

  /** Starts the decommission of a DataNode, by the hosts file as an admin would. */
  public void decommission(int node) throws IOException {
    leave(node, AdminStates.DECOMMISSIONED);
  }

  /** Starts maintenance of a DataNode, which HDFS then lets go as soon as each of its blocks is on some other one. */
  public void enterMaintenance(int node) throws IOException {
    leave(node, AdminStates.IN_MAINTENANCE);
  }

  /** Ends the decommission or maintenance of a DataNode. */
  public void comeBack(int node) throws IOException {
    hosts.comeBack(node);
    refreshNodes();
  }

  private void leave(int node, AdminStates state) throws IOException {
    hosts.leave(node, descriptor(node), state);
    refreshNodes();
  }

  private void refreshNodes() throws IOException {
    for (int index = 0; index < cluster.getNumNameNodes(); index++) {
      if (cluster.isNameNodeUp(index)) {
        cluster.getNamesystem(index).getBlockManager().getDatanodeManager()
            .refreshNodes(cluster.getConfiguration(index));
      }
    }
  }

  /**
   * Breaks a volume under a running DataNode, as if its disk were lost: its directory is no more. Returns when the
   * DataNode has found out and the active NameNode counts no block there any more.
   */
  public void failVolume(int node, int volume) throws Exception {
    FsVolumeImpl lost = volume(node, volume);
    String storage = lost.getStorageID();
    DataNodeTestUtils.injectDataDirFailure(new File(lost.getBaseURI()));
    AtomicLong askedAfterMs = new AtomicLong(-1);
    Await.until("the DataNode finds out", LIMIT, () -> {
      // A check that was under way already may have found nothing.
      if (askedAfterMs.getAndSet(dataNode(node).getLastDiskErrorCheck()) != dataNode(node).getLastDiskErrorCheck()) {
        dataNode(node).checkDiskErrorAsync(lost);
      }
      return !volumes(node).contains(lost);
    });
    Await.until("loss of " + storage + " is known", LIMIT,
        () -> blocksOn(node).stream().noneMatch(block -> isIn(block, storage)));
  }

  private boolean isIn(BlockInfo block, String storage) {
    for (DatanodeStorageInfo candidate : blockManager().getStorages(block)) {
      if (candidate.getStorageID().equals(storage)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Leaves no room on a volume beyond what its blocks take, by lowering the capacity that it claims. Returns when the
   * active NameNode knows. Lasts until the DataNode is restarted.
   */
  public void fillVolume(int node, int volume) throws Exception {
    fillVolume(node, volume, 0);
  }

  /** The same, but leaves room for {@code leftBytes}. */
  public void fillVolume(int node, int volume, long leftBytes) throws Exception {
    FsVolumeImpl full = volume(node, volume);
    full.setCapacityForTesting(full.getDfsUsed() + leftBytes);
    DataNodeTestUtils.triggerHeartbeat(dataNode(node));
    Await.until("the room of node " + node + " is known", LIMIT,
        () -> Arrays.stream(descriptor(node).getStorageReports())
            .filter(report -> report.getStorage().getStorageID().equals(full.getStorageID()))
            .anyMatch(report -> report.getCapacity() == full.getCapacity()));
  }

  private FsVolumeImpl volume(int node, int volume) throws IOException {
    String directory = DataNode.getStorageLocations(dataNode(node).getConf()).get(volume).getUri().getPath();
    return volumes(node).stream()
        .filter(candidate -> java.nio.file.Path.of(candidate.getBaseURI()).equals(java.nio.file.Path.of(directory)))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("DataNode " + node + " has no volume " + volume + " any more"));
  }

  private List<FsVolumeImpl> volumes(int node) throws IOException {
    List<FsVolumeImpl> all = new ArrayList<>();
    try (FsDatasetSpi.FsVolumeReferences volumes = dataNode(node).getFSDataset().getFsVolumeReferences()) {
      volumes.forEach(volume -> all.add((FsVolumeImpl) volume));
    }
    return all;
  }

  /** Cuts the network between Dayu's agent on a DataNode and the NameNodes. The DataNode itself goes on as it was. */
  public void partitionAgent(int node) throws IOException {
    AgentSockets.cut(agent(base, node));
  }

  public void healAgent(int node) {
    AgentSockets.heal(agent(base, node));
  }

  static String agent(java.nio.file.Path base, int node) {
    return base + "/" + node;
  }

  /** Damages the bytes of one replica on disk; HDFS finds out when it is read or scanned. */
  public void corruptReplica(ExtendedBlock block, int node) throws IOException {
    cluster.corruptReplica(dataNode(node), block);
  }

  /** Writes a file whose content and whose replicas' places follow from the cluster's seed. */
  public void write(String path, long lengthBytes, int replication) throws IOException {
    files.write(fileSystem(), path, lengthBytes, replication, block -> placement.choose(path, block, replication));
  }

  /**
   * Waits until the NameNode knows all replicas of a file: when it is closed, one of each block is enough for HDFS, and
   * the other DataNodes tell of theirs in their own time.
   */
  public void awaitReplicas(String path, int replication) throws Exception {
    Await.until(replication + " replicas of each block of " + path, LIMIT, () -> blocksOf(path).stream()
        .allMatch(block -> block.getLocations().length == replication), () -> blocksOf(path));
  }

  public void append(String path, long moreBytes) throws IOException {
    appended = true;
    files.append(fileSystem(), path, moreBytes);
  }

  /** Whether any file was appended to. */
  boolean hasAppended() {
    return appended;
  }

  public void delete(String path) throws IOException {
    files.delete(fileSystem(), path);
  }

  public void setReplication(String path, int replication) throws IOException {
    fileSystem().setReplication(new Path(path), (short) replication);
  }

  /** Sets how far recovery may fill links, on all NameNodes; an empty value is that of their configurations. */
  public void setMaxUtilization(String value) throws Exception {
    Configuration conf = new Configuration(clientConf());
    FileSystem.setDefaultUri(conf, clientUri());
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    String[] command = {"-set", Setting.MAX_UTILIZATION.key() + "=" + value};
    Await.until("the command -set", LIMIT,
        () -> ToolRunner.run(new DayuAdmin(conf, nowhere, System.err), command) == 0);
  }

  /** Stops everything and deletes the cluster's directory. A second call does nothing. */
  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    for (int node = 0; node < nodeCount(); node++) {
      AgentSockets.forget(agent(base, node));
    }
    try {
      // Its own way to delete the directory takes one file at a time.
      cluster.shutdown(false);
    } finally {
      if (nics != null) {
        nics.close();
      }
      deleteTree(base);
    }
  }

  /** The directory that holds everything of this cluster. */
  public java.nio.file.Path directory() {
    return base;
  }

  /** Deletes a directory with everything in it, if it is there. */
  public static void deleteTree(java.nio.file.Path root) throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    deleteFiles(root);
    try (Stream<java.nio.file.Path> tree = Files.walk(root)) {
      for (java.nio.file.Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }

  /**
   * Deletes the files in a directory by several threads: on a disk that is told what is free, one thread waits for more
   * than a millisecond for each of them. What cannot be deleted stays.
   */
  private static void deleteFiles(java.nio.file.Path root) throws IOException {
    ExecutorService deleting = Executors.newFixedThreadPool(DELETING_THREADS);
    try {
      Files.walkFileTree(root, new SimpleFileVisitor<>() {
        @Override
        public FileVisitResult visitFile(java.nio.file.Path file, BasicFileAttributes attributes) {
          deleting.execute(() -> file.toFile().delete());
          return FileVisitResult.CONTINUE;
        }

        /** A DataNode that has been stopped may still delete blocks. */
        @Override
        public FileVisitResult visitFileFailed(java.nio.file.Path file, IOException gone) {
          return FileVisitResult.CONTINUE;
        }
      });
      deleting.shutdown();
      deleting.awaitTermination(DELETION_LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      deleting.shutdownNow();
    }
  }

  private int indexOf(int node) {
    List<DataNode> running = cluster.getDataNodes();
    for (int index = 0; index < running.size(); index++) {
      if (uuids.get(node).equals(running.get(index).getDatanodeUuid())) {
        return index;
      }
    }
    throw new IllegalStateException("DataNode " + node + " is not running");
  }
}

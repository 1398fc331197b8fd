/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import io.dayu.harness.nic.EmulatedNic;
import io.dayu.harness.nic.EmulatedNics;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.namenode.ha.HATestUtil;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

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
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final MiniDFSCluster cluster;
  private final java.nio.file.Path base;
  private final SeededFiles files;
  private final SeededPlacement placement;
  private final EmulatedNics nics;
  private final BlockReports reports = new BlockReports(this);
  private final NodeVolumes volumes = new NodeVolumes(this);
  private final ClusterNameNodes nameNodes = new ClusterNameNodes(this);
  private final ClusterAdmin admin;
  private final List<String> uuids = new ArrayList<>();
  private final Map<Integer, DataNodeProperties> stopped = new HashMap<>();
  private boolean appended;
  private boolean closed;

  DayuCluster(MiniDFSCluster cluster, java.nio.file.Path base, CombinedHostsFile hosts, long seed, EmulatedNics nics)
      throws IOException {
    this.cluster = cluster;
    this.base = base;
    this.admin = new ClusterAdmin(this, hosts);
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

  /** Faults of DataNodes' volumes. */
  public NodeVolumes volumes() {
    return volumes;
  }

  /** Restarts and failovers of NameNodes. */
  public ClusterNameNodes nameNodes() {
    return nameNodes;
  }

  /** What an admin does. */
  public ClusterAdmin admin() {
    return admin;
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

  /** The index of the active NameNode; it may be in safe mode. */
  public int active() {
    for (int index = 0; index < cluster.getNumNameNodes(); index++) {
      if (isNameNodeRunning(index) && cluster.getNameNode(index).isActiveState()) {
        return index;
      }
    }
    throw new IllegalStateException("no NameNode is active");
  }

  /** {@link MiniDFSCluster#isNameNodeUp} is false in safe mode, too, and while no DataNode is alive. */
  boolean isNameNodeRunning(int index) {
    return cluster.getNameNode(index) != null;
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
      if (isNameNodeRunning(index)) {
        DeadDataNodes.declare(cluster.getNamesystem(index).getBlockManager(), descriptor(node, index));
      }
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
      TestDirectory.delete(base);
    }
  }

  /** The directory that holds everything of this cluster. */
  public java.nio.file.Path directory() {
    return base;
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

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import io.dayu.harness.nic.EmulatedNics;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockPlacementPolicyWithNodeGroup;
import org.apache.hadoop.hdfs.server.blockmanagement.CombinedHostFileManager;
import org.apache.hadoop.net.NetworkTopologyWithNodeGroup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Describes an embedded cluster. Not thread-safe. Everything has a default: three DataNodes with Dayu in one rack, one
 * NameNode with Dayu.
 */
public final class ClusterBuilder {
  public static final String NAMENODE_PLUGIN = "io.dayu.namenode.DayuNameNodePlugin";
  public static final String DATANODE_PLUGIN = "io.dayu.datanode.DayuDataNodePlugin";

  private final Map<String, String> conf = new TreeMap<>();
  private final Map<Integer, Map<String, String>> nodeConf = new HashMap<>();
  private final BitSet withoutAgent = new BitSet();
  private int dataNodes = 3;
  private int racks = 1;
  private int nodeGroups;
  private int volumesPerNode = 1;
  private StorageType[] storageTypes;
  private long blockSizeBytes = 1 << 20;
  private long bandwidthBytesPerSec = 64 << 20;
  private long nicBytesPerSec;
  private boolean namenodePlugin = true;
  private int nameNodes = 1;
  private long seed = 1;
  private Path directory = Path.of(System.getProperty("test.build.data", System.getProperty("java.io.tmpdir")));

  ClusterBuilder() {
  }

  public ClusterBuilder dataNodes(int count) {
    dataNodes = count;
    return this;
  }

  /** Node i stands in rack i modulo {@code count}. */
  public ClusterBuilder racks(int count) {
    racks = count;
    return this;
  }

  /**
   * {@code count} node groups, two in each rack, with HDFS's topology and placement for them: node i stands in group i
   * modulo {@code count}.
   */
  public ClusterBuilder nodeGroups(int count) {
    nodeGroups = count;
    conf("net.topology.impl", NetworkTopologyWithNodeGroup.class.getName());
    conf("dfs.use.dfs.network.topology", "false");
    conf("dfs.block.replicator.classname", BlockPlacementPolicyWithNodeGroup.class.getName());
    return this;
  }

  public ClusterBuilder volumesPerNode(int count) {
    volumesPerNode = count;
    return this;
  }

  /** The types of each node's volumes, one each, in place of disks. */
  public ClusterBuilder storageTypes(StorageType... types) {
    storageTypes = types.clone();
    return volumesPerNode(types.length);
  }

  public ClusterBuilder blockSizeBytes(long size) {
    blockSizeBytes = size;
    return this;
  }

  /** What Dayu takes each node's network to carry, in each direction (meter {@code fixed}). */
  public ClusterBuilder bandwidthBytesPerSec(long bandwidth) {
    bandwidthBytesPerSec = bandwidth;
    return this;
  }

  /**
   * Gives each DataNode a network interface that carries at most {@code bandwidth} in each direction, clients' data and
   * recovery's together. Dayu's agent on the node measures its load there: {@link #bandwidthBytesPerSec} then says
   * nothing.
   */
  public ClusterBuilder emulatedNics(long bandwidth) {
    nicBytesPerSec = bandwidth;
    return this;
  }

  /** Stock HDFS: no plugin in the NameNode nor in any DataNode. */
  public ClusterBuilder withoutDayu() {
    namenodePlugin = false;
    return withoutAgents(0, dataNodes);
  }

  /** No Dayu in the DataNodes {@code from} to {@code to} - 1. */
  public ClusterBuilder withoutAgents(int from, int to) {
    withoutAgent.set(from, to);
    return this;
  }

  /** A Hadoop or Dayu setting of all daemons. */
  public ClusterBuilder conf(String key, String value) {
    conf.put(key, value);
    return this;
  }

  /** A setting of one DataNode, over that of all. */
  public ClusterBuilder nodeConf(int node, String key, String value) {
    nodeConf.computeIfAbsent(node, n -> new TreeMap<>()).put(key, value);
    return this;
  }

  /** Two NameNodes, the first one active. */
  public ClusterBuilder highAvailability() {
    nameNodes = 2;
    return this;
  }

  /** Two NameNodes, the first one active, and a third one that observes. */
  public ClusterBuilder observer() {
    nameNodes = 3;
    return this;
  }

  /** Decides the content of the files, and on which DataNodes {@link DayuCluster#write} places their replicas. */
  public ClusterBuilder seed(long value) {
    seed = value;
    return this;
  }

  /** The parent of the cluster's own directory, which is deleted on close. */
  public ClusterBuilder directory(Path parent) {
    directory = parent;
    return this;
  }

  public DayuCluster start() throws IOException {
    Files.createDirectories(directory);
    MachineCheck.check(directory);
    Path base = Files.createTempDirectory(directory.toAbsolutePath(), "dayu-");
    EmulatedNics nics = nicBytesPerSec > 0 ? new EmulatedNics(dataNodes, nicBytesPerSec) : null;
    boolean started = false;
    try {
      CombinedHostsFile hosts = new CombinedHostsFile(base.resolve("dfs.hosts.json"));
      // As a resource, not by set(): what is set() could not be overlaid for one DataNode.
      Configuration common = new Configuration(false);
      settings(hosts).forEach(common::set);
      Configuration hdfs = new HdfsConfiguration();
      hdfs.addResource(common);
      MiniDFSCluster cluster = new MiniDFSCluster.Builder(hdfs, base.resolve("hdfs").toFile())
          .numDataNodes(dataNodes)
          .storagesPerDatanode(volumesPerNode)
          .storageTypes(storageTypes)
          .racks(rackOfEachNode())
          .dataNodeConfOverlays(overlays(base, nics))
          .nnTopology(nameNodes > 1 ? MiniDFSNNTopology.simpleHATopology(nameNodes) : null)
          .checkExitOnShutdown(false)
          .build();
      started = true;
      System.out.println("cluster of " + dataNodes + " DataNodes, seed " + seed);
      return new DayuCluster(cluster, base, hosts, seed, nics);
    } finally {
      if (!started) {
        if (nics != null) {
          nics.close();
        }
        TestDirectory.delete(base);
      }
    }
  }

  private Map<String, String> settings(CombinedHostsFile hosts) {
    Map<String, String> all = new TreeMap<>();
    all.put(DFSConfigKeys.DFS_HEARTBEAT_INTERVAL_KEY, "1");
    all.put(DFSConfigKeys.DFS_NAMENODE_HEARTBEAT_RECHECK_INTERVAL_KEY, "500");
    all.put(DFSConfigKeys.DFS_NAMENODE_REDUNDANCY_INTERVAL_SECONDS_KEY, "1");
    all.put("dfs.namenode.decommission.interval", "1");
    all.put(DFSConfigKeys.DFS_NAMENODE_MIN_BLOCK_SIZE_KEY, "0");
    all.put(DFSConfigKeys.DFS_BLOCK_SIZE_KEY, Long.toString(blockSizeBytes));
    all.put(DFSConfigKeys.DFS_NAMENODE_HOSTS_PROVIDER_CLASSNAME_KEY, CombinedHostFileManager.class.getName());
    all.put(DFSConfigKeys.DFS_HOSTS, hosts.path().toString());
    // A DataNode goes on with what volumes it has left, and looks at a suspect one at once.
    all.put(DFSConfigKeys.DFS_DATANODE_FAILED_VOLUMES_TOLERATED_KEY, Integer.toString(volumesPerNode - 1));
    all.put(DFSConfigKeys.DFS_DATANODE_DISK_CHECK_MIN_GAP_KEY, "0ms");
    // A client keeps an idle connection to the NameNode for ten seconds; a closed cluster should leave no thread that
    // long.
    all.put("ipc.client.connection.maxidletime", "1000");
    // A client that closes a file before its last replica has been reported tries again after this time, and then after
    // twice as long each time: for 41 s in all.
    all.put(HdfsClientConfigKeys.BlockWrite.LOCATEFOLLOWINGBLOCK_INITIAL_DELAY_MS_KEY, "10");
    all.put(HdfsClientConfigKeys.BlockWrite.LOCATEFOLLOWINGBLOCK_RETRIES_KEY, "12");
    all.put(AgentSockets.KEY, AgentSockets.class.getName());
    // All DataNodes of a test, and other tests, share this machine's disk.
    all.put("dayu.datanode.volume.clients-first", "false");
    if (nicBytesPerSec > 0) {
      all.putAll(EmulatedNics.settings());
    } else {
      all.put("dayu.datanode.meter", "fixed");
      all.put("dayu.datanode.bandwidthPerSec", Long.toString(bandwidthBytesPerSec));
    }
    if (namenodePlugin) {
      all.put(DFSConfigKeys.DFS_NAMENODE_PLUGINS_KEY, NAMENODE_PLUGIN);
    }
    all.putAll(conf);
    return all;
  }

  private String[] rackOfEachNode() {
    String[] rackOf = new String[dataNodes];
    for (int node = 0; node < dataNodes; node++) {
      int group = nodeGroups == 0 ? 0 : node % nodeGroups;
      rackOf[node] = nodeGroups == 0 ? "/rack" + node % racks : "/rack" + group / 2 + "/group" + group;
    }
    return rackOf;
  }

  private Configuration[] overlays(Path base, EmulatedNics nics) {
    Configuration[] overlays = new Configuration[dataNodes];
    for (int node = 0; node < dataNodes; node++) {
      overlays[node] = new Configuration(false);
      overlays[node].set(AgentSockets.AGENT, DayuCluster.agent(base, node));
      if (!withoutAgent.get(node)) {
        overlays[node].set(DFSConfigKeys.DFS_DATANODE_PLUGINS_KEY, DATANODE_PLUGIN);
      }
      if (nics != null) {
        nics.settingsOf(node).forEach(overlays[node]::set);
      }
      nodeConf.getOrDefault(node, Map.of()).forEach(overlays[node]::set);
    }
    return overlays;
  }
}

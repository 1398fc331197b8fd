/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.nic;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The NICs of one embedded cluster, one for each DataNode, found by what runs inside the DataNode through its
 * configuration. Safe for use by all threads.
 */
public final class EmulatedNics implements AutoCloseable {
  /** Names the NIC in a DataNode's configuration. Not of the form {@code dayu.*}: it is no setting of Dayu. */
  static final String KEY = "harness.nic";
  /** Small, so that a sender cannot run far ahead of its receiver's link by filling buffers. */
  private static final String SOCKET_BUFFER_BYTES = Integer.toString(128 * 1024);

  private static final Map<String, EmulatedNic> ALL = new ConcurrentHashMap<>();

  private final String cluster = UUID.randomUUID().toString();
  private final List<EmulatedNic> nics = new ArrayList<>();

  /**
   * @param bytesPerSec what each NIC carries in each direction
   */
  public EmulatedNics(int dataNodes, long bytesPerSec) {
    for (int node = 0; node < dataNodes; node++) {
      nics.add(new EmulatedNic(bytesPerSec));
      ALL.put(name(node), nics.get(node));
    }
  }

  public EmulatedNic nic(int node) {
    return nics.get(node);
  }

  /** By number of the DataNode. */
  public List<EmulatedNic> all() {
    return List.copyOf(nics);
  }

  /** What all daemons of the cluster need in their configuration. */
  public static Map<String, String> settings() {
    return Map.of(
        DFSConfigKeys.DFS_DATANODE_FSDATASET_FACTORY_KEY,
        "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.NicDatasetFactory",
        // Block data has to pass through our streams.
        DFSConfigKeys.DFS_DATANODE_TRANSFERTO_ALLOWED_KEY, "false",
        DFSConfigKeys.DFS_DATANODE_TRANSFER_SOCKET_SEND_BUFFER_SIZE_KEY, SOCKET_BUFFER_BYTES,
        DFSConfigKeys.DFS_DATANODE_TRANSFER_SOCKET_RECV_BUFFER_SIZE_KEY, SOCKET_BUFFER_BYTES,
        "dfs.client.socket.send.buffer.size", SOCKET_BUFFER_BYTES,
        "dayu.datanode.meter", EmulatedNicMeter.class.getName());
  }

  /** What one DataNode needs on top. */
  public Map<String, String> settingsOf(int node) {
    return Map.of(KEY, name(node));
  }

  /**
   * The NIC of the DataNode that has this configuration.
   *
   * @throws IllegalArgumentException if it names none of a cluster that is there
   */
  public static EmulatedNic of(Configuration conf) {
    String name = conf.get(KEY);
    EmulatedNic nic = name == null ? null : ALL.get(name);
    if (nic == null) {
      throw new IllegalArgumentException("no emulated NIC " + name + " (" + KEY + ")");
    }
    return nic;
  }

  private String name(int node) {
    return cluster + "/" + node;
  }

  /** Forgets the NICs; to be called when the cluster is down. */
  @Override
  public void close() {
    for (int node = 0; node < nics.size(); node++) {
      ALL.remove(name(node));
    }
  }
}

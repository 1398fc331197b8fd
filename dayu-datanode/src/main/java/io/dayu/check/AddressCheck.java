/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.check;

import io.dayu.conf.Setting;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSUtil;
import org.apache.hadoop.net.NetUtils;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The addresses that Dayu uses. It opens no port of its own: agents call the NameNodes at the addresses of HDFS, and
 * pull replicas from the DataNodes' port for data. No state.
 */
final class AddressCheck {
  private static final List<String> NAMENODE_KEYS = List.of("dfs.namenode.rpc-address",
      "dfs.namenode.servicerpc-address", "dfs.namenode.lifeline.rpc-address", "dfs.namenode.http-address",
      "dfs.namenode.https-address");
  private static final List<String> DATANODE_KEYS = List.of("dfs.datanode.address", "dfs.datanode.http.address",
      "dfs.datanode.https.address", "dfs.datanode.ipc.address");

  private AddressCheck() {
  }

  static void run(Configuration conf, Set<Setting.Daemon> daemons, Findings found) {
    if (daemons.contains(Setting.Daemon.NAMENODE)) {
      check(conf, NAMENODE_KEYS, found);
    }
    if (daemons.contains(Setting.Daemon.DATANODE)) {
      check(conf, DATANODE_KEYS, found);
    }
    nameNodes(conf, found);
  }

  /** Those that agents call. */
  private static void nameNodes(Configuration conf, Findings found) {
    try {
      DFSUtil.getNNServiceRpcAddressesForCluster(conf).values().forEach(nodes -> nodes.forEach((id, address) -> {
        if (address.isUnresolved()) {
          found.fault("the NameNode " + NetUtils.getHostPortString(address) + " has no address here: this host's name "
              + "service does not know " + address.getHostName());
        }
      }));
    } catch (IOException | IllegalArgumentException e) {
      found.fault("these settings name no NameNode that agents could call (" + e.getMessage()
          + "); is HADOOP_CONF_DIR the cluster's?");
    }
  }

  /** Each value must be an address, and no two of one daemon the same. */
  private static void check(Configuration conf, List<String> keys, Findings found) {
    Map<String, String> keyByAddress = new HashMap<>();
    for (Map.Entry<String, String> entry : conf) {
      for (String key : keys) {
        boolean ofNameNode = entry.getKey().startsWith(key + ".");
        if ((entry.getKey().equals(key) || ofNameNode) && !conf.get(entry.getKey(), "").isBlank()) {
          // Each NameNode of a nameservice has its own host, or its own set of ports.
          String suffix = entry.getKey().substring(key.length());
          check(entry.getKey(), conf.getTrimmed(entry.getKey()), suffix, keyByAddress, found);
        }
      }
    }
  }

  private static void check(String key, String value, String suffix, Map<String, String> keyByAddress,
      Findings found) {
    try {
      InetSocketAddress address = NetUtils.createSocketAddr(value, 0, key);
      String host = address.isUnresolved() || address.getAddress().isAnyLocalAddress() ? "" : address.getHostString();
      String other = address.getPort() == 0 ? null : keyByAddress.put(suffix + " " + host + ":" + address.getPort(),
          key);
      if (other != null) {
        found.fault("settings " + (key.compareTo(other) < 0 ? key + " and " + other : other + " and " + key)
            + " have the same port, " + address.getPort());
      }
    } catch (IllegalArgumentException e) {
      found.fault("setting " + key + " = '" + value + "' is not valid: expected host:port");
    }
  }
}

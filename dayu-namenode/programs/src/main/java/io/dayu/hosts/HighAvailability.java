/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.client.Topology;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Settings of an HDFS with a standby NameNode, whose edits are shared by a directory. Stateless. */
final class HighAvailability {
  private static final String NAMESERVICE = "cluster";

  private HighAvailability() {
  }

  /** @param sharedEdits a directory that both NameNodes reach */
  static Map<String, String> settings(String host, List<String> nameNodes, Path sharedEdits) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("fs.defaultFS", "hdfs://" + NAMESERVICE);
    settings.put("dfs.nameservices", NAMESERVICE);
    for (String nameNode : nameNodes) {
      settings.put("dfs.namenode.rpc-address." + NAMESERVICE + "." + nameNode, nameNode + ":" + HostConf.RPC_PORT);
      settings.put("dfs.namenode.http-address." + NAMESERVICE + "." + nameNode, nameNode + ":" + Topology.HTTP_PORT);
    }
    settings.put("dfs.ha.namenodes." + NAMESERVICE, String.join(",", nameNodes));
    if (nameNodes.contains(host)) {
      settings.put("dfs.ha.namenode.id", host);
    }
    settings.put("dfs.namenode.shared.edits.dir", sharedEdits.toUri().toString());
    settings.put("dfs.client.failover.proxy.provider." + NAMESERVICE,
        "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider");
    return settings;
  }
}

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
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.AdminStates;
import org.apache.hadoop.util.ToolRunner;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;

/** What an admin does to a cluster, by the hosts file and by commands. One thread at a time. */
public final class ClusterAdmin {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final DayuCluster cluster;
  private final CombinedHostsFile hosts;

  ClusterAdmin(DayuCluster cluster, CombinedHostsFile hosts) {
    this.cluster = cluster;
    this.hosts = hosts;
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
    hosts.leave(node, cluster.descriptor(node), state);
    refreshNodes();
  }

  private void refreshNodes() throws IOException {
    for (int index = 0; index < cluster.mini().getNumNameNodes(); index++) {
      if (cluster.isNameNodeRunning(index)) {
        cluster.mini().getNamesystem(index).getBlockManager().getDatanodeManager()
            .refreshNodes(cluster.mini().getConfiguration(index));
      }
    }
  }

  /** Sets how far recovery may fill links, on all NameNodes; an empty value is that of their configurations. */
  public void setMaxUtilization(String value) throws Exception {
    Configuration conf = new Configuration(cluster.clientConf());
    FileSystem.setDefaultUri(conf, cluster.clientUri());
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    String[] command = {"-set", Setting.MAX_UTILIZATION.key() + "=" + value};
    Await.until("the command -set", LIMIT,
        () -> ToolRunner.run(new DayuAdmin(conf, nowhere, System.err), command) == 0);
  }
}

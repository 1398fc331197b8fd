/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.dayu.harness.FsckReport;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Whether a cluster that nobody disturbs has come to rest. Not thread-safe. */
final class SettledCheck {
  private static final String EXCESS = "ExcessBlocks";
  private static final List<String> GAUGES =
      List.of("LowRedundancyBlocks", "PendingReconstructionBlocks", EXCESS, "PendingDeletionBlocks",
          "CorruptBlocks", "MissingBlocks", "PostponedMisreplicatedBlocks");

  private final HostConf conf;
  private final FaultCluster cluster;
  private final List<NameNodeStatus> nameNodes;

  /** @param nameNodes in the order of their hosts */
  SettledCheck(HostConf conf, FaultCluster cluster, List<NameNodeStatus> nameNodes) {
    this.conf = conf;
    this.cluster = cluster;
    this.nameNodes = nameNodes;
  }

  private NameNodeStatus status(String host) {
    return nameNodes.get(conf.layout().nameNodeHosts().indexOf(host));
  }

  /** What is not at rest yet, one line each. */
  List<String> unsettled() throws IOException {
    int nodes = conf.layout().topology().nodes();
    NameNodeStatus active = status(cluster.activeHost());
    List<String> unsettled = new ArrayList<>();
    if (!status(cluster.standbyHost()).isReady(nodes)) {
      unsettled.add("the standby NameNode is not ready: " + status(cluster.standbyHost()).state());
    }
    if (!active.isReady(nodes)) {
      unsettled.add("the active NameNode is not ready: " + active.state());
      return unsettled;
    }
    JsonNode blocks = active.bean("FSNamesystem").orElseGet(MissingNode::getInstance);
    for (String gauge : GAUGES) {
      if (blocks.path(gauge).asLong(-1) != 0) {
        unsettled.add(gauge + ": " + blocks.path(gauge).asText("none"));
        if (gauge.equals(EXCESS)) {
          unsettled.add("of these in closed files: " + active.excessReplicas().orElse(List.of()));
        }
      }
    }
    unsettled.addAll(active.fsck().map(FsckReport::problems).orElse(List.of("fsck does not answer")));
    addDayu(unsettled, active.bean("DayuStatus"), nodes);
    if (unsettled.isEmpty()) {
      for (int node = 0; node < nodes; node++) {
        conf.dataNodeStorage(node).partialReplicas().forEach(file -> unsettled.add("partial replica " + file));
      }
    }
    return unsettled;
  }

  /** The blocks and groups of all files; empty if the NameNode does not say. */
  Optional<List<FsckBlock>> blocks() throws IOException {
    return status(cluster.activeHost()).blocks();
  }

  private static void addDayu(List<String> unsettled, Optional<JsonNode> dayu, int nodes) {
    if (dayu.isEmpty()) {
      unsettled.add("the active NameNode does not say how Dayu is");
      return;
    }
    for (String gauge : List.of("WaitingBlocks", "RunningTransfers")) {
      if (dayu.get().path(gauge).asLong(-1) != 0) {
        unsettled.add("Dayu: " + gauge + ": " + dayu.get().path(gauge).asText());
      }
    }
    if (dayu.get().path("LiveAgents").asInt() != nodes) {
      unsettled.add("Dayu hears of " + dayu.get().path("LiveAgents").asInt() + " agents");
    }
  }

  /** Who recovers, for people. */
  String state() throws IOException {
    Optional<JsonNode> dayu = status(cluster.activeHost()).bean("DayuStatus");
    return dayu.map(bean -> bean.path("State").asText() + ", " + bean.path("TotalFinished").asLong()
        + " transfers finished, " + bean.path("TotalFailed").asLong() + " failed, "
        + bean.path("TotalAdopted").asLong() + " adopted, " + bean.path("TotalHandedToStock").asLong()
        + " blocks handed to stock").orElse("nothing");
  }
}

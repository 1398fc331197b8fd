/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.scenario;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.dayu.conf.Setting;
import io.dayu.harness.DayuCluster;
import io.dayu.harness.load.OpenLoopLoad;

import java.util.EnumSet;
import java.util.Set;

/**
 * What can be done to a cluster, by the name that it has in scenarios: the faults of {@link DayuCluster}, and changes
 * of files.
 */
public enum Fault {
  @JsonProperty("kill")
  KILL((cluster, node, step) -> cluster.kill(node), Argument.NODE),
  @JsonProperty("stop")
  STOP((cluster, node, step) -> cluster.stop(node), Argument.NODE),
  @JsonProperty("restart")
  RESTART((cluster, node, step) -> cluster.restart(node), Argument.NODE),
  @JsonProperty("decommission")
  DECOMMISSION((cluster, node, step) -> cluster.admin().decommission(node), Argument.NODE),
  @JsonProperty("enterMaintenance")
  ENTER_MAINTENANCE((cluster, node, step) -> cluster.admin().enterMaintenance(node), Argument.NODE),
  @JsonProperty("comeBack")
  COME_BACK((cluster, node, step) -> cluster.admin().comeBack(node), Argument.NODE),
  @JsonProperty("failVolume")
  FAIL_VOLUME((cluster, node, step) -> cluster.volumes().fail(node, step.volume()), Argument.NODE, Argument.VOLUME),
  @JsonProperty("fillVolume")
  FILL_VOLUME((cluster, node, step) -> cluster.volumes().fill(node, step.volume()), Argument.NODE, Argument.VOLUME),
  @JsonProperty("partitionAgent")
  PARTITION_AGENT((cluster, node, step) -> cluster.partitionAgent(node), Argument.NODE),
  @JsonProperty("healAgent")
  HEAL_AGENT((cluster, node, step) -> cluster.healAgent(node), Argument.NODE),
  @JsonProperty("failover")
  FAILOVER((cluster, node, step) -> cluster.nameNodes().failover()),
  @JsonProperty("restartNameNode")
  RESTART_NAME_NODE((cluster, node, step) -> cluster.nameNodes().restart()),
  /**
   * Damages the first replica of the file's first block, and has its DataNode report it, as its scanner would some
   * time.
   */
  @JsonProperty("corruptReplica")
  CORRUPT_REPLICA((cluster, node, step) -> {
    var block = cluster.blocksOf(step.file()).get(0);
    int holder = cluster.nodeOf(block.getLocations()[0].getDatanodeUuid());
    cluster.corruptReplica(block.getBlock(), holder);
    cluster.dataNode(holder).reportBadBlocks(block.getBlock());
  }, Argument.FILE),
  @JsonProperty("append")
  APPEND((cluster, node, step) -> cluster.append(step.file(), step.bytes()), Argument.FILE, Argument.BYTES),
  @JsonProperty("delete")
  DELETE((cluster, node, step) -> cluster.delete(step.file()), Argument.FILE),
  @JsonProperty("setReplication")
  SET_REPLICATION((cluster, node, step) -> cluster.setReplication(step.file(), step.replication()), Argument.FILE,
      Argument.REPLICATION),
  /** No fault: recovery may fill links as far as it does by default, where the scenario's settings keep it slow. */
  @JsonProperty("hurry")
  HURRY((cluster, node, step) -> cluster.admin().setMaxUtilization(Setting.MAX_UTILIZATION.defaultText())),
  /** No fault: every file but those of the load is read back and compared, as things are at this moment. */
  @JsonProperty("readFiles")
  READ_FILES((cluster, node, step) -> {
    for (String file : cluster.files().lengthsBytes().keySet()) {
      if (!file.startsWith(OpenLoopLoad.DIRECTORY)) {
        cluster.files().compare(cluster.fileSystem(), file).ifPresent(difference -> {
          throw new AssertionError(difference);
        });
      }
    }
  });

  /** What a fault must be told. */
  enum Argument { NODE, VOLUME, FILE, BYTES, REPLICATION }

  private interface Action {
    void carryOut(DayuCluster cluster, int node, Step step) throws Exception;
  }

  private final Action action;
  private final Set<Argument> arguments;

  Fault(Action action, Argument... arguments) {
    this.action = action;
    this.arguments = EnumSet.noneOf(Argument.class);
    this.arguments.addAll(Set.of(arguments));
  }

  Set<Argument> arguments() {
    return arguments;
  }

  /** @param node the node that the step is about; says nothing to a fault that needs none */
  void carryOut(DayuCluster cluster, int node, Step step) throws Exception {
    action.carryOut(cluster, node, step);
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What happens to the cluster in a run, at once or in two steps, of which the second comes in mid-recovery or at a
 * given time.
 */
enum HostFault {
  KILL("kill", "a DataNode is killed"),
  DECOMMISSION("decommission", "a DataNode is decommissioned"),
  DISK("disk", "one of two volumes of a DataNode is lost"),
  SECOND("second", "a DataNode is killed, and in mid-recovery another one"),
  LIMP("limp", "a DataNode is killed, and in mid-recovery the link of another one falls to a tenth"),
  RETURN("return", "a DataNode is killed, and comes back in mid-recovery"),
  FAILOVER("failover", "a DataNode is killed, and in mid-recovery the active NameNode; a standby takes over");

  private final String id;
  private final String text;

  HostFault(String id, String text) {
    this.id = id;
    this.text = text;
  }

  /** As it stands in properties and in the result. */
  String id() {
    return id;
  }

  /** For readers of the result. */
  String text() {
    return text;
  }

  /** Whether it has a second step, which comes in mid-recovery unless it is told when. */
  boolean hasSecondStep() {
    return this == SECOND || this == LIMP || this == RETURN || this == FAILOVER;
  }

  /** Of each DataNode. */
  int volumes() {
    return this == DISK ? 2 : 1;
  }

  int nameNodes() {
    return this == FAILOVER ? 2 : 1;
  }

  /** How many DataNodes no longer hold blocks. */
  int lostNodes() {
    return switch (this) {
      case DISK -> 0;
      case SECOND -> 2;
      default -> 1;
    };
  }

  /** The number of DataNodes that it leaves enough of for three replicas of each block. */
  int minNodes() {
    return this == SECOND ? 5 : 4;
  }

  /** Whether the DataNode that it hits may receive replicas while others recover. */
  boolean victimReceives() {
    return this == DISK || this == RETURN;
  }

  boolean victimSends() {
    return this == DISK || this == RETURN || this == DECOMMISSION;
  }

  /** What the NameNode's log says when it knows of the loss. */
  String lossLine() {
    return switch (this) {
      case DECOMMISSION -> "Starting decommission of";
      case DISK -> "Number of failed storages changes from 0 to 1";
      default -> NameNodeLog.DEAD;
    };
  }

  /** Settings without which HDFS would notice the fault minutes later; for all modes. */
  Map<String, String> settings() {
    return switch (this) {
      case DECOMMISSION -> Map.of("dfs.namenode.decommission.interval", "1s");
      case DISK -> Map.of("dfs.datanode.failed.volumes.tolerated", "1", "dfs.datanode.disk.check.min.gap", "1s");
      default -> Map.of();
    };
  }

  static Optional<HostFault> byId(String id) {
    return Arrays.stream(values()).filter(fault -> fault.id.equals(id)).findFirst();
  }

  static List<String> ids() {
    return Arrays.stream(values()).map(HostFault::id).toList();
  }
}

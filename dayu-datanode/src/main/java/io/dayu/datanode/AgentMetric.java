/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.metrics.Metric;

/**
 * The metrics of the agent in a DataNode, in JMX {@code Hadoop:service=DataNode,name=DayuAgent}. A test compares
 * {@code docs/metrics.md} with this list.
 */
public enum AgentMetric implements Metric {
  NAME_NODES(Kind.GAUGE, "NameNodes that the agent reports to"),
  CAPACITY_IN_BYTES_PER_SEC(Kind.GAUGE,
      "What the node can receive: the network's bandwidth, or the volumes' where they are slower"),
  CAPACITY_OUT_BYTES_PER_SEC(Kind.GAUGE, "What the node can send"),
  VOLUMES_BYTES_PER_SEC(Kind.GAUGE,
      "What the node's healthy volumes carry together, by dayu.datanode.volume.bandwidthPerSec; if "
          + "CapacityInBytesPerSec is as much, plans hold the node to its volumes"),
  FOREGROUND_IN_BYTES_PER_SEC(Kind.GAUGE, "What the node receives besides Dayu's recovery, as last measured"),
  FOREGROUND_OUT_BYTES_PER_SEC(Kind.GAUGE, "What the node sends besides Dayu's recovery, as last measured"),
  RECEIVED_BYTES(Kind.COUNTER, "Bytes of blocks that transfers received here"),
  SERVED_BYTES(Kind.COUNTER, "Bytes of blocks that transfers of other nodes read here"),
  RECONSTRUCTION_READ_BYTES(Kind.COUNTER,
      "Bytes that stock HDFS's reconstructions of erasure-coded groups on this node read, shaped as recovery"),
  RECONSTRUCTION_WRITTEN_BYTES(Kind.COUNTER,
      "Bytes that stock HDFS's reconstructions on this node sent to further targets, shaped as recovery"),
  RECONSTRUCTION_SERVED_BYTES(Kind.COUNTER,
      "Bytes that stock HDFS's reconstructions on other nodes read here, shaped as recovery"),
  DISKS_FULL_MS(Kind.COUNTER,
      "Milliseconds in which transfers to this node wrote to its disks nearly all the time, so that no more began"),
  DISK_WAIT_MS(Kind.COUNTER,
      "Milliseconds for which the recovery read or write whose turn it was waited until clients read nothing from the "
          + "same rotating disk, summed over the disks; those that wait for their turn meanwhile do not count"),
  LOWER_EFFORT_STARVED(Kind.GAUGE,
      "1 while recovery goes unmarked since connections marked as lower effort were silent and others were not");

  private final Kind kind;
  private final String description;

  AgentMetric(Kind kind, String description) {
    this.kind = kind;
    this.description = description;
  }

  @Override
  public Kind kind() {
    return kind;
  }

  @Override
  public String description() {
    return description;
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.client.Topology;

import java.util.ArrayList;
import java.util.List;

/**
 * Which hosts there are. Immutable.
 *
 * @param topology DataNodes and racks
 * @param nameNodes one, or two of which one is active
 * @param volumes of each DataNode
 */
record HostLayout(Topology topology, int nameNodes, int volumes) {

  /** The first is active at the beginning. */
  List<String> nameNodeHosts() {
    return nameNodes == 1 ? List.of(Topology.NAME_NODE) : List.of(Topology.NAME_NODE, Topology.STANDBY);
  }

  List<String> dataNodeHosts() {
    List<String> hosts = new ArrayList<>();
    for (int node = 0; node < topology.nodes(); node++) {
      hosts.add(Topology.dataNode(node));
    }
    return hosts;
  }

  /** All of them, with that of the clients. */
  List<String> hosts() {
    List<String> hosts = new ArrayList<>(nameNodeHosts());
    hosts.add(Topology.CLIENT);
    hosts.addAll(dataNodeHosts());
    return hosts;
  }

  HostLayout withOneNameNode() {
    return new HostLayout(topology, 1, volumes);
  }
}

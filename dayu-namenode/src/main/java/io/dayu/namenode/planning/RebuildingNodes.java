/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.LiveNode;
import io.dayu.model.IntRows;
import io.dayu.namenode.exchange.NodeLoad;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** By codec, which nodes of a plan can rebuild internal blocks of erasure-coded groups. Not thread-safe. */
final class RebuildingNodes {
  private final List<LiveNode> nodes;
  private final Map<String, NodeLoad> loads;
  private final Map<String, boolean[]> byCodec = new HashMap<>();

  /**
   * @param nodes the rows of the node table
   * @param loads what the live agents last reported, by UUID
   */
  RebuildingNodes(List<LiveNode> nodes, Map<String, NodeLoad> loads) {
    this.nodes = nodes;
    this.loads = loads;
  }

  /** By row of a node, whether it can rebuild by this codec. Not to be changed. */
  boolean[] by(String codec) {
    return byCodec.computeIfAbsent(codec, this::find);
  }

  private boolean[] find(String codec) {
    boolean[] can = new boolean[nodes.size()];
    for (int id = 0; id < can.length; id++) {
      NodeLoad load = loads.get(nodes.get(id).uuid());
      can[id] = load != null && load.rebuilds(codec);
    }
    return can;
  }

  /** Adds those that cannot rebuild by this codec to a row. */
  void addOthers(String codec, IntRows.Builder row) {
    boolean[] can = by(codec);
    for (int id = 0; id < can.length; id++) {
      if (!can[id]) {
        row.add(id);
      }
    }
  }
}

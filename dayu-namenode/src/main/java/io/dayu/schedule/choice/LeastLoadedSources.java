/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.choice;

import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;

/**
 * Chooses the source of a block among the nodes that hold it: the one with the least (c_out + s) / B_recover_out that
 * has a stream free, unless even that one would be saturated (ATC'19 §4.1). Among equals the lowest node id. A node
 * that is leaving the cluster goes before others until it is saturated. Not thread-safe.
 */
public final class LeastLoadedSources implements SourceSelector {
  private NodeTable nodes;
  private NodeLoads loads;
  private IntRows holders;

  @Override
  public void reset(NodeTable planNodes, IntRows planHolders, NodeLoads planLoads) {
    nodes = planNodes;
    holders = planHolders;
    loads = planLoads;
  }

  @Override
  public int select(int task, long bytes, boolean[] among) {
    int best = -1;
    double bestSeconds = Double.POSITIVE_INFINITY;
    boolean bestLeaves = false;
    for (int i = holders.start(task); i < holders.end(task); i++) {
      int node = holders.values()[i];
      if (among != null && !among[node] || !loads.servesMore(node)) {
        continue;
      }
      double seconds = (double) (loads.assignedOut(node) + bytes) / nodes.recoverOutBytesPerSec()[node];
      boolean leaves = nodes.leaving() != null && nodes.leaving()[node] && !loads.saturatesSource(node, bytes);
      boolean better = seconds < bestSeconds || seconds == bestSeconds && node < best;
      if (leaves == bestLeaves ? better : leaves) {
        best = node;
        bestSeconds = seconds;
        bestLeaves = leaves;
      }
    }
    return best >= 0 && !loads.saturatesSource(best, bytes) ? best : -1;
  }
}

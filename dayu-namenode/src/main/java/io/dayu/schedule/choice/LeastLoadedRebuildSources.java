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
import io.dayu.model.TaskTable;

/**
 * Chooses the sources of a rebuild: of all nodes that can serve the group, the k with the least (c_out + s) /
 * B_recover_out that have a stream free and are not saturated; the rule of ATC'19 §4.1 for k sources at once. Among
 * equals the lowest node id. Not thread-safe.
 *
 * <p>The order within HDFS's list of holders does not matter, and a node that is leaving the cluster is no preferred
 * source: it has copies of its own to send.
 */
public final class LeastLoadedRebuildSources implements RebuildSources {
  private final int[] chosen = new int[TaskTable.MAX_WIDTH];
  private final double[] seconds = new double[TaskTable.MAX_WIDTH];
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
  public boolean select(int task, long bytes, int width) {
    int count = 0;
    for (int i = holders.start(task); i < holders.end(task); i++) {
      int node = holders.values()[i];
      if (!canServe(node, bytes)) {
        continue;
      }
      double needed = seconds(node, bytes);
      int at = count < width ? count++ : width;
      while (at > 0 && comesBefore(node, needed, at - 1)) {
        if (at < width) {
          chosen[at] = chosen[at - 1];
          seconds[at] = seconds[at - 1];
        }
        at--;
      }
      if (at < width) {
        chosen[at] = node;
        seconds[at] = needed;
      }
    }
    return count == width;
  }

  /** Least loaded first. */
  @Override
  public int[] chosen() {
    return chosen;
  }

  @Override
  public int selectBeside(int task, long bytes, int[] sources, int from, int end, boolean[] among) {
    int best = -1;
    double bestSeconds = Double.POSITIVE_INFINITY;
    for (int i = holders.start(task); i < holders.end(task); i++) {
      int node = holders.values()[i];
      if (among != null && !among[node] || !canServe(node, bytes) || contains(sources, from, end, node)) {
        continue;
      }
      double needed = seconds(node, bytes);
      if (needed < bestSeconds || needed == bestSeconds && node < best) {
        best = node;
        bestSeconds = needed;
      }
    }
    return best;
  }

  private boolean canServe(int node, long bytes) {
    return loads.servesMore(node) && !loads.saturatesSource(node, bytes);
  }

  private double seconds(int node, long bytes) {
    return (double) (loads.assignedOut(node) + bytes) / nodes.recoverOutBytesPerSec()[node];
  }

  private boolean comesBefore(int node, double needed, int place) {
    return needed < seconds[place] || needed == seconds[place] && node < chosen[place];
  }

  private static boolean contains(int[] sources, int from, int end, int node) {
    for (int i = from; i < end; i++) {
      if (sources[i] == node) {
        return true;
      }
    }
    return false;
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.algorithm;

import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.TaskTable;
import io.dayu.sim.SeedMix;

import java.util.Arrays;

/** Random choices of stock HDFS, and what limits them. Not thread-safe. */
final class StockDraws {
  private static final int MAX_DRAWS = 256;
  /** At the highest risk {@code dfs.namenode.replication.max-streams-hard-limit} counts, by default twice the other. */
  private static final int HARD_LIMIT_FACTOR = 2;

  private long state;

  /** Begins anew: the same seed gives the same numbers. */
  void begin(long seed) {
    state = seed;
  }

  /** Uniform in [0, bound). */
  int below(int bound) {
    state = SeedMix.next(state);
    return SeedMix.below(state, bound);
  }

  /** A node that may receive the task, or -1 if none is found in a few hundred draws. */
  int target(NodeTable nodes, TaskTable tasks, int task) {
    for (int draw = 0; draw < MAX_DRAWS; draw++) {
      int node = below(nodes.count());
      if (accepts(nodes, tasks, task, node)) {
        return node;
      }
    }
    return -1;
  }

  /**
   * A node that may receive the task, as HDFS's policy for groups chooses one ({@code chooseLocalRack}, with the first
   * source as the writer): on the rack of the writer, else on that of the first other holder, else anywhere; -1 if none
   * is found.
   */
  int targetNear(int writer, NodeTable nodes, TaskTable tasks, int task) {
    int target = targetOn(nodes.rack()[writer], nodes, tasks, task);
    IntRows holders = tasks.sources();
    for (int i = holders.start(task); i < holders.end(task) && target < 0; i++) {
      if (holders.values()[i] != writer) {
        target = targetOn(nodes.rack()[holders.values()[i]], nodes, tasks, task);
        break;
      }
    }
    return target >= 0 ? target : target(nodes, tasks, task);
  }

  /** The target, and others for what the task lacks besides; fewer if they are not found. */
  int[] withFurtherTargets(int first, NodeTable nodes, TaskTable tasks, int task) {
    int[] chosen = {first};
    for (int draw = 0; draw < MAX_DRAWS && chosen.length < tasks.copies()[task]; draw++) {
      int node = below(nodes.count());
      if (accepts(nodes, tasks, task, node) && Arrays.stream(chosen).noneMatch(other -> node == other
          || tasks.distinctRacks()[task] && nodes.rack()[node] == nodes.rack()[other])) {
        chosen = Arrays.copyOf(chosen, chosen.length + 1);
        chosen[chosen.length - 1] = node;
      }
    }
    return chosen;
  }

  private int targetOn(int rack, NodeTable nodes, TaskTable tasks, int task) {
    int chosen = -1;
    int found = 0;
    for (int node = 0; node < nodes.count(); node++) {
      if (nodes.rack()[node] == rack && accepts(nodes, tasks, task, node)) {
        found++;
        chosen = below(found) == 0 ? node : chosen;
      }
    }
    return chosen;
  }

  /** Whether the node may receive the task. */
  static boolean accepts(NodeTable nodes, TaskTable tasks, int task, int node) {
    return nodes.acceptsTransfers()[node] && !tasks.sources().contains(task, node)
        && !tasks.excludedTargets().contains(task, node)
        && !tasks.forbiddenFaultDomains().contains(task, nodes.rack()[node]);
  }

  /** Nodes that take transfers: stock HDFS schedules work for each of them. */
  static int liveNodes(NodeTable nodes) {
    int live = 0;
    for (boolean accepts : nodes.acceptsTransfers()) {
      live += accepts ? 1 : 0;
    }
    return live;
  }

  /** So many blocks may wait in the queue of a node that is to be a source of this one. */
  static int maxQueued(TaskTable tasks, int row, int maxStreams) {
    return tasks.risk()[row] == 0 ? HARD_LIMIT_FACTOR * maxStreams : maxStreams;
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.algorithm;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.TaskTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.TimeslotScheduler;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Batches of rebuilds that load all nodes alike, as SelectiveEC makes them (Xu et al., HotStorage'20): in a batch each
 * node receives one rebuild at most and sends for k at most. Sources and targets are found by augmenting paths; what
 * does not fit waits for a later batch. The next batch begins when one has ended, and only the links limit its rates.
 * Stateless, hence thread-safe.
 */
final class SelectiveEc implements TimeslotScheduler {
  /** A batch is chosen among this many rebuilds for each node. */
  private static final int CANDIDATES_PER_NODE = 4;

  @Override
  public String name() {
    return "selectiveec";
  }

  @Override
  public boolean plansRebuilds() {
    return true;
  }

  @Override
  public TimeslotPlan plan(ClusterSnapshot snapshot) {
    NodeTable nodes = snapshot.nodes();
    TaskTable tasks = snapshot.tasks();
    RivalPlan plan = new RivalPlan(snapshot, nodes.count());
    if (snapshot.running().count() == 0) {
      Matching targets = new Matching(nodes.count());
      Matching sources = new Matching(nodes.count());
      int left = CANDIDATES_PER_NODE * nodes.count();
      for (int row = 0; row < tasks.count() && left > 0; row++) {
        if (tasks.copies()[row] > 0) {
          left--;
          if (targets.add(row, receivers(nodes, tasks, row), 1, 1)
              && !sources.add(row, holders(tasks, row), tasks.width(row), tasks.width(row))) {
            targets.remove(row);
          }
        }
      }
      for (int row : targets.rows()) {
        plan.add(row, sources.of(row), targets.of(row)[0], NodeTable.MAX_BYTES_PER_SEC);
      }
    }
    return plan.build();
  }

  private static int[] receivers(NodeTable nodes, TaskTable tasks, int row) {
    return IntStream.range(0, nodes.count()).filter(node -> StockDraws.accepts(nodes, tasks, row, node)).toArray();
  }

  private static int[] holders(TaskTable tasks, int row) {
    IntRows rows = tasks.sources();
    return Arrays.copyOfRange(rows.values(), rows.start(row), rows.end(row));
  }

  /** Nodes of rows, such that no node has more rows than it may. Rows that came first keep their number of nodes. */
  private static final class Matching {
    private final Map<Integer, int[]> candidates = new LinkedHashMap<>();
    private final Map<Integer, Set<Integer>> nodesOf = new HashMap<>();
    private final List<Set<Integer>> rowsOf = new ArrayList<>();

    Matching(int nodes) {
      for (int node = 0; node < nodes; node++) {
        rowsOf.add(new LinkedHashSet<>());
      }
    }

    /**
     * Gives the row nodes of its own among its candidates; others may get other ones for it.
     *
     * @param maxRows rows that a node may have
     * @return false if there are not as many as needed; then the row has none
     */
    boolean add(int row, int[] among, int needed, int maxRows) {
      candidates.put(row, among);
      nodesOf.put(row, new LinkedHashSet<>());
      for (int i = 0; i < needed; i++) {
        if (!augment(row, maxRows, new HashSet<>())) {
          remove(row);
          return false;
        }
      }
      return true;
    }

    private boolean augment(int row, int maxRows, Set<Integer> seen) {
      for (int node : candidates.get(row)) {
        if (nodesOf.get(row).contains(node) || !seen.add(node)) {
          continue;
        }
        boolean free = rowsOf.get(node).size() < maxRows;
        for (int other : free ? List.<Integer>of() : List.copyOf(rowsOf.get(node))) {
          if (augment(other, maxRows, seen)) {
            rowsOf.get(node).remove(other);
            nodesOf.get(other).remove(node);
            free = true;
            break;
          }
        }
        if (free) {
          rowsOf.get(node).add(row);
          nodesOf.get(row).add(node);
          return true;
        }
      }
      return false;
    }

    void remove(int row) {
      candidates.remove(row);
      nodesOf.remove(row).forEach(node -> rowsOf.get(node).remove(row));
    }

    /** In the order in which they were added. */
    List<Integer> rows() {
      return List.copyOf(candidates.keySet());
    }

    int[] of(int row) {
      return nodesOf.get(row).stream().mapToInt(node -> node).toArray();
    }
  }
}

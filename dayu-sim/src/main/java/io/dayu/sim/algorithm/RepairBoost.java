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
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.TimeslotScheduler;

import java.util.stream.IntStream;

/**
 * Greedy balance of uploads and downloads, as RepairBoost has it (Lin et al., ATC'21): the target with the fewest
 * downloads so far, and the k sources with the fewest uploads so far. A node receives one rebuild at a time; only the
 * links limit its rate. Counts blocks, not bandwidth. One instance for one recovery. Not thread-safe.
 */
final class RepairBoost implements TimeslotScheduler {
  private int[] uploads = new int[0];
  private int[] downloads = new int[0];

  @Override
  public String name() {
    return "repairboost";
  }

  @Override
  public boolean plansRebuilds() {
    return true;
  }

  @Override
  public TimeslotPlan plan(ClusterSnapshot snapshot) {
    NodeTable nodes = snapshot.nodes();
    TaskTable tasks = snapshot.tasks();
    RunningTable running = snapshot.running();
    if (uploads.length != nodes.count()) {
      uploads = new int[nodes.count()];
      downloads = new int[nodes.count()];
    }
    boolean[] receives = new boolean[nodes.count()];
    for (int r = 0; r < running.count(); r++) {
      receives[running.target()[r]] = true;
    }
    RivalPlan plan = new RivalPlan(snapshot, nodes.count());
    for (int row = 0; row < tasks.count(); row++) {
      int target = tasks.copies()[row] == 0 ? -1 : leastDownloads(nodes, tasks, row, receives);
      if (target >= 0) {
        receives[target] = true;
        downloads[target]++;
        plan.add(row, leastUploads(tasks, row), target, NodeTable.MAX_BYTES_PER_SEC);
      }
    }
    return plan.build();
  }

  private int leastDownloads(NodeTable nodes, TaskTable tasks, int row, boolean[] receives) {
    int best = -1;
    for (int node = 0; node < nodes.count(); node++) {
      if (!receives[node] && StockDraws.accepts(nodes, tasks, row, node)
          && (best < 0 || downloads[node] < downloads[best])) {
        best = node;
      }
    }
    return best;
  }

  private int[] leastUploads(TaskTable tasks, int row) {
    IntRows holders = tasks.sources();
    int[] chosen = IntStream.range(holders.start(row), holders.end(row)).map(i -> holders.values()[i]).boxed()
        .sorted((a, b) -> Integer.compare(uploads[a], uploads[b])).limit(tasks.width(row))
        .mapToInt(node -> node).toArray();
    for (int node : chosen) {
      uploads[node]++;
    }
    return chosen;
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntList;
import io.dayu.model.TaskTable;
import io.dayu.schedule.choice.NodeLoads;
import io.dayu.schedule.choice.RebuildSources;

/**
 * Reserves sources for waiting rebuilds before stragglers at lower risk are put on their nodes. Not thread-safe; arrays
 * are sized once and reused.
 *
 * <p><b>Goal.</b> A rebuild does not wait for others at lower risk. A group without a spare internal block has just the
 * k sources that it needs: without reservations it waits until no other rebuild fills any of them, and blocks at lower
 * risk take each place that becomes free meanwhile.
 *
 * <p><b>Algorithm.</b> At one risk after the other, when the stragglers of that risk are on their nodes and those at
 * lower risk are not yet, the sources of each waiting rebuild are chosen as they will be in the plan. What it needs of
 * them counts as theirs to send until all stragglers are placed, so that those at lower risk move to other sources, or
 * wait with their progress. A rebuild for which such stragglers leave no target has reserved its sources in vain.
 */
final class SourceReservations {
  private TaskTable tasks;
  private NodeLoads loads;
  private RebuildSources sources;
  private final IntList nodes = new IntList();
  /** The rebuild for which each node is reserved. */
  private final IntList rebuilds = new IntList();

  /** Begins a plan: nothing is reserved. */
  void begin(ClusterSnapshot snapshot, NodeLoads planLoads, RebuildSources planSources) {
    tasks = snapshot.tasks();
    loads = planLoads;
    sources = planSources;
    nodes.clear();
    rebuilds.clear();
  }

  /** Reserves sources for the waiting rebuilds of this risk; those for which there is no place get none. */
  void reserve(int risk) {
    for (int task = 0; tasks.width() != null && task < tasks.count(); task++) {
      int width = tasks.width(task);
      if (tasks.risk()[task] == risk && width > 1 && tasks.copies()[task] > 0
          && sources.select(task, tasks.sizeBytes()[task], width)) {
        for (int i = 0; i < width; i++) {
          int node = sources.chosen()[i];
          loads.assignSource(node, bytes(task, node));
          nodes.add(node);
          rebuilds.add(task);
        }
      }
    }
  }

  /** Gives up all reservations: the plan can use them. */
  void release() {
    for (int i = 0; i < nodes.size(); i++) {
      loads.releaseSource(nodes.get(i), bytes(rebuilds.get(i), nodes.get(i)));
    }
  }

  private long bytes(int task, int node) {
    return Math.min(tasks.sizeBytes()[task], loads.volumeOut(node));
  }
}

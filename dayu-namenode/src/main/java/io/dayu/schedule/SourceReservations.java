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
import io.dayu.model.IntRows;
import io.dayu.model.TaskTable;
import io.dayu.schedule.choice.NodeLoads;
import io.dayu.schedule.choice.RebuildSources;

import java.util.Arrays;

/**
 * Reserves sources for waiting rebuilds before stragglers at lower risk are put on their nodes. Not thread-safe; arrays
 * are sized once and reused.
 *
 * <p><b>Goal.</b> A rebuild does not wait for others at lower risk. A group without a spare internal block has just the
 * k sources that it needs: without reservations it waits until no other rebuild fills any of them, and blocks at lower
 * risk take each place that becomes free meanwhile.
 *
 * <p><b>Algorithm.</b> At one risk after the other, when the stragglers of that risk are on their nodes and those at
 * lower risk are not yet, the k sources of each waiting rebuild are chosen, in the order of rows, for one internal
 * block. What it needs of them counts as theirs to send until all stragglers are placed, so that those at lower risk
 * move to other sources, or wait with their progress. A straggler at the same risk or a higher one that seeks a source
 * comes first: if it finds none, what others have reserved on its block's holders is given up, even where that is not
 * enough.
 *
 * <p>A rebuild for which stragglers leave no target has reserved its sources in vain, and those that wait for it do so
 * for as long.
 */
final class SourceReservations {
  private static final int NONE = -1;

  private TaskTable tasks;
  private NodeLoads loads;
  private RebuildSources sources;
  /** By reservation: the node, the row of the rebuild, and the one before on that node. Those given up have no row. */
  private final IntList nodes = new IntList();
  private final IntList rebuilds = new IntList();
  private final IntList previous = new IntList();
  /** By node: its last reservation. */
  private int[] last = new int[0];

  /** Begins a plan: nothing is reserved. */
  void begin(ClusterSnapshot snapshot, NodeLoads planLoads, RebuildSources planSources) {
    tasks = snapshot.tasks();
    loads = planLoads;
    sources = planSources;
    nodes.clear();
    rebuilds.clear();
    previous.clear();
    if (last.length < loads.count()) {
      last = new int[loads.count()];
    }
    Arrays.fill(last, 0, loads.count(), NONE);
  }

  /** Reserves sources for the waiting rebuilds of this risk; those for which there is no place get none. */
  void reserve(int risk) {
    for (int task = 0; tasks.width() != null && task < tasks.count(); task++) {
      int width = tasks.width(task);
      if (tasks.risk()[task] == risk && width > 1 && tasks.copies()[task] > 0
          && sources.select(task, tasks.sizeBytes()[task], width)) {
        for (int i = 0; i < width; i++) {
          add(task, sources.chosen()[i]);
        }
      }
    }
  }

  private void add(int task, int node) {
    loads.assignSource(node, bytes(task, node));
    previous.add(last[node]);
    last[node] = nodes.size();
    nodes.add(node);
    rebuilds.add(task);
  }

  /** Gives up all reservations: the plan can use them. */
  void release() {
    for (int i = 0; i < nodes.size(); i++) {
      release(i);
    }
  }

  /**
   * Gives up the reservations of rebuilds on any holder of this block, but for rebuilds at higher risk than the block.
   *
   * @return whether there were any
   */
  boolean releaseOnHolders(int block) {
    boolean any = false;
    IntRows holders = tasks.sources();
    for (int i = holders.start(block); i < holders.end(block); i++) {
      for (int at = last[holders.values()[i]]; at != NONE; at = previous.get(at)) {
        int task = rebuilds.get(at);
        if (task != NONE && tasks.risk()[task] >= tasks.risk()[block]) {
          releaseAll(task, at);
          any = true;
        }
      }
    }
    return any;
  }

  /** Those of a rebuild stand one beside the other. */
  private void releaseAll(int task, int at) {
    int first = at;
    while (first > 0 && rebuilds.get(first - 1) == task) {
      first--;
    }
    for (int i = first; i < nodes.size() && rebuilds.get(i) == task; i++) {
      release(i);
    }
  }

  private void release(int at) {
    if (rebuilds.get(at) != NONE) {
      loads.releaseSource(nodes.get(at), bytes(rebuilds.get(at), nodes.get(at)));
      rebuilds.set(at, NONE);
    }
  }

  private long bytes(int task, int node) {
    return Math.min(tasks.sizeBytes()[task], loads.volumeOut(node));
  }
}

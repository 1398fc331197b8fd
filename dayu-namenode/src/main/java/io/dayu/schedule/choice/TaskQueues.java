/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.choice;

import io.dayu.model.IntRows;
import io.dayu.model.TaskTable;

import java.util.Arrays;

/**
 * The order in which waiting blocks are tried: by risk, within one risk first the blocks of urgent nodes, then the
 * prioritised queue of ATC'19 §4.2 before the normal one, in each queue by falling {@link SourcePressure}, and then in
 * the order of the snapshot. Blocks of which no copy is wanted are in no queue. Groups are in the normal queues, or in
 * those of urgent nodes: their rebuilds take underemployed nodes among their sources anyway, as the least loaded ones.
 * Not thread-safe; arrays are sized once and reused.
 */
public final class TaskQueues {
  private static final int PER_RISK = 3;
  private static final int QUEUES = PER_RISK * TaskTable.RISK_LEVELS;
  private static final int NOT_WAITING = -1;

  /** First position of each queue, in the order in which they are tried. */
  private final int[] starts = new int[QUEUES + 1];
  private final int[] sizes = new int[QUEUES];
  /** By class of pressure of each queue that has blocks: how many there are, then the next position. */
  private final int[] next = new int[QUEUES * SourcePressure.CLASSES];
  private int[] placeOfTask = new int[0];
  private int[] order = new int[0];

  /** @param urgent by node, whether its blocks go before the others of their risk; null if none do */
  public void fill(TaskTable tasks, UnderemployedNodes underemployed, SourcePressure pressure, boolean[] urgent) {
    if (order.length < tasks.count()) {
      order = new int[tasks.count()];
      placeOfTask = new int[tasks.count()];
    }
    Arrays.fill(sizes, 0);
    for (int task = 0; task < tasks.count(); task++) {
      placeOfTask[task] = NOT_WAITING;
      if (tasks.copies()[task] > 0) {
        int queue = queue(tasks, underemployed, urgent, task);
        // Most queues have no blocks, and classes are many more than the blocks of a small snapshot.
        if (sizes[queue]++ == 0) {
          Arrays.fill(next, queue * SourcePressure.CLASSES, (queue + 1) * SourcePressure.CLASSES, 0);
        }
        int place = (queue + 1) * SourcePressure.CLASSES - 1 - pressure.ofBlock(task);
        placeOfTask[task] = place;
        next[place]++;
      }
    }
    for (int queue = 0; queue < QUEUES; queue++) {
      starts[queue + 1] = starts[queue] + sizes[queue];
      if (sizes[queue] > 0) {
        startClasses(queue);
      }
    }
    for (int task = 0; task < tasks.count(); task++) {
      if (placeOfTask[task] != NOT_WAITING) {
        order[next[placeOfTask[task]]++] = task;
      }
    }
  }

  private void startClasses(int queue) {
    int position = starts[queue];
    for (int place = queue * SourcePressure.CLASSES; place < (queue + 1) * SourcePressure.CLASSES; place++) {
      int count = next[place];
      next[place] = position;
      position += count;
    }
  }

  private static int queue(TaskTable tasks, UnderemployedNodes underemployed, boolean[] urgent, int task) {
    if (urgent != null && isServedBy(tasks.sources(), task, urgent)) {
      return PER_RISK * tasks.risk()[task];
    }
    boolean prioritised =
        underemployed.any() && tasks.width(task) == 1 && underemployed.holds(tasks.sources(), task);
    return PER_RISK * tasks.risk()[task] + (prioritised ? 1 : 2);
  }

  private static boolean isServedBy(IntRows sources, int task, boolean[] nodes) {
    for (int i = sources.start(task); i < sources.end(task); i++) {
      if (nodes[sources.values()[i]]) {
        return true;
      }
    }
    return false;
  }

  /** First position in {@link #task} of the blocks of urgent nodes, which end where the prioritised queue begins. */
  public int urgentStart(int risk) {
    return starts[PER_RISK * risk];
  }

  /**
   * First position in {@link #task} of the prioritised queue of a risk level, which ends where the normal queue begins.
   */
  public int prioritisedStart(int risk) {
    return starts[PER_RISK * risk + 1];
  }

  public int normalStart(int risk) {
    return starts[PER_RISK * risk + 2];
  }

  public int end(int risk) {
    return starts[PER_RISK * (risk + 1)];
  }

  public int task(int position) {
    return order[position];
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.model.TaskTable;

import java.util.Arrays;

/**
 * The order in which waiting blocks are tried: by risk, and within one risk the prioritised queue of ATC'19 §4.2 before the normal one,
 * each in the order of the snapshot. Blocks of which no copy is wanted are in no queue. Not thread-safe; arrays are sized once
 * and reused.
 */
final class TaskQueues {
  private final int[] starts = new int[2 * TaskTable.RISK_LEVELS + 1];
  private final int[] next = new int[2 * TaskTable.RISK_LEVELS];
  private int[] order = new int[0];

  void fill(TaskTable tasks, UnderemployedNodes underemployed) {
    if (order.length < tasks.count()) {
      order = new int[tasks.count()];
    }
    Arrays.fill(starts, 0);
    for (int task = 0; task < tasks.count(); task++) {
      if (tasks.copies()[task] > 0) {
        starts[queue(tasks, underemployed, task) + 1]++;
      }
    }
    for (int queue = 0; queue < next.length; queue++) {
      next[queue] = starts[queue];
      starts[queue + 1] += starts[queue];
    }
    for (int task = 0; task < tasks.count(); task++) {
      if (tasks.copies()[task] > 0) {
        order[next[queue(tasks, underemployed, task)]++] = task;
      }
    }
  }

  private static int queue(TaskTable tasks, UnderemployedNodes underemployed, int task) {
    boolean prioritised = underemployed.any() && underemployed.holds(tasks.sources(), task);
    return 2 * tasks.risk()[task] + (prioritised ? 0 : 1);
  }

  /** First position in {@link #task} of the prioritised queue of a risk level, which ends where the normal queue begins. */
  int prioritisedStart(int risk) {
    return starts[2 * risk];
  }

  int normalStart(int risk) {
    return starts[2 * risk + 1];
  }

  int end(int risk) {
    return starts[2 * risk + 2];
  }

  int task(int position) {
    return order[position];
  }
}

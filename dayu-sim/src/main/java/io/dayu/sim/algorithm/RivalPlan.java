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
import io.dayu.model.TimeslotPlan;

import java.util.Arrays;

/** Grows transfer by transfer to the plan of a rival that grants no rates of its own. Not thread-safe. */
final class RivalPlan {
  private final RunningTable running;
  private final boolean copies;
  private final int[] task;
  private final int[] source;
  private final int[] target;
  private final long[] rate;
  private final IntRows.Builder further = new IntRows.Builder();
  private int count;

  /** @param max new transfers at most */
  RivalPlan(ClusterSnapshot snapshot, int max) {
    running = snapshot.running();
    copies = snapshot.tasks().width() == null;
    task = new int[max];
    source = new int[max];
    target = new int[max];
    rate = new long[max];
  }

  /** @param sources at least one node, in any order */
  void add(int row, int[] sources, int to, long bytesPerSec) {
    task[count] = row;
    source[count] = sources[0];
    target[count] = to;
    rate[count++] = bytesPerSec;
    for (int i = 1; i < sources.length; i++) {
      further.add(sources[i]);
    }
    further.endRow();
  }

  /** The plan; what runs keeps its nodes. */
  TimeslotPlan build(long[] runningRates) {
    return new TimeslotPlan(Arrays.copyOf(task, count), Arrays.copyOf(source, count), Arrays.copyOf(target, count),
        Arrays.copyOf(rate, count), running.source(), runningRates, 0, 0, copies ? null : further.build(),
        running.furtherSources());
  }

  /** The plan, in which nothing but the links limits what runs. */
  TimeslotPlan build() {
    long[] unlimited = new long[running.count()];
    Arrays.fill(unlimited, NodeTable.MAX_BYTES_PER_SEC);
    return build(unlimited);
  }
}

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

import java.util.Arrays;
import java.util.stream.IntStream;

/** Grows transfer by transfer to the plan of a rival that grants no rates of its own. Not thread-safe. */
final class RivalPlan {
  private final TaskTable tasks;
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
    tasks = snapshot.tasks();
    copies = tasks.width() == null;
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

  /** The plan; what runs keeps its nodes, but for sources that are gone. */
  TimeslotPlan build(long[] runningRates) {
    int[] first = running.source().clone();
    IntRows.Builder others = new IntRows.Builder();
    for (int r = 0; r < first.length && !copies; r++) {
      int[] sources = sourcesOfRunning(r);
      first[r] = sources[0];
      Arrays.stream(sources).skip(1).forEach(others::add);
      others.endRow();
    }
    return new TimeslotPlan(Arrays.copyOf(task, count), Arrays.copyOf(source, count), Arrays.copyOf(target, count),
        Arrays.copyOf(rate, count), first, runningRates, 0, 0, copies ? null : further.build(),
        copies ? null : others.build());
  }

  /** With another holder in place of each source of a rebuild that is gone; a copy ends with its source. */
  private int[] sourcesOfRunning(int r) {
    IntRows rows = running.furtherSources();
    int[] sources = IntStream.concat(IntStream.of(running.source()[r]),
        Arrays.stream(rows.values(), rows.start(r), rows.end(r))).toArray();
    IntRows holders = tasks.sources();
    int next = holders.start(running.task()[r]);
    for (int i = 0; i < sources.length && sources.length > 1; i++) {
      while (sources[i] < 0) {
        int holder = holders.values()[next++];
        sources[i] = Arrays.stream(sources).anyMatch(source -> source == holder) ? -1 : holder;
      }
    }
    return sources;
  }

  /** The plan, in which nothing but the links limits what runs. */
  TimeslotPlan build() {
    long[] unlimited = new long[running.count()];
    Arrays.fill(unlimited, NodeTable.MAX_BYTES_PER_SEC);
    return build(unlimited);
  }
}

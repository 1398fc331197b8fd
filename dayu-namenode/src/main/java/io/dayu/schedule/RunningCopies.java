/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.model.RunningTable;
import io.dayu.schedule.choice.TargetRules;

import java.util.Arrays;

/**
 * Finds the targets that running transfers send a block to, by the block's row. Not thread-safe; the array is sized
 * once and reused.
 */
final class RunningCopies {
  private long[] sorted = new long[0];
  private int count;

  void fill(RunningTable running) {
    count = running.count();
    if (sorted.length < count) {
      sorted = new long[count];
    }
    for (int r = 0; r < count; r++) {
      sorted[r] = (long) running.task()[r] << Integer.SIZE | running.target()[r];
    }
    Arrays.sort(sorted, 0, count);
  }

  /** Tells {@code rules} of every running copy of the block. */
  void addTo(TargetRules rules, int task) {
    // Most blocks have none, and the NameNode has the rows of running ones behind all others.
    if (count == 0 || task < sorted[0] >>> Integer.SIZE || task > sorted[count - 1] >>> Integer.SIZE) {
      return;
    }
    int at = Arrays.binarySearch(sorted, 0, count, (long) task << Integer.SIZE);
    for (int i = at >= 0 ? at : -at - 1; i < count && sorted[i] >>> Integer.SIZE == task; i++) {
      rules.addCopy((int) sorted[i]);
    }
  }
}

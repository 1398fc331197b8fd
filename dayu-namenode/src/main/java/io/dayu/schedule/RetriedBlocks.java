/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import java.util.Arrays;

/**
 * Blocks of the prioritised queue whose underemployed holders were saturated, to be tried again with any source (the
 * second corner case of ATC'19 §4.2), and which of their copies had been planned by then. Not thread-safe; arrays grow
 * as needed and are reused.
 */
final class RetriedBlocks {
  private int[] task = new int[16];
  private int[] firstPlanned = new int[16];
  private int[] endPlanned = new int[16];
  private int count;

  void clear() {
    count = 0;
  }

  /** Adds a block whose planned copies are the transfers {@code first} to {@code end} - 1. */
  void add(int taskRow, int first, int end) {
    if (count == task.length) {
      task = Arrays.copyOf(task, count * 2);
      firstPlanned = Arrays.copyOf(firstPlanned, count * 2);
      endPlanned = Arrays.copyOf(endPlanned, count * 2);
    }
    task[count] = taskRow;
    firstPlanned[count] = first;
    endPlanned[count++] = end;
  }

  int count() {
    return count;
  }

  int task(int i) {
    return task[i];
  }

  int firstPlanned(int i) {
    return firstPlanned[i];
  }

  int endPlanned(int i) {
    return endPlanned[i];
  }
}

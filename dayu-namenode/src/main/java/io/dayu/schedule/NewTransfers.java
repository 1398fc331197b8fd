/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import java.util.Arrays;

/** The transfers planned so far, in the order of planning. Not thread-safe; arrays grow as needed and are reused. */
final class NewTransfers {
  private int[] task = new int[64];
  private int[] source = new int[64];
  private int[] target = new int[64];
  /** By transfer, where its further sources end; those of the first begin at 0. */
  private int[] furtherEnd = new int[64];
  private int[] further = new int[64];
  private int count;

  void clear() {
    count = 0;
  }

  void add(int taskRow, int sourceNode, int targetNode) {
    if (count == task.length) {
      task = Arrays.copyOf(task, count * 2);
      source = Arrays.copyOf(source, count * 2);
      target = Arrays.copyOf(target, count * 2);
      furtherEnd = Arrays.copyOf(furtherEnd, count * 2);
    }
    task[count] = taskRow;
    source[count] = sourceNode;
    target[count] = targetNode;
    furtherEnd[count] = furtherStart(count);
    count++;
  }

  /** Adds a rebuild from the nodes {@code sources[0]} to {@code sources[width - 1]}. */
  void addRebuild(int taskRow, int[] sources, int width, int targetNode) {
    add(taskRow, sources[0], targetNode);
    int start = furtherEnd[count - 1];
    if (start + width > further.length) {
      further = Arrays.copyOf(further, (start + width) * 2);
    }
    System.arraycopy(sources, 1, further, start, width - 1);
    furtherEnd[count - 1] = start + width - 1;
  }

  /** First position in {@link #further} of the sources after the first; they end where those of the next begin. */
  int furtherStart(int transfer) {
    return transfer == 0 ? 0 : furtherEnd[transfer - 1];
  }

  int further(int position) {
    return further[position];
  }

  int count() {
    return count;
  }

  int task(int transfer) {
    return task[transfer];
  }

  int source(int transfer) {
    return source[transfer];
  }

  int target(int transfer) {
    return target[transfer];
  }
}

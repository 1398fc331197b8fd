/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.model.IntList;

/** The transfers planned so far, in the order of planning. Not thread-safe; reused. */
final class NewTransfers {
  private final IntList task = new IntList();
  private final IntList source = new IntList();
  private final IntList target = new IntList();
  /** By transfer, where its further sources end; those of the first begin at 0. */
  private final IntList furtherEnd = new IntList();
  private final IntList further = new IntList();

  void clear() {
    task.clear();
    source.clear();
    target.clear();
    furtherEnd.clear();
    further.clear();
  }

  void add(int taskRow, int sourceNode, int targetNode) {
    task.add(taskRow);
    source.add(sourceNode);
    target.add(targetNode);
    furtherEnd.add(further.size());
  }

  /** Adds a rebuild from the nodes {@code sources[0]} to {@code sources[width - 1]}. */
  void addRebuild(int taskRow, int[] sources, int width, int targetNode) {
    for (int i = 1; i < width; i++) {
      further.add(sources[i]);
    }
    add(taskRow, sources[0], targetNode);
  }

  /** First position in {@link #further} of the sources after the first; they end where those of the next begin. */
  int furtherStart(int transfer) {
    return transfer == 0 ? 0 : furtherEnd.get(transfer - 1);
  }

  int further(int position) {
    return further.get(position);
  }

  int count() {
    return task.size();
  }

  int task(int transfer) {
    return task.get(transfer);
  }

  int source(int transfer) {
    return source.get(transfer);
  }

  int target(int transfer) {
    return target.get(transfer);
  }
}

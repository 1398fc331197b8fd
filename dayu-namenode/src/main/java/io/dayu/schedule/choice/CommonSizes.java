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
import io.dayu.model.UnselectedBlocks;

/**
 * The common size of each node (ATC'19 §4.2): the bytes of waiting blocks that it holds. Of a group, the holders share
 * what one rebuild reads. Not thread-safe; the array is sized once and reused.
 */
public final class CommonSizes {
  private long[] bytes = new long[0];

  public void sum(TaskTable tasks, UnselectedBlocks unselected, int nodeCount) {
    if (bytes.length < nodeCount) {
      bytes = new long[nodeCount];
    }
    for (int node = 0; node < nodeCount; node++) {
      bytes[node] = unselected.commonBytes(node);
    }
    IntRows sources = tasks.sources();
    for (int task = 0; task < tasks.count(); task++) {
      if (tasks.copies()[task] > 0) {
        long share = tasks.sizeBytes()[task];
        if (tasks.width(task) > 1) {
          share = share * tasks.width(task) / (sources.end(task) - sources.start(task));
        }
        for (int i = sources.start(task); i < sources.end(task); i++) {
          bytes[sources.values()[i]] += share;
        }
      }
    }
  }

  long bytes(int node) {
    return bytes[node];
  }
}

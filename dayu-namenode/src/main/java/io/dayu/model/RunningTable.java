/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.model;

/**
 * The transfers that are under way when a timeslot is planned; those that will not finish before it begins are its
 * stragglers (ATC'19 §4.4). Arrays are shared and not written to after construction.
 *
 * @param task row of the block in the {@link TaskTable}
 * @param source node that serves it, or -1 if that node is gone; of a rebuild, the first of its sources
 * @param target node that receives it
 * @param doneBytes bytes that the target has, at most the size of the block that it receives or rebuilds
 * @param rateBytesPerSec rate that the transfer achieves, by which its progress until the timeslot begins is predicted;
 *     of a rebuild, the rate of each source
 * @param furtherSources by transfer, the sources of a rebuild after the first, -1 for one that is gone; null if all
 *     transfers are copies
 */
public record RunningTable(int[] task, int[] source, int[] target, long[] doneBytes, long[] rateBytesPerSec,
    IntRows furtherSources) {

  /** Running copies. */
  public RunningTable(int[] task, int[] source, int[] target, long[] doneBytes, long[] rateBytesPerSec) {
    this(task, source, target, doneBytes, rateBytesPerSec, null);
  }

  public RunningTable {
    int count = task.length;
    Preconditions.length("source", source.length, count);
    Preconditions.length("target", target.length, count);
    Preconditions.length("doneBytes", doneBytes.length, count);
    Preconditions.length("rateBytesPerSec", rateBytesPerSec.length, count);
    if (furtherSources != null) {
      Preconditions.length("furtherSources", furtherSources.rows(), count);
    }
    for (int r = 0; r < count; r++) {
      Preconditions.within("rateBytesPerSec", r, rateBytesPerSec[r], 0, NodeTable.MAX_BYTES_PER_SEC);
    }
  }

  public int count() {
    return task.length;
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.choice;

import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.TaskTable;

import java.util.Arrays;

/**
 * How long it would take the best source of a block to send all waiting blocks that it holds: common size ÷
 * B_recover_out, in classes. Not thread-safe; the array is sized once and reused.
 *
 * <p><b>Goal.</b> No node still has blocks to send when all others are done. The blocks to care for are those of which
 * every holder has much to send for its bandwidth; any other block can go from another node later.
 *
 * <p><b>Algorithm.</b> The pressure of a node is its common size ÷ B_recover_out; that of a block the least of its
 * holders, that of a group the k-th least. Pressures that differ by no more than 1/16 of an octave are one class, so
 * that blocks are put in order by counting, in one pass over them.
 */
public final class SourcePressure {
  /** Classes: 16 an octave, up to 2^80 ms, more than any snapshot holds. */
  static final int CLASSES = 16 * 80;
  /** Bits of a double's mantissa that a class drops. */
  private static final int DROPPED_BITS = 52 - 4;
  private static final int UNKNOWN = Integer.MAX_VALUE;

  private final int[] lowest = new int[TaskTable.MAX_WIDTH];
  private int[] ofNode = new int[0];
  private TaskTable tasks;
  private IntRows holders;

  public void find(NodeTable nodes, TaskTable planTasks, CommonSizes common) {
    tasks = planTasks;
    holders = planTasks.sources();
    if (ofNode.length < nodes.count()) {
      ofNode = new int[nodes.count()];
    }
    for (int node = 0; node < nodes.count(); node++) {
      long bytesPerSec = nodes.recoverOutBytesPerSec()[node];
      ofNode[node] = bytesPerSec == 0 ? UNKNOWN : classOf(1000.0 * common.bytes(node) / bytesPerSec);
    }
  }

  /** All blocks are equal. */
  public void findNone(NodeTable nodes, TaskTable planTasks) {
    tasks = planTasks;
    holders = planTasks.sources();
    if (ofNode.length < nodes.count()) {
      ofNode = new int[nodes.count()];
    }
    Arrays.fill(ofNode, 0, nodes.count(), 0);
  }

  /** The bits of a positive double sort as it does. */
  private static int classOf(double millis) {
    return (int) Math.min(CLASSES - 1,
        Double.doubleToRawLongBits(1 + millis) - Double.doubleToRawLongBits(1) >>> DROPPED_BITS);
  }

  /** The block's class, 0 to {@link #CLASSES} - 1; 0 if no holder can send now. */
  int ofBlock(int task) {
    if (tasks.width(task) > 1) {
      return ofGroup(task, tasks.width(task));
    }
    int min = UNKNOWN;
    for (int i = holders.start(task); i < holders.end(task); i++) {
      min = Math.min(min, ofNode[holders.values()[i]]);
    }
    return min == UNKNOWN ? 0 : min;
  }

  /** Of the {@code width} holders with the least pressure, the one with the most: it is the last to send. */
  private int ofGroup(int task, int width) {
    int count = 0;
    for (int i = holders.start(task); i < holders.end(task); i++) {
      int pressure = ofNode[holders.values()[i]];
      int at = count < width ? count++ : width;
      while (at > 0 && lowest[at - 1] > pressure) {
        if (at < width) {
          lowest[at] = lowest[at - 1];
        }
        at--;
      }
      if (at < width) {
        lowest[at] = pressure;
      }
    }
    return count < width || lowest[width - 1] == UNKNOWN ? 0 : lowest[width - 1];
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.TimeslotPlan;

import java.util.Arrays;

/**
 * Finds second sources at the end of a recovery: when no block waits any more, the transfers that would end last pull a part of what they
 * lack from another holder of the block, as far as that holder and the target have bandwidth left. Not thread-safe.
 */
final class SplitPlanner {
  /** A second source that adds less than this to the rate is not worth a connection. */
  private static final double LEAST_GAIN = 0.05;

  private long[] spareIn;
  private long[] spareOut;
  private int[] task;
  private int[] source;
  private int[] target;
  private long[] rate;
  private double[] endsAfterSec;
  private int count;

  ExtendedPlan.Splits split(ClusterSnapshot snapshot, TimeslotPlan plan) {
    int planned = plan.count();
    for (int copies : snapshot.tasks().copies()) {
      planned -= copies;
    }
    if (planned < 0) {
      return ExtendedPlan.Splits.NONE;
    }
    list(snapshot, plan);
    findSpare(snapshot.nodes());
    Integer[] order = new Integer[count];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, (a, b) -> Double.compare(endsAfterSec[b], endsAfterSec[a]));
    int[] splitTask = new int[count];
    int[] splitSource = new int[count];
    long[] splitRate = new long[count];
    int splits = 0;
    for (int i : order) {
      int second = mostIdleHolder(snapshot.tasks().sources(), i);
      long most = second < 0 ? 0 : Math.min(spareOut[second], spareIn[target[i]]);
      if (most > LEAST_GAIN * rate[i]) {
        spareOut[second] -= most;
        spareIn[target[i]] -= most;
        splitTask[splits] = task[i];
        splitSource[splits] = second;
        splitRate[splits++] = most;
      }
    }
    return new ExtendedPlan.Splits(Arrays.copyOf(splitTask, splits), Arrays.copyOf(splitSource, splits),
        Arrays.copyOf(splitRate, splits));
  }

  /** The transfers that the plan gives a rate. */
  private void list(ClusterSnapshot snapshot, TimeslotPlan plan) {
    int running = snapshot.running().count();
    int most = running + plan.count();
    task = new int[most];
    source = new int[most];
    target = new int[most];
    rate = new long[most];
    endsAfterSec = new double[most];
    count = 0;
    for (int r = 0; r < running; r++) {
      if (plan.runningSource()[r] >= 0 && plan.runningRateBytesPerSec()[r] > 0) {
        int row = snapshot.running().task()[r];
        add(row, plan.runningSource()[r], snapshot.running().target()[r], plan.runningRateBytesPerSec()[r],
            snapshot.tasks().sizeBytes()[row] - snapshot.running().doneBytes()[r]);
      }
    }
    for (int i = 0; i < plan.count(); i++) {
      add(plan.task()[i], plan.source()[i], plan.target()[i], plan.rateBytesPerSec()[i],
          snapshot.tasks().sizeBytes()[plan.task()[i]]);
    }
  }

  private void add(int row, int sourceNode, int targetNode, long bytesPerSec, long leftBytes) {
    task[count] = row;
    source[count] = sourceNode;
    target[count] = targetNode;
    rate[count] = bytesPerSec;
    endsAfterSec[count++] = (double) leftBytes / bytesPerSec;
  }

  private void findSpare(NodeTable nodes) {
    spareIn = nodes.recoverInBytesPerSec().clone();
    spareOut = nodes.recoverOutBytesPerSec().clone();
    for (int i = 0; i < count; i++) {
      spareOut[source[i]] -= rate[i];
      spareIn[target[i]] -= rate[i];
    }
  }

  private int mostIdleHolder(IntRows holders, int transfer) {
    int best = -1;
    for (int i = holders.start(task[transfer]); i < holders.end(task[transfer]); i++) {
      int node = holders.values()[i];
      if (node != source[transfer] && (best < 0 || spareOut[node] > spareOut[best])) {
        best = node;
      }
    }
    return best;
  }
}

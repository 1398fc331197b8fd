/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.model;

/**
 * The answer of the scheduler for one timeslot: a struct of arrays, since a plan may hold a hundred thousand transfers.
 *
 * @param task row of the {@link TaskTable} for each new transfer, highest risk first
 * @param source node that serves it; of a rebuild, the first of its sources
 * @param target node that receives it
 * @param rateBytesPerSec rate allocated to it, at least 1; of a rebuild, the rate of each source
 * @param runningSource for each row of the {@link RunningTable}: its source from now on (the same, or another one: the
 *     transfer goes on from its progress), {@link #EVICTED}, or {@link #NO_SOURCE}
 * @param runningRateBytesPerSec for each row of the {@link RunningTable}: its rate from now on; 0 = it pauses
 * @param plannedBytes bytes that targets are to receive: of the new transfers, and of what is left of the kept ones
 * @param volumeBytes S of equation 2: what could be transferred within the horizon
 * @param furtherSources by new transfer, the sources of a rebuild after the first; null if all transfers are copies
 * @param runningFurtherSources by row of the {@link RunningTable}, the sources of a rebuild after the first from now
 *     on, {@link #NO_SOURCE} for one that is gone; null if all transfers are copies
 */
public record TimeslotPlan(int[] task, int[] source, int[] target, long[] rateBytesPerSec, int[] runningSource,
    long[] runningRateBytesPerSec, long plannedBytes, long volumeBytes, IntRows furtherSources,
    IntRows runningFurtherSources) {

  /** In {@link #runningSource}: the transfer is given up, and its block needs another target (§4.4, second group). */
  public static final int EVICTED = -1;
  /**
   * In {@link #runningSource}: its source is gone and no other can serve it now; it waits with its progress, at rate 0.
   */
  public static final int NO_SOURCE = -2;

  /** Of copies only. */
  public TimeslotPlan(int[] task, int[] source, int[] target, long[] rateBytesPerSec, int[] runningSource,
      long[] runningRateBytesPerSec, long plannedBytes, long volumeBytes) {
    this(task, source, target, rateBytesPerSec, runningSource, runningRateBytesPerSec, plannedBytes, volumeBytes, null,
        null);
  }

  public TimeslotPlan {
    int count = task.length;
    Preconditions.length("source", source.length, count);
    Preconditions.length("target", target.length, count);
    Preconditions.length("rateBytesPerSec", rateBytesPerSec.length, count);
    Preconditions.length("runningRateBytesPerSec", runningRateBytesPerSec.length, runningSource.length);
    if (furtherSources != null) {
      Preconditions.length("furtherSources", furtherSources.rows(), count);
      Preconditions.length("runningFurtherSources", runningFurtherSources.rows(), runningSource.length);
    }
  }

  /** Number of new transfers. */
  public int count() {
    return task.length;
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.cluster;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * Time without that in which the recovery loop stood still, as during a long garbage collection: what was to arrive
 * then has not been read yet, so its absence says nothing. Owned by the loop; not thread-safe.
 */
final class LoopTime {
  /** The loop ticks every 100 ms or more often; after a longer time than this it has stood still. */
  static final long MAX_GAP_NS = TimeUnit.SECONDS.toNanos(1);
  /** What a longer gap counts as: little, but a loop that is always slow notices silence, too. */
  private static final long LONG_GAP_COUNTS_NS = TimeUnit.MILLISECONDS.toNanos(500);

  /**
   * @param endNs when the loop went on
   * @param skippedNs how much of the time before does not count
   */
  private record Gap(long endNs, long skippedNs) {
  }

  private final Deque<Gap> gaps = new ArrayDeque<>();
  private boolean ticked;
  private long tickNs;

  /**
   * The loop goes on.
   *
   * @param keptNs how far back, in loop time, it will be asked for
   */
  void tick(long nowNs, long keptNs) {
    if (ticked && nowNs - tickNs > MAX_GAP_NS) {
      gaps.add(new Gap(nowNs, nowNs - tickNs - LONG_GAP_COUNTS_NS));
    }
    ticked = true;
    tickNs = nowNs;
    while (!gaps.isEmpty() && since(gaps.getFirst().endNs, nowNs) > keptNs) {
      gaps.removeFirst();
    }
  }

  /** How long ago a moment was, in loop time. */
  long since(long momentNs, long nowNs) {
    long skippedNs = 0;
    for (Gap gap : gaps) {
      // What has been heard in mid-gap, by another thread, is as old as the rest of the gap.
      skippedNs += Math.max(0, Math.min(gap.skippedNs, gap.endNs - momentNs));
    }
    return nowNs - momentNs - skippedNs;
  }
}

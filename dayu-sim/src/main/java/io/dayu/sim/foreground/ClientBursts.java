/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.foreground;

import io.dayu.sim.Cluster;
import io.dayu.sim.SeedMix;

/**
 * Foreground whose mean over each slot is known, and whose clients use a link fully whenever they use it, as one large
 * read or write does: in each slot a link is full for one span of time, which begins at a moment drawn by chance, and
 * idle for the rest. Immutable and thread-safe.
 *
 * @param inner whose slots are a whole number of periods
 * @param periodMs length of the slots of this model, in which the rate is constant
 */
public record ClientBursts(ForegroundModel inner, long periodMs, Cluster cluster, long seed)
    implements ForegroundModel {

  public ClientBursts {
    if (periodMs < 1 || inner.slotMs() % periodMs != 0) {
      throw new IllegalArgumentException(
          "period = " + periodMs + " ms, expected a part of a slot of " + inner.slotMs() + " ms");
    }
  }

  @Override
  public int nodes() {
    return inner.nodes();
  }

  @Override
  public long slotMs() {
    return periodMs;
  }

  @Override
  public long slots() {
    return inner.slots() * periodsPerSlot();
  }

  private int periodsPerSlot() {
    return (int) (inner.slotMs() / periodMs);
  }

  @Override
  public ForegroundStream open(long firstSlot) {
    return new Periods(firstSlot);
  }

  /** The traffic from a period on. Not thread-safe. */
  private final class Periods implements ForegroundStream {
    private final ForegroundStream slots;
    private final long[] slotIn = new long[nodes()];
    private final long[] slotOut = new long[nodes()];
    private long period;
    private boolean hasSlot;

    Periods(long firstPeriod) {
      period = firstPeriod;
      slots = inner.open(Math.floorDiv(firstPeriod, periodsPerSlot()));
    }

    @Override
    public void next(long[] inBytesPerSec, long[] outBytesPerSec) {
      int ofSlot = (int) Math.floorMod(period, (long) periodsPerSlot());
      if (!hasSlot || ofSlot == 0) {
        slots.next(slotIn, slotOut);
        hasSlot = true;
      }
      long drawn = SeedMix.seed(seed, Math.floorDiv(period++, periodsPerSlot()));
      for (int node = 0; node < slotIn.length; node++) {
        inBytesPerSec[node] = rate(node, slotIn[node], ofSlot, SeedMix.seed(drawn, 2L * node));
        outBytesPerSec[node] = rate(node, slotOut[node], ofSlot, SeedMix.seed(drawn, 2L * node + 1));
      }
    }
  }

  /** The link's rate times the part of the period within the burst. One that reaches the slot's end wraps around. */
  private long rate(int node, long meanBytesPerSec, int ofSlot, long state) {
    long link = cluster.bandwidthBytesPerSec(node);
    int periods = periodsPerSlot();
    double length = (double) periods * meanBytesPerSec / link;
    double start = SeedMix.uniform(state) * periods;
    double within = overlap(ofSlot, start, start + length) + overlap(ofSlot, start - periods, start + length - periods);
    return Math.round(Math.min(1, within) * link);
  }

  private static double overlap(int period, double from, double to) {
    return Math.max(0, Math.min(period + 1, to) - Math.max(period, from));
  }
}

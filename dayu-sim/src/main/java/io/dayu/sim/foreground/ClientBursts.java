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
    return new PeriodStream(inner, firstSlot, periodsPerSlot(), this::draw, this::bytesPerSec);
  }

  /** All periods of a slot see the same burst. */
  private long draw(long period) {
    return SeedMix.seed(seed, Math.floorDiv(period, periodsPerSlot()));
  }

  /** The link's rate times the part of the period within the burst. One that reaches the slot's end wraps around. */
  private long bytesPerSec(int node, long slotBytesPerSec, int ofSlot, long drawn) {
    long link = cluster.bandwidthBytesPerSec(node);
    int periods = periodsPerSlot();
    double length = (double) periods * slotBytesPerSec / link;
    double start = SeedMix.uniform(drawn) * periods;
    double within = overlap(ofSlot, start, start + length) + overlap(ofSlot, start - periods, start + length - periods);
    return Math.round(Math.min(1, within) * link);
  }

  private static double overlap(int period, double from, double to) {
    return Math.max(0, Math.min(period + 1, to) - Math.max(period, from));
  }
}

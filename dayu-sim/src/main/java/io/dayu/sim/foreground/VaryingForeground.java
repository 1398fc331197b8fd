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
 * Another model's traffic that changes within its slots: what a node sends or receives in a period is its slot's rate,
 * more or less by a share drawn by chance. Immutable and thread-safe.
 *
 * <p>The share is uniform between -1 and 1 of what the rate may grow or shrink by without leaving the link, so that the
 * mean over a slot stays the same but for chance. A scheduler that plans every few seconds then does not know what the
 * next seconds bring, as it would where a rate is constant for 15 s.
 *
 * @param inner whose slots are a whole number of periods
 */
public record VaryingForeground(ForegroundModel inner, long periodMs, Cluster cluster, long seed)
    implements ForegroundModel {

  public VaryingForeground {
    if (periodMs < 1 || inner.slotMs() % periodMs != 0) {
      throw new IllegalArgumentException("period = " + periodMs
          + " ms, expected a part of a slot of the foreground, which is " + inner.slotMs() + " ms");
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

  private long draw(long period) {
    return SeedMix.seed(seed, period);
  }

  private long bytesPerSec(int node, long slotBytesPerSec, int ofSlot, long drawn) {
    long most = Math.max(0, Math.min(slotBytesPerSec, cluster.bandwidthBytesPerSec(node) - slotBytesPerSec));
    return slotBytesPerSec + Math.round((2 * SeedMix.uniform(drawn) - 1) * most);
  }
}

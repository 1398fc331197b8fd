/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.foreground;

import io.dayu.sim.SeedMix;

import java.util.function.LongUnaryOperator;

/** Another model's traffic, divided into periods of its slots. Not thread-safe. */
final class PeriodStream implements ForegroundStream {

  /** What a node has in a period. */
  @FunctionalInterface
  interface Rate {
    /**
     * @param ofSlot which period of the slot it is, from 0
     * @param drawn by chance for this node and direction
     */
    long bytesPerSec(int node, long slotBytesPerSec, int ofSlot, long drawn);
  }

  private final ForegroundStream slots;
  private final int periodsPerSlot;
  private final LongUnaryOperator draw;
  private final Rate rate;
  private final long[] slotIn;
  private final long[] slotOut;
  private long period;
  private boolean hasSlot;

  /** @param draw what is drawn by chance for a period, of which that for its nodes follows */
  PeriodStream(ForegroundModel inner, long firstPeriod, int periodsPerSlot, LongUnaryOperator draw,
      Rate rate) {
    this.periodsPerSlot = periodsPerSlot;
    this.draw = draw;
    this.rate = rate;
    period = firstPeriod;
    slots = inner.open(Math.floorDiv(firstPeriod, periodsPerSlot));
    slotIn = new long[inner.nodes()];
    slotOut = new long[inner.nodes()];
  }

  @Override
  public void next(long[] inBytesPerSec, long[] outBytesPerSec) {
    int ofSlot = Math.floorMod(period, periodsPerSlot);
    if (!hasSlot || ofSlot == 0) {
      slots.next(slotIn, slotOut);
      hasSlot = true;
    }
    long drawn = draw.applyAsLong(period++);
    for (int node = 0; node < slotIn.length; node++) {
      inBytesPerSec[node] = rate.bytesPerSec(node, slotIn[node], ofSlot, SeedMix.seed(drawn, 2L * node));
      outBytesPerSec[node] = rate.bytesPerSec(node, slotOut[node], ofSlot, SeedMix.seed(drawn, 2L * node + 1));
    }
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.foreground;

/**
 * The foreground of the present slot and of the slots just before it, as a simulation moves through time; slot 0 begins
 * at 0 ms. Not thread-safe.
 */
public final class ForegroundHistory {
  /**
   * Slots read before the first one, at least. The same for every user, so that all see the same realisation of a
   * synthetic model.
   */
  private static final int MIN_SLOTS_BEFORE = 64;
  /** More slots where they are short: reports, and the forecast that learns from them, need this much of the past. */
  private static final long MIN_BEFORE_MS = 60_000;

  private final ForegroundStream stream;
  private final long slotMs;
  private final long[][] in;
  private final long[][] out;
  private final int slotsBefore;
  private long slot;

  /** Stands at the begin of {@code firstSlot} of the model, which is called slot 0 here. */
  public ForegroundHistory(ForegroundModel model, long firstSlot) {
    slotsBefore = slotsBefore(model);
    stream = model.open(firstSlot - slotsBefore);
    slotMs = model.slotMs();
    in = new long[slotsBefore][model.nodes()];
    out = new long[slotsBefore][model.nodes()];
    for (slot = -slotsBefore; slot <= 0; slot++) {
      read();
    }
    slot = 0;
  }

  private void read() {
    int at = at(slot);
    stream.next(in[at], out[at]);
  }

  private static int slotsBefore(ForegroundModel model) {
    return (int) Math.max(MIN_SLOTS_BEFORE, MIN_BEFORE_MS / model.slotMs());
  }

  private int at(long slot) {
    return (int) Math.floorMod(slot, (long) slotsBefore);
  }

  /** Moves to the next slot. */
  public void advance() {
    slot++;
    read();
  }

  /** When the present slot ends. */
  public long endMs() {
    return (slot + 1) * slotMs;
  }

  /** The longest time back from the begin of the present slot over which {@link #mean} can be asked. */
  public static long reachMs(ForegroundModel model) {
    return (slotsBefore(model) - 1) * model.slotMs();
  }

  /** Bytes/s by node in the present slot, live and not to be written to. */
  public long[] in() {
    return in[at(slot)];
  }

  public long[] out() {
    return out[at(slot)];
  }

  /** Mean rate of what the node received in a span that ends at most when the present slot does. */
  public long meanIn(int node, long fromMs, long toMs) {
    return mean(in, node, fromMs, toMs);
  }

  public long meanOut(int node, long fromMs, long toMs) {
    return mean(out, node, fromMs, toMs);
  }

  private long mean(long[][] rates, int node, long fromMs, long toMs) {
    double bytes = 0;
    for (long s = Math.floorDiv(fromMs, slotMs); s * slotMs < toMs; s++) {
      long overlapMs = Math.min(toMs, (s + 1) * slotMs) - Math.max(fromMs, s * slotMs);
      bytes += (double) rates[at(s)][node] * overlapMs;
    }
    return Math.round(bytes / (toMs - fromMs));
  }
}

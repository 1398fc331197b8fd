/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.foreground;

/**
 * Foreground as a test writes it down: rates by slot, node and direction; the last slot goes on for ever, the first
 * reaches back.
 */
public record FixedForeground(long slotMs, long[][] in, long[][] out) implements ForegroundModel {

  /** The same in every slot. */
  public static FixedForeground always(long slotMs, long[] in, long[] out) {
    return new FixedForeground(slotMs, new long[][] {in}, new long[][] {out});
  }

  @Override
  public int nodes() {
    return in[0].length;
  }

  @Override
  public long slots() {
    return in.length;
  }

  @Override
  public ForegroundStream open(long firstSlot) {
    long[] slot = {firstSlot};
    return (inBytesPerSec, outBytesPerSec) -> {
      int at = (int) Math.max(0, Math.min(in.length - 1, slot[0]++));
      System.arraycopy(in[at], 0, inBytesPerSec, 0, nodes());
      System.arraycopy(out[at], 0, outBytesPerSec, 0, nodes());
    };
  }
}

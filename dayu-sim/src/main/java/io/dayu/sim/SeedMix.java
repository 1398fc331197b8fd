/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim;

/**
 * Seeds from seeds, and random numbers from a state of one {@code long} (SplitMix64, Steele et al., OOPSLA'14), so that
 * a million independent streams need one array. Stateless, hence thread-safe.
 */
public final class SeedMix {
  private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;
  private static final double UNIT = 0x1.0p-53;

  private SeedMix() {
  }

  /** The state that follows {@code state}; draw with {@link #draw} from each. */
  public static long next(long state) {
    return state + GOLDEN_GAMMA;
  }

  /** 64 random bits of a state. */
  public static long draw(long state) {
    long z = (state ^ state >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }

  /** A seed of its own for each ({@code seed}, {@code stream}). */
  public static long seed(long seed, long stream) {
    return draw(draw(next(seed)) + GOLDEN_GAMMA * (2 * stream + 1));
  }

  /** Uniform in [0, 1). */
  public static double uniform(long state) {
    return (draw(state) >>> 11) * UNIT;
  }

  /** Uniform in [0, bound), {@code bound} at least 1. */
  public static int below(long state, int bound) {
    return (int) (uniform(state) * bound);
  }
}

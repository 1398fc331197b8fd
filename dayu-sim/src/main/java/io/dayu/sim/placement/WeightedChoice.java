/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import java.util.SplittableRandom;

/**
 * Draws indices with given weights in constant time (alias method, Walker 1977, Vose 1991). Immutable and thread-safe.
 */
public final class WeightedChoice {
  private final double[] own;
  private final int[] alias;

  /** @param weights at least 0, not all of them 0 */
  public WeightedChoice(double[] weights) {
    int count = weights.length;
    double sum = 0;
    for (double weight : weights) {
      sum += weight;
    }
    own = new double[count];
    alias = new int[count];
    int[] queue = new int[count];
    int small = 0;
    int large = count;
    for (int i = 0; i < count; i++) {
      own[i] = weights[i] * count / sum;
      if (own[i] < 1) {
        queue[small++] = i;
      } else {
        queue[--large] = i;
      }
      alias[i] = i;
    }
    // Small ones lie in queue[0..small), large ones in queue[large..count); each small one is filled up by a large one.
    while (small > 0 && large < count) {
      int few = queue[--small];
      int many = queue[large];
      alias[few] = many;
      own[many] -= 1 - own[few];
      if (own[many] < 1) {
        large++;
        queue[small++] = many;
      }
    }
    for (int i = 0; i < small; i++) {
      own[queue[i]] = 1;
    }
  }

  public int choose(SplittableRandom random) {
    int i = random.nextInt(own.length);
    return random.nextDouble() < own[i] ? i : alias[i];
  }
}

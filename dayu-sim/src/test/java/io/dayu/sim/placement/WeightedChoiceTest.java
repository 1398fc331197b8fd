/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;

class WeightedChoiceTest {

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void frequencies_followTheWeights(long seed) {
    double[] weights = {0, 1, 5, 0.5, 3.5, 0};
    WeightedChoice choice = new WeightedChoice(weights);
    SplittableRandom random = new SplittableRandom(seed);
    int[] drawn = new int[weights.length];
    for (int i = 0; i < 100_000; i++) {
      drawn[choice.choose(random)]++;
    }
    for (int i = 0; i < weights.length; i++) {
      assertEquals(weights[i] * 10_000, drawn[i], weights[i] == 0 ? 0 : 600, "seed " + seed + " index " + i);
    }
  }
}

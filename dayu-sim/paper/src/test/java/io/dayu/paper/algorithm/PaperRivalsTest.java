/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.algorithm;

import io.dayu.sim.algorithm.Algorithm;
import io.dayu.sim.algorithm.Algorithms;
import io.dayu.sim.algorithm.AlgorithmsTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

/** The simulator finds this module's algorithms, and runs them. */
class PaperRivalsTest {

  static Stream<String> names() {
    return new PaperRivals().algorithms().stream().map(Algorithm::name);
  }

  @ParameterizedTest
  @MethodSource("names")
  void everyAlgorithm_recoversEverything_byPlansThatHold_andRepeats(String name) {
    AlgorithmsTest.assertRecoversEverything(name);
  }

  @Test
  void rhythmOfReservation_isItsOwn() {
    Algorithm product = Algorithms.named("dayu");
    assertEquals(Algorithms.named("choosy"), Algorithms.inRhythmOf(product, Algorithms.named("choosy")));
    assertNotEquals(Algorithms.named("CC-space+W"), Algorithms.inRhythmOf(product, Algorithms.named("CC-space+W")));
  }
}

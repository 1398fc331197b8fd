/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import org.junit.jupiter.api.Test;

import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class P90RatioTest {
  private static double[] evenly(int count, double maxMs) {
    return IntStream.rangeClosed(1, count).mapToDouble(i -> i * maxMs / count).toArray();
  }

  @Test
  void interval_holdsTheRatio_andShrinksWithTheNumberOfOperations() {
    P90Ratio few = P90Ratio.of(evenly(50, 20), evenly(50, 10));
    P90Ratio many = P90Ratio.of(evenly(5_000, 20), evenly(5_000, 10));
    assertEquals(2, few.value(), 1e-9);
    assertTrue(few.low() < 2 && few.high() > 2, few.toString());
    assertTrue(many.high() - many.low() < (few.high() - few.low()) / 5, few + " " + many);
  }

  @Test
  void ratio_isNotANumber_withoutOperations() {
    assertTrue(Double.isNaN(P90Ratio.of(new double[0], evenly(5, 1)).value()));
  }
}

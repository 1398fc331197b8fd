/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.study;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class SampleTest {
  private static Sample of(double... values) {
    return new Sample(values);
  }

  @Test
  void moments_areThoseOfTheTextbook() {
    Sample sample = of(2, 4, 4, 4, 5, 5, 7, 9);
    assertEquals(5, sample.mean());
    assertEquals(Math.sqrt(32 / 7.0), sample.deviation(), 1e-12);
    assertEquals(Math.sqrt(32 / 7.0 / 8), sample.error(), 1e-12);
    assertEquals(2, sample.quantile(0));
    assertEquals(9, sample.quantile(1));
    assertEquals(1, sample.correlation(sample.map(x -> 3 * x + 1)), 1e-12);
    assertEquals(-1, sample.correlation(sample.map(x -> -x)), 1e-12);
  }

  @Test
  void comparisons_areCaseByCase() {
    assertEquals(2, Math.exp(of(2, 20, 200).logRatio(of(1, 10, 100)).mean()), 1e-12);
    assertEquals(0, of(2, 20, 200).logRatio(of(1, 10, 100)).error(), 1e-12);
    assertThrows(IllegalArgumentException.class, () -> of(1, 2).minus(of(1)));
  }
}

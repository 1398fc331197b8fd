/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.figures;

import io.dayu.paper.study.Sample;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

class VerdictTest {
  private static Sample of(double... values) {
    return new Sample(values);
  }

  @Test
  void difference_countsBeyondTwiceItsError() {
    assertEquals(Verdict.YES, Verdict.below(of(-1, -1.1, -0.9, -1)));
    assertEquals(Verdict.NO, Verdict.below(of(1, 1.1, 0.9, 1)));
    assertEquals(Verdict.UNCLEAR, Verdict.below(of(-1, 1, -1, 0.5)));
    assertEquals(Verdict.UNCLEAR, Verdict.below(of(0, 0, 0)));
    assertEquals(Verdict.TOO_FEW, Verdict.below(of(-1, -1)));
  }

  @Test
  void bound_isKept_onlyIfTheErrorDoesNotMatter() {
    assertEquals(Verdict.YES, Verdict.atMost(of(1.0, 1.1, 1.05), 1.14));
    assertEquals(Verdict.UNCLEAR, Verdict.atMost(of(1.1, 1.2, 1.15), 1.18));
    assertEquals(Verdict.UNCLEAR, Verdict.atMost(of(1.1, 1.2, 1.15), 1.14));
    assertEquals(Verdict.NO, Verdict.atMost(of(1.4, 1.5, 1.45), 1.14));
    assertEquals(Verdict.TOO_FEW, Verdict.atMost(of(1), 1.14));
  }

  @Test
  void bound_isUnclear_withMoreNoise() {
    Sample quiet = of(0.99, 1.00, 1.01);
    assertEquals(Verdict.YES, Verdict.atMost(quiet, 1.05));
    assertEquals(Verdict.UNCLEAR, Verdict.atMost(quiet.map(value -> 1 + 10 * (value - 1)), 1.05));
  }

  @Test
  void magnitude_isKept_onEitherSideOfZero() {
    assertEquals(Verdict.YES, Verdict.magnitudeAtMost(of(-0.01, -0.02, -0.015), 0.036));
    assertEquals(Verdict.UNCLEAR, Verdict.magnitudeAtMost(of(-0.10, 0.10, 0.01), 0.036));
    assertEquals(Verdict.NO, Verdict.magnitudeAtMost(of(-0.10, -0.11, -0.105), 0.036));
  }

  @Test
  void claimOfSeveralParts_isAsGoodAsItsWorstPart() {
    assertEquals(Verdict.YES, Verdict.all(List.of(Verdict.YES, Verdict.YES)));
    assertEquals(Verdict.UNCLEAR, Verdict.all(List.of(Verdict.YES, Verdict.UNCLEAR)));
    assertEquals(Verdict.NO, Verdict.all(List.of(Verdict.UNCLEAR, Verdict.NO, Verdict.YES)));
    assertEquals(Verdict.TOO_FEW, Verdict.all(List.of()));
  }

  @Test
  void numbers_areToldWithTheirErrors() {
    assertEquals("2.00 % ± 0.58", Numbers.meanAndError(of(1, 2, 3), 2, " %"));
    assertEquals("5.0 s", Numbers.meanAndError(of(5), 1, " s"));
    assertEquals("−9.1 % ± 0.0", Numbers.change(of(Math.log(10 / 11.0), Math.log(10 / 11.0), Math.log(10 / 11.0))));
    assertEquals("2.00×", Numbers.times(of(Math.log(2), Math.log(2))));
  }

  @Test
  void explanation_isShown_whereTheVerdictIsNotYes() {
    assertEquals("", new Claim("a", "1", "1", Verdict.YES, "because").shownWhy());
    assertEquals("because", new Claim("a", "1", "2", Verdict.NO, "because").shownWhy());
  }
}

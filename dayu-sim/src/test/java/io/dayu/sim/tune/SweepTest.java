/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.tune;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.HashSet;
import java.util.List;
import java.util.function.ToDoubleFunction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SweepTest {
  private static final Criterion CRITERION = new Criterion(2, 0.01);

  private static Sweep sweep(int budget, ToDoubleFunction<TunedSettings> seconds,
      ToDoubleFunction<TunedSettings> interference) {
    Sweep sweep = new Sweep(CRITERION, budget, (all, taker) -> all.forEach(one -> taker.accept(
        new Measured(one, seconds.applyAsDouble(one), 1, interference.applyAsDouble(one), 0, 0))));
    sweep.run();
    return sweep;
  }

  /**
   * Fastest at a timeslot of 2 s whatever the horizon, and the more α the faster; interference is over 2 % above α =
   * 0.78.
   */
  private static double seconds(TunedSettings settings) {
    return 50 + Math.abs(settings.timeslotMs() - 2000) / 100.0 + 100 * (1 - settings.alpha());
  }

  private static double interference(TunedSettings settings) {
    return settings.alpha() > 0.78 ? 3 : 1;
  }

  @Test
  void theFastestThatIsAllowed_isFound_betweenTheValuesOfTheGridToo() {
    Sweep sweep = sweep(100, SweepTest::seconds, SweepTest::interference);
    assertEquals(new TunedSettings(2000, 6000, 0.775, 0.05, 1_000_000), sweep.best().settings());
    List<TunedSettings> tried = sweep.measured().stream().map(Measured::settings).toList();
    assertEquals(new HashSet<>(tried).size(), tried.size(), "nothing is measured twice");
  }

  @Test
  void defaults_winATie() {
    Sweep sweep = sweep(100, settings -> 50 - 0.0001 * settings.bucketBytesPerSec() / 1e6, settings -> 1);
    assertEquals(TunedSettings.DEFAULTS, sweep.best().settings());
  }

  @Test
  void leastInterfering_isTheBest_ifNoneIsAllowed() {
    Sweep sweep = sweep(100, SweepTest::seconds, settings -> 5 + settings.alpha());
    assertTrue(sweep.best().settings().alpha() <= 0.65, sweep.best()::toString);
    assertTrue(sweep.measured().stream().noneMatch(CRITERION::allows));
  }

  @Test
  void unfinishedRecoveries_areNeverAllowed() {
    assertTrue(CRITERION.allows(new Measured(TunedSettings.DEFAULTS, 9, 1, 2, 0, 0)));
    assertTrue(!CRITERION.allows(new Measured(TunedSettings.DEFAULTS, 9, 1, 2, 0, 1)));
    assertTrue(!CRITERION.allows(new Measured(TunedSettings.DEFAULTS, 9, 1, 2.01, 0, 0)));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 20})
  void budget_isKept(int budget) {
    assertEquals(budget, sweep(budget, SweepTest::seconds, SweepTest::interference).measured().size());
  }

  @Test
  void uselessBounds_areRefused() {
    assertThrows(IllegalArgumentException.class, () -> new Criterion(0, 0.01));
    assertThrows(IllegalArgumentException.class, () -> new Criterion(2, 1));
    assertThrows(IllegalArgumentException.class, () -> sweep(0, SweepTest::seconds, SweepTest::interference));
  }
}

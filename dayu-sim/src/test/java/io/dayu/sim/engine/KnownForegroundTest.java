/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.sim.Cluster;
import io.dayu.sim.foreground.FixedForeground;
import io.dayu.sim.foreground.ForegroundHistory;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class KnownForegroundTest {
  private static final Cluster CLUSTER = new Cluster(2, 1, 1000);
  private static final FixedForeground MODEL = new FixedForeground(15_000, new long[][] {{100, 100}, {200, 200}},
      new long[][] {{0, 0}, {50, 50}});

  private static long known(SimulationSettings settings, long nowMs) {
    KnownForeground known = new KnownForeground(settings, CLUSTER);
    known.look(new ForegroundHistory(MODEL, 1), nowMs);
    return known.in()[0];
  }

  @Test
  void lastReport_isTheMeanOfItsInterval() {
    SimulationSettings settings = TestSettings.paper();
    assertEquals(100, known(settings, 0), "the slot before the failure");
    assertEquals(100, known(settings, 14_999), "no report since");
    assertEquals(200, known(settings, 15_000));
    SimulationSettings often = TestSettings.reports(3000, 0, false);
    assertEquals(100, known(often, 2999));
    assertEquals(200, known(often, 3000));
  }

  @Test
  void lateReport_isNotKnownYet() {
    assertEquals(100, known(TestSettings.reports(3000, 500, false), 3499));
    assertEquals(200, known(TestSettings.reports(3000, 500, false), 3500));
  }

  @Test
  void spreadReports_areOfDifferentAge() {
    KnownForeground known = new KnownForeground(TestSettings.reports(3000, 0, true), CLUSTER);
    known.look(new ForegroundHistory(MODEL, 1), 3000);
    assertTrue(known.in()[0] != known.in()[1] && known.in()[0] > 100 && known.in()[0] < 200, known.in()[0] + "");
  }

  @Test
  void currentSlot_isKnown_ifWanted() {
    KnownForeground known = new KnownForeground(TestSettings.knowing(Knowledge.CURRENT_SLOT), CLUSTER);
    known.look(new ForegroundHistory(MODEL, 1), 0);
    assertEquals(200, known.in()[1]);
    assertEquals(50, known.out()[0]);
  }
}

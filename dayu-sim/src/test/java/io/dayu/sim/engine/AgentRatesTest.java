/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.engine;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Links of 100 bytes/s, α 75 %, B_min 12; node 0 is the source and node 1 the target unless said otherwise. */
class AgentRatesTest {
  private static final long[] IDLE = new long[3];

  private static Flows flows(long... grants) {
    Flows flows = new Flows();
    for (long grant : grants) {
      flows.add(flows.count(), 0, 1, 1000, grant);
    }
    return flows;
  }

  private static AgentRates rates(boolean yield, boolean surplus) {
    SimulationSettings paper = TestSettings.paper();
    return new AgentRates(paper.with(new Refinements("last", yield, surplus, 1, false)), 3);
  }

  @Test
  void grant_isAllowed_withoutRefinements() {
    Flows flows = flows(70);
    new AgentRates(TestSettings.paper(), 3).allow(flows, 100, new long[] {0, 90, 0}, IDLE);
    assertEquals(70, flows.allowedBytesPerSec[0]);
  }

  @Test
  void agents_slowDown_asForegroundGrows_butNotBelowHalf() {
    Flows flows = flows(50, 20);
    AgentRates rates = rates(true, false);
    rates.allow(flows, 100, new long[] {0, 35, 0}, IDLE);
    assertEquals(50 * 40 / 70.0, flows.allowedBytesPerSec[0], 1e-9, "the target has 75 - 35 left for grants of 70");
    assertEquals(20 * 40 / 70.0, flows.allowedBytesPerSec[1], 1e-9);
    rates.allow(flows, 100, IDLE, new long[] {90, 0, 0});
    assertEquals(25, flows.allowedBytesPerSec[0], 1e-9);
    rates.allow(flows, 100, IDLE, IDLE);
    assertEquals(50, flows.allowedBytesPerSec[0], 1e-9, "no more than granted");
  }

  @Test
  void agents_useSurplus_thatBothEndsHave() {
    Flows flows = flows(10, 20);
    rates(false, true).allow(flows, 100, IDLE, IDLE);
    assertEquals(25, flows.allowedBytesPerSec[0], 1e-9);
    assertEquals(50, flows.allowedBytesPerSec[1], 1e-9);
    Flows other = flows(30);
    other.add(1, 0, 2, 1000, 15);
    rates(false, true).allow(other, 100, new long[] {0, 40, 0}, IDLE);
    assertEquals(35, other.allowedBytesPerSec[0], 1e-9, "the target has no more");
    assertEquals(37.5, other.allowedBytesPerSec[1], 2.5, "most of what the first cannot use of the source");
  }

  @Test
  void spare_isWhatBothEndsHaveLeft() {
    AgentRates rates = rates(false, false);
    rates.allow(flows(30), 100, new long[] {0, 30, 0}, IDLE);
    assertEquals(15, rates.spare(0, 1), 1e-9);
    assertEquals(45, rates.spare(0, 2), 1e-9);
    rates.begin(0, 2, 45);
    assertEquals(0, rates.spare(0, 1), 1e-9);
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class FlowsTest {

  @Test
  void queuedTransfer_hasTheRateOfItsGrant_untilItIsReportedToAchieveNothing() {
    Flows flows = new Flows();
    int flow = flows.add(0, 1, 2, 1000, 10, 500);
    assertEquals(10, flows.achievedBytesPerSec[flow], 1e-9);
    flows.measure(flow, 1400);
    assertEquals(10, flows.achievedBytesPerSec[flow], 1e-9);
    flows.measure(flow, 1500);
    assertEquals(0, flows.achievedBytesPerSec[flow], 1e-9);
  }
}

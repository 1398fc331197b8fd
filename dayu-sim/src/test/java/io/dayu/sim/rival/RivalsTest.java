/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.rival;

import io.dayu.schedule.PlansOfCopiesTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** The registry of {@link Rivals}, and that their plans are those of the day when they were measured. */
class RivalsTest {

  @Test
  void algorithms_areFoundByTheirNames_andUnknownOnesNamed() {
    for (String name : Rivals.targetSelectors()) {
      assertEquals(name, Rivals.targetSelector(name).name());
    }
    for (String name : Rivals.rateAllocators()) {
      assertEquals(name, Rivals.rateAllocator(name).name());
    }
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> Rivals.targetSelector("hul"));
    assertEquals("no target selector 'hul'; known are tournament, hull, bucketscan, redblacktree, fullscan, random, "
        + "bestoftwo, weightedrandom", refused.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"fullscan, wss, 2149399601843047504", "tournament, deadline, -1500093303754430570"})
  void plansOfCopies_areAlwaysTheSame(String targets, String rates, long expectedSum) {
    assertEquals(expectedSum, PlansOfCopiesTest.sum(Rivals.scheduler(targets, rates)));
  }
}

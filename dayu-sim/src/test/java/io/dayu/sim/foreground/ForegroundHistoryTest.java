/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.foreground;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class ForegroundHistoryTest {
  private final FixedForeground model = new FixedForeground(10_000, new long[][] {{100}, {200}, {400}},
      new long[][] {{1}, {2}, {4}});

  @Test
  void mean_isWeighedByTime_acrossSlots() {
    ForegroundHistory history = new ForegroundHistory(model, 1);
    assertEquals(200, history.in()[0]);
    assertEquals(10_000, history.endMs());
    assertEquals(175, history.meanIn(0, -2500, 7500), "a quarter in the slot before");
    assertEquals(100, history.meanIn(0, -600_000, 0));
    history.advance();
    assertEquals(4, history.out()[0]);
    assertEquals(300, history.meanIn(0, 5000, 15_000));
    assertEquals(3, history.meanOut(0, 5000, 15_000));
  }
}

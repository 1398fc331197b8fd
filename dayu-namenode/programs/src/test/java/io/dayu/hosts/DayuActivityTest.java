/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DayuActivityTest {
  private final DayuActivity dayu = new DayuActivity();

  private void look(int times, String state) {
    for (int i = 0; i < times; i++) {
      dayu.noteState(state);
    }
  }

  @Test
  void finishedTransfers_areAddedUpOverFailoversAndRestarts() {
    dayu.noteFinished("nn", 5);
    dayu.noteFinished("nn", 7);
    dayu.noteFinished("nn2", 3);
    dayu.noteFinished("nn", 2);
    dayu.noteFinished("nn", 4);
    look(2, "DAYU");
    look(1, "STANDBY");
    assertEquals("Dayu: 14 transfers finished, 9 copies seen of blocks that had lost replicas; it was active in 2 of 3"
        + " looks", dayu.summary(9));
  }

  @Test
  void copiesThatStockMade_areAViolation() {
    look(20, "DAYU");
    dayu.noteFinished("nn", 499);
    assertEquals(1, dayu.violations(1_000).size(), "half of them are not Dayu's");
    assertEquals(List.of(), dayu.violations(998));
  }

  @Test
  void fewCopies_showNothing() {
    look(20, "DAYU");
    assertEquals(List.of(), dayu.violations(19));
    assertEquals(1, dayu.violations(20).size());
  }

  @Test
  void stockThatIsActiveMostOfTheTime_isAViolation() {
    dayu.noteFinished("nn", 1);
    look(9, "STOCK");
    assertEquals(List.of(), dayu.violations(0), "too few looks");
    look(9, "DAYU");
    assertEquals(List.of(), dayu.violations(0));
    look(1, "");
    assertTrue(dayu.violations(0).get(0).startsWith("Dayu was active in 9 of 19 looks only"));
  }
}

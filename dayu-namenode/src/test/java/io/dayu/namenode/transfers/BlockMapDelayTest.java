/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class BlockMapDelayTest {
  private static final long SEC = 1_000_000_000;

  private final BlockMapDelay delay = new BlockMapDelay();

  private static long at(long sec) {
    return ClockStart.NS + sec * SEC;
  }

  @Test
  void finishedBlock_isOverdueInSeconds_ifTheBlockMapHasALaterOneOfAnother() {
    assertFalse(delay.isOverdue("liar", at(0), 11 * SEC));
    delay.confirmed("liar", at(2), 0);
    assertFalse(delay.isOverdue("liar", at(0), 11 * SEC), "its own are no evidence");
    delay.confirmed("honest", at(-1), 3 * SEC);
    assertFalse(delay.isOverdue("liar", at(0), 11 * SEC), "nor are those that were finished before");
    delay.confirmed("honest", at(1), SEC);
    assertFalse(delay.isOverdue("liar", at(0), 10 * SEC));
    assertTrue(delay.isOverdue("liar", at(0), 11 * SEC));
  }

  @Test
  void blockWithoutSuchEvidence_isOverdueAfterAMinute() {
    assertFalse(delay.isOverdue("target", at(0), 60 * SEC));
    assertTrue(delay.isOverdue("target", at(0), 60 * SEC + 1));
  }

  @Test
  void blockOfAnother_isEvidence_alsoOfTheSameTime_andAfterEarlierOnes() {
    delay.confirmed("honest", at(0), 0);
    delay.confirmed("honest", at(-9), 0);
    assertTrue(delay.isOverdue("liar", at(0), 11 * SEC));
    delay.clear();
    assertFalse(delay.isOverdue("liar", at(0), 11 * SEC), "it was of an earlier activation");
  }

  /** The mean goes a sixteenth of the way, to two seconds. */
  @Test
  void block_isLateAfterThreeSeconds_orFiveTimesTheUsualDelay() {
    assertFalse(delay.isLate(3 * SEC));
    assertTrue(delay.isLate(3 * SEC + 1));
    delay.confirmed("other", at(0), 32 * SEC);
    assertFalse(delay.isLate(10 * SEC));
    assertTrue(delay.isLate(10 * SEC + 1));
  }

  @Test
  void whereBlockReportsTakeLong_nothingIsOverdueSooner() {
    for (int i = 0; i < 100; i++) {
      delay.confirmed("other", at(i), 30 * SEC);
    }
    assertFalse(delay.isLate(31 * SEC));
    assertFalse(delay.isOverdue("target", at(0), 140 * SEC));
    assertTrue(delay.isOverdue("target", at(0), 151 * SEC));
    delay.clear();
    assertTrue(delay.isLate(4 * SEC));
  }
}

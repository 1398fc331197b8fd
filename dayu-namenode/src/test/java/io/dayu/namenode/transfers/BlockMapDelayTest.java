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
    assertFalse(delay.isOverdue("liar", at(0), at(11)));
    delay.confirmed("liar", at(2), at(2));
    assertFalse(delay.isOverdue("liar", at(0), at(11)), "its own are no evidence");
    delay.confirmed("honest", at(-1), at(2));
    assertFalse(delay.isOverdue("liar", at(0), at(11)), "nor are those that were finished before");
    delay.confirmed("honest", at(1), at(2));
    assertFalse(delay.isOverdue("liar", at(0), at(10)));
    assertTrue(delay.isOverdue("liar", at(0), at(11)));
  }

  @Test
  void blockWithoutSuchEvidence_isOverdueAfterAMinute() {
    assertFalse(delay.isOverdue("target", at(0), at(60)));
    assertTrue(delay.isOverdue("target", at(0), at(60) + 1));
  }

  @Test
  void blockOfAnother_isEvidence_alsoOfTheSameTime_andAfterEarlierOnes() {
    delay.confirmed("honest", at(0), at(0));
    delay.confirmed("honest", at(-9), at(-9));
    assertTrue(delay.isOverdue("liar", at(0), at(11)));
    delay.clear();
    assertFalse(delay.isOverdue("liar", at(0), at(11)), "it was of an earlier activation");
  }

  /** The mean goes a sixteenth of the way, to two seconds. */
  @Test
  void block_isLateAfterThreeSeconds_orFiveTimesTheUsualDelay() {
    assertFalse(delay.isLate(at(0), at(3)));
    assertTrue(delay.isLate(at(0), at(3) + 1));
    delay.confirmed("other", at(0), at(32));
    assertFalse(delay.isLate(at(0), at(10)));
    assertTrue(delay.isLate(at(0), at(10) + 1));
  }

  @Test
  void whereBlockReportsTakeLong_nothingIsOverdueSooner() {
    for (int i = 0; i < 100; i++) {
      delay.confirmed("other", at(i), at(i + 30));
    }
    assertFalse(delay.isLate(at(0), at(31)));
    assertFalse(delay.isOverdue("target", at(0), at(140)));
    assertTrue(delay.isOverdue("target", at(0), at(151)));
    delay.clear();
    assertTrue(delay.isLate(at(0), at(4)));
  }
}

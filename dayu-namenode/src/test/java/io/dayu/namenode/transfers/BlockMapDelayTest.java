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

  @Test
  void finishedBlock_isOverdueInSeconds_ifTheBlockMapHasALaterOneOfAnother() {
    assertFalse(delay.isOverdue("liar", 0, 11 * SEC));
    delay.confirmed("liar", 2 * SEC, 2 * SEC);
    assertFalse(delay.isOverdue("liar", 0, 11 * SEC), "its own are no evidence");
    delay.confirmed("honest", -SEC, 2 * SEC);
    assertFalse(delay.isOverdue("liar", 0, 11 * SEC), "nor are those that were finished before");
    delay.confirmed("honest", SEC, 2 * SEC);
    assertFalse(delay.isOverdue("liar", 0, 10 * SEC));
    assertTrue(delay.isOverdue("liar", 0, 11 * SEC));
  }

  @Test
  void blockWithoutSuchEvidence_isOverdueAfterAMinute() {
    assertFalse(delay.isOverdue("target", 0, 60 * SEC));
    assertTrue(delay.isOverdue("target", 0, 60 * SEC + 1));
  }

  @Test
  void whereBlockReportsTakeLong_nothingIsOverdueSooner() {
    for (int i = 0; i < 100; i++) {
      delay.confirmed("other", i * SEC, (i + 30) * SEC);
    }
    assertFalse(delay.isLate(0, 31 * SEC));
    assertFalse(delay.isOverdue("target", 0, 140 * SEC));
    assertTrue(delay.isOverdue("target", 0, 151 * SEC));
    delay.clear();
    assertTrue(delay.isLate(0, 4 * SEC));
  }
}

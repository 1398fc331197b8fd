/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.WaitReason;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** When a block is stock's. */
final class BlockHistoryTest {
  private static final BlockKey BLOCK = new BlockKey(7, 1001);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final BlockHistory history = new BlockHistory();

  @Test
  void blockThatIsPassedOver_isStocksAfterFiveMinutes() {
    for (long nowNs = 0; nowNs < 300 * SECOND; nowNs += 30 * SECOND) {
      assertFalse(history.skipped(BLOCK, nowNs));
      assertFalse(history.isLeftToStock(BLOCK, nowNs));
    }
    assertTrue(history.skipped(BLOCK, 300 * SECOND));
    assertEquals(WaitReason.PASSED_OVER, history.stockReason(BLOCK, 300 * SECOND));
    assertTrue(history.isLeftToStock(BLOCK, 3_800 * SECOND), "the planner may come to it late");
    assertFalse(history.isLeftToStock(BLOCK, 3_901 * SECOND), "Dayu tries again");
  }

  @Test
  void blockThatTheTimeslotsSeeNowAndThen_isStocksTheThirdTime() {
    assertFalse(history.skipped(BLOCK, 0));
    assertFalse(history.skipped(BLOCK, 1_000 * SECOND));
    assertTrue(history.skipped(BLOCK, 2_000 * SECOND));
  }

  @Test
  void blockThatIsPlannedInBetween_beginsAnew() {
    history.skipped(BLOCK, 0);
    history.skipped(BLOCK, 200 * SECOND);
    history.planned(BLOCK);
    assertFalse(history.skipped(BLOCK, 400 * SECOND));
    assertFalse(history.skipped(BLOCK, 500 * SECOND));
    assertFalse(history.skipped(BLOCK, 600 * SECOND));
  }

  /** With a timeslot each second they are more than the history holds in five minutes. */
  @Test
  void hundredsOfThousandsOfBlocksThatArePassedOverInTurn_becomeStocks() {
    int blocks = 300_000;
    int inTimeslot = 1_000;
    long given = 0;
    for (int i = 0; i < 3 * blocks; i++) {
      given += history.skipped(new BlockKey(i % blocks, 1), i / inTimeslot * SECOND) ? 1 : 0;
    }
    assertEquals(20_000, given);
    for (int i = 0; i < 3 * blocks; i++) {
      given += history.skipped(new BlockKey(i % blocks, 1), (900 + i / inTimeslot) * SECOND) ? 1 : 0;
    }
    assertTrue(given >= 40_000, "then the next ones: " + given);
  }

  @Test
  void blockWhoseCopiesFail_isStocksAfterSeveralInFiveMinutes() {
    for (int second = 0; second < 300; second += 15) {
      history.failed(BLOCK, second * SECOND);
      assertFalse(history.isLeftToStock(BLOCK, second * SECOND));
    }
    history.failed(BLOCK, 300 * SECOND);
    assertEquals(WaitReason.COPIES_FAILED, history.stockReason(BLOCK, 300 * SECOND));
  }

  @Test
  void blockThatFailsTwiceInALongTime_isNotStocks() {
    history.failed(BLOCK, 0);
    history.failed(BLOCK, 1_000 * SECOND);
    assertFalse(history.isLeftToStock(BLOCK, 1_000 * SECOND));
    assertEquals(List.of(), history.refusedTargets(BLOCK, 1_000 * SECOND), "no target is to blame");
  }

  @Test
  void refusalOfATarget_isNotCutShortByAnother() {
    history.avoid(BLOCK, "slow", 0);
    history.refuse(BLOCK, "slow", SECOND);
    history.deleting(BLOCK, "slow", 2 * SECOND);
    assertEquals(List.of("slow"), history.refusedTargets(BLOCK, 59 * SECOND));
    assertEquals(List.of(), history.refusedTargets(BLOCK, 60 * SECOND));
    history.deleting(BLOCK, "slow", 60 * SECOND);
    assertEquals(List.of("slow"), history.refusedTargets(BLOCK, 77 * SECOND), "one that is longer counts");
  }
}

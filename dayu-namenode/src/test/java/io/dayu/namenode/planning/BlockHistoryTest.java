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
import io.dayu.namenode.transfers.ClockStart;
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

  private static long at(long sec) {
    return ClockStart.NS + sec * SECOND;
  }

  @Test
  void blockThatIsPassedOver_isStocksAfterFiveMinutes() {
    for (long nowNs = at(0); nowNs < at(300); nowNs += 30 * SECOND) {
      assertFalse(history.skipped(BLOCK, nowNs));
      assertFalse(history.isLeftToStock(BLOCK, nowNs));
    }
    assertTrue(history.skipped(BLOCK, at(300)));
    assertEquals(WaitReason.PASSED_OVER, history.stockReason(BLOCK, at(300)));
    assertTrue(history.isLeftToStock(BLOCK, at(3_800)), "the planner may come to it late");
    assertFalse(history.isLeftToStock(BLOCK, at(3_901)), "Dayu tries again");
  }

  @Test
  void blockThatTheTimeslotsSeeNowAndThen_isStocksTheThirdTime() {
    assertFalse(history.skipped(BLOCK, at(0)));
    assertFalse(history.skipped(BLOCK, at(1_000)));
    assertTrue(history.skipped(BLOCK, at(2_000)));
  }

  @Test
  void blockThatIsPlannedInBetween_beginsAnew() {
    history.skipped(BLOCK, at(0));
    history.skipped(BLOCK, at(200));
    history.planned(BLOCK);
    assertFalse(history.skipped(BLOCK, at(400)));
    assertFalse(history.skipped(BLOCK, at(500)));
    assertFalse(history.skipped(BLOCK, at(600)));
  }

  /** With a timeslot each second they are more than the history holds in five minutes. */
  @Test
  void hundredsOfThousandsOfBlocksThatArePassedOverInTurn_becomeStocks() {
    int blocks = 300_000;
    int inTimeslot = 1_000;
    long given = 0;
    for (int i = 0; i < 3 * blocks; i++) {
      given += history.skipped(new BlockKey(i % blocks, 1), at(i / inTimeslot)) ? 1 : 0;
    }
    assertEquals(20_000, given);
    for (int i = 0; i < 3 * blocks; i++) {
      given += history.skipped(new BlockKey(i % blocks, 1), at(900 + i / inTimeslot)) ? 1 : 0;
    }
    assertTrue(given >= 40_000, "then the next ones: " + given);
  }

  @Test
  void blockWhoseCopiesFail_isStocksAfterSeveralInFiveMinutes() {
    for (int second = 0; second < 300; second += 15) {
      history.failed(BLOCK, at(second));
      assertFalse(history.isLeftToStock(BLOCK, at(second)));
    }
    history.failed(BLOCK, at(300));
    assertEquals(WaitReason.COPIES_FAILED, history.stockReason(BLOCK, at(300)));
  }

  @Test
  void blockThatHasLeftASlowTarget_isKnownToUntilItHasAReplica() {
    history.refuse(BLOCK, "a", at(0));
    assertFalse(history.hasLeftTarget(BLOCK));
    history.avoid(BLOCK, "b", at(0));
    history.failed(BLOCK, at(100));
    assertTrue(history.hasLeftTarget(BLOCK));
    history.forget(BLOCK);
    assertFalse(history.hasLeftTarget(BLOCK));
  }

  @Test
  void blockThatFailsTwiceInALongTime_isNotStocks() {
    history.failed(BLOCK, at(0));
    history.failed(BLOCK, at(1_000));
    assertFalse(history.isLeftToStock(BLOCK, at(1_000)));
    assertEquals(List.of(), history.refusedTargets(BLOCK, at(1_000)), "no target is to blame");
  }

  @Test
  void refusalOfATarget_isNotCutShortByAnother() {
    history.avoid(BLOCK, "slow", at(0));
    history.refuse(BLOCK, "slow", at(1));
    history.deleting(BLOCK, "slow", at(2));
    assertEquals(List.of("slow"), history.refusedTargets(BLOCK, at(59)));
    assertEquals(List.of(), history.refusedTargets(BLOCK, at(60)));
    history.deleting(BLOCK, "slow", at(60));
    assertEquals(List.of("slow"), history.refusedTargets(BLOCK, at(77)), "one that is longer counts");
  }
}

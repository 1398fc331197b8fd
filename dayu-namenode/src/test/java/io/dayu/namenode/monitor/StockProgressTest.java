/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class StockProgressTest {
  private final StockProgress progress = new StockProgress();
  private int second;

  private StockProgress.Progress next(long left) {
    second++;
    progress.observe(left, TimeUnit.SECONDS.toNanos(second), 1_000L * second);
    return progress.latest();
  }

  @Test
  void steadyRecovery_isEstimatedByItsRate() {
    assertEquals(-1, next(1_000).etaSeconds());
    for (int s = 1; s <= 120; s++) {
      StockProgress.Progress last = next(1_000 - 5 * s);
      assertEquals(5L * s, last.blocksDone());
      if (s > 10) {
        assertEquals(5, last.blocksPerSec(), 1e-9);
        assertEquals(200 - s, last.etaSeconds(), "at second " + s);
      }
    }
    assertEquals(120, progress.latest().seconds());
    assertEquals(1_000, progress.latest().beganMs());
  }

  @Test
  void blocksThatComeInAddition_undoNothing() {
    next(100);
    next(60);
    StockProgress.Progress after = next(160);
    assertEquals(40, after.blocksDone());
    assertEquals(160, after.blocksLeft());
    assertEquals(50, next(150).blocksDone());
  }

  @Test
  void recoveryThatStandsStill_hasNoEnd_andNothingLeftIsNone() {
    for (int s = 0; s < 90; s++) {
      next(7);
    }
    assertTrue(progress.latest().active());
    assertEquals(-1, progress.latest().etaSeconds());
    assertFalse(next(0).active());
    assertEquals(0, next(9).blocksDone(), "another one");
    progress.end();
    assertFalse(progress.latest().active());
  }
}

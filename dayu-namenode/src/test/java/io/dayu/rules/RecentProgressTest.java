/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.rules;

import io.dayu.rules.RecentProgress.Usage;
import io.dayu.rules.RecentProgress.Work;
import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

class RecentProgressTest {
  private static final long BLOCK = 100;

  private final RecentProgress recent = new RecentProgress();

  /** One block runs, and all bytes before it are done. */
  private void add(long atSec, long doneBytes, long waiting, double allowedBytes) {
    recent.add(new Work(waiting, doneBytes / BLOCK, doneBytes / BLOCK * BLOCK, 1, BLOCK, doneBytes % BLOCK),
        new Usage(allowedBytes, atSec, atSec / 2.0), TimeUnit.SECONDS.toNanos(atSec));
  }

  @Test
  void secondsLeft_isUnknownUntilBytesMove() {
    assertEquals(-1, recent.secondsLeft());
    add(0, 0, 9, 0);
    add(3, 0, 9, 300);
    assertEquals(-1, recent.secondsLeft());
    add(4, 50, 9, 400);
    assertEquals(50, recent.bytesPerSec(), "the seconds before the first bytes do not count");
    assertEquals(19, recent.secondsLeft());
  }

  @Test
  void rate_isThatOfTheWindow_andNoMoreThanWasAllowed() {
    for (int s = 0; s <= 60; s++) {
      add(s, s <= 40 ? 10 * s : 400 + 40L * (s - 40), 20, 20 * s);
    }
    assertEquals(RecentProgress.WINDOW_NS, recent.windowNs());
    assertEquals(40, recent.bytesPerSec());
    // It has moved as much as was allowed in all, so the credit is not used yet.
    assertEquals((100 + 2000) / 20 - 5, recent.secondsLeft());
    assertEquals(0.5, recent.timeAboveAlpha());
  }

  @Test
  void credit_countsOnce() {
    for (int s = 0; s <= 4; s++) {
      add(s, 40 * s, 20, 20 * s);
    }
    // 160 moved, 80 allowed: four of the five seconds are saved already.
    assertEquals((40 + 2000) / 20 - 1, recent.secondsLeft());
    assertEquals(40, recent.bytesPerSec());
  }

  @Test
  void credit_beginsAnewAfterAPause() {
    for (int s = 0; s <= 4; s++) {
      add(s, 40 * s, 40, 20 * s);
    }
    recent.clear();
    // 80 of what was moved since then is credit's, as in the test above; what was moved before does not count.
    for (int s = 100; s <= 104; s++) {
      add(s, 160 + 40 * (s - 100), 20, 2_000 + 20 * (s - 100));
    }
    assertEquals((80 + 2000) / 20 - 1, recent.secondsLeft());
  }

  @Test
  void clear_forgetsTheRecovery() {
    add(1, 10, 9, 100);
    add(2, 20, 9, 200);
    recent.clear();
    assertEquals(-1, recent.secondsLeft());
    assertEquals(0, recent.bytesPerSec());
  }

  /** Ten transfers of 100 bytes, first at four tenths, a second later at half. */
  private void addSideBySide(long waiting, long plannedBytesPerSec) {
    recent.add(new Work(waiting, 0, 0, 10, 10 * BLOCK, 4 * BLOCK, 0, plannedBytesPerSec), Usage.NONE,
        TimeUnit.SECONDS.toNanos(1));
    recent.add(new Work(waiting, 0, 0, 10, 10 * BLOCK, 5 * BLOCK, 0, plannedBytesPerSec), Usage.NONE,
        TimeUnit.SECONDS.toNanos(2));
  }

  @Test
  void work_countsTheTailOfTransfersSideBySide() {
    assertEquals(500 + 1000, new Work(10, 0, 0, 10, 10 * BLOCK, 5 * BLOCK).leftBytes());
    addSideBySide(10, 0);
    // 1500 left, and the last one takes as long as all that run.
    assertEquals((1500 + 450) / 100 + 1, recent.secondsLeft());
  }

  /** As where a plan has room for all of a recovery. */
  @Test
  void noTail_whereAllThatIsLeftHasBegun() {
    addSideBySide(0, 0);
    assertEquals(500 / 100, recent.secondsLeft());
  }

  @Test
  void plannedRate_countsWhileLittleHasBeenMeasured() {
    addSideBySide(0, 500);
    assertEquals(100, recent.bytesPerSec());
    // 480 a second are expected after one of twenty seconds.
    assertEquals(2, recent.secondsLeft());
    recent.clear();
    addSideBySide(0, 50);
    assertEquals(500 / 100, recent.secondsLeft(), "faster than planned");
  }
}

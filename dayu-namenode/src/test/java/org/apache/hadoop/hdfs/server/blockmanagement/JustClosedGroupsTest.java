/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@link JustClosedGroups}: modification times as writers leave them, and as users set them. */
class JustClosedGroupsTest {
  private static final long GROUP = -1_008;
  private static final long START_MS = 1_800_000_000_000L;
  private static final long LONG_AGO_MS = 0;
  private static final long STAMP = 5_000;

  private final JustClosedGroups groups = new JustClosedGroups();

  private static long ns(long ms) {
    return TimeUnit.MILLISECONDS.toNanos(ms);
  }

  private boolean isHeldBack(long group, long stamp, long modifiedMs, long atMs) {
    return groups.holdBack(group, stamp, modifiedMs, START_MS + atMs, ns(atMs));
  }

  @Test
  void groupOfAFileThatWasOpenForLong_isDelayedAfterItsClose() {
    groups.note(STAMP, 0);
    assertTrue(isHeldBack(GROUP, STAMP, START_MS + 100_000, 100_000));
    assertTrue(isHeldBack(GROUP, STAMP, START_MS + 100_000, 109_999));
    assertFalse(isHeldBack(GROUP, STAMP, START_MS + 100_000, 110_000));
  }

  /** One group a second: that of second s has the stamp {@code STAMP + s}. */
  @Test
  void groupThatWasAllocatedLately_isDelayed_whateverItsFilesTime() {
    for (int second = 0; second <= 60; second++) {
      groups.note(STAMP + second, ns(1_000 * second));
    }
    for (long modifiedMs : new long[] {LONG_AGO_MS, START_MS + 3_600_000}) {
      assertFalse(isHeldBack(GROUP, STAMP + 50, modifiedMs, 60_000));
      assertTrue(isHeldBack(GROUP, STAMP + 51, modifiedMs, 60_000));
    }
    assertTrue(isHeldBack(GROUP, STAMP + 51, LONG_AGO_MS, 60_999));
    assertFalse(isHeldBack(GROUP, STAMP + 51, LONG_AGO_MS, 61_000));
  }

  @Test
  void groupThatWasAllocatedWhileNobodyLooked_isDelayed_untilAStampIsOldEnough() {
    assertFalse(isHeldBack(GROUP, STAMP, LONG_AGO_MS, 0), "nothing is known");
    groups.note(STAMP, 0);
    assertFalse(isHeldBack(GROUP, STAMP, LONG_AGO_MS, 3_600_000));
    assertTrue(isHeldBack(GROUP, STAMP + 5, LONG_AGO_MS, 3_600_000));
    groups.note(STAMP + 5, ns(3_600_000));
    assertTrue(isHeldBack(GROUP, STAMP + 5, LONG_AGO_MS, 3_609_999));
    assertFalse(isHeldBack(GROUP, STAMP + 5, LONG_AGO_MS, 3_610_000));
  }

  @Test
  void stamps_areNotKeptMoreOftenThanOnceASecond() {
    groups.note(STAMP, 0);
    groups.note(STAMP + 9, ns(999));
    groups.note(STAMP + 20, ns(1_000));
    assertTrue(isHeldBack(GROUP, STAMP + 9, LONG_AGO_MS, 10_999));
    assertFalse(isHeldBack(GROUP, STAMP + 20, LONG_AGO_MS, 11_000));
    assertTrue(isHeldBack(GROUP, STAMP + 21, LONG_AGO_MS, 11_000));
  }

  @Test
  void fileThatIsTouchedAgainAndAgain_delaysItsGroupTenSecondsAMinute() {
    for (long atMs = 0; atMs < 10_000; atMs += 1_000) {
      assertTrue(isHeldBack(GROUP, STAMP, START_MS + atMs, atMs));
    }
    for (long atMs = 10_000; atMs <= 60_000; atMs += 1_000) {
      assertFalse(isHeldBack(GROUP, STAMP, START_MS + atMs, atMs));
    }
    assertTrue(isHeldBack(GROUP, STAMP, START_MS + 61_000, 61_000));
  }

  @Test
  void look_doesNotCountAsDelay() {
    assertTrue(groups.contains(GROUP, STAMP, START_MS, START_MS, 0));
    assertTrue(isHeldBack(GROUP, STAMP, START_MS + 20_000, 20_000));
    assertTrue(isHeldBack(GROUP, STAMP, START_MS + 20_000, 29_999));
  }

  @Test
  void tooManyGroups_areDelayedAsTheirFilesSay() {
    for (int group = 0; group <= 10_000; group++) {
      assertTrue(isHeldBack(group, STAMP, START_MS, 0));
    }
    assertFalse(isHeldBack(9_999, STAMP, START_MS + 15_000, 15_000));
    assertTrue(isHeldBack(10_000, STAMP, START_MS + 15_000, 15_000));
    assertTrue(isHeldBack(10_000, STAMP, START_MS + 61_000, 61_000));
    assertFalse(isHeldBack(10_000, STAMP, START_MS + 75_000, 75_000));
  }

  @Test
  void timeInTheFuture_delaysNothing() {
    assertFalse(isHeldBack(GROUP, STAMP, START_MS + 1, 0));
  }
}

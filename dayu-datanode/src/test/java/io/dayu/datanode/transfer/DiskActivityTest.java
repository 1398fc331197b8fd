/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Three disks, asked every 100 ms by a clock that starts below 0. */
class DiskActivityTest {
  private static final long MS = 1_000_000;

  private long nowNs = -1_000 * MS;
  private int running = 3;
  private final DiskActivity disks = new DiskActivity(() -> 3, () -> running, nowNs);

  private boolean full(long writtenMs) {
    disks.wrote(writtenMs * 100, writtenMs * MS);
    nowNs += 100 * MS;
    return disks.areFull(nowNs);
  }

  @Test
  void disks_areFull_whereATransferWritesToEachAllTheTime() {
    assertFalse(full(0));
    assertFalse(full(200), "two transfers leave a disk idle");
    assertTrue(full(290));
    assertTrue(full(500), "two transfers wait for one disk");
    assertFalse(full(30), "the network is the limit");
    assertEquals(200, disks.fullMs());
  }

  private void seconds(int count, long writtenMs) {
    for (int i = 0; i < 10 * count; i++) {
      full(writtenMs);
    }
  }

  @Test
  void whatFullDisksTake_isTheLimit_untilTheyAreIdleForAWindow() {
    seconds(4, 270);
    assertEquals(0, disks.limitBytesPerSec(), "not known yet");
    seconds(1, 270);
    assertEquals(300_000, disks.limitBytesPerSec(), "the idle tenth counts, too");
    seconds(4, 30);
    assertEquals(300_000, disks.limitBytesPerSec());
    seconds(1, 30);
    assertEquals(0, disks.limitBytesPerSec());
  }

  @Test
  void limit_staysAsLongAsTransfersWaitForTheirDisks_thoughOthersAreIdle() {
    seconds(5, 300);
    running = 1;
    seconds(20, 90);
    assertEquals(300_000, disks.limitBytesPerSec());
    running = 2;
    seconds(5, 90);
    assertEquals(0, disks.limitBytesPerSec(), "the disks are idle for half of the time");
    seconds(5, 190);
    assertEquals(0, disks.limitBytesPerSec(), "it begins where all disks are full");
  }

  @Test
  void limit_ends_withTheTransfers() {
    seconds(5, 300);
    running = 0;
    seconds(5, 0);
    assertEquals(0, disks.limitBytesPerSec());
  }

  @Test
  void writesThatTakeSeconds_countInTheWindowInWhichTheyEnd() {
    for (int write = 0; write < 2; write++) {
      for (int i = 0; i < 24; i++) {
        full(0);
      }
      disks.wrote(250_000, 2_500 * MS);
      disks.wrote(250_000, 2_500 * MS);
      full(2_500);
    }
    assertEquals(300_000, disks.limitBytesPerSec());
  }

  @Test
  void transfersThatWaitForOneDisk_getWhatTheDisksTakeTogether() {
    for (int i = 0; i < 50; i++) {
      disks.wrote(20_000, 600 * MS);
      nowNs += 100 * MS;
      disks.areFull(nowNs);
    }
    assertEquals(200_000, disks.limitBytesPerSec());
  }

  @Test
  void diskThatHangs_isNoLimit() {
    seconds(20, 0);
    assertEquals(0, disks.limitBytesPerSec());
    disks.wrote(1_000, 20_000 * MS);
    disks.wrote(1_000, 20_000 * MS);
    seconds(5, 0);
    assertEquals(0, disks.limitBytesPerSec(), "the other two have been idle");
  }
}

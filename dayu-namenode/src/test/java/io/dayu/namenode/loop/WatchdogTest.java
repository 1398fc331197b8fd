/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockManagement;
import io.dayu.namenode.status.DayuStatus;
import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;

class WatchdogTest {
  private static final long TIMEOUT_MS = 30_000;
  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS / 10);
  private static final long PAUSE_NS = TimeUnit.MINUTES.toNanos(2);

  private final BlockManagement blocks = mock(BlockManagement.class);
  private final StockSuspension suspension = new StockSuspension(blocks, 0);
  private final Watchdog watchdog = new Watchdog(suspension, new PendingRegistrations(blocks), new DayuStatus(),
      () -> TIMEOUT_MS, TIMEOUT_MS);

  /** Looks as often as the watchdog's thread does; returns the time of the last look. */
  private long look(long fromNs, int times) {
    long nowNs = fromNs;
    for (int i = 0; i < times; i++) {
      nowNs += LOOK_NS;
      watchdog.look(nowNs);
    }
    return nowNs;
  }

  @Test
  void loopThatIsSilentWhileTheWatchdogLooks_letsStockResume() {
    suspension.suspend(0);
    long nowNs = look(0, 10);
    assertTrue(suspension.isSuspended(), "not before the time is over");
    look(nowNs, 1);
    assertFalse(suspension.isSuspended());
  }

  @Test
  void loopOfAProcessThatStoodStill_keepsStockSuspended_ifItGoesOn() {
    suspension.suspend(0);
    long nowNs = look(0, 1) + PAUSE_NS;
    watchdog.look(nowNs);
    assertTrue(suspension.isSuspended(), "the watchdog's thread was the first to run");
    suspension.heartbeat(nowNs);
    nowNs = look(nowNs, 9);
    assertTrue(suspension.isSuspended());
    look(nowNs, 3);
    assertFalse(suspension.isSuspended(), "an earlier pause does not hide that it hangs later");
  }

  @Test
  void loopOfAProcessThatStoodStill_letsStockResume_ifItDoesNotGoOn() {
    suspension.suspend(0);
    long nowNs = look(0, 1) + PAUSE_NS;
    watchdog.look(nowNs);
    nowNs = look(nowNs, 8);
    assertTrue(suspension.isSuspended(), "on a busy machine it takes a while to go on");
    look(nowNs, 1);
    assertFalse(suspension.isSuspended());
  }

  @Test
  void processThatKeepsStandingStill_letsStockResume() {
    suspension.suspend(0);
    long nowNs = look(0, 1);
    for (int pause = 1; pause < 10; pause++) {
      nowNs += PAUSE_NS;
      watchdog.look(nowNs);
    }
    assertTrue(suspension.isSuspended());
    watchdog.look(nowNs + PAUSE_NS);
    assertFalse(suspension.isSuspended());
  }
}

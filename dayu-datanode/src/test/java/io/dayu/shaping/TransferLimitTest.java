/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.shaping;

import io.dayu.conf.Settings;
import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

class TransferLimitTest {
  private static final long FILL_NS = TransferLimit.FILL_AFTER_NS;
  private static final long LOWER_NS = TimeUnit.MILLISECONDS.toNanos(Settings.LOWER_AFTER_MS);
  /** System.nanoTime() may be negative. */
  private long nowNs = -10 * LOWER_NS;
  private final TransferLimit limit = new TransferLimit(Settings.MIN_RUNNING, nowNs);

  private int look(boolean hasRoom, int running, boolean moreWait) {
    limit.look(hasRoom, running, moreWait, nowNs);
    return limit.get();
  }

  private void raiseTo(int many) {
    while (limit.get() < many) {
      look(true, limit.get(), true);
      nowNs += FILL_NS;
    }
  }

  @Test
  void limit_risesByOne_eachTimeThatTheLinkHadRoom() {
    assertEquals(Settings.MIN_RUNNING + 1, look(true, Settings.MIN_RUNNING, true));
    nowNs += FILL_NS / 2;
    assertEquals(Settings.MIN_RUNNING + 1, look(true, Settings.MIN_RUNNING + 1, true));
    nowNs += FILL_NS / 2;
    assertEquals(Settings.MIN_RUNNING + 2, look(true, Settings.MIN_RUNNING + 1, true));
  }

  @Test
  void limit_doesNotRise_whileFewerRun() {
    raiseTo(5);
    assertEquals(5, look(true, 4, true));
  }

  @Test
  void limit_stays_whenTheLinkFillsUp() {
    raiseTo(5);
    nowNs += LOWER_NS / 2;
    assertEquals(5, look(false, 4, true), "a transfer that ends is replaced at once");
  }

  @Test
  void limit_fallsByOne_eachTimeThatTheLinkWasFull() {
    raiseTo(4);
    look(true, 4, true);
    int before = limit.get();
    nowNs += LOWER_NS;
    assertEquals(before - 1, look(false, before, true));
    nowNs += LOWER_NS / 2;
    assertEquals(before - 1, look(false, before, true));
    for (int i = 0; i < 2 * before; i++) {
      nowNs += LOWER_NS;
      look(false, before, true);
    }
    assertEquals(Settings.MIN_RUNNING, limit.get());
  }

  @Test
  void limit_fallsToWhatRuns_whenNothingWaits() {
    raiseTo(6);
    assertEquals(3, look(true, 3, false));
    assertEquals(Settings.MIN_RUNNING, look(true, 0, false), "the next recovery begins anew");
  }
}

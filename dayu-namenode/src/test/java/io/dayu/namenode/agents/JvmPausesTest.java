/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import org.junit.jupiter.api.Test;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;

class JvmPausesTest {
  private final JvmPauses pauses = new JvmPauses();

  private void runsAt(long... ms) {
    for (long moment : ms) {
      pauses.noteRunning(MILLISECONDS.toNanos(moment));
    }
  }

  private long sinceMs(long momentMs, long nowMs) {
    return pauses.since(MILLISECONDS.toNanos(momentMs), MILLISECONDS.toNanos(nowMs)) / 1_000_000;
  }

  @Test
  void withoutPauses_itIsTheTimeOfTheClock() {
    runsAt(-1_000, 0, 1_000);
    assertEquals(1_500, sinceMs(-500, 1_000));
  }

  @Test
  void firstMoment_endsNoPause() {
    runsAt(60_000);
    assertEquals(60_000, sinceMs(0, 60_000));
  }

  @Test
  void pause_countsAsHalfASecond_forWhatWasBeforeIt() {
    runsAt(0, 30_000);
    assertEquals(1_500, sinceMs(-1_000, 30_000));
    assertEquals(0, sinceMs(10_000, 30_000), "what came in the midst of it");
    assertEquals(1_000, sinceMs(31_000, 32_000), "what came after it");
  }

  /** A handler reads the clock, and then the JVM stands still. */
  @Test
  void momentThatIsNotedLate_hidesNoPause_andMakesNone() {
    runsAt(0, 30_000, 100, 31_000);
    assertEquals(1_500, sinceMs(0, 31_000));
  }

  /** A handler notes a pause in mid-tick, and the loop goes on with the time at which its tick began. */
  @Test
  void pauseAfterThatTime_doesNotCount() {
    runsAt(0, 1_000, 31_000);
    assertEquals(1_000, sinceMs(0, 1_000));
    assertEquals(1_500, sinceMs(0, 30_950), "but a part of it does");
  }

  @Test
  void pauses_addUp() {
    runsAt(0, 2_000, 2_500, 4_500);
    assertEquals(1_500, sinceMs(0, 4_500));
    assertEquals(1_000, sinceMs(2_000, 4_500));
  }

  @Test
  void onlyTheLast32_areKept() {
    for (int i = 0; i < 33; i++) {
      runsAt(2_000 * i, 2_000 * i + 500);
    }
    runsAt(66_000);
    assertEquals(66_000 - 32 * 1_000, sinceMs(0, 66_000));
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SourceWatchTest {
  private static final double MIDDLE = 0.5;
  private static final long TURN_BYTES = 64 * 1024;

  private long nowNanos;
  private final SourceWatch watch = new SourceWatch(0);

  private void turn(long tookMs) {
    turn(tookMs, TURN_BYTES);
  }

  private void turn(long tookMs, long allBytes) {
    nowNanos += TimeUnit.MILLISECONDS.toNanos(tookMs);
    watch.turned(TURN_BYTES, allBytes, TimeUnit.MILLISECONDS.toNanos(tookMs), MIDDLE, nowNanos);
  }

  private long pauseMs() {
    return TimeUnit.NANOSECONDS.toMillis(watch.freeInNanos(nowNanos));
  }

  @Test
  void firstTurn_saysNothing() {
    turn(500);
    assertFalse(watch.wasBusy());
    assertEquals(0, pauseMs());
  }

  @Test
  void sharedTurn_makesAPauseThatDoublesUpToABound() {
    turn(10);
    turn(20);
    assertTrue(watch.wasBusy());
    assertEquals(40, pauseMs());
    turn(20);
    assertEquals(80, pauseMs());
    for (int i = 0; i < 10; i++) {
      turn(20);
    }
    assertEquals(320, pauseMs());
    turn(11);
    assertFalse(watch.wasBusy());
    assertEquals(0, pauseMs());
  }

  /** Takes a turn, or a probe of a quarter of it, from a source that needs 6 ms for any request and 8 ms for the bytes of a turn. */
  private void turnWithLatency(boolean probe, int flows) {
    long bytes = probe ? TURN_BYTES / 4 : TURN_BYTES;
    long tookNanos = TimeUnit.MILLISECONDS.toNanos(6) + flows * TimeUnit.MILLISECONDS.toNanos(probe ? 2 : 8);
    nowNanos += tookNanos;
    watch.turned(bytes, bytes, tookNanos, MIDDLE, nowNanos);
  }

  @Test
  void probe_clearsASourceWithLatency() {
    turnWithLatency(false, 1);
    turnWithLatency(false, 3);
    assertTrue(watch.wasBusy());
    turnWithLatency(true, 1);
    turnWithLatency(true, 1);
    assertFalse(watch.wasBusy(), "no later than probes are at best");
    turnWithLatency(false, 3);
    assertTrue(watch.wasBusy());
    turnWithLatency(true, 1);
    assertFalse(watch.wasBusy(), "its latency is known by now");
    turnWithLatency(false, 3);
    turnWithLatency(true, 4);
    assertTrue(watch.wasBusy(), "a late probe is late with latency, too");
  }

  @Test
  void latency_isForgottenInTime() {
    turnWithLatency(false, 1);
    turnWithLatency(true, 1);
    turnWithLatency(true, 1);
    assertFalse(watch.wasBusy());
    for (int i = 0; i < 1_500; i++) {
      turnWithLatency(false, 1);
    }
    turnWithLatency(true, 1);
    assertTrue(watch.wasBusy());
  }

  @Test
  void spread_setsTargetsApart() {
    watch.turned(TURN_BYTES, TURN_BYTES, 10_000_000, 0, 0);
    watch.turned(TURN_BYTES, TURN_BYTES, 30_000_000, 0, 0);
    assertEquals(20_000_000, watch.freeInNanos(0));
    watch.turned(TURN_BYTES, TURN_BYTES, 30_000_000, 1, 0);
    assertEquals(120_000_000, watch.freeInNanos(0));
  }

  @Test
  void lateWakeUp_isNoSharing() {
    turn(2);
    turn(4);
    assertFalse(watch.wasBusy());
  }

  @Test
  void turnsThatFillOurOwnLink_areNotHeldAgainstTheSource() {
    turn(10);
    turn(20, 2 * TURN_BYTES);
    assertFalse(watch.wasBusy());
  }

  @Test
  void slowerSource_becomesTheMeasureInTime() {
    turn(10);
    turn(20);
    assertTrue(watch.wasBusy());
    // 25 s at half of the rate: no client does that.
    for (int i = 0; i < 1_250; i++) {
      turn(20);
    }
    assertFalse(watch.wasBusy());
  }
}

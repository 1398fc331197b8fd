/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** When recovery goes unmarked because the network starves its class, or this host marks nothing. */
class LowerEffortPauseTest {
  private long nowNs = TestClock.START_NS;
  private final LowerEffortPause pause = new LowerEffortPause(() -> nowNs);

  private void prove(int times) {
    for (int i = 0; i < times; i++) {
      pause.proved("dn" + i);
    }
  }

  @Test
  void fewProofs_areChance() {
    prove(LowerEffortPause.PROOFS - 1);
    assertFalse(pause.isStarved());
    nowNs += LowerEffortPause.WINDOW_NS + 1;
    prove(LowerEffortPause.PROOFS - 1);
    assertFalse(pause.isStarved(), "the first ones are too long ago");
  }

  @Test
  void oneDataNode_provesNothing() {
    for (int i = 0; i < 2 * LowerEffortPause.PROOFS; i++) {
      pause.proved("dn0");
    }
    assertFalse(pause.isStarved(), "it may be overloaded");
  }

  @Test
  void recoveryGoesUnmarked_forATime() {
    prove(LowerEffortPause.PROOFS);
    nowNs += LowerEffortPause.PAUSE_NS - 1;
    assertTrue(pause.isStarved());
    assertTrue(pause.isUnmarked());
    nowNs++;
    assertFalse(pause.isStarved());
    prove(LowerEffortPause.PROOFS - 1);
    assertFalse(pause.isStarved(), "it has to be shown anew");
  }

  /** It does not heal by itself, and has nothing to do with the network. */
  @Test
  void hostWhoseSocketsTakeNoClass_triesAgainNowAndThen_andWarnsOnce() {
    LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger(LowerEffortPause.class));
    pause.refused("java.net.SocketException: a test");
    nowNs++;
    pause.refused("java.net.SocketException: a test");
    assertTrue(pause.isUnmarked());
    assertFalse(pause.isStarved());
    nowNs += LowerEffortPause.PAUSE_NS - 1;
    assertFalse(pause.isUnmarked());
    pause.refused("java.net.SocketException: a test");
    assertTrue(pause.isUnmarked());
    log.stopCapturing();
    // The line at DEBUG says "still".
    assertEquals(1, log.getOutput().lines()
        .filter(line -> line.contains("host take no traffic class: java.net.SocketException: a test")).count(),
        log::getOutput);
  }

  @Test
  void connect_isSuspicious_ifItsFirstPacketsWereLost() {
    long beganNs = nowNs;
    nowNs += TimeUnit.MILLISECONDS.toNanos(1_100);
    assertFalse(pause.isSuspicious(beganNs), "one packet");
    nowNs += TimeUnit.SECONDS.toNanos(2);
    assertTrue(pause.isSuspicious(beganNs), "two");
  }
}

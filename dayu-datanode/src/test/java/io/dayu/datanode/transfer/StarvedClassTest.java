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

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** When recovery goes unmarked because the network starves its class. */
class StarvedClassTest {
  private static final long BEGIN_NS = 1L << 60;

  private final StarvedClass starved = new StarvedClass();

  private void prove(int times, long nowNs) {
    for (int i = 0; i < times; i++) {
      starved.proved("dn" + i, nowNs);
    }
  }

  @Test
  void fewProofs_areChance() {
    prove(StarvedClass.PROOFS - 1, BEGIN_NS);
    assertFalse(starved.isStarved(BEGIN_NS));
    long later = BEGIN_NS + StarvedClass.WINDOW_NS + 1;
    prove(StarvedClass.PROOFS - 1, later);
    assertFalse(starved.isStarved(later), "the first ones are too long ago");
  }

  @Test
  void oneDataNode_provesNothing() {
    for (int i = 0; i < 2 * StarvedClass.PROOFS; i++) {
      starved.proved("dn0", BEGIN_NS);
    }
    assertFalse(starved.isStarved(BEGIN_NS), "it may be overloaded");
  }

  @Test
  void recoveryGoesUnmarked_forATime() {
    prove(StarvedClass.PROOFS, BEGIN_NS);
    assertTrue(starved.isStarved(BEGIN_NS + StarvedClass.PAUSE_NS - 1));
    assertFalse(starved.isStarved(BEGIN_NS + StarvedClass.PAUSE_NS));
    prove(StarvedClass.PROOFS - 1, BEGIN_NS + StarvedClass.PAUSE_NS);
    assertFalse(starved.isStarved(BEGIN_NS + StarvedClass.PAUSE_NS), "it has to be shown anew");
  }

  @Test
  void hostWhoseSocketsTakeNoClass_goesUnmarkedForATime_andSaysSoOnce() {
    LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger(StarvedClass.class));
    starved.refused("java.net.SocketException: a test", BEGIN_NS);
    starved.refused("java.net.SocketException: a test", BEGIN_NS + 1);
    log.stopCapturing();
    assertTrue(starved.isStarved(BEGIN_NS + 1));
    assertFalse(starved.isStarved(BEGIN_NS + StarvedClass.PAUSE_NS));
    assertEquals(1, log.getOutput().lines().count(), log::getOutput);
    assertTrue(log.getOutput().contains("take no traffic class: java.net.SocketException: a test"), log::getOutput);
  }

  @Test
  void connect_isSuspicious_ifItsFirstPacketsWereLost() {
    assertFalse(StarvedClass.isSuspicious(1_100_000_000), "one packet");
    assertTrue(StarvedClass.isSuspicious(3_100_000_000L), "two");
  }
}

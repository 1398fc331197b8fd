/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.LiveNode;
import io.dayu.blocks.LiveNodeFixture;
import io.dayu.namenode.transfers.AvoidedNodes.Role;
import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

class AvoidedNodesTest {
  private static final long SEC = 1_000_000_000;

  private final AvoidedNodes avoided = new AvoidedNodes(uuid -> "address of " + uuid, () -> 6);

  private static LiveNode node(String uuid) {
    return LiveNodeFixture.liveNode(uuid, "10.0.0.1", uuid, 9866, "/r", true, new long[6], new int[6]);
  }

  private static long at(long sec) {
    return ClockStart.NS + sec * SEC;
  }

  private boolean isAvoided(Role role, String uuid, long sec) {
    return avoided.isAvoided(role, uuid, at(sec));
  }

  /** Fails from three sources, or for three targets, within two seconds from {@code sec} on. */
  private void failThrice(Role role, String uuid, long sec) {
    for (int i = 0; i < 3; i++) {
      avoided.failed(role == Role.SOURCE ? uuid : "s" + i, role == Role.TARGET ? uuid : "t" + i, at(sec + i));
    }
  }

  @Test
  void targetWhoseTransfersFailFromSeveralSources_isAvoided_andNotTheSources() {
    LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger(AvoidedNodes.class));
    avoided.failed("a", "liar", at(0));
    avoided.failed("b", "liar", at(1));
    assertTrue(avoided.planned(node("liar"), at(1)).target());
    avoided.failed("c", "liar", at(2));
    log.stopCapturing();
    assertFalse(avoided.planned(node("liar"), at(2)).target());
    for (String source : new String[] {"a", "b", "c"}) {
      assertFalse(avoided.planned(node(source), at(2)).status().lastSource());
    }
    assertFalse(avoided.planned(node("liar"), at(2)).status().lastSource());
    assertEquals(1, avoided.count(at(2)));
    assertTrue(
        avoided.reason(Role.TARGET, "liar", at(2)).startsWith("avoided for another 10 s: transfers to it fail"));
    assertNull(avoided.reason(Role.SOURCE, "liar", at(2)));
    assertEquals(1, log.getOutput().lines().count(), log::getOutput);
    assertTrue(log.getOutput().contains("DataNode address of liar (liar) gets no new transfers for 10 s"),
        log::getOutput);
  }

  @Test
  void sourceThatFailsForSeveralTargets_isTheLastOne() {
    failThrice(Role.SOURCE, "bad", 0);
    LiveNode planned = avoided.planned(node("bad"), at(2));
    assertTrue(planned.status().lastSource());
    assertTrue(planned.target());
    assertTrue(
        avoided.reason(Role.SOURCE, "bad", at(2)).startsWith("avoided for another 10 s: transfers from it fail"));
    assertEquals(1, avoided.count(at(2)));
    assertFalse(avoided.planned(node("bad"), at(13)).status().lastSource(), "it is tried again");
  }

  @Test
  void failuresBetweenTwoNodesOnly_takeMore_asEitherMayBeTheReason() {
    for (int i = 0; i < 7; i++) {
      avoided.failed("a", "b", at(i));
    }
    assertEquals(0, avoided.count(at(6)));
    avoided.failed("a", "b", at(7));
    assertTrue(isAvoided(Role.TARGET, "b", 7));
    assertTrue(isAvoided(Role.SOURCE, "a", 7));
    assertEquals(2, avoided.count(at(7)));
  }

  @Test
  void failedSource_isOneUntilItServesABlock_butNotForLongAfterItsFailure() {
    avoided.failed("a", "t", at(0));
    assertTrue(avoided.planned(node("a"), at(0) + AvoidedNodes.MAX_FAILED_SOURCE_NS).status().sourceFailed());
    assertFalse(avoided.planned(node("a"), at(0) + AvoidedNodes.MAX_FAILED_SOURCE_NS + 1).status().sourceFailed(),
        "nothing has been read from it since, so nothing more is known of it");
    avoided.failed("a", "t", at(100));
    assertTrue(avoided.planned(node("a"), at(100)).status().sourceFailed());
    avoided.confirmed("a", "t");
    assertFalse(avoided.planned(node("a"), at(100)).status().sourceFailed());
  }

  @Test
  void avoidedSource_isAFailedOne_untilAWhileAfterIt() {
    failThrice(Role.SOURCE, "bad", 0);
    long untilNs = at(2) + AvoidedNodes.MIN_AVOIDED_NS;
    assertTrue(avoided.planned(node("bad"), untilNs - 1).status().sourceFailed());
    assertTrue(avoided.planned(node("bad"), untilNs + AvoidedNodes.MAX_FAILED_SOURCE_NS).status().sourceFailed());
    assertFalse(avoided.planned(node("bad"), untilNs + AvoidedNodes.MAX_FAILED_SOURCE_NS + 1).status().sourceFailed());
  }

  @Test
  void transferThatReachesTheBlockMap_endsTheCount() {
    avoided.failed("a", "t", at(0));
    avoided.failed("b", "t", at(1));
    avoided.confirmed("c", "t");
    avoided.failed("a", "t", at(2));
    avoided.failed("b", "t", at(3));
    assertFalse(isAvoided(Role.TARGET, "t", 3));
    avoided.failed("b", "t", at(4));
    assertTrue(isAvoided(Role.TARGET, "t", 4));
  }

  @Test
  void manyTransfersThatEndAtOnce_countAsOneFailure_andOldOnesNotAtAll() {
    for (int i = 0; i < 100; i++) {
      avoided.failed("s" + i, "t", at(0) + i);
    }
    assertFalse(isAvoided(Role.TARGET, "t", 0));
    avoided.failed("a", "t", at(2));
    avoided.failed("a", "t", at(303));
    assertFalse(isAvoided(Role.TARGET, "t", 303));
    avoided.failed("b", "t", at(304));
    avoided.failed("a", "t", at(604));
    assertTrue(isAvoided(Role.TARGET, "t", 604), "each within five minutes of the one before");
  }

  @Test
  void failuresThatNoSourceIsTheReasonFor_haveATargetAvoidedAfterThree() {
    avoided.failedAtTarget("t", at(0));
    avoided.failedAtTarget("t", at(1));
    assertFalse(isAvoided(Role.TARGET, "t", 1));
    avoided.failedAtTarget("t", at(2));
    assertTrue(isAvoided(Role.TARGET, "t", 2));
  }

  @Test
  void sourceThatWasAvoided_hasThreeFailuresAgain_untilItIsAvoidedForTwiceAsLong() {
    failThrice(Role.SOURCE, "bad", 0);
    avoided.failed("bad", "t0", at(20));
    avoided.failed("bad", "t1", at(21));
    assertFalse(isAvoided(Role.SOURCE, "bad", 21));
    avoided.failed("bad", "t2", at(22));
    assertTrue(isAvoided(Role.SOURCE, "bad", 41));
    assertFalse(isAvoided(Role.SOURCE, "bad", 42));
  }

  @Test
  void nodeThatIsAvoidedInBothRoles_countsOnce() {
    failThrice(Role.SOURCE, "bad", 0);
    failThrice(Role.TARGET, "bad", 0);
    assertEquals(1, avoided.count(at(2)));
    failThrice(Role.TARGET, "target", 3);
    avoided.failed("target", "t", at(5));
    assertEquals(2, avoided.count(at(5)), "it is known as a source, and not avoided as one");
  }

  @Test
  void nodeThatIsAvoided_stopsBeingSo_whenEverythingIsForgotten() {
    failThrice(Role.SOURCE, "bad", 0);
    failThrice(Role.TARGET, "bad", 0);
    avoided.unconfirmed(Set.of("behind"));
    avoided.clear();
    assertEquals(0, avoided.count(at(2)));
    assertFalse(avoided.isOnTrial("bad"));
    assertFalse(avoided.planned(node("bad"), at(2)).status().sourceFailed());
    assertTrue(avoided.planned(node("behind"), at(2)).target());
  }

  @Test
  void expiry_keepsWhatStillCounts() {
    avoided.failed("a", "t", at(0));
    avoided.failed("b", "t", at(1));
    avoided.expire(at(301));
    avoided.failed("c", "t", at(301));
    assertTrue(isAvoided(Role.TARGET, "t", 301), "failures of the last five minutes");
    avoided.expire(at(305));
    assertTrue(isAvoided(Role.TARGET, "t", 305), "a node that is avoided");
    avoided.expire(at(3_911));
    assertTrue(avoided.isOnTrial("t"), "an hour after it was avoided");
    avoided.avoidTarget("t", "why", at(3_911));
    assertTrue(isAvoided(Role.TARGET, "t", 3_930), "for twice as long");
  }

  @Test
  void expiry_endsTheTrial_afterAnHourWithoutAReason() {
    avoided.avoidTarget("t", "why", at(0));
    avoided.expire(at(3_611));
    assertFalse(avoided.isOnTrial("t"));
  }

  @Test
  void avoidedTarget_isTriedAgain_andAvoidedTwiceAsLongEachTime() {
    long nowNs = at(0);
    for (long sec : new long[] {10, 20, 40, 80, 160, 320, 600, 600}) {
      assertTrue(avoided.avoidTarget("t", "why", nowNs));
      assertTrue(avoided.isAvoided(Role.TARGET, "t", nowNs + sec * SEC - 1));
      nowNs += sec * SEC;
      assertFalse(avoided.isAvoided(Role.TARGET, "t", nowNs));
    }
    nowNs += 3_601 * SEC;
    assertTrue(avoided.avoidTarget("t", "why", nowNs));
    assertFalse(avoided.isAvoided(Role.TARGET, "t", nowNs + 10 * SEC), "it starts over after an hour");
  }

  @Test
  void targetOnTrial_isAvoidedAtItsFirstFailure_unlessItHasCompletedATransfer() {
    avoided.avoidTarget("t", "why", at(0));
    assertTrue(avoided.isOnTrial("t"));
    avoided.failed("a", "t", at(11));
    assertTrue(isAvoided(Role.TARGET, "t", 11));
    avoided.confirmed("a", "t");
    assertFalse(avoided.isOnTrial("t"));
    avoided.failed("a", "t", at(40));
    assertFalse(isAvoided(Role.TARGET, "t", 40));
  }

  @Test
  void moreThanHalfOfTheAgents_areNotAvoidedAsTargets() {
    for (String target : new String[] {"a", "b", "c"}) {
      assertTrue(avoided.avoidTarget(target, "why", at(0)));
    }
    assertFalse(avoided.avoidTarget("d", "why", at(0)));
    assertTrue(avoided.avoidTarget("a", "why", at(1)), "it is avoided already");
    avoided.avoidIdleTarget("d", SEC, at(0));
    assertFalse(avoided.planned(node("d"), at(0)).target(), "where nothing gets on nothing is lost");
  }

  @Test
  void moreThanHalfOfTheAgents_areNotAvoidedAsTargets_ifTransfersFail_butAsSources() {
    for (String target : new String[] {"a", "b", "c"}) {
      avoided.avoidTarget(target, "why", at(0));
    }
    failThrice(Role.TARGET, "d", 0);
    assertFalse(isAvoided(Role.TARGET, "d", 2));
    failThrice(Role.SOURCE, "d", 0);
    assertTrue(isAvoided(Role.SOURCE, "d", 2));
  }

  @Test
  void targetOfWhichTheBlockMapLacksBlocks_getsNoNewOnesMeanwhile() {
    avoided.unconfirmed(Set.of("t"));
    assertFalse(avoided.planned(node("t"), at(0)).target());
    assertEquals("the block map does not have yet what it says that it has received",
        avoided.reason(Role.TARGET, "t", at(0)));
    assertEquals(0, avoided.count(at(0)));
    avoided.unconfirmed(Set.of());
    assertTrue(avoided.planned(node("t"), at(0)).target());
  }
}

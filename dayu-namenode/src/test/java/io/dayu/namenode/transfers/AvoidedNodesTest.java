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

  private boolean isAvoided(Role role, String uuid, long sec) {
    return avoided.isAvoided(role, uuid, sec * SEC);
  }

  @Test
  void targetWhoseTransfersFailFromSeveralSources_isAvoided_andNotTheSources() {
    LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger(AvoidedNodes.class));
    avoided.failed("a", "liar", 0);
    avoided.failed("b", "liar", SEC);
    assertTrue(avoided.planned(node("liar"), SEC).target());
    avoided.failed("c", "liar", 2 * SEC);
    log.stopCapturing();
    assertFalse(avoided.planned(node("liar"), 2 * SEC).target());
    for (String source : new String[] {"a", "b", "c"}) {
      assertFalse(avoided.planned(node(source), 2 * SEC).status().lastSource());
    }
    assertFalse(avoided.planned(node("liar"), 2 * SEC).status().lastSource());
    assertEquals(1, avoided.count(2 * SEC));
    assertTrue(
        avoided.reason(Role.TARGET, "liar", 2 * SEC).startsWith("avoided for another 10 s: transfers to it fail"));
    assertNull(avoided.reason(Role.SOURCE, "liar", 2 * SEC));
    assertEquals(1, log.getOutput().lines().count(), log::getOutput);
    assertTrue(log.getOutput().contains("DataNode address of liar (liar) gets no new transfers for 10 s"),
        log::getOutput);
  }

  @Test
  void sourceThatFailsForSeveralTargets_isTheLastOne() {
    for (int i = 0; i < 3; i++) {
      avoided.failed("bad", "t" + i, i * SEC);
    }
    LiveNode planned = avoided.planned(node("bad"), 2 * SEC);
    assertTrue(planned.status().lastSource());
    assertTrue(planned.target());
    assertEquals(1, avoided.count(2 * SEC));
    assertFalse(avoided.planned(node("bad"), 13 * SEC).status().lastSource(), "it is tried again");
  }

  @Test
  void failuresBetweenTwoNodesOnly_takeMore_asEitherMayBeTheReason() {
    for (int i = 0; i < 7; i++) {
      avoided.failed("a", "b", i * SEC);
    }
    assertEquals(0, avoided.count(6 * SEC));
    avoided.failed("a", "b", 7 * SEC);
    assertTrue(isAvoided(Role.TARGET, "b", 7));
    assertTrue(isAvoided(Role.SOURCE, "a", 7));
    assertEquals(2, avoided.count(7 * SEC));
  }

  @Test
  void failedSource_isOneUntilItServesABlock_butNotForLongAfterItsFailure() {
    avoided.failed("a", "t", 0);
    assertTrue(avoided.planned(node("a"), AvoidedNodes.MAX_FAILED_SOURCE_NS).status().sourceFailed());
    assertFalse(avoided.planned(node("a"), AvoidedNodes.MAX_FAILED_SOURCE_NS + 1).status().sourceFailed(),
        "nothing has been read from it since, so nothing more is known of it");
    avoided.failed("a", "t", 100 * SEC);
    assertTrue(avoided.planned(node("a"), 100 * SEC).status().sourceFailed());
    avoided.confirmed("a", "t");
    assertFalse(avoided.planned(node("a"), 100 * SEC).status().sourceFailed());
  }

  @Test
  void avoidedSource_isAFailedOne_untilAWhileAfterIt() {
    for (int i = 0; i < 3; i++) {
      avoided.failed("bad", "t" + i, i * SEC);
    }
    long untilNs = 2 * SEC + AvoidedNodes.MIN_AVOIDED_NS;
    assertTrue(avoided.planned(node("bad"), untilNs - 1).status().sourceFailed());
    assertTrue(avoided.planned(node("bad"), untilNs + AvoidedNodes.MAX_FAILED_SOURCE_NS).status().sourceFailed());
    assertFalse(avoided.planned(node("bad"), untilNs + AvoidedNodes.MAX_FAILED_SOURCE_NS + 1).status().sourceFailed());
  }

  @Test
  void transferThatReachesTheBlockMap_endsTheCount() {
    avoided.failed("a", "t", 0);
    avoided.failed("b", "t", SEC);
    avoided.confirmed("c", "t");
    avoided.failed("a", "t", 2 * SEC);
    avoided.failed("b", "t", 3 * SEC);
    assertFalse(isAvoided(Role.TARGET, "t", 3));
    avoided.failed("b", "t", 4 * SEC);
    assertTrue(isAvoided(Role.TARGET, "t", 4));
  }

  @Test
  void manyTransfersThatEndAtOnce_countAsOneFailure_andOldOnesNotAtAll() {
    for (int i = 0; i < 100; i++) {
      avoided.failed("s" + i, "t", i);
    }
    assertFalse(isAvoided(Role.TARGET, "t", 0));
    avoided.failed("a", "t", 2 * SEC);
    avoided.failed("a", "t", 303 * SEC);
    assertFalse(isAvoided(Role.TARGET, "t", 303));
  }

  @Test
  void avoidedTarget_isTriedAgain_andAvoidedTwiceAsLongEachTime() {
    long nowNs = 0;
    for (long sec : new long[] {10, 20, 40, 80, 160, 320, 600, 600}) {
      assertTrue(avoided.avoidTarget("t", "why", nowNs));
      assertTrue(avoided.isAvoided(Role.TARGET, "t", nowNs + sec * SEC - 1));
      nowNs += sec * SEC;
      assertFalse(avoided.isAvoided(Role.TARGET, "t", nowNs));
    }
    nowNs += 3_601 * SEC;
    avoided.expire(nowNs);
    assertTrue(avoided.avoidTarget("t", "why", nowNs));
    assertFalse(avoided.isAvoided(Role.TARGET, "t", nowNs + 10 * SEC), "it starts over after an hour");
  }

  @Test
  void targetOnTrial_isAvoidedAtItsFirstFailure_unlessItHasCompletedATransfer() {
    avoided.avoidTarget("t", "why", 0);
    assertTrue(avoided.isOnTrial("t"));
    avoided.failed("a", "t", 11 * SEC);
    assertTrue(isAvoided(Role.TARGET, "t", 11));
    avoided.confirmed("a", "t");
    assertFalse(avoided.isOnTrial("t"));
    avoided.failed("a", "t", 40 * SEC);
    assertFalse(isAvoided(Role.TARGET, "t", 40));
  }

  @Test
  void moreThanHalfOfTheAgents_areNotAvoidedAsTargets() {
    for (String target : new String[] {"a", "b", "c"}) {
      assertTrue(avoided.avoidTarget(target, "why", 0));
    }
    assertFalse(avoided.avoidTarget("d", "why", 0));
    avoided.avoidIdleTarget("d", SEC, 0);
    assertFalse(avoided.planned(node("d"), 0).target(), "where nothing gets on nothing is lost");
  }

  @Test
  void targetOfWhichTheBlockMapLacksBlocks_getsNoNewOnesMeanwhile() {
    avoided.unconfirmed(Set.of("t"));
    assertFalse(avoided.planned(node("t"), 0).target());
    assertEquals("the block map does not have yet what it says that it has received",
        avoided.reason(Role.TARGET, "t", 0));
    assertEquals(0, avoided.count(0));
    avoided.unconfirmed(Set.of());
    assertTrue(avoided.planned(node("t"), 0).target());
  }
}

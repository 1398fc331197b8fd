/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongToIntFunction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** When stock resumes for lack of agents and when Dayu does, by a clock of seconds that the test moves on. */
class AgentQuorumTest {
  private static final int NODES = 20;
  private static final int SHORTAGE_SEC = 3;
  private static final int MIN_DELAY_SEC = 60;
  private static final int MAX_DELAY_SEC = (int) TimeUnit.NANOSECONDS.toSeconds(AgentQuorum.MAX_DELAY_NS);
  private static final int RESET_SEC = (int) TimeUnit.NANOSECONDS.toSeconds(AgentQuorum.RESET_NS);
  /** {@link System#nanoTime()} may begin anywhere, and overflow. */
  private static final long START_NS = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(100);

  private AgentQuorum quorum = quorum(0.5);
  private long nowSec;
  /** As the recovery loop's: true is DAYU, false is STOCK. */
  private boolean dayu = true;
  /** Seconds at which the state changed. */
  private final List<Long> changes = new ArrayList<>();

  private AgentQuorum quorum(double minRatio) {
    AgentQuorum made = new AgentQuorum(minRatio);
    made.activate(START_NS);
    return made;
  }

  private long nowNs() {
    return START_NS + TimeUnit.SECONDS.toNanos(nowSec);
  }

  /** One check a second, as the recovery loop does, with the present number of agents. */
  private void run(int seconds, int nodes, LongToIntFunction agentsAtSec) {
    for (int i = 0; i < seconds; i++) {
      quorum.observe(agentsAtSec.applyAsInt(nowSec), nodes, nowNs());
      if (dayu && quorum.mustResumeStock(TimeUnit.SECONDS.toNanos(SHORTAGE_SEC), nowNs())) {
        quorum.stockResumed(nowNs(), TimeUnit.SECONDS.toNanos(MIN_DELAY_SEC));
        change(false);
      } else if (!dayu && quorum.mayResume(nowNs())) {
        quorum.resumed(nowNs());
        change(true);
      }
      nowSec++;
    }
  }

  private void run(int seconds, int agents) {
    run(seconds, NODES, now -> agents);
  }

  private void change(boolean toDayu) {
    dayu = toDayu;
    changes.add(nowSec);
  }

  /** Lets all agents go until stock resumes, and says how many seconds they must be there until Dayu resumes. */
  private long secondsToResumeAfterLoss() {
    run(SHORTAGE_SEC + 1, 0);
    assertFalse(dayu, "stock has resumed");
    long fromSec = nowSec;
    run(MAX_DELAY_SEC + 1, NODES);
    assertTrue(dayu, "resumed");
    return changes.get(changes.size() - 1) - fromSec;
  }

  @Test
  void dataNodesWithoutAgentsRegister_isNoLossOfAgents() {
    run(1, 4, now -> 4);
    run(SHORTAGE_SEC + 1, NODES, now -> 4);
    assertFalse(dayu, "too few");
    assertNull(quorum.waitReason(nowNs()));
    run(1, 8, now -> 4);
    assertTrue(dayu, "as soon as the ratio is reached");
  }

  @Test
  void enoughAgents_keepTheQueues() {
    run(1_000, NODES / 2);
    assertTrue(dayu);
    assertEquals(List.of(), changes);
  }

  @Test
  void tooFewAgents_resumeStockAfterTheShortageHasLasted() {
    run(10, NODES);
    run(SHORTAGE_SEC, NODES / 2 - 1);
    assertTrue(dayu, "agents that the loop did not hear while it stood still may report yet");
    run(1, NODES / 2 - 1);
    assertFalse(dayu);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void timeInWhichTheLoopStoodStill_isNoShortage(int observedSec) {
    run(10, NODES);
    run(observedSec, 0);
    nowSec += 2 * SHORTAGE_SEC;
    run(SHORTAGE_SEC - observedSec + 1, 0);
    assertTrue(dayu, "agents that the loop did not hear while it stood still may report yet");
    run(1, 0);
    assertFalse(dayu);
  }

  @Test
  void loopThatIsAlwaysSlow_noticesTooFewAgents_too() {
    run(10, NODES);
    for (int look = 0; look < 2 * SHORTAGE_SEC + 1 && dayu; look++) {
      nowSec += 2;
      run(1, 0);
    }
    assertFalse(dayu);
  }

  @Test
  void briefShortage_isForgotten() {
    run(100, NODES, now -> now % SHORTAGE_SEC == 0 ? NODES : 0);
    assertTrue(dayu);
  }

  @Test
  void firstAgents_areEnoughAtOnceAtTheRatioItself() {
    run(100, NODES / 2 - 1);
    assertFalse(dayu);
    assertNull(quorum.waitReason(nowNs()));
    run(1, NODES / 2);
    assertTrue(dayu);
  }

  /** What was seen: the two DataNodes with an agent were the first to register. */
  @Test
  void nodesWithoutAgentsThatRegisterLate_loseNoAgents() {
    run(5, 2, now -> 2);
    run(SHORTAGE_SEC + 1, 6, now -> 2);
    assertFalse(dayu);
    assertNull(quorum.waitReason(nowNs()));
    run(1, 4, now -> 2);
    assertTrue(dayu, "the ratio itself is enough");
  }

  @Test
  void nodesWithoutAgentsThatComeAndGo_areWaitedForLikeLostAgents() {
    run(5, 4, now -> 2);
    run(SHORTAGE_SEC + 1, 6, now -> 2);
    run(5, 4, now -> 2);
    assertTrue(dayu);
    run(SHORTAGE_SEC + 1, 6, now -> 2);
    assertFalse(dayu);
    run(MIN_DELAY_SEC, 4, now -> 2);
    assertFalse(dayu);
    run(MIN_DELAY_SEC + 1, 4, now -> 3);
    assertTrue(dayu);
  }

  @Test
  void lostAgents_mustBeBackWithoutABreak() {
    run(10, NODES);
    run(10, 0);
    assertFalse(dayu);
    run(MIN_DELAY_SEC, NODES);
    run(1, 0);
    run(MIN_DELAY_SEC, NODES);
    assertFalse(dayu, "the break starts the delay over");
    run(1, NODES);
    assertTrue(dayu);
  }

  @Test
  void lostAgents_mustBeBackInAHigherRatio() {
    run(10, NODES);
    run(10, 0);
    run(10 * MIN_DELAY_SEC, 10);
    assertFalse(dayu);
    run(MIN_DELAY_SEC + 1, 11);
    assertTrue(dayu, "1.1 times half of 20, whatever the rounding");
  }

  @Test
  void exactlyTheRatio_sufficesAfterTheMaximumDelay() {
    run(10, NODES / 2);
    run(10, NODES / 2 - 1);
    run(MAX_DELAY_SEC, NODES / 2);
    assertFalse(dayu);
    run(1, NODES / 2);
    assertTrue(dayu);
  }

  @Test
  void repeatedLosses_doubleTheDelayUpToTheMaximum() {
    run(10, NODES);
    List<Long> delaysSec = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      delaysSec.add(secondsToResumeAfterLoss());
    }
    assertEquals(List.of(60L, 120L, 240L, 480L, 960L, 1800L, 1800L), delaysSec);
  }

  @Test
  void quietTime_startsTheDelayOver() {
    run(10, NODES);
    assertEquals(60, secondsToResumeAfterLoss());
    assertEquals(120, secondsToResumeAfterLoss());
    run(RESET_SEC, NODES);
    assertEquals(60, secondsToResumeAfterLoss());
  }

  @Test
  void timeWithoutAgents_isNotQuiet() {
    run(10, NODES);
    assertEquals(60, secondsToResumeAfterLoss());
    run(2 * RESET_SEC, 0);
    assertEquals(120, secondsToResumeAfterLoss());
    assertEquals(240, secondsToResumeAfterLoss());
  }

  @Test
  void activation_startsOver() {
    run(10, NODES);
    secondsToResumeAfterLoss();
    run(10, 0);
    assertFalse(dayu);
    quorum.activate(nowNs());
    dayu = true;
    assertNull(quorum.waitReason(nowNs()));
    run(SHORTAGE_SEC + 1, 0);
    assertFalse(dayu);
    run(1, NODES);
    assertTrue(dayu);
    assertEquals(60, secondsToResumeAfterLoss());
  }

  /** What was seen: agents that could not finish a report were there for most of each ten seconds. */
  @Test
  void flappingAgents_makeDayuResumeStockOnce() {
    run(4 * RESET_SEC, NODES, now -> now % 14 < 9 ? NODES : 0);
    assertFalse(dayu);
    assertEquals(1, changes.size(), changes::toString);
  }

  @Test
  void agentsThatComeAndGoEveryFewMinutes_makeEverFewerChanges() {
    run(24 * RESET_SEC, NODES, now -> now % 300 < 280 ? NODES : 0);
    assertEquals(7, changes.size(), () -> "stock resumed, Dayu after 60, 120 and 240 s, no more: " + changes);
  }

  @Test
  void noLiveNode_saysNothing() {
    run(10, NODES);
    run(100, 0, now -> 0);
    assertTrue(dayu);
    run(SHORTAGE_SEC, 0);
    assertTrue(dayu, "the nodes are back before their agents");
    run(100, NODES);
    assertEquals(List.of(), changes);
  }

  @Test
  void ratioOfZero_needsOneAgent() {
    quorum = quorum(0);
    run(10, 1);
    run(10, 0);
    assertFalse(dayu);
    run(MIN_DELAY_SEC + 1, 1);
    assertTrue(dayu);
  }

  @Test
  void ratioOfOne_isResumedWithAllAgents() {
    quorum = quorum(1);
    run(10, NODES);
    run(10, NODES - 1);
    assertFalse(dayu);
    run(MIN_DELAY_SEC + 1, NODES);
    assertTrue(dayu);
  }

  @Test
  void minimumDelay_isBoundedByTheMaximum() {
    quorum.observe(NODES, NODES, nowNs());
    quorum.observe(0, NODES, nowNs());
    quorum.stockResumed(nowNs(), 10 * AgentQuorum.MAX_DELAY_NS);
    run(MAX_DELAY_SEC + 1, NODES, now -> NODES);
    assertTrue(quorum.mayResume(nowNs()));
  }

  @Test
  void messages_sayWhatDayuWaitsForAndHowLong() {
    run(5, 4);
    assertEquals("4 of 20 live DataNodes have an agent, fewer than dayu.namenode.min-agent-ratio = 0.5",
        quorum.shortageReason());
    run(5, NODES);
    run(SHORTAGE_SEC + 1, 9);
    assertEquals("9 of 20 live DataNodes have an agent, fewer than dayu.namenode.min-agent-ratio = 0.5; "
        + "Dayu resumes when 11 of 20 have had one for 60 s without a break", quorum.shortageReason());
    assertEquals("9 of 20 live DataNodes have an agent; Dayu resumes when 11 of 20 have had one for 60 s without a "
        + "break, in 60 s at the earliest", quorum.waitReason(nowNs()));
    run(24, NODES);
    assertEquals("20 of 20 live DataNodes have an agent; Dayu resumes when 11 of 20 have had one for 60 s without a "
        + "break, in 36 s at the earliest", quorum.waitReason(nowNs()));
    run(60, NODES);
    assertNull(quorum.waitReason(nowNs()));
  }

  /** The reason for which Dayu resumed is shown as long as it recovers, beside the present number of agents. */
  @Test
  void reasonToResume_isOfThatTime() {
    run(5, NODES);
    assertEquals("enough DataNodes had an agent then: 20 of 20", quorum.resumeReason());
  }

  /** More DataNodes than ever before are no loss of agents; as many as before are one, though no agent has gone. */
  @Test
  void dataNodesWithoutAgents_thatComeAgain_countAsALoss() {
    run(5, NODES / 2, now -> NODES / 4);
    run(SHORTAGE_SEC + 1, NODES, now -> NODES / 4);
    assertFalse(dayu);
    run(1, NODES / 2, now -> NODES / 4);
    assertTrue(dayu, "no agent was lost");
    run(SHORTAGE_SEC + 1, NODES, now -> NODES / 4);
    assertFalse(dayu);
    run(MIN_DELAY_SEC, NODES);
    assertFalse(dayu);
    run(1, NODES);
    assertTrue(dayu);
  }
}

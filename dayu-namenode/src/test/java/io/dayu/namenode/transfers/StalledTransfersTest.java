/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.TransferRequest;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.transfers.StalledTransfers.Decision;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Transfers that are granted 1000 bytes/s, of which a window of 60 s must bring 600 bytes. They begin at second 0. */
class StalledTransfersTest {
  private static final long SEC = TimeUnit.SECONDS.toNanos(1);
  private static final int WINDOW_SEC = 60;
  private static final int SHARE = 600;
  private static final int RATE = 1_000;
  private static final int BYTES = 100_000;
  private static final Decision NOTHING = new Decision(List.of(), List.of(), Set.of());

  private final AgentRegistry<AgentState> agents = new AgentRegistry<>(AgentState::new);
  private final HighestRiskNodes highestRisk = new HighestRiskNodes();
  private final StalledTransfers stalled = new StalledTransfers(agents, highestRisk, WINDOW_SEC * SEC);
  private final List<Attempt> attempts = new ArrayList<>();

  @BeforeEach
  void register() {
    agents.register("t", 0);
    agents.register("u", 0);
    agents.register("other", 0);
  }

  private Attempt transfer(String target, int bytes, int bytesPerSec, String... holders) {
    BlockKey block = new BlockKey(attempts.size(), 1);
    Attempt attempt =
        AttemptFixture.granted(attempts.size(), new TransferRequest(block, bytes, 0, holders[0], target, 1),
            waitingBlock(block).bytes(bytes).on(holders).storageTypes(1).build(), bytesPerSec);
    attempts.add(attempt);
    return attempt;
  }

  private Attempt transfer() {
    return transfer("t", BYTES, RATE, "s", "o");
  }

  private Decision decide(long sec) {
    highestRisk.look(attempts, sec * SEC);
    return stalled.decide(attempts, sec * SEC);
  }

  /** The target's agent has just said that a transfer to it gets on. */
  private void progress(String target, long sec) {
    agents.get(target).progressNs = sec * SEC;
  }

  private static Decision tooSlowSource(Attempt attempt) {
    return new Decision(List.of(attempt), List.of(), Set.of());
  }

  private static Decision givenUp(Attempt attempt, String... idleTargets) {
    return new Decision(List.of(), List.of(attempt), Set.of(idleTargets));
  }

  @Test
  void transferBelowItsShare_getsAnotherSource_andIsGivenUpTheNextTime() {
    Attempt attempt = transfer();
    attempt.stoppedAt(SHARE - 1);
    assertEquals(NOTHING, decide(WINDOW_SEC - 1));
    assertEquals(tooSlowSource(attempt), decide(WINDOW_SEC));
    attempt.stoppedAt(2 * SHARE - 2);
    assertEquals(NOTHING, decide(2 * WINDOW_SEC - 1));
    progress("t", WINDOW_SEC + 1);
    assertEquals(givenUp(attempt), decide(2 * WINDOW_SEC));
  }

  @Test
  void transferThatReceivesItsShare_isLeftAlone() {
    Attempt attempt = transfer();
    for (int window = 1; window < 10; window++) {
      attempt.stoppedAt(window * SHARE);
      assertEquals(NOTHING, decide(window * WINDOW_SEC));
    }
    assertEquals(tooSlowSource(attempt), decide(10 * WINDOW_SEC), "what came in earlier windows does not count");
  }

  @Test
  void transferWithoutOtherSource_isGivenUpAtOnce() {
    Attempt attempt = transfer("t", BYTES, RATE, "s");
    attempt.stoppedAt(1);
    assertEquals(givenUp(attempt, "t"), decide(WINDOW_SEC));
  }

  @Test
  void queuedTransfer_waits_whileOthersToItsTargetGetOn() {
    Attempt attempt = transfer();
    for (int sec = 0; sec <= 5 * WINDOW_SEC; sec++) {
      progress("t", sec);
      assertEquals(NOTHING, decide(sec));
    }
    assertEquals(NOTHING, decide(6 * WINDOW_SEC - 1));
    assertEquals(NOTHING, decide(6 * WINDOW_SEC), "nothing gets on there from now on");
    assertEquals(tooSlowSource(attempt), decide(7 * WINDOW_SEC - 1));
  }

  @Test
  void pausedTransfer_andOneWithoutSource_areNotStalled() {
    Attempt attempt = transfer();
    attempt.stoppedAt(1);
    attempt.grantRate(0);
    assertEquals(NOTHING, decide(WINDOW_SEC));
    attempt.grantRate(RATE);
    assertEquals(NOTHING, decide(2 * WINDOW_SEC - 1));
    attempt.loseSource(attempt.slowestSource());
    assertEquals(NOTHING, decide(2 * WINDOW_SEC));
    attempt.regainSource(attempt.sources().get(0));
    assertEquals(NOTHING, decide(3 * WINDOW_SEC - 1));
    assertEquals(tooSlowSource(attempt), decide(3 * WINDOW_SEC));
  }

  @Test
  void targetWhereNothingGetsOn_isNamed_andNoOther() {
    Attempt first = transfer("t", BYTES, RATE, "s");
    Attempt second = transfer("u", BYTES, RATE, "s");
    first.stoppedAt(1);
    second.stoppedAt(1);
    progress("u", 1);
    assertEquals(new Decision(List.of(), List.of(first, second), Set.of("t")), decide(WINDOW_SEC));
  }

  /** On a rotating disk that clients keep busy a 65th is less than a hundredth of what its link carries. */
  @ParameterizedTest
  @CsvSource({"s, other", "other, t"})
  void transferBehindTheHighestRisk_isNotStalled_asLongAsItGetsOn(String source, String target) {
    Attempt attempt = transfer();
    Attempt first = highestRisk(source, target);
    for (int sec = 0; sec < 10 * WINDOW_SEC; sec++) {
      if (sec % WINDOW_SEC == 0) {
        highestRisk.confirmed(first, sec * SEC);
      }
      attempt.stoppedAt(1 + sec / WINDOW_SEC);
      assertEquals(NOTHING, decide(sec), "after " + sec + " s");
    }
    attempts.remove(first);
    for (int sec = 10 * WINDOW_SEC; sec < 11 * WINDOW_SEC; sec++) {
      assertEquals(NOTHING, decide(sec), "after " + sec + " s");
    }
    assertEquals(tooSlowSource(attempt), decide(11 * WINDOW_SEC));
  }

  @Test
  void transferBehindTheHighestRisk_isStalled_ifNothingComesInFiveMinutes() {
    Attempt attempt = transfer();
    attempt.stoppedAt(1);
    Attempt first = highestRisk("s", "other");
    for (int sec = 0; sec < 10 * WINDOW_SEC; sec++) {
      highestRisk.confirmed(first, sec * SEC);
      assertEquals(NOTHING, decide(sec), "after " + sec + " s");
    }
    assertEquals(tooSlowSource(attempt), decide(10 * WINDOW_SEC), "one byte had come in the first five");
  }

  @Test
  void onlyTimeBehindTheHighestRisk_isExcused() {
    Attempt attempt = transfer();
    attempt.stoppedAt(1);
    assertEquals(NOTHING, decide(WINDOW_SEC / 2));
    Attempt first = highestRisk("s", "other");
    highestRisk.confirmed(first, WINDOW_SEC / 2 * SEC);
    assertEquals(NOTHING, decide(WINDOW_SEC));
    attempts.remove(first);
    assertEquals(NOTHING, decide(3 * WINDOW_SEC / 2 - 1));
    assertEquals(tooSlowSource(attempt), decide(3 * WINDOW_SEC / 2));
  }

  @Test
  void transfersAtTheHighestRisk_ofWhichNoneIsCompleted_areNoExcuse() {
    Attempt attempt = transfer();
    attempt.stoppedAt(1);
    highestRisk("s", "other");
    assertEquals(NOTHING, decide(1));
    assertEquals(tooSlowSource(attempt), decide(WINDOW_SEC));
  }

  private Attempt highestRisk(String source, String target) {
    Attempt first = transfer(target, BYTES, RATE, source);
    first.grantRate(0);
    assertTrue(first.isAtHighestRisk());
    return first;
  }

  /** An agent that ignores its commands would keep the block from ever going elsewhere. */
  @Test
  void transferThatTakesTwentyTimesAsLongAsPlanned_isGivenUp_howeverItGetsOn() {
    assertTooOldAfter(20 * BYTES / RATE, BYTES, RATE);
    assertTooOldAfter(TimeUnit.MINUTES.toSeconds(10), RATE, RATE);
    assertTooOldAfter(TimeUnit.HOURS.toSeconds(6), BYTES, 1);
    assertTooOldAfter(TimeUnit.HOURS.toSeconds(6), BYTES, 0);
  }

  private void assertTooOldAfter(long sec, int bytes, int bytesPerSec) {
    attempts.clear();
    Attempt attempt = transfer("t", bytes, bytesPerSec, "s", "o");
    attempt.grantRate(0);
    progress("t", sec);
    assertEquals(NOTHING, decide(sec));
    assertEquals(givenUp(attempt), stalled.decide(attempts, sec * SEC + 1));
  }

  /** Its target's disks turned out to take little. */
  @Test
  void transferThatIsGrantedLessThanAtFirst_hasTimeForThat() {
    Attempt attempt = transfer();
    attempt.grantRate(RATE / 100);
    for (int sec = 0; sec <= 10_000; sec += 10) {
      progress("t", sec);
      assertEquals(NOTHING, decide(sec), "after " + sec + " s");
    }
    attempt.grantRate(RATE);
    progress("t", 11_900);
    assertEquals(NOTHING, decide(11_900), "100,000 bytes, and 1.9 million");
    assertEquals(givenUp(attempt), decide(11_901));
  }

  /** Its link was full at first, then a plan gives it the whole link, of which clients leave little. */
  @Test
  void transferThatIsGrantedMoreThanAtFirst_hasTheTimeOfItsFirstRate() {
    Attempt attempt = transfer("t", BYTES, RATE / 50, "s", "o");
    attempt.grantRate(RATE);
    for (int sec = 0; sec < 4_000; sec += 10) {
      attempt.stoppedAt(sec * RATE / 50);
      assertEquals(NOTHING, decide(sec), "after " + sec + " s");
    }
  }

  @Test
  void transferThatHasEnded_isNotLookedAt() {
    Attempt done = transfer();
    done.stoppedAt(BYTES);
    done.received(SEC);
    transfer().cancelled(1, SEC);
    assertEquals(NOTHING, decide(TimeUnit.HOURS.toSeconds(7)));
  }
}

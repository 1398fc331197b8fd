/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.TransferRequest;
import io.dayu.namenode.transfers.AgentState;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** After a pause of the JVM, played tick by tick. */
final class AgentReportWaitTest extends TransferCoordinatorFixture {
  private AgentReportWait wait;

  @BeforeEach
  void runs() {
    wait = new AgentReportWait(agents, tracker, startNs);
    assertFalse(isOnAt(0));
  }

  private long atMs(long ms) {
    return startNs + TimeUnit.MILLISECONDS.toNanos(ms);
  }

  private boolean isOnAt(long ms) {
    agents.pauses().noteRunning(atMs(ms));
    wait.noteRunning(atMs(ms));
    target.takeReport();
    return wait.isOn(atMs(ms));
  }

  private void reportAt(long ms) {
    target.offer(report(1).build(), atMs(ms));
  }

  /** Looks each half second, the last moment included. */
  private boolean isOnUntil(long fromMs, long untilMs) {
    boolean on = true;
    for (long ms = fromMs; ms <= untilMs; ms += 500) {
      on &= isOnAt(ms);
    }
    return on;
  }

  private void isOffFor(long fromMs, long untilMs) {
    for (long ms = fromMs; ms <= untilMs; ms += 500) {
      assertFalse(isOnAt(ms));
    }
  }

  @Test
  void reportThatWasInASocket_doesNotCount_theNextOneDoes() {
    grant();
    assertTrue(isOnAt(20_000));
    reportAt(20_050);
    assertTrue(isOnAt(20_400));
    reportAt(20_600);
    assertFalse(isOnAt(20_700));
  }

  @Test
  void withoutTransfers_thereIsNone() {
    assertFalse(isOnAt(20_000));
    grant();
    assertFalse(isOnAt(20_100));
    assertTrue(isOnAt(40_000), "the next pause counts all the same");
  }

  @Test
  void afterAShortPause_thereIsNone() {
    grant();
    assertFalse(isOnAt(2_400));
    assertTrue(isOnAt(5_000));
  }

  @Test
  void otherPauseMeanwhile_needsAnotherReport() {
    grant();
    assertTrue(isOnAt(20_000));
    reportAt(20_600);
    assertTrue(isOnAt(40_600));
    assertTrue(isOnAt(41_000));
    reportAt(41_100);
    assertFalse(isOnAt(41_200));
  }

  @Test
  void agentThatIsGone_isAwaitedForFiveSeconds_andNotForAMinuteAfter() {
    grant();
    assertTrue(isOnUntil(20_000, 24_500));
    assertFalse(isOnAt(25_000));
    assertFalse(isOnAt(45_000));
    isOffFor(45_500, 103_000);
    assertFalse(isOnAt(123_000), "59 s, if each pause is half a second");
    isOffFor(123_500, 124_000);
    assertTrue(isOnAt(144_000));
  }

  @Test
  void agentThatIsGone_isTheOnlyOneThatIsNotAwaitedAgain() {
    grant();
    assertTrue(isOnUntil(20_000, 24_500));
    assertFalse(isOnAt(25_000));
    AgentState other = agents.register("other", atMs(25_000));
    tracker.grant(new TransferRequest(new BlockKey(8, 1001), 100, 2, "source", "other", 4),
        needed(List.of("source")), CommitResult.committed("DS", "DISK"), 10, atMs(25_000));
    assertTrue(isOnAt(45_000));
    other.offer(report(1).setDatanodeUuid("other").build(), atMs(45_400));
    other.takeReport();
    assertFalse(isOnAt(45_500));
  }

  @Test
  void reportThatHasNotBeenRead_doesNotCount() {
    grant();
    assertTrue(isOnAt(20_000));
    target.offer(report(1).build(), atMs(20_600));
    assertTrue(wait.isOn(atMs(20_700)));
    target.takeReport();
    assertFalse(wait.isOn(atMs(20_800)));
  }

  @Test
  void pausesOneAfterTheOther_doNotProlongItForLong() {
    grant();
    int pauses = 0;
    for (long ms = 20_000; isOnAt(ms) && isOnAt(ms + 100); ms += 5_100) {
      pauses++;
    }
    assertEquals(9, pauses, "each counts as half a second");
  }
}

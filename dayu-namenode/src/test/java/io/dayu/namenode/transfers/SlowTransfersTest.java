/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.TransferRequest;
import io.dayu.conf.Settings;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.agents.WireMessages;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.NodeLoad.Link;
import io.dayu.namenode.loop.TransferCoordinatorFixture;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.concurrent.TimeUnit;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A transfer of 64 MB from s, or from o, to t, granted at 10 MB/s, on links of 100 MB/s. */
class SlowTransfersTest {
  private static final long MB = 1_000_000;
  private static final SlowTransfers.Decision NOTHING = new SlowTransfers.Decision(List.of(), List.of());

  private static final TransferRequest REQUEST = new TransferRequest(new BlockKey(1, 1), 64 * MB, 2, "s", "t", 1);
  private static final CommitResult COMMITTED = CommitResult.committed("DS", "DISK");

  private final AgentRegistry<AgentState> agents = new AgentRegistry<>(AgentState::new);
  private final TransferTracker tracker = new TransferTracker(new AgentUpdates(agents));
  private final HighestRiskNodes highestRisk = new HighestRiskNodes();
  private final SlowTransfers last;
  private final long startNs = ClockStart.NS;
  private Attempt attempt;
  /** Another one, which goes before others. */
  private Attempt first;
  private long nowSec;

  SlowTransfersTest() throws Exception {
    last = new SlowTransfers(agents, Settings.read(new Configuration(false)), highestRisk);
    for (String uuid : List.of("s", "o", "t")) {
      foreground(uuid, 40 * MB);
    }
    attempt = tracker.grant(REQUEST,
        waitingBlock(REQUEST.block()).bytes(64 * MB).on("s", "o").storageTypes(1).build(), COMMITTED, 10 * MB, startNs);
    attempt.stoppedAt(MB);
  }

  private void foreground(String uuid, long bytesPerSec) {
    agents.register(uuid, 0).load =
        new NodeLoad(new Link(100 * MB, bytesPerSec), new Link(100 * MB, bytesPerSec), 0, 0);
  }

  /** The target has received {@code bytes} more after another {@code sec}. */
  private SlowTransfers.Decision report(long sec, long bytes) {
    nowSec += sec;
    attempt.progressed(attempt.doneBytes() + bytes, 0, startNs + TimeUnit.SECONDS.toNanos(nowSec));
    return decide();
  }

  private void quiet(int reports, long bytes) {
    for (int i = 0; i < reports; i++) {
      assertEquals(NOTHING, report(1, bytes));
    }
  }

  private SlowTransfers.Decision decide() {
    List<Attempt> transfers = first == null ? List.of(attempt) : List.of(attempt, first);
    highestRisk.look(transfers, startNs + TimeUnit.SECONDS.toNanos(nowSec));
    return last.decide(transfers);
  }

  private SlowTransfers.Decision slowSource() {
    return new SlowTransfers.Decision(List.of(attempt), List.of());
  }

  private SlowTransfers.Decision slowTarget() {
    return new SlowTransfers.Decision(List.of(), List.of(attempt));
  }

  @Test
  void slowTransfer_getsAnotherSource_andThenAnotherTarget() {
    quiet(5, MB / 10);
    assertEquals(slowSource(), report(1, MB / 10));
    attempt.loseSource(attempt.slowestSource());
    attempt.slowestSource().moveTo("o", -1);
    quiet(4, MB / 10);
    assertEquals(slowTarget(), report(1, MB / 10));
  }

  @Test
  void transferSeenBeforeItsFirstReport_isNotSlow() {
    attempt.stoppedAt(0);
    assertEquals(NOTHING, decide());
    quiet(6, 3 * MB);
  }

  @Test
  void adoptedTransferSeenBeforeItsNextReport_isNotSlow() {
    attempt = tracker.adopt(WireMessages.running(TransferCoordinatorFixture.running(7, "s", MB)), REQUEST, COMMITTED,
        10 * MB, startNs);
    tracker.wanted(attempt, new PendingCheck(PendingCheck.State.WANTED, List.of("s", "o")));
    assertEquals(NOTHING, decide());
    quiet(6, 3 * MB);
  }

  @Test
  void longWaitInTheAgentsQueue_doesNotCount() {
    attempt.stoppedAt(0);
    quiet(1, 0);
    assertEquals(NOTHING, report(60, MB), "it has begun only now");
    quiet(6, 3 * MB);
  }

  @Test
  void transferThatReceivesATenthOfItsGrant_isLeftAlone() {
    quiet(30, MB);
  }

  @Test
  void timeWithoutReport_doesNotCount() {
    quiet(1, 0);
    for (int i = 0; i < 30; i++) {
      nowSec++;
      assertEquals(NOTHING, decide(), "its target's agent is silent");
    }
    assertEquals(NOTHING, report(8, 39 * MB), "and then says what it has received meanwhile");
    assertEquals(NOTHING, report(8, 8 * MB));
    quiet(10, MB);
  }

  @Test
  void longReportInterval_takesThreeReports() {
    assertEquals(NOTHING, report(8, 4 * MB));
    assertEquals(NOTHING, report(8, 4 * MB));
    assertEquals(NOTHING, report(8, 4 * MB));
    assertEquals(slowSource(), report(8, 4 * MB));
  }

  @Test
  void timeInWhichClientsFillOneOfItsLinks_doesNotCount() {
    for (String uuid : List.of("t", "s")) {
      foreground(uuid, 70 * MB);
      quiet(30, 0);
      foreground(uuid, 40 * MB);
    }
    quiet(4, 0);
    assertEquals(slowSource(), report(1, 0));
  }

  @Test
  void timeInWhichItsTargetsDisksAreTheLimit_doesNotCount() {
    AgentState target = agents.get("t");
    target.reportedLoad = target.load.withDisks(MB / 2);
    target.load = target.reportedLoad;
    quiet(30, 0);
    target.reportedLoad = target.load.withDisks(0);
    quiet(4, 0);
    assertEquals(slowSource(), report(1, 0), "plans count on the disks' limit for a minute more");
  }

  private void beginFirst(String source, String target) {
    BlockKey block = new BlockKey(2, 1);
    first = tracker.grant(new TransferRequest(block, 64 * MB, 0, source, target, 1),
        waitingBlock(block).bytes(64 * MB).on(source).storageTypes(1).build(), COMMITTED, 10 * MB, startNs);
    assertTrue(first.isAtHighestRisk());
  }

  @ParameterizedTest
  @CsvSource({"s, other", "other, t"})
  void timeBehindTransfersAtTheHighestRisk_doesNotCount_ifOneOfThemWasCompleted(String source, String target) {
    beginFirst(source, target);
    highestRisk.confirmed(first, startNs);
    quiet(60, 0);
    quiet(4, 0);
    assertEquals(slowSource(), report(1, 0), "none of them was completed in the last minute");
  }

  @Test
  void transfersAtTheHighestRisk_ofWhichNoneIsCompleted_orUnderWay_areNoExcuse() {
    beginFirst("s", "other");
    quiet(5, 0);
    assertEquals(slowSource(), report(1, 0), "none was completed");
    highestRisk.confirmed(first, startNs);
    first = null;
    quiet(4, 0);
    assertEquals(slowSource(), report(1, 0), "none is under way");
  }

  @Test
  void nodeOfUnknownLoad_saysNothing() {
    agents.get("s").load = null;
    quiet(30, 0);
    attempt.slowestSource().moveTo("without agent", -1);
    quiet(30, 0);
  }

  @Test
  void higherRate_countsOnlyFromTheNextReportOn() {
    attempt.grantRate(MB / 2);
    quiet(5, MB / 2);
    attempt.grantRate(80 * MB);
    quiet(1, MB / 2);
    attempt.grantRate(4 * MB);
    quiet(30, MB / 2);
  }

  @Test
  void smallGrant_isNotMeasuredBeforeTenPacketsAreDue() {
    attempt.grantRate(10_000);
    quiet(60, 0);
  }

  @Test
  void transferWithoutOtherSource_orPaused_orQueued_isLeftAlone() {
    tracker.wanted(attempt, new PendingCheck(PendingCheck.State.WANTED, List.of("s")));
    quiet(30, 0);
    tracker.wanted(attempt, new PendingCheck(PendingCheck.State.WANTED, List.of("s", "o")));
    attempt.grantRate(0);
    quiet(30, 0);
    attempt.grantRate(10 * MB);
    attempt.stoppedAt(0);
    quiet(30, 0);
  }

  @Test
  void transferThatIsNearlyComplete_staysOnItsTarget() {
    quiet(5, 0);
    assertEquals(slowSource(), report(1, 0));
    attempt.loseSource(attempt.slowestSource());
    attempt.slowestSource().moveTo("o", -1);
    attempt.stoppedAt(62 * MB);
    assertEquals(NOTHING, report(1, 0));
    quiet(10, MB / 5);
  }

  /** With 0.2 MB/s where it is, or in 3 s and then at 10 MB/s, which takes 9.4 s. */
  @Test
  void transferLeavesItsTarget_onlyIfItIsCompleteSoonerOnAnother() {
    SlowTransfers.Decision left = restartedAt(60 * MB);
    assertEquals(slowTarget(), left, "10 s are left");
    assertEquals(NOTHING, restartedAt(60 * MB + MB / 5), "9 s are left");
  }

  /** What is decided once it has received 2 MB in ten seconds, after it was slow from its first source. */
  private SlowTransfers.Decision restartedAt(long bytes) {
    last.clear();
    attempt = tracker.grant(REQUEST,
        waitingBlock(REQUEST.block()).bytes(64 * MB).on("s", "o").storageTypes(1).build(), COMMITTED, 10 * MB, startNs);
    attempt.stoppedAt(MB);
    quiet(5, 0);
    assertEquals(slowSource(), report(1, 0));
    attempt.loseSource(attempt.slowestSource());
    attempt.slowestSource().moveTo("o", -1);
    attempt.stoppedAt(bytes);
    quiet(9, MB / 5);
    return report(1, MB / 5);
  }

  @Test
  void pause_doesNotCount() {
    quiet(2, 2 * MB);
    attempt.grantRate(0);
    quiet(30, 0);
    attempt.grantRate(10 * MB);
    quiet(10, 2 * MB);
  }

  @Test
  void transferThatKeepsItsSource_isGivenUpTheThirdTime() {
    quiet(5, 0);
    assertEquals(slowSource(), report(1, 0));
    quiet(4, 0);
    assertEquals(slowSource(), report(1, 0));
    quiet(4, 0);
    assertEquals(slowTarget(), report(1, 0));
  }

  @Test
  void whenWorkWaitsAgain_theMeasurementBeginsAnew() {
    quiet(5, 0);
    last.clear();
    quiet(5, 0);
    assertEquals(slowSource(), report(1, 0));
  }
}

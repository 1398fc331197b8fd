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
import io.dayu.blocks.GroupFixture;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.PendingCheck.State;
import io.dayu.blocks.TransferRequest;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.exchange.GroupSpec;
import io.dayu.namenode.exchange.RunningTransfer;
import io.dayu.namenode.exchange.SourceAddress;
import io.dayu.namenode.status.FailureCause;
import io.dayu.namenode.transfers.Attempt.Phase;
import io.dayu.namenode.transfers.EndedTransfer.Result;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Which steps a transfer can take, and which agents are told of them. */
class TransferTrackerTest {
  private static final long ACTIVATION = 5;
  private static final CommitResult COMMITTED = CommitResult.committed("s", "DISK");

  private final AgentRegistry<AgentState> agents = new AgentRegistry<>(AgentState::new);
  private final AgentUpdates updates = new AgentUpdates(agents);
  private final TransferTracker tracker = new TransferTracker(updates);

  @BeforeEach
  void activate() {
    updates.activate(ACTIVATION);
    tracker.activate(ACTIVATION);
  }

  /** A transfer of another block each time, at 10 bytes/s. */
  private Attempt grant(String target, String... sources) {
    long block = tracker.all().size() + 1;
    return tracker.grant(new TransferRequest(new BlockKey(block, 1), 100, 2, sources[0], target, 1),
        waitingBlock(block).on(sources).build(), COMMITTED, 10, ClockStart.NS);
  }

  /** The agents that get new commands; then all have them. */
  private List<String> told() {
    List<String> told = updates.changed();
    told.forEach(updates::published);
    return told;
  }

  private static RunningTransfer report(Attempt attempt, long doneBytes, String source, String failedSource) {
    return new RunningTransfer(attempt.id(), attempt.block(), 100, new SourceAddress(source, "10.0.0.1", "h", 9866),
        "DISK", doneBytes, 10, 9, failedSource, "");
  }

  @Test
  void transfers_areListedByTarget() {
    Attempt first = grant("x", "a");
    Attempt other = grant("y", "a");
    Attempt second = grant("x", "a");
    assertEquals(Set.of(first, other, second), Set.copyOf(tracker.all()));
    assertEquals(List.of(first, second, other), tracker.allByTarget());
    assertEquals(List.of(first, second), tracker.of("x"));
    assertEquals(List.of(), tracker.of("nobody"));
    assertEquals(List.of("x", "y"), tracker.targets());
    assertEquals(Set.of(first.id(), second.id()), tracker.liveIds("x"));
    tracker.withdraw(first, false);
    assertEquals(Set.of(other, second), Set.copyOf(tracker.all()));
    tracker.withdraw(other, false);
    assertEquals(List.of("x"), tracker.targets());
    assertFalse(tracker.isEmpty());
    tracker.finish(second);
    assertEquals(List.of(), tracker.targets());
    assertTrue(tracker.isEmpty());
  }

  /** An agent may still have transfers of an earlier activation. */
  @Test
  void ids_areOtherOnesInEachActivation() {
    Attempt first = grant("x", "a");
    assertTrue(grant("x", "a").id() > first.id());
    tracker.activate(ACTIVATION + 1);
    assertTrue(tracker.isEmpty());
    assertEquals(0, tracker.liveCount());
    assertTrue(grant("x", "a").id() > first.id() + 1_000_000);
  }

  @Test
  void longestLease_counts_andAMomentMore() {
    tracker.raiseMaxLease(TimeUnit.SECONDS.toNanos(10));
    tracker.raiseMaxLease(TimeUnit.SECONDS.toNanos(5));
    assertEquals(TimeUnit.SECONDS.toNanos(12), tracker.maxLeaseNs());
    tracker.clear();
    assertEquals(0, tracker.maxLeaseNs());
  }

  @Test
  void target_isTold_whenItsTransferIsGrantedOrCancelled_once() {
    Attempt attempt = grant("x", "a");
    assertEquals(List.of("x"), told());
    assertTrue(tracker.hasLive("x"));
    assertEquals(1, tracker.liveCount());
    tracker.cancel(attempt, "a test", ClockStart.NS + 1);
    assertEquals(List.of("x"), told());
    assertFalse(tracker.hasLive("x"));
    assertEquals(0, tracker.liveCount());
    tracker.cancel(attempt, "a test", ClockStart.NS + 2);
    assertEquals(List.of(), told());
    assertEquals(0, tracker.liveCount());
    assertEquals(ClockStart.NS + 1, attempt.cancelledNs());
    assertEquals(Result.WITHDRAWN, tracker.fail(attempt, FailureCause.TARGET, "a test", true).result());
    assertEquals(List.of(), told(), "its commands have been without it");
    assertEquals(0, tracker.liveCount());
  }

  @Test
  void target_isTold_whenALiveTransferEnds() {
    Attempt failed = grant("x", "a");
    told();
    EndedTransfer end = tracker.fail(failed, FailureCause.SOURCE, "a test", true);
    assertEquals(new EndedTransfer(failed, Result.FAILED, FailureCause.SOURCE, "a test", true), end);
    assertEquals(List.of("x"), told());
    assertEquals(0, tracker.liveCount());
    assertThrows(IllegalStateException.class, () -> tracker.withdraw(failed, false));
    Attempt withdrawn = grant("x", "a");
    assertThrows(IllegalStateException.class, () -> tracker.withdraw(failed, false), "another is in its place");
    told();
    assertEquals(new EndedTransfer(withdrawn, Result.WITHDRAWN, null, null, true), tracker.withdraw(withdrawn, true));
    assertEquals(List.of("x"), told());
  }

  @Test
  void receivedTransfer_isToBeAcknowledged_andIsNotLive() {
    Attempt attempt = grant("x", "a");
    told();
    tracker.received(attempt, ClockStart.NS + 1);
    assertTrue(attempt.reportedDone());
    assertEquals(100, attempt.doneBytes());
    assertTrue(updates.hasOnlyEnded("x"));
    assertEquals(List.of("x"), told());
    assertEquals(0, tracker.liveCount());
    tracker.received(attempt, ClockStart.NS + 2);
    assertEquals(ClockStart.NS + 1, attempt.reportedDoneNs(), "the agent says so again");
    assertEquals(List.of(), told());
    assertEquals(new EndedTransfer(attempt, Result.FINISHED, null, null, false), tracker.finish(attempt));
    assertEquals(List.of(), told());
    assertEquals(0, tracker.liveCount());
  }

  @Test
  void cancelledTransferThatIsReceived_wasNotLive() {
    Attempt attempt = grant("x", "a");
    Attempt other = grant("x", "a");
    tracker.cancel(attempt, "a test", ClockStart.NS);
    tracker.received(attempt, ClockStart.NS);
    assertEquals(1, tracker.liveCount());
    tracker.received(other, ClockStart.NS);
    tracker.cancel(other, "a test", ClockStart.NS);
    assertEquals(0, tracker.liveCount());
    assertEquals(Phase.CANCELLED, other.phase());
  }

  @Test
  void target_isTold_whenItsTransferGetsAnotherRateOrSource() {
    Attempt attempt = grant("x", "a", "b");
    told();
    assertFalse(tracker.redirect(attempt, List.of("a"), 10));
    assertEquals(List.of(), told());
    assertFalse(tracker.redirect(attempt, List.of("a"), 20));
    assertEquals(20, attempt.rateBytesPerSec());
    assertEquals(List.of("x"), told());
    assertTrue(tracker.redirect(attempt, List.of("b"), 20));
    assertEquals("b", attempt.source());
    assertEquals(List.of("x"), told());
    tracker.loseSource(attempt, attempt.sources().get(0));
    assertTrue(tracker.redirect(attempt, List.of("b"), 20), "it goes on from the one that was lost");
    assertFalse(attempt.sourceLost());
    assertEquals(List.of("x"), told());
  }

  @Test
  void registrationIsRefreshed_alsoByAComparison() {
    Attempt attempt = grant("x", "a");
    assertEquals(ClockStart.NS, attempt.checkedNs());
    assertEquals(ClockStart.NS, attempt.comparedNs());
    tracker.checked(attempt, ClockStart.NS + 1);
    assertEquals(ClockStart.NS + 1, attempt.checkedNs());
    assertEquals(ClockStart.NS, attempt.comparedNs());
    tracker.compared(attempt, ClockStart.NS + 2);
    assertEquals(ClockStart.NS + 2, attempt.checkedNs());
    assertEquals(ClockStart.NS + 2, attempt.comparedNs());
  }

  @Test
  void transferThatHasStopped_hasWhatItsAgentCounts() {
    Attempt attempt = grant("x", "a");
    tracker.stopped(attempt, 60);
    assertEquals(60, attempt.doneBytes());
    assertTrue(attempt.live());
  }

  /** It should take 10 s. */
  @Test
  void transferIsBehindItsPlan_afterTwiceTheTime() {
    Attempt attempt = grant("x", "a");
    assertFalse(attempt.isBehindPlan(0, ClockStart.NS + TimeUnit.SECONDS.toNanos(20)));
    assertTrue(attempt.isBehindPlan(0, ClockStart.NS + TimeUnit.SECONDS.toNanos(21)));
  }

  @Test
  void allTargets_areTold_whenWhatAllGrantsSayHasChanged() {
    grant("x", "a");
    grant("y", "a");
    told();
    tracker.targetsChanged();
    assertEquals(List.of("x", "y"), told());
  }

  @Test
  void plan_isNeeded_afterASourceWasLost() {
    Attempt attempt = grant("x", "a", "b");
    assertFalse(tracker.needsPlan());
    tracker.loseSource(attempt, attempt.sources().get(0));
    assertTrue(tracker.needsPlan());
    assertEquals(List.of("b"), attempt.usableSources());
    tracker.planned();
    assertFalse(tracker.needsPlan());
    tracker.redirect(attempt, List.of("b"), 10);
    tracker.leaveSlowSource(attempt, attempt.sources().get(0));
    assertTrue(tracker.needsPlan());
    assertTrue(attempt.sourceLost());
  }

  @Test
  void agentThatHasLeftItsSource_isFollowed_andTold() {
    Attempt attempt = grant("x", "a", "b");
    told();
    SourceAddress other = new SourceAddress("b", "10.0.0.1", "h", 9866);
    tracker.followAgent(attempt, attempt.sources().get(0), other);
    assertEquals("b", attempt.source());
    assertEquals(other, attempt.sources().get(0).address());
    assertFalse(attempt.sourceLost());
    assertEquals(List.of("b"), attempt.usableSources());
    assertFalse(tracker.needsPlan());
    assertEquals(List.of("x"), told());
  }

  @Test
  void target_isTold_whenItsTransferBecomesOneOfTheLastReplica() {
    Attempt attempt = grant("x", "a", "b");
    told();
    tracker.wanted(attempt, new PendingCheck(State.WANTED, List.of("a", "b", "c")));
    assertEquals(List.of(), told());
    assertFalse(attempt.isAtHighestRisk());
    tracker.wanted(attempt, new PendingCheck(State.WANTED, List.of("a")));
    assertEquals(List.of("x"), told());
    assertTrue(attempt.isAtHighestRisk());
    assertFalse(attempt.sourceLost());
    tracker.cancel(attempt, "a test", ClockStart.NS);
    told();
    tracker.wanted(attempt, new PendingCheck(State.WANTED, List.of("b", "c")));
    assertEquals(List.of(), told());
    assertFalse(attempt.sourceLost(), "it needs none any more");
  }

  @Test
  void sourceThatTheBlockMapLacks_isLostOnce() {
    Attempt attempt = grant("x", "a", "b");
    tracker.wanted(attempt, new PendingCheck(State.WANTED, List.of("b", "c")));
    assertTrue(attempt.sourceLost());
    assertTrue(tracker.needsPlan());
    tracker.planned();
    tracker.wanted(attempt, new PendingCheck(State.WANTED, List.of("b", "c")));
    assertFalse(tracker.needsPlan());
  }

  @Test
  void sourceThatWasLost_isGoodAgain_onlyIfBytesCome() {
    Attempt attempt = grant("x", "a", "b");
    tracker.progressed(attempt, report(attempt, 40, "a", null), ClockStart.NS);
    tracker.loseSource(attempt, attempt.sources().get(0));
    tracker.progressed(attempt, report(attempt, 40, "a", null), ClockStart.NS);
    assertTrue(attempt.sourceLost(), "nothing new has come");
    tracker.progressed(attempt, report(attempt, 50, "a", "a"), ClockStart.NS);
    assertTrue(attempt.sourceLost(), "it has failed since");
    tracker.progressed(attempt, report(attempt, 60, "b", null), ClockStart.NS);
    assertTrue(attempt.sourceLost(), "it comes from another one");
    tracker.wanted(attempt, new PendingCheck(State.WANTED, List.of("b")));
    tracker.progressed(attempt, report(attempt, 70, "a", null), ClockStart.NS);
    assertTrue(attempt.sourceLost(), "the block map does not have it any more");
    tracker.wanted(attempt, new PendingCheck(State.WANTED, List.of("a", "b")));
    tracker.progressed(attempt, report(attempt, 80, "a", null), ClockStart.NS);
    assertFalse(attempt.sourceLost());
    assertEquals(List.of("a", "b"), attempt.usableSources());
  }

  @Test
  void rebuild_isSlowByTheSourceThatItWaitsFor_halfOfTheTime() {
    List<IndexedNode> sources = List.of(new IndexedNode("n0", 0), new IndexedNode("n1", 1));
    BlockKey group = new BlockKey(GroupFixture.GROUP_ID, 1);
    Attempt attempt = tracker.grant(new TransferRequest(group, GroupFixture.BYTES, 1, "n0", "x", 1,
        new GroupTransfer(GroupFixture.RS_3_2, GroupFixture.GROUP_BYTES, 3, sources)),
        GroupFixture.lost(GroupFixture.GROUP_ID, 1, 3), COMMITTED, 10, ClockStart.NS);
    assertNull(attempt.slowestSource());
    tracker.progressed(attempt, waiting(attempt, "n1", 499), ClockStart.NS);
    assertNull(attempt.slowestSource());
    tracker.progressed(attempt, waiting(attempt, "n1", 500), ClockStart.NS);
    assertEquals("n1", attempt.slowestSource().node());
    tracker.progressed(attempt, report(attempt, 0, "n0", null), ClockStart.NS);
    assertNull(attempt.slowestSource());
  }

  private static RunningTransfer waiting(Attempt attempt, String source, int waitedMs) {
    return new RunningTransfer(attempt.id(), attempt.block(), GroupFixture.BYTES,
        new SourceAddress("n0", "10.0.0.1", "h", 9866), "DISK", 0, 10, 9, null, "",
        new RunningTransfer.Rebuild(new GroupSpec(GroupFixture.RS_3_2, GroupFixture.GROUP_BYTES),
            List.of(new SourceAddress("n1", "10.0.0.2", "h", 9866)), source, waitedMs));
  }
}

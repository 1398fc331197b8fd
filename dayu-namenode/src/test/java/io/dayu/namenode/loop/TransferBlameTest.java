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
import io.dayu.blocks.CommitResult.Verdict;
import io.dayu.blocks.GroupPolicy;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitReason;
import io.dayu.conf.Settings;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.NodeLoad.Link;
import io.dayu.namenode.planning.BlockHistory;
import io.dayu.namenode.planning.FailedCopies.FailedCopy;
import io.dayu.namenode.status.FailureCause;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.AttemptFixture;
import io.dayu.namenode.transfers.AvoidedNodes;
import io.dayu.namenode.transfers.AvoidedNodes.Role;
import io.dayu.namenode.transfers.ClockStart;
import io.dayu.namenode.transfers.EndedTransfer;
import io.dayu.namenode.transfers.EndedTransfer.Result;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjLongConsumer;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Each row of the table of {@link TransferBlame}, by transfers to node "target", in a cluster of ten agents. */
final class TransferBlameTest {
  private static final String TARGET = "target";

  private final AgentRegistry<AgentState> agents = new AgentRegistry<>(AgentState::new);
  private final BlockHistory history = new BlockHistory();
  private final AvoidedNodes avoided = new AvoidedNodes(uuid -> uuid, () -> 10);
  private final TransferBlame blame;
  private long blocks;

  TransferBlameTest() throws Exception {
    blame = new TransferBlame(agents, history, avoided, Settings.read(new Configuration(false)));
  }

  private static long at(long sec) {
    return ClockStart.NS + TimeUnit.SECONDS.toNanos(sec);
  }

  private Attempt transfer(String source, String target) {
    long id = ++blocks;
    return AttemptFixture.running(id, new TransferRequest(new BlockKey(id, 1), 1000, 0, source, target, 1));
  }

  private Attempt rebuild(String target) {
    long id = ++blocks;
    GroupTransfer group = new GroupTransfer(new GroupPolicy("RS-2-1", "rs", 2, 1, 1024), 2000, 2,
        List.of(new IndexedNode("a", 0), new IndexedNode("b", 1)));
    return AttemptFixture.rebuilding(id, new TransferRequest(new BlockKey(-16 * id, 1), 1000, 0, "a", target, 1, group),
        10);
  }

  private void fail(Attempt attempt, FailureCause cause, long sec) {
    blame.ended(new EndedTransfer(attempt, Result.FAILED, cause, "for the test", false), at(sec));
  }

  /** That each of three, from one source to as many targets, counts against that source. */
  private void assertBlamesSource(ObjLongConsumer<Attempt> step) {
    for (int i = 0; i < 3; i++) {
      assertFalse(isAvoided(Role.SOURCE, "bad", i));
      step.accept(transfer("bad", "t" + i), at(i));
      assertFalse(isAvoided(Role.TARGET, "t" + i, i));
    }
    assertTrue(isAvoided(Role.SOURCE, "bad", 3));
  }

  /** That each of three, from as many sources, counts against the target, and none against the sources. */
  private void assertBlamesTarget(ObjLongConsumer<Attempt> step) {
    for (int i = 0; i < 3; i++) {
      assertFalse(isAvoided(Role.TARGET, TARGET, i));
      step.accept(transfer("s" + i, TARGET), at(i));
      assertFalse(avoided.planned(TransferCoordinatorFixture.node("s" + i), at(i)).status().sourceFailed());
    }
    assertTrue(isAvoided(Role.TARGET, TARGET, 3));
  }

  private boolean isAvoided(Role role, String node, long sec) {
    return avoided.isAvoided(role, node, at(sec));
  }

  /** That a block of which this happens for five minutes goes to stock, since its copies fail. */
  private void assertCountsAsFailure(ObjLongConsumer<Attempt> step) {
    assertEquals(WaitReason.COPIES_FAILED, stockReasonAfter(step));
  }

  private WaitReason stockReasonAfter(ObjLongConsumer<Attempt> step) {
    Attempt attempt = transfer("other", "elsewhere");
    for (int sec = 0; sec <= 300; sec += 150) {
      assertNull(history.stockReason(attempt.block(), at(sec)));
      step.accept(attempt, at(sec));
    }
    return history.stockReason(attempt.block(), at(300));
  }

  /** For how many seconds the block keeps away from its target after this. */
  private long secondsRefused(ObjLongConsumer<Attempt> step) {
    Attempt attempt = transfer("other", "elsewhere");
    step.accept(attempt, at(0));
    long sec = 0;
    while (history.refusedTargets(attempt.block(), at(sec)).equals(List.of("elsewhere"))) {
      sec++;
    }
    return sec;
  }

  private static CommitResult refusal(Verdict verdict) {
    return CommitResult.rejected(verdict, "no room");
  }

  private ObjLongConsumer<Attempt> failure(FailureCause cause) {
    return (attempt, nowNs) -> blame.ended(new EndedTransfer(attempt, Result.FAILED, cause, "for the test", false),
        nowNs);
  }

  @Test
  void failureOfTheSource_countsAgainstIt() {
    assertBlamesSource(failure(FailureCause.SOURCE));
    assertCountsAsFailure(failure(FailureCause.SOURCE));
    assertEquals(0, secondsRefused(failure(FailureCause.SOURCE)));
  }

  @Test
  void corruptBytes_countAgainstTheSource() {
    assertBlamesSource(failure(FailureCause.CORRUPTION));
    assertCountsAsFailure(failure(FailureCause.CORRUPTION));
  }

  @Test
  void sourceThatWasLostBefore_orOneOfARebuild_isNotBlamedAgain() {
    for (int i = 0; i < 3; i++) {
      fail(AttemptFixture.lost(transfer("a", "t" + i)), FailureCause.SOURCE, i);
      fail(rebuild("u" + i), FailureCause.SOURCE, i);
    }
    assertEquals(0, avoided.count(at(3)));
  }

  @Test
  void failureOfTheTarget_orOfItsAgent_countsAgainstIt() {
    assertBlamesTarget(failure(FailureCause.TARGET));
    assertCountsAsFailure(failure(FailureCause.TARGET));
    avoided.clear();
    assertBlamesTarget(failure(FailureCause.AGENT));
    assertCountsAsFailure(failure(FailureCause.AGENT));
  }

  @Test
  void targetWithoutWhatItSaysItHas_isAvoidedAtOnce() {
    fail(transfer("a", TARGET), FailureCause.BLOCK_MAP, 0);
    assertTrue(isAvoided(Role.TARGET, TARGET, 0));
    assertCountsAsFailure(failure(FailureCause.BLOCK_MAP));
  }

  @Test
  void deletionAtTheTarget_isWaitedFor_andIsNobodysFault() {
    assertNull(stockReasonAfter(failure(FailureCause.DELETION)));
    assertEquals(18, secondsRefused(failure(FailureCause.DELETION)));
    assertEquals(18,
        secondsRefused((attempt, nowNs) -> blame.refused(attempt.request(), refusal(Verdict.TARGET_DELETES), nowNs)));
    assertEquals(0, avoided.count(at(0)));
  }

  @Test
  void refusalByHdfs_keepsTheBlockFromTheTarget_andIsNobodysFault() {
    ObjLongConsumer<Attempt> refusal =
        (attempt, nowNs) -> blame.refused(attempt.request(), refusal(Verdict.TARGET_MISPLACED), nowNs);
    assertEquals(10, secondsRefused(refusal));
    assertEquals(WaitReason.TARGETS_REFUSED, stockReasonAfter(refusal));
    assertEquals(10, secondsRefused((attempt, nowNs) -> blame.ended(
        new EndedTransfer(attempt, Result.WITHDRAWN, null, null, true), nowNs)));
    assertEquals(0, avoided.count(at(0)));
  }

  @Test
  void withdrawnTransfer_isNobodysFault() {
    ObjLongConsumer<Attempt> end =
        (attempt, nowNs) -> blame.ended(new EndedTransfer(attempt, Result.WITHDRAWN, null, null, false), nowNs);
    assertNull(stockReasonAfter(end));
    assertEquals(0, secondsRefused(end));
  }

  @Test
  void finishedTransfer_countsInFavourOfItsNodes_andEndsItsBlocksHistory() {
    AgentState target = agents.register(TARGET, at(0));
    fail(transfer("a", TARGET), FailureCause.TARGET, 0);
    fail(transfer("b", TARGET), FailureCause.TARGET, 1);
    Attempt finished = transfer("a", TARGET);
    history.refuse(finished.block(), TARGET, at(1));
    blame.ended(new EndedTransfer(finished, Result.FINISHED, null, null, false), at(2));
    assertEquals(at(2), target.progressNs);
    assertEquals(List.of(), history.refusedTargets(finished.block(), at(2)));
    fail(transfer("c", TARGET), FailureCause.TARGET, 3);
    assertFalse(isAvoided(Role.TARGET, TARGET, 3));
  }

  @Test
  void stalledTransfer_countsAgainstItsFirstSource_andItsBlockLeavesTheTarget() {
    assertBlamesSource(blame::stalled);
    assertCountsAsFailure(blame::stalled);
    assertEquals(10, secondsRefused(blame::stalled));
  }

  @Test
  void stalledRebuild_countsAgainstTheSourceItWaitsFor_orElseTheTarget() {
    for (int i = 0; i < 3; i++) {
      Attempt attempt = rebuild("t" + i);
      AttemptFixture.waitsFor(attempt, "b");
      blame.stalled(attempt, at(i));
    }
    assertTrue(isAvoided(Role.SOURCE, "b", 3));
    assertFalse(isAvoided(Role.SOURCE, "a", 3));
    for (int i = 0; i < 3; i++) {
      blame.stalled(rebuild(TARGET), at(i));
    }
    assertTrue(isAvoided(Role.TARGET, TARGET, 3));
    assertFalse(isAvoided(Role.SOURCE, "a", 3));
  }

  @Test
  void transferThatIsSlowAtTheEnd_countsAgainstTheTarget_whichTheBlockAvoids() {
    assertBlamesTarget(blame::slowAtTarget);
    assertCountsAsFailure(blame::slowAtTarget);
    assertEquals(60, secondsRefused(blame::slowAtTarget));
  }

  @Test
  void targetThatCompletesNothing_isAvoided_byItsBlocksForLonger() {
    assertEquals(List.of(TARGET), unproductiveTargets());
    assertTrue(isAvoided(Role.TARGET, TARGET, 31));
    assertCountsAsFailure(blame::atUnproductiveTarget);
    assertEquals(60, secondsRefused(blame::atUnproductiveTarget));
  }

  @Test
  void targetThatCompletesNothing_isKept_ifHalfOfTheAgentsAreAvoided() {
    for (int i = 0; i < 5; i++) {
      avoided.avoidIdleTarget("t" + i, TimeUnit.HOURS.toNanos(1), at(0));
    }
    assertEquals(List.of(), unproductiveTargets());
  }

  @Test
  void targetWhoseDisksAreTheLimit_isGivenTime() {
    agents.register(TARGET, at(0)).load = new NodeLoad(new Link(1000, 0), new Link(1000, 0), 1, 1).withDisks(50);
    assertEquals(List.of(), unproductiveTargets(), "it writes 3000 bytes in a minute, and is to receive 2000");
  }

  @Test
  void targetThatHasCompletedATransfer_isGivenTime() {
    agents.register(TARGET, at(0));
    List<Attempt> attempts = List.of(slowTransfer("a"), slowTransfer("b"));
    for (int sec = 0; sec < 58; sec++) {
      if (sec == 29) {
        blame.ended(new EndedTransfer(transfer("a", TARGET), Result.FINISHED, null, null, false), at(sec));
      }
      assertEquals(List.of(), blame.atUnproductiveTargets(attempts, at(sec)));
    }
  }

  /** Were each target left after 30 s, a block would never be there where all that are free have slow disks. */
  @Test
  void blockAtTheHighestRisk_leavesSlowDisksOnce() {
    for (String uuid : List.of("s", "other", "third")) {
      agents.register(uuid, at(0)).load = new NodeLoad(new Link(1000, 0), new Link(1000, 0), 1, 1);
    }
    Attempt first = highestRisk(TARGET);
    assertEquals(30, secondsUntilLeft(first, 0));
    blame.atUnproductiveTarget(first, at(30));
    assertEquals(300, secondsUntilLeft(highestRisk("second"), 31), "by what its disks take");
  }

  private int secondsUntilLeft(Attempt attempt, int fromSec) {
    agents.register(attempt.target(), at(fromSec)).load =
        new NodeLoad(new Link(1000, 0), new Link(1000, 0), 1, 1).withDisks(10);
    blame.ended(new EndedTransfer(transfer("s", "third"), Result.FINISHED, null, null, false), at(fromSec + 1));
    int sec = 0;
    while (blame.atUnproductiveTargets(List.of(attempt), at(fromSec + sec)).isEmpty()) {
      sec++;
    }
    return sec;
  }

  private static Attempt highestRisk(String target) {
    BlockKey block = new BlockKey(77, 1);
    return AttemptFixture.granted(77, new TransferRequest(block, 1000, 0, "s", target, 1),
        waitingBlock(block).bytes(1000).on("s").storageTypes(1).build(), 100);
  }

  private List<String> unproductiveTargets() {
    agents.register(TARGET, at(0));
    List<Attempt> attempts = List.of(slowTransfer("a"), slowTransfer("b"));
    for (int sec = 0; sec < 60; sec++) {
      List<Attempt> givenUp = blame.atUnproductiveTargets(attempts, at(sec));
      if (!givenUp.isEmpty()) {
        return givenUp.stream().map(Attempt::target).distinct().toList();
      }
    }
    return List.of();
  }

  private Attempt slowTransfer(String source) {
    long id = ++blocks;
    return AttemptFixture.progressed(AttemptFixture.running(id,
        new TransferRequest(new BlockKey(id, 1), 1000, 0, source, TARGET, 1), 200), 999, 100);
  }

  @Test
  void evictedTransfer_isNobodysFault_andAFailureOfItsBlock() {
    assertCountsAsFailure(blame::evicted);
    assertEquals(0, secondsRefused(blame::evicted));
    assertEquals(0, avoided.count(at(0)));
  }

  @Test
  void idleTargets_areAvoidedForMinutes_howeverManyTheyAre() {
    blame.idle(Set.of("a", "b", "c", "d", "e", "f"), at(0));
    assertEquals(6, avoided.count(at(299)));
    assertEquals(0, avoided.count(at(300)));
  }

  @Test
  void whatIsKnownOfNodes_canBeForgotten() {
    agents.register(TARGET, at(0));
    blame.ended(new EndedTransfer(transfer("a", TARGET), Result.FINISHED, null, null, false), at(0));
    blame.idle(Set.of("b"), at(0));
    blame.clear();
    assertEquals(0, avoided.count(at(0)));
  }

  @Test
  void failedAndRefusedCopies_areKnownWithTheirNodesAndReasons_untilOneIsMade() {
    Attempt attempt = rebuild(TARGET);
    agents.register(TARGET, at(0));
    blame.stalled(attempt, at(1));
    fail(attempt, FailureCause.SOURCE, 2);
    blame.refused(attempt.request(), refusal(Verdict.TARGET_FULL), at(3));
    assertEquals(List.of(new FailedCopy(TARGET, List.of("a", "b"), "too little progress", at(1)),
        new FailedCopy(TARGET, List.of("a", "b"), "for the test", at(2)),
        new FailedCopy(TARGET, List.of("a", "b"), "HDFS refused it: no room", at(3))),
        history.failedCopies().of(attempt.block()));
    blame.ended(new EndedTransfer(attempt, Result.FINISHED, null, null, false), at(4));
    assertEquals(List.of(), history.failedCopies().of(attempt.block()));
  }
}

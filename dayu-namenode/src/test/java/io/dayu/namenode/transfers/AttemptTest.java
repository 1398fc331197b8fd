/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.GroupFixture;
import io.dayu.blocks.GroupPolicy;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.TransferRequest;
import io.dayu.namenode.transfers.Attempt.Phase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

class AttemptTest {
  private static final TransferRequest COPY = new TransferRequest(new BlockKey(1, 1), 100, 2, "a", "b", 1);

  /** 100 bytes at 10 bytes/s are 10 s; with 4 s of slack up to 24 s are in time. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      // seconds, bytes received, bytes/s now
      " 6 | 40 |  9 | false | in time",
      " 6 | 40 |  1 | false | others of its agent have their turn, but so far it is faster than planned",
      "12 | 60 |  0 | false | it pauses for clients",
      " 9 |  0 |  0 | false | it waits in its agent's queue",
      "20 | 10 | 40 | false | it was late in the queue, and runs now",
      "12 | 30 |  1 | true  | it needs 28 s more",
      "25 |  0 |  0 | true  | it should be done twice over",
      "25 | 99 | 10 | true  | the same"})
  void transfer_isBehindItsPlan_whenItTakesTwiceAsLong(long seconds, long done, long rate, boolean behind,
      String why) {
    Attempt attempt = AttemptFixture.progressed(
        AttemptFixture.running(1, new TransferRequest(new BlockKey(1, 1), 100, 0, "a", "b", 1), 10), done, rate);
    assertEquals(behind,
        attempt.isBehindPlan(TimeUnit.SECONDS.toNanos(4), TimeUnit.SECONDS.toNanos(seconds)), why);
  }

  @Test
  void highestRisk_isThatOfTheLastReplica_orOfAGroupWithoutASpareInternalBlock() {
    TransferRequest copy = new TransferRequest(new BlockKey(1, 1), 100, 2, "a", "b", 1);
    assertEquals(2, AttemptFixture.granted(1, copy, waitingBlock(1).on("a", "c").build()).risk());
    assertEquals(0, AttemptFixture.granted(1, copy, waitingBlock(1).on("a").build()).risk());
    List<IndexedNode> sources = List.of(new IndexedNode("n0", 0), new IndexedNode("n1", 1));
    assertTrue(compared(rebuilding("a", sources), sources).isAtHighestRisk());
    Attempt moved = AttemptFixture.rebuilding(1, new TransferRequest(new BlockKey(GroupFixture.GROUP_ID, 1),
        GroupFixture.BYTES, 2, "n0", "a", 1, new GroupTransfer(GroupFixture.RS_3_2, GroupFixture.GROUP_BYTES, 0,
            sources.subList(0, 1))),
        0);
    assertFalse(compared(moved, sources.subList(0, 1)).isAtHighestRisk(),
        "an internal block is copied from its only holder");
  }

  private static Attempt compared(Attempt attempt, List<IndexedNode> candidates) {
    attempt.replaceCandidates(candidates.stream().map(IndexedNode::node).toList(), candidates);
    return attempt;
  }

  /** It is known to have its own sources, and nothing of others, until the block map is asked. */
  @Test
  void adoptedTransfer_isNotTakenForOneOfTheLastReplica() {
    TransferRequest copy = new TransferRequest(new BlockKey(1, 1), 100, 2, "a", "b", 1);
    Attempt adopted = AttemptFixture.adopted(1, copy, 10, 0);
    assertFalse(adopted.isAtHighestRisk());
    assertEquals(2, adopted.risk());
    adopted.replaceCandidates(List.of("a"), List.of());
    assertTrue(adopted.isAtHighestRisk());
  }

  @Test
  void targetsThatReceiveMoreThanTheyWrite_areThoseOfRebuildsFromSeveral() {
    List<IndexedNode> sources = List.of(new IndexedNode("n0", 0), new IndexedNode("n1", 1));
    assertEquals(Set.of("a"), Attempt.rebuildingTargets(List.of(rebuilding("a", sources),
        rebuilding("of one data unit", sources.subList(0, 1)), AttemptFixture.cancelled(rebuilding("gone", sources)),
        AttemptFixture.running(9, new TransferRequest(new BlockKey(1, 1), 100, 0, "n0", "copies", 1)))));
  }

  /** Commands keep it, which threads of RPCs read. */
  @Test
  void replica_isAName_withoutWhatTheBlockManagementHasItAs() {
    Attempt attempt =
        AttemptFixture.running(1, new TransferRequest(new BlockKey(1, 1, "stored"), 100, 0, "a", "b", 1));
    assertEquals(new BlockKey(1, 1), attempt.replica());
    assertNull(attempt.replica().stored());
    assertNull(attempt.replicaOn(attempt.sources().get(0)).stored());
  }

  private static Attempt rebuilding(String target, List<IndexedNode> sources) {
    return AttemptFixture.rebuilding(1, new TransferRequest(new BlockKey(GroupFixture.GROUP_ID, 1), GroupFixture.BYTES,
        1, "n0", target, 1, new GroupTransfer(GroupFixture.RS_3_2, GroupFixture.GROUP_BYTES, 3, sources)), 0);
  }

  @Test
  void transfer_isOnItsWay_whileBytesCome_orItIsDoneSinceAShortTime() {
    Attempt attempt = AttemptFixture.running(1, COPY, 10);
    assertOnItsWayUntil(15, attempt);
    assertOnItsWayUntil(25, AttemptFixture.progressed(attempt, 10, 10, atNs(10)));
    assertOnItsWayUntil(25, AttemptFixture.progressed(attempt, 10, 10, atNs(20)));
    attempt.received(atNs(60));
    assertOnItsWayUntil(75, attempt);
    attempt.stoodStill(atNs(20));
    assertOnItsWayUntil(95, attempt);
    assertFalse(AttemptFixture.cancelled(attempt).isOnItsWay(atNs(60)));
  }

  private static void assertOnItsWayUntil(long sec, Attempt attempt) {
    assertTrue(attempt.isOnItsWay(atNs(sec)));
    assertFalse(attempt.isOnItsWay(atNs(sec) + 1));
  }

  private static long atNs(long sec) {
    return TimeUnit.SECONDS.toNanos(sec);
  }

  /** It should take 10 s, and may take twice as long and 30 s more. */
  @Test
  void transferThatIsFarBehindItsPlan_isNotOnItsWay_thoughBytesCome() {
    assertTrue(AttemptFixture.progressed(AttemptFixture.running(1, COPY, 10), 99, 10, atNs(49)).isOnItsWay(atNs(49)));
    assertFalse(AttemptFixture.progressed(AttemptFixture.running(2, COPY, 10), 50, 1, atNs(49)).isOnItsWay(atNs(49)));
  }

  @Test
  void transferThatIsDoneOrCancelled_isNotBehindItsPlan() {
    assertTrue(AttemptFixture.running(1, COPY, 10).isBehindPlan(0, atNs(99)));
    assertFalse(AttemptFixture.received(AttemptFixture.running(1, COPY, 10)).isBehindPlan(0, atNs(99)));
    assertFalse(AttemptFixture.cancelled(AttemptFixture.running(1, COPY, 10)).isBehindPlan(0, atNs(99)));
  }

  @Test
  void transferWithoutASource_orThatHadASlowOne_isBehindItsPlan() {
    Attempt attempt = AttemptFixture.running(1, COPY, 10);
    assertFalse(attempt.isBehindPlan(0, atNs(1)));
    assertTrue(AttemptFixture.lost(attempt).isBehindPlan(0, atNs(1)));
    Attempt slow = AttemptFixture.running(2, COPY, 10);
    assertFalse(slow.hadSlowSource());
    slow.watch().noteSlowSource();
    assertTrue(slow.hadSlowSource());
    assertTrue(slow.isBehindPlan(0, atNs(1)));
  }

  /** A plan that grants more or less later does not make it late, or early. */
  @Test
  void lowestRate_isItsPlan() {
    Attempt attempt = AttemptFixture.running(1, COPY, 10);
    attempt.grantRate(100);
    assertFalse(attempt.isBehindPlan(0, atNs(20)));
    attempt.grantRate(5);
    assertFalse(attempt.isBehindPlan(0, atNs(40)));
    assertTrue(attempt.isBehindPlan(0, atNs(40) + 1));
  }

  @Test
  void reports_moveATransferThatIsGranted_butNotOneThatIsCancelled() {
    Attempt attempt = AttemptFixture.granted(1, COPY, waitingBlock(1).on("a", "c").build(), 10);
    assertEquals(Phase.GRANTED, attempt.phase());
    AttemptFixture.progressed(attempt, 40, 9, atNs(1));
    assertEquals(Phase.RUNNING, attempt.phase());
    assertEquals(40, attempt.doneBytes());
    assertEquals(0, attempt.earlierBytes());
    assertEquals(9, attempt.achievedBytesPerSec());
    assertEquals(atNs(1), attempt.reportedNs());
    assertEquals("blk_1_1 from A to B: 40 of 100 bytes at 9 of 10 bytes/s",
        attempt.describe(uuid -> uuid.toUpperCase(Locale.ROOT)));
    AttemptFixture.progressed(AttemptFixture.cancelled(attempt), 101, 9, atNs(2));
    assertEquals(Phase.CANCELLED, attempt.phase());
    assertEquals(100, attempt.doneBytes());
    attempt.stoppedAt(101);
    assertEquals(100, attempt.doneBytes());
  }

  @Test
  void grantedTransfer_keepsWhatItWasPlannedFor_andWhereItsCopyGoes() {
    Attempt attempt = AttemptFixture.granted(1, COPY,
        waitingBlock(1).on("a", "c").sources("a").forbiddenFaultDomains(List.of("/rack")).build());
    assertEquals(List.of("a", "c"), attempt.holders());
    assertEquals(List.of("a"), attempt.candidateSources());
    assertEquals(List.of("/rack"), attempt.forbiddenFaultDomains());
    assertEquals("s", attempt.storageId());
    assertEquals("DISK", attempt.storageType());
  }

  @Test
  void adoptedTransfer_beginsWithWhatItsTargetHas() {
    Attempt attempt = AttemptFixture.adopted(1, COPY, 10, 40);
    assertEquals(Phase.RUNNING, attempt.phase());
    assertEquals(40, attempt.doneBytes());
    assertEquals(40, attempt.earlierBytes());
    assertEquals(List.of(), attempt.holders());
    assertFalse(attempt.hasOtherSource());
  }

  /** The last data unit of the group is shorter than the others. */
  @Test
  void rebuild_readsInternalBlocks_eachOfItsOwnLength() {
    List<IndexedNode> sources =
        List.of(new IndexedNode("n0", 0), new IndexedNode("n1", 1), new IndexedNode("n2", 2));
    Attempt attempt = AttemptFixture.rebuilding(1, new TransferRequest(new BlockKey(GroupFixture.GROUP_ID, 1),
        GroupFixture.BYTES, 1, "n0", "a", 1, new GroupTransfer(GroupFixture.RS_3_2, 5_500, 3, sources)), 0);
    assertTrue(attempt.rebuilds());
    assertEquals(3, attempt.width());
    assertEquals(3 * GroupFixture.BYTES, attempt.receivedBytes());
    assertEquals(new BlockKey(GroupFixture.GROUP_ID + 3, 1), attempt.replica());
    assertEquals(List.of(0L, 1L, 2L), attempt.sources().stream()
        .map(source -> attempt.replicaOn(source).blockId() - GroupFixture.GROUP_ID).toList());
    assertEquals(List.of(2_000L, 2_000L, 1_500L), attempt.sources().stream().map(attempt::bytesOn).toList());
    assertEquals(List.of("n0", "n1", "n2"), attempt.sources().stream().map(source -> source.address().uuid()).toList());
    assertEquals(List.of("n0", "n1", "n2"), attempt.candidateSources(), "it is adopted: no others are known");
    assertEquals("n2", attempt.sourceOn("n2").node());
    assertNull(attempt.sourceOn("a"));
    assertEquals(2, attempt.indexOn("n2"));
    assertEquals(-1, attempt.indexOn("a"));
  }

  @Test
  void copyOfAnInternalBlock_hasItsLength() {
    IndexedNode source = new IndexedNode("n2", 2);
    for (GroupPolicy policy : Arrays.asList(GroupFixture.RS_3_2, null)) {
      Attempt attempt = AttemptFixture.rebuilding(1, new TransferRequest(new BlockKey(GroupFixture.GROUP_ID, 1), 1_500,
          1, "n2", "a", 1, new GroupTransfer(policy, 5_500, 2, List.of(source))), 0);
      assertFalse(attempt.rebuilds());
      assertEquals(1_500, attempt.bytesOn(attempt.sources().get(0)));
      assertEquals(1_500, attempt.receivedBytes());
    }
  }
}

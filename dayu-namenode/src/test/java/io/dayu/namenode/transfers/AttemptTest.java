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
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.TransferRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

class AttemptTest {
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
}

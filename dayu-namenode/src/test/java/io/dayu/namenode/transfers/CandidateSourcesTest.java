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
import io.dayu.blocks.WaitingBlock;
import org.junit.jupiter.api.Test;

import java.util.List;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@link CandidateSources}, as the {@link Attempt} that owns them answers. */
class CandidateSourcesTest {
  private static final TransferRequest COPY = new TransferRequest(new BlockKey(1, 1), 100, 2, "a", "b", 1);

  @Test
  void usableSources_areWithoutThoseThatFailed_andWithoutSlowOnesIfThereAreOthers() {
    Attempt attempt = AttemptFixture.granted(1, COPY, waitingBlock(1).on("a", "c", "d").build());
    assertTrue(attempt.hasOtherSource());
    attempt.leaveSlowSource(attempt.sources().get(0));
    assertEquals(List.of("c", "d"), attempt.usableSources());
    attempt.sources().get(0).moveTo("c", -1);
    attempt.loseSource(attempt.sources().get(0));
    assertEquals(List.of("d"), attempt.usableSources());
    attempt.sources().get(0).moveTo("d", -1);
    assertFalse(attempt.hasOtherSource());
    attempt.loseSource(attempt.sources().get(0));
    assertEquals(List.of("a"), attempt.usableSources(), "slow is better than none");
    attempt.regainSource(attempt.sources().get(0));
    assertEquals(List.of("d"), attempt.usableSources());
    assertEquals(List.of("a", "c", "d"), attempt.candidateSources());
  }

  @Test
  void candidatesOfAGroup_areThoseThatItsTransferCanRead() {
    List<IndexedNode> leaving = List.of(new IndexedNode("n2", 2));
    List<IndexedNode> others = List.of(new IndexedNode("n0", 0), new IndexedNode("n1", 1), new IndexedNode("n3", 3));
    Attempt rebuilt = granted(3, GroupFixture.lost(GroupFixture.GROUP_ID, 1, 3), others.subList(0, 2));
    assertEquals(List.of("n0", "n1", "n2", "n4"), rebuilt.candidateSources());
    assertFalse(rebuilt.rebuildsLeaving());
    assertEquals(4, rebuilt.indexOn("n4"));
    WaitingBlock leaves = GroupFixture.leaving(GroupFixture.GROUP_ID, 1, 2);
    Attempt fromOthers = granted(2, leaves, others);
    assertEquals(List.of("n0", "n1", "n3", "n4"), fromOthers.candidateSources());
    assertTrue(fromOthers.rebuildsLeaving());
    Attempt copied = granted(2, leaves, leaving);
    assertEquals(List.of("n2"), copied.candidateSources());
    assertFalse(copied.rebuildsLeaving());
    assertEquals(List.of("n1"), granted(1, GroupFixture.misplaced(GroupFixture.GROUP_ID, 1),
        List.of(new IndexedNode("n1", 1))).candidateSources());
  }

  private static Attempt granted(int index, WaitingBlock block, List<IndexedNode> sources) {
    return AttemptFixture.granted(1, new TransferRequest(block.key(), GroupFixture.BYTES, 1, sources.get(0).node(), "a",
        1, new GroupTransfer(GroupFixture.RS_3_2, GroupFixture.GROUP_BYTES, index, sources)), block);
  }
}

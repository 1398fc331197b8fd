/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class UnplannedBlocksTest {
  private final UnplannedBlocks unplanned = new UnplannedBlocks();

  private static WaitingBlock block(long id) {
    return waitingBlock(id).risk(2).build();
  }

  /** A plan that could not place some blocks, and could place others. */
  private void planned(List<WaitingBlock> unplaceable, List<WaitingBlock> placeable, long passes) {
    unplanned.placeable(placeable);
    unplaceable.forEach(block -> unplanned.unplaceable(block, WaitReason.READ_AGAIN, passes));
    unplanned.planned(passes);
  }

  private Map<WaitReason, List<Long>> counts() {
    return unplanned.counts().entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey,
        one -> LongStream.of(one.getValue()).boxed().toList()));
  }

  @Test
  void block_countsUntilAPlanCanPlaceIt() {
    planned(List.of(block(1), block(2)), List.of(block(3)), 1);
    assertEquals(2, unplanned.unplaceable());
    planned(List.of(block(1)), List.of(block(3)), 1);
    assertEquals(2, unplanned.unplaceable(), "stock has the other one meanwhile");
    planned(List.of(), List.of(block(2)), 1);
    assertEquals(1, unplanned.unplaceable());
    assertTrue(unplanned.isUnplaceable(1));
    assertFalse(unplanned.isUnplaceable(2));
  }

  @Test
  void block_thatTwoPassesHaveNotFound_isForgotten() {
    planned(List.of(block(1), block(2)), List.of(), 1);
    planned(List.of(block(2)), List.of(), 2);
    assertEquals(2, unplanned.unplaceable());
    planned(List.of(), List.of(), 3);
    assertEquals(1, unplanned.unplaceable());
  }

  @Test
  void counts_areByReasonAndRisk_andOnlyThoseWithoutATargetAreUnplaceable() {
    unplanned.leftToStock(waitingBlock(1).risk(0).forStock(WaitReason.ERASURE_CODED).build(),
        WaitReason.ERASURE_CODED, 1);
    unplanned.leftToStock(block(2), WaitReason.PASSED_OVER, 1);
    planned(List.of(block(3), block(4)), List.of(), 1);
    unplanned.leftToStock(block(3), WaitReason.NO_TARGET, 1);
    unplanned.planned(1);
    assertEquals(Map.of(WaitReason.ERASURE_CODED, List.of(1L, 0L, 0L, 0L), WaitReason.PASSED_OVER,
        List.of(0L, 0L, 1L, 0L), WaitReason.NO_TARGET, List.of(0L, 0L, 2L, 0L)), counts());
    assertEquals(2, unplanned.unplaceable());
  }

  @Test
  void blockWithoutSources_countsUntilItIsReadWithSome() {
    unplanned.read(List.of(waitingBlock(1).risk(1).on().build(), block(2)), 1);
    unplanned.planned(1);
    assertEquals(Map.of(WaitReason.NO_SOURCE, List.of(0L, 1L, 0L, 0L)), counts());
    assertEquals(0, unplanned.unplaceable());
    unplanned.read(List.of(block(1)), 1);
    unplanned.planned(1);
    assertEquals(Map.of(), counts());
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests of {@link GroupTransfer} and of what {@link WaitingBlock} says of groups. */
class GroupTransferTest {
  private static final long GROUP = -9_223_372_036_854_775_792L;
  private static final GroupPolicy POLICY = new GroupPolicy("RS-3-2-1024k", "rs", 3, 2, 1 << 20);

  private static List<IndexedNode> nodes(int... indices) {
    return Arrays.stream(indices).mapToObj(index -> new IndexedNode("node" + index, index)).toList();
  }

  @Test
  void idOfAnInternalBlock_isThatOfTheGroupAndTheIndex() {
    for (int index = 0; index < 14; index++) {
      long id = GroupTransfer.internalBlockId(GROUP, index);
      assertEquals(GROUP, GroupTransfer.groupId(id));
      assertEquals(index, GroupTransfer.indexOf(id));
    }
  }

  @Test
  void transfer_isARebuild_unlessTheSourceHasTheIndex() {
    assertTrue(new GroupTransfer(POLICY, 10, 1, nodes(0, 2, 4)).rebuild());
    assertFalse(new GroupTransfer(POLICY, 10, 1, nodes(1)).rebuild());
    // A group of one cell has one real data unit.
    GroupTransfer fromOne = new GroupTransfer(POLICY, 10, 3, nodes(0));
    assertTrue(fromOne.rebuild());
    assertEquals(nodes(4), fromOne.from(nodes(4)).sources());
  }

  @Test
  void group_lacksSources_ifARebuildHasFewerThanItsWidth() {
    assertTrue(block(GroupNeed.Kind.REBUILD, nodes(0, 2), List.of()).lacksSources());
    assertFalse(block(GroupNeed.Kind.REBUILD, nodes(0, 2, 3), List.of()).lacksSources());
    WaitingBlock leaving = block(GroupNeed.Kind.LEAVING, nodes(1), nodes(0, 2, 3));
    assertFalse(leaving.lacksSources());
    assertTrue(leaving.group().canRebuildInstead());
    assertFalse(block(GroupNeed.Kind.LEAVING, nodes(1), nodes(0, 2)).group().canRebuildInstead());
    assertFalse(block(GroupNeed.Kind.PLACEMENT, nodes(0, 2), List.of()).lacksSources());
  }

  private static WaitingBlock block(GroupNeed.Kind kind, List<IndexedNode> sources, List<IndexedNode> others) {
    return WaitingBlockBuilder.waitingBlock(GROUP)
        .group(new GroupNeed(POLICY, 10, 3, kind, List.of(new InternalBlock(1, 4)), sources, others)).build();
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.WaitingBlock;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

class UnplaceableBlocksTest {
  private final UnplaceableBlocks unplaceable = new UnplaceableBlocks();

  private static WaitingBlock block(long id) {
    return new WaitingBlock(new BlockKey(id, 1), 100, 2, 1, List.of("a"), List.of("a"), List.of(), false, 1, false);
  }

  @Test
  void block_countsUntilAPlanCanPlaceIt() {
    unplaceable.planned(List.of(block(1), block(2)), List.of(block(3)), 1);
    assertEquals(2, unplaceable.size());
    unplaceable.planned(List.of(block(1)), List.of(block(3)), 1);
    assertEquals(2, unplaceable.size(), "stock has the other one meanwhile");
    unplaceable.planned(List.of(), List.of(block(2)), 1);
    assertEquals(1, unplaceable.size());
  }

  @Test
  void block_thatTwoPassesHaveNotFound_isForgotten() {
    unplaceable.planned(List.of(block(1), block(2)), List.of(), 1);
    unplaceable.planned(List.of(block(2)), List.of(), 2);
    assertEquals(2, unplaceable.size());
    unplaceable.planned(List.of(), List.of(), 3);
    assertEquals(1, unplaceable.size());
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import org.junit.jupiter.api.Test;

import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@link BlockKinds}, and {@link LostBlocks} of several of them. */
class BlockKindsTest {
  private static final BlockKind REPLICA = BlockKind.replica(RackRule.TWO_RACKS);

  @Test
  void kinds_areThoseThatWereAdded() {
    Random random = new Random(3);
    BlockKinds.Builder builder = new BlockKinds.Builder();
    BlockKind[] added = new BlockKind[5000];
    for (int block = 0; block < added.length; block++) {
      // The first kind alone for longer than the first array of indices.
      int width = block < 2000 ? 1 : 1 + random.nextInt(64);
      added[block] = new BlockKind(width, RackRule.values()[block < 2000 ? 0 : random.nextInt(3)]);
      builder.add(added[block]);
    }
    BlockKinds kinds = builder.build();
    for (int block = 0; block < added.length; block++) {
      assertEquals(added[block], kinds.of(block));
    }
    assertTrue(kinds.any(kind -> kind.width() == 64));
    assertFalse(kinds.any(kind -> kind.width() > 64));
    assertThrows(IllegalArgumentException.class, new BlockKinds.Builder()::build);
  }

  @Test
  void someOfTheBlocks_keepTheirKinds() {
    BlockKinds kinds = new BlockKinds.Builder().add(REPLICA).add(new BlockKind(2, RackRule.EVEN)).add(REPLICA).build();
    LostBlocks lost = new LostBlocks(0, 2, new int[] {1, 2, 2, 3, 3, 4}, new long[] {10, 100, 1000}, kinds);
    assertTrue(lost.hasRebuilds());
    assertEquals(10 + 200 + 1000, lost.movedBytes());
    LostBlocks some = lost.only(new boolean[] {false, true, true});
    assertEquals(2, some.width(0));
    assertEquals(1, some.width(1));
    assertFalse(lost.only(new boolean[] {true, false, true}).hasRebuilds());
  }

  @Test
  void blockThatNeedsMoreNodesThanHaveIt_isRefused() {
    BlockKinds kinds = new BlockKinds.Builder().add(REPLICA).add(new BlockKind(3, RackRule.EVEN)).build();
    assertThrows(IllegalArgumentException.class,
        () -> new LostBlocks(0, 2, new int[] {1, 2, 2, 3}, new long[] {10, 100}, kinds));
  }
}

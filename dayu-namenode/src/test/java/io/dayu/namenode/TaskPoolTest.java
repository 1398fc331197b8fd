/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.namenode;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.NeededBlock;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.LongStream;

class TaskPoolTest {
  private final TaskPool pool = new TaskPool();

  private static List<NeededBlock> blocks(long firstId, long count) {
    return LongStream.range(firstId, firstId + count).mapToObj(id -> new NeededBlock(new BlockKey(id, 1), 1000, 2, 1, List.of("a"),
        List.of("a"), List.of(), false, 1, false)).toList();
  }

  @Test
  void pool_isWhole_onlyAfterAPassOverTheQueues() {
    pool.put(blocks(0, 100));
    assertFalse(pool.isWhole(100));
    pool.endPass();
    assertTrue(pool.isWhole(100));
    pool.clear();
    pool.put(blocks(0, 100));
    assertFalse(pool.isWhole(100));
  }

  @Test
  void pool_isNotWhole_whenMoreBlocksWait() {
    pool.put(blocks(0, 100));
    pool.endPass();
    assertTrue(pool.isWhole(111), "some came while it was filled");
    assertFalse(pool.isWhole(112));
    pool.put(blocks(100, 100));
    assertTrue(pool.isWhole(200));
  }

  @Test
  void emptyPool_isWhole_whenNothingWaits() {
    assertFalse(pool.isWhole(0));
    pool.endPass();
    assertTrue(pool.isWhole(0));
    assertFalse(pool.isWhole(1));
  }

  @Test
  void fullPool_isNotWhole_whenTheQueuesHaveFarMore() {
    pool.put(blocks(0, TaskPool.LIMIT + 10L));
    pool.endPass();
    assertFalse(pool.isWhole(2L * TaskPool.LIMIT));
    assertTrue(pool.isWhole(TaskPool.LIMIT + 10L));
  }

  @Test
  void blocksThatTwoPassesDidNotMeet_areDropped() {
    pool.put(blocks(0, 2));
    pool.endPass();
    pool.put(blocks(1, 1));
    pool.endPass();
    pool.endPass();
    assertTrue(pool.byRisk().stream().allMatch(block -> block.key().blockId() == 1) && pool.size() == 1);
  }
}

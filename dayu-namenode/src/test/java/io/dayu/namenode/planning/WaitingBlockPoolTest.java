/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class WaitingBlockPoolTest {
  private static final long[] PLENTY = new long[8];

  static {
    Arrays.fill(PLENTY, Long.MAX_VALUE / 8);
  }

  private final WaitingBlockPool pool = new WaitingBlockPool();

  private static List<WaitingBlock> blocks(long firstId, long count) {
    return LongStream.range(firstId, firstId + count).mapToObj(id -> block(id, 2)).toList();
  }

  private static WaitingBlock block(long id, int risk) {
    return waitingBlock(id).bytes(1000).risk(risk).storageTypes(1).build();
  }

  @Test
  void pool_isWhole_onlyAfterAPassOverTheQueues() {
    pool.put(blocks(0, 100));
    assertFalse(pool.isComplete(100));
    pool.endPass();
    assertTrue(pool.isComplete(100));
    pool.clear();
    pool.put(blocks(0, 100));
    assertFalse(pool.isComplete(100));
  }

  @Test
  void pool_isNotWhole_whenMoreBlocksWait() {
    pool.put(blocks(0, 100));
    pool.endPass();
    assertTrue(pool.isComplete(111), "some came while it was filled");
    assertFalse(pool.isComplete(112));
    pool.put(blocks(100, 100));
    assertTrue(pool.isComplete(200));
  }

  @Test
  void emptyPool_isWhole_whenNothingWaits() {
    assertFalse(pool.isComplete(0));
    pool.endPass();
    assertTrue(pool.isComplete(0));
    assertFalse(pool.isComplete(1));
  }

  @Test
  void blocksThatAreLeftToStock_areKnown_untilAWholePassDidNotMeetThem() {
    pool.put(blocks(0, 3));
    assertFalse(pool.knowsAll(3));
    pool.endPass();
    assertTrue(pool.knowsAll(3));
    pool.leaveToStock(new BlockKey(0, 1));
    pool.leaveToStock(new BlockKey(1, 1));
    assertTrue(pool.knowsAll(3));
    assertFalse(pool.knowsAll(4));
    assertEquals(1, pool.size());
    pool.put(blocks(1, 1));
    assertTrue(pool.knowsAll(3), "one is back");
    assertFalse(pool.knowsAll(4), "and does not count twice");
    pool.endPass();
    assertTrue(pool.knowsAll(3));
    pool.put(blocks(1, 2));
    pool.endPass();
    assertTrue(pool.knowsAll(2));
    assertFalse(pool.knowsAll(3), "stock has placed the other one");
  }

  @Test
  void blocksThatTwoPassesDidNotMeet_areDropped() {
    pool.put(blocks(0, 2));
    pool.endPass();
    pool.put(blocks(1, 1));
    pool.endPass();
    pool.endPass();
    assertEquals(List.of(new BlockKey(1, 1)), selected());
  }

  private List<BlockKey> selected() {
    return pool.select(Map.of("a", Long.MAX_VALUE, "b", Long.MAX_VALUE), 1, PLENTY, List.of()).stream()
        .map(WaitingBlock::key)
        .toList();
  }

  @Test
  void block_comesOutAsItWentIn() {
    List<WaitingBlock> all = List.of(
        waitingBlock(new BlockKey(1, 7)).bytes(1L << 40).risk(4).copies(3).on("c", "a", "b").sources("a", "b")
            .forbiddenFaultDomains(List.of("/r1", "/r2")).distinctRacks().storageTypes(5).build(),
        waitingBlock(new BlockKey(2, 8)).bytes(0).risk(0).on("d").sources().storageTypes(1).build(),
        waitingBlock(new BlockKey(3, 9)).bytes(5).risk(1).on().storageTypes(0).forStock(WaitReason.NO_STORAGE_TYPE)
            .build());
    pool.put(all);
    List<WaitingBlock> out = pool.select(Map.of(), 1, PLENTY, List.of());
    assertEquals(3, out.size());
    for (WaitingBlock block : all) {
      WaitingBlock same = out.stream().filter(o -> o.key().equals(block.key())).findAny().orElseThrow();
      assertEquals(Set.copyOf(block.sources()), Set.copyOf(same.sources()));
      Set<String> holders = new HashSet<>(block.holders());
      holders.addAll(block.sources());
      assertEquals(holders, Set.copyOf(same.holders()));
      assertEquals(block.forbiddenFaultDomains(), same.forbiddenFaultDomains());
      assertEquals(
          Arrays.asList(block.numBytes(), block.risk(), block.copies(), block.storageTypes(), block.stockReason(),
              block.distinctRacks()),
          Arrays.asList(same.numBytes(), same.risk(), same.copies(), same.storageTypes(), same.stockReason(),
              same.distinctRacks()));
    }
    assertEquals(List.of(0, 1, 4), out.stream().map(WaitingBlock::risk).toList());
  }

  @Test
  void blockThatIsPutFirst_isSelectedBeforeTheOthersOfItsRisk_once() {
    pool.put(blocks(0, 100));
    pool.putFirst(blocks(99, 1).get(0));
    pool.putFirst(blocks(200, 1).get(0));
    assertEquals(101, pool.size());
    assertEquals(List.of(99L, 200L, 0L), firstThree());
    assertEquals(101, pool.size());
    assertEquals(101, selected().size(), "each once");
    pool.putFirst(blocks(50, 1).get(0));
    pool.remove(new BlockKey(50, 1));
    assertEquals(100, selected().size());
  }

  @Test
  void blocksThatArePutFirst_comeAfterThoseOfHigherRisk() {
    pool.put(List.of(block(1, 1), block(2, 2), block(3, 4)));
    pool.putFirst(block(4, 4));
    pool.putFirst(block(5, 1));
    assertEquals(List.of(5L, 1L, 2L, 4L, 3L), selected().stream().map(BlockKey::blockId).toList());
  }

  @Test
  void blockThatIsPutFirst_isNoRestWhileItIsPlanned() {
    pool.putFirst(blocks(7, 1).get(0));
    assertEquals(1, selected().size());
    assertEquals(0, pool.restCopyBytes());
    assertEquals(1, selected().size(), "it comes again if it was not planned");
  }

  private List<Long> firstThree() {
    return pool.select(Map.of("a", 1L), 1, PLENTY, List.of()).stream().limit(3).map(block -> block.key().blockId())
        .toList();
  }

  @Test
  void newerGenerationOfABlock_staysWhenTheOlderOneIsRemoved() {
    WaitingBlock newer = waitingBlock(new BlockKey(7, 2)).bytes(1000).storageTypes(1).build();
    pool.put(blocks(7, 1));
    pool.put(List.of(newer));
    pool.remove(new BlockKey(7, 1));
    assertEquals(List.of(newer.key()), selected());
    pool.putFirst(newer);
    pool.remove(new BlockKey(7, 1));
    assertEquals(List.of(newer.key()), selected());
    pool.remove(newer.key());
    assertEquals(List.of(), selected());
  }

  @Test
  void blocksWithoutLiveSource_leave() {
    pool.put(blocks(0, 3));
    pool.put(List.of(waitingBlock(9).bytes(1000).on("a", "b").storageTypes(1).build()));
    pool.retainServedBy(Set.of("b"));
    assertEquals(List.of(new BlockKey(9, 1)), selected());
    assertEquals(1, pool.size());
  }

  @Test
  void planWithoutWork_takesNoPlacesAway_untilSeveralHaveNone() {
    pool.plan(100_000);
    pool.put(blocks(0, 200_001));
    for (int plan = 1; plan < 8; plan++) {
      pool.plan(0);
      assertFalse(pool.isFilled(), "after " + plan + " plans without work");
    }
    pool.plan(0);
    assertTrue(pool.isFilled());
    pool.plan(100_000);
    assertFalse(pool.isFilled(), "a larger plan counts at once");
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.queue;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class WaitingBlocksTest {
  private static final int DISK = 1;
  private static final int ARCHIVE = 2;
  private static final long MB = 1_000_000;

  private final WaitingBlocks blocks = new WaitingBlocks();

  private void put(long id, int risk, int types, int... sources) {
    blocks.put(id, 1, MB, risk, 1, false, types, sources, sources.length, 0);
  }

  private List<Long> select(long quotaBytes, long diskBytes, long archiveBytes) {
    long[] quotas = new long[200];
    Arrays.fill(quotas, quotaBytes);
    int count = blocks.select(quotas, new long[] {diskBytes, archiveBytes});
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(blocks.blockId(blocks.selected(i)));
    }
    return ids;
  }

  @Test
  void selection_isByRisk_andByTheQuotaOfEachSource() {
    for (int i = 0; i < 10; i++) {
      put(i, 2, DISK, 0);
    }
    put(20, 0, DISK, 0);
    put(21, 1, DISK, 1);
    assertEquals(List.of(20L, 21L, 0L, 1L), select(3 * MB, 100 * MB, 0));
  }

  @Test
  void blocksOfUrgentNodes_areSelectedFirst_beyondTheQuota_butAfterHigherRisks() {
    for (int i = 0; i < 4; i++) {
      put(i, 2, DISK, 0);
      put(10 + i, 2, DISK, 1);
    }
    put(20, 0, DISK, 0);
    long[] quotas = {2 * MB, 2 * MB};
    int count = blocks.select(quotas, new long[] {100 * MB, 0}, new int[] {1, 5});
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(blocks.blockId(blocks.selected(i)));
    }
    assertEquals(List.of(20L, 10L, 11L, 12L, 13L, 0L), ids);
  }

  @Test
  void unplannedBlocks_comeAfterTheOthersOfTheirRisk() {
    for (int i = 0; i < 4; i++) {
      put(i, 2, DISK, 0);
    }
    put(9, 0, DISK, 0);
    assertEquals(List.of(9L, 0L), select(2 * MB, 100 * MB, 0));
    assertEquals(List.of(9L, 1L), select(2 * MB, 100 * MB, 0), "risk goes first");
    blocks.remove(9);
    assertEquals(List.of(2L, 3L), select(2 * MB, 100 * MB, 0));
    assertEquals(List.of(0L, 1L), select(2 * MB, 100 * MB, 0));
  }

  /** The blocks that are left are selected as in a table that never had others. */
  @Test
  void emptiedTable_givesMemoryBack_andKeepsTheOrder() {
    int count = 100_000;
    for (int i = 0; i < count; i++) {
      put(i, i % 3, DISK, i % 100, (i * 7 + 1) % 100, (i * 31 + 2) % 100, (i * 13 + 3) % 100, (i * 3 + 4) % 100);
    }
    List<Long> before = select(5 * MB, 100 * MB, 0);
    for (int i = 0; i < count; i++) {
      if (i % 50 != 0) {
        blocks.remove(i);
      }
    }
    List<Long> left = before.stream().filter(id -> id % 50 == 0).toList();
    WaitingBlocks other = new WaitingBlocks();
    // The first node that a selection takes from moves on with each.
    putInto(other, 99);
    assertEquals(0, other.select(new long[0], new long[] {0, 0}));
    other.remove(99);
    blocks.shrink();
    assertEquals(2_300, blocks.capacity());
    assertEquals(2_000, blocks.size());
    for (int i = 0; i < count; i += 50) {
      if (!left.contains((long) i)) {
        putInto(other, i);
      }
    }
    left.forEach(id -> putInto(other, id.intValue()));
    assertEquals(select(other), select(blocks));
    for (int i = 0; i < count; i++) {
      blocks.remove(i);
    }
    assertEquals(0, blocks.size());
    put(5, 1, DISK, 3);
    assertEquals(List.of(5L), select(MB, 100 * MB, 0));
    blocks.clear();
    assertEquals(0, blocks.restCopyBytes());
  }

  private static void putInto(WaitingBlocks table, int i) {
    int[] sources = {i % 100, (i * 7 + 1) % 100, (i * 31 + 2) % 100, (i * 13 + 3) % 100, (i * 3 + 4) % 100};
    table.put(i, 1, MB, i % 3, 1, false, DISK, sources, sources.length, 0);
  }

  private static List<Long> select(WaitingBlocks table) {
    long[] quotas = new long[200];
    Arrays.fill(quotas, 3 * MB);
    int count = table.select(quotas, new long[] {100 * MB, 0});
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(table.blockId(table.selected(i)));
    }
    return ids;
  }

  @Test
  void aTypeThatNoNodeTakes_blocksNoOther() {
    for (int i = 0; i < 100_000; i++) {
      put(i, 1, ARCHIVE, i % 100);
    }
    for (int i = 100_000; i < 100_100; i++) {
      put(i, 2, DISK, i % 100);
    }
    List<Long> first = select(5 * MB, 1000 * MB, 0);
    assertEquals(100, first.stream().filter(id -> id >= 100_000).count());
    assertTrue(first.size() > 100, "some of the others are shown, for stock to have them");
  }

  @Test
  void aSourceThatSendsNothing_blocksNoOther() {
    for (int i = 0; i < 100_000; i++) {
      put(i, 0, DISK, 0);
    }
    put(100_000, 3, DISK, 1);
    List<Long> selected = select(5 * MB, 1000 * MB, 0);
    assertTrue(selected.contains(100_000L));
    assertEquals(6, selected.size());
  }

  @Test
  void deadSource_leavesWithTheBlocksThatItAloneServed() {
    put(1, 1, DISK, 0);
    put(2, 1, DISK, 0, 1);
    put(3, 1, DISK, 1, 2, 3, 0);
    blocks.removeSource(0);
    blocks.removeSource(0);
    assertEquals(Set.of(2L, 3L), Set.copyOf(select(9 * MB, 100 * MB, 0)));
    blocks.removeSource(1);
    assertEquals(2, blocks.size(), "what was selected is planned with, and goes next time");
  }

  private boolean admit(long id, int risk, int... sources) {
    boolean admitted = !blocks.isFilled() || blocks.admit(id, risk, DISK, sources, sources.length, false);
    if (admitted) {
      put(id, risk, DISK, sources);
    }
    return admitted;
  }

  private int admitAll(int firstId, int count, int risk, int... sources) {
    int admitted = 0;
    for (int i = 0; i < count; i++) {
      admitted += admit(firstId + i, risk, sources) ? 1 : 0;
    }
    return admitted;
  }

  @Test
  void filledTable_keepsPlacesForSourcesOfWhichItHasFew() {
    blocks.limit(1_000);
    assertEquals(501, admitAll(0, 2_000, 2, 0));
    assertTrue(blocks.isFilled());
    assertEquals(1_499, blocks.refused());
    assertEquals(125, admitAll(2_000, 2_000, 2, 1), "its part of a quarter of all");
    assertTrue(admit(4_000, 2, 0, 1, 2), "one of its sources is new");
    for (int source = 3; source < 100; source++) {
      admitAll(10_000 * source, 2_000, 2, source);
    }
    assertEquals(1_000, blocks.size(), "not more than the limit");
  }

  @Test
  void filledTable_hasRoomForHigherRisks_beforeTheOthers() {
    blocks.limit(1_000);
    assertEquals(501, admitAll(0, 2_000, 2, 0));
    assertEquals(250, admitAll(2_000, 2_000, 1, 0), "beside those of lower risk");
    for (int source = 1; source < 4; source++) {
      admitAll(10_000 * source, 2_000, 2, source);
    }
    assertEquals(1_000, blocks.size());
    assertFalse(admit(5_000, 2, 200), "all are of this risk or a higher one");
    assertTrue(admit(5_000, 1, 1), "in their place");
    assertEquals(751, blocks.size(), "room for a quarter, and the block");
    for (int source = 1; source < 100; source++) {
      admitAll(10_000 * source, 2_000, 1, source);
    }
    assertEquals(1_000, blocks.size());
    assertFalse(admit(6_000, 1, 300));
    assertTrue(blocks.admit(6_000, 1, DISK, new int[] {300}, 1, true), "what goes first is never refused");
    assertTrue(blocks.admit(6_001, 0, DISK, new int[] {0}, 1, false));
    assertEquals(750, blocks.size());
  }

  @Test
  void blocksOfAHigherRisk_displaceAQuarter_firstThoseThatAreLeastWanted() {
    blocks.limit(1_000);
    assertEquals(501, admitAll(0, 501, 2, 0));
    for (int source = 1; source < 9; source++) {
      assertEquals(60, admitAll(1_000 * source, 60, 2, source));
    }
    assertEquals(19, admitAll(9_000, 19, 2, 9));
    long[] quotas = new long[10];
    quotas[1] = 3 * MB;
    assertEquals(3, blocks.select(quotas, new long[] {100 * MB, 0}));
    assertEquals(0, blocks.select(new long[10], new long[] {100 * MB, 0}));
    assertTrue(admit(20_000, 1, 20));
    assertEquals(751, blocks.size());
    List<Long> here = select(1_000 * MB, 10_000 * MB, 0);
    assertEquals(254, here.stream().filter(id -> id < 1_000).count(), "of the source with many");
    assertEquals(57, here.stream().filter(id -> id >= 1_000 && id < 2_000).count(), "all but those selected in vain");
    for (int source = 2; source < 9; source++) {
      long first = 1_000L * source;
      assertEquals(60, here.stream().filter(id -> id >= first && id < first + 1_000).count(), "of source " + source);
    }
  }

  /** What counts is how much the blocks of a risk weigh, not how many they are. */
  @Test
  void groupsOfSeveralRisks_giveWayToAHigherOne() {
    blocks.limit(1_000);
    int[] sources = {0, 1, 2, 3, 4, 5};
    for (int risk = 1; risk < 5; risk++) {
      for (int i = 0; i < 61; i++) {
        put(100L * risk + i, risk, DISK, sources);
      }
    }
    for (int i = 0; i < 24; i++) {
      put(i, 0, DISK, 6);
    }
    assertEquals(1_000, blocks.weight());
    assertTrue(admit(1_000, 0, 7));
    assertEquals(757, blocks.weight(), "the groups of the lowest risk are gone");
  }

  @Test
  void filledTable_offeredAgainAndAgain_hasThoseOfIdleSources() {
    blocks.limit(1_000);
    for (int pass = 0; pass < 3; pass++) {
      admitAll(0, 3_000, 1, 0);
      for (int source = 1; source < 6; source++) {
        assertEquals(10, admitAll(10_000 * source, 10, 2, source), "of source " + source + " in pass " + pass);
      }
      admitAll(100_000, 5, 4, 0);
      assertTrue(blocks.size() <= 1_000, blocks.size() + " blocks");
      blocks.endPass();
    }
  }

  @Test
  void blocksOfUrgentSources_haveRoom_thoughItHasManyOfThem() {
    blocks.limit(3_000);
    assertTrue(admit(0, 2, 20));
    assertEquals(1_500, admitAll(1_000, 3_000, 2, 0));
    assertEquals(0, admitAll(5_000, 10, 2, 0));
    assertEquals(1_000, blocks.select(new long[1], new long[2], new int[] {0}));
    assertEquals(10, admitAll(5_000, 10, 2, 0));
    blocks.select(new long[1], new long[2]);
    assertEquals(0, admitAll(6_000, 10, 2, 0), "it is urgent no longer");
  }

  @Test
  void blockThatWasSelectedInVain_leavesAFilledTable_whenItIsReadAgain() {
    blocks.limit(200);
    assertEquals(101, admitAll(0, 200, 2, 0));
    assertEquals(List.of(0L, 1L), select(2 * MB, 100 * MB, 0));
    assertEquals(1, admitAll(2, 1, 2, 0), "it has not been tried");
    assertEquals(0, admitAll(0, 1, 2, 0));
    assertEquals(List.of(3L, 4L), select(2 * MB, 100 * MB, 0));
    select(2 * MB, 100 * MB, 0);
    assertEquals(100, blocks.size());
    assertTrue(admit(3, 2, 0), "the table is no longer filled");
  }

  @Test
  void aMillionOffered_takeLessThan64MB_whateverTheyAre() {
    Random random = new Random(1);
    long before = usedBytes();
    WaitingBlocks bounded = new WaitingBlocks();
    bounded.limit(400_000);
    for (int i = 0; i < 1_000_000; i++) {
      int first = random.nextInt(3_494);
      int[] sources = i % 3 == 0 ? new int[] {first, first + 1, first + 2, first + 3, first + 4, first + 5}
          : new int[] {first, first + 1};
      if (!bounded.isFilled() || bounded.admit(i, i % 5, DISK, sources, sources.length, false)) {
        bounded.put(i, 1001, 64 * MB, i % 5, 1, false, DISK, sources, sources.length, 0);
      }
    }
    long used = usedBytes() - before;
    assertTrue(bounded.size() > 100_000, bounded.size() + " blocks");
    assertTrue(used <= 64 * MB, used + " bytes");
  }

  @Test
  void random_againstAPlainMap() {
    for (long seed = 1; seed <= 20; seed++) {
      againstAPlainMap(seed);
    }
  }

  private record Plain(int risk, int types, int[] sources) {
  }

  private static void againstAPlainMap(long seed) {
    Random random = new Random(seed);
    WaitingBlocks tested = new WaitingBlocks();
    Map<Long, Plain> plain = new HashMap<>();
    for (int step = 0; step < 20_000; step++) {
      long id = random.nextInt(400) * 1000L;
      if (random.nextInt(3) > 0) {
        int[] sources = random.ints(0, 30).distinct().limit(1 + random.nextInt(6)).toArray();
        Plain block = new Plain(random.nextInt(5), 1 << random.nextInt(3), sources);
        plain.put(id, block);
        tested.put(id, step, 10, block.risk, 1, false, block.types, sources, sources.length, 0);
      } else {
        plain.remove(id);
        tested.remove(id);
      }
      assertEquals(plain.size(), tested.size(), "seed " + seed);
      if (step % 500 == 0) {
        check(tested, plain, random.nextBoolean() ? Long.MAX_VALUE : 40, seed);
      }
    }
  }

  private static void check(WaitingBlocks tested, Map<Long, Plain> plain, long quota, long seed) {
    long[] quotas = new long[30];
    Arrays.fill(quotas, quota);
    int count = tested.select(quotas, new long[] {1 << 20, 1 << 20, 1 << 20});
    Set<Long> seen = new HashSet<>();
    int risk = 0;
    for (int i = 0; i < count; i++) {
      int row = tested.selected(i);
      Plain block = plain.get(tested.blockId(row));
      assertTrue(seen.add(tested.blockId(row)), "seed " + seed + ": once");
      assertEquals(block.risk, tested.risk(row), "seed " + seed);
      assertEquals(block.sources.length, tested.sources(row), "seed " + seed);
      for (int s = 0; s < block.sources.length; s++) {
        assertEquals(block.sources[s], tested.id(row, s), "seed " + seed);
      }
      assertTrue(block.risk >= risk, "seed " + seed + ": by risk");
      risk = block.risk;
    }
    long[] rest = new long[30];
    plain.forEach((id, block) -> {
      for (int source : block.sources) {
        rest[source] += seen.contains(id) ? 0 : 10;
      }
    });
    assertEquals(Arrays.toString(rest), Arrays.toString(Arrays.copyOf(tested.restBytes(), 30)), "seed " + seed);
    assertEquals(10.0 * (plain.size() - count), tested.restCopyBytes(), "seed " + seed);
    if (quota == Long.MAX_VALUE) {
      assertEquals(plain.keySet(), seen, "seed " + seed);
    }
  }

  /** As full as a table of a million and a half. */
  @Test
  void manyBlocks_ofMixedTypes_areSelectedByRisk_inLessThan100BytesEach() {
    Random random = new Random(1);
    int nodes = 875;
    int count = 375_000;
    long before = usedBytes();
    WaitingBlocks large = new WaitingBlocks();
    for (int i = 0; i < count; i++) {
      int first = random.nextInt(nodes);
      int second = (first + 1 + random.nextInt(nodes - 1)) % nodes;
      large.put(1_073_741_824L + i, 1001, 64 * MB, i % 5, 1, false, i % 3 == 0 ? ARCHIVE : DISK,
          new int[] {first, second, random.nextInt(90)}, 2, 0);
    }
    long bytesPerBlock = (usedBytes() - before) / count;
    assertTrue(bytesPerBlock <= 100, bytesPerBlock + " bytes");
    long[] quotas = new long[nodes];
    Arrays.fill(quotas, 700 * MB);
    long[] room = {750 * 700 * MB, 125 * 700 * MB};
    int lastRisk = 0;
    int selected = 0;
    while (large.size() > 0) {
      int now = large.select(quotas, room);
      int minRisk = 5;
      for (int i = 0; i < now; i++) {
        minRisk = Math.min(minRisk, large.risk(large.selected(i)));
      }
      assertTrue(minRisk >= lastRisk, "all of one risk before the next");
      lastRisk = minRisk;
      for (int i = 0; i < now; i++) {
        large.remove(large.blockId(large.selected(i)));
      }
      selected += now;
    }
    assertEquals(count, selected);
  }

  private static long usedBytes() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;

class UnrecoveredBlocksTest {
  private static final Set<String> CALM = Set.of("a", "b", "c", "d");
  private static final int PERIOD_MS = 5_000;
  private static final int LAST_MS = 70_000;

  private final UnrecoveredBlocks blocks = new UnrecoveredBlocks();
  private long nowMs;
  private int late;

  private static FsckBlock block(int live, String... addresses) {
    return new FsckBlock("blk_1", live, 3, 1,
        Arrays.stream(addresses).collect(Collectors.toMap(Function.identity(), address -> "blk_1")));
  }

  private void lookUntil(long untilMs, FsckBlock block, Set<String> calm) {
    for (; nowMs <= untilMs; nowMs += PERIOD_MS) {
      late += blocks.look(List.of(block), calm, nowMs).size();
    }
  }

  @Test
  void look_reportsABlockOnce_thatGainsNothing() {
    lookUntil(60_000, block(2, "a", "b"), CALM);
    assertEquals(0, late);
    lookUntil(100_000, block(2, "a", "b"), CALM);
    assertEquals(1, late);
    assertEquals(100_000, blocks.longestMs());
  }

  @Test
  void look_countsAnewAfterAGain() {
    lookUntil(40_000, block(1, "a"), CALM);
    lookUntil(LAST_MS, block(2, "a", "b"), CALM);
    assertEquals(0, late);
  }

  @Test
  void look_passesOverBlocksWithoutCalmSourceOrTarget() {
    lookUntil(LAST_MS, block(2, "x", "y"), CALM);
    lookUntil(2 * LAST_MS, block(2, "a", "b"), Set.of("a", "b"));
    assertEquals(0, late);
  }

  @Test
  void look_asksForAsManyCalmSourcesAsAGroupNeeds() {
    Map<String, String> holders = Map.of("a", "blk_-16", "b", "blk_-15", "x", "blk_-14", "y", "blk_-15");
    FsckBlock group = new FsckBlock("blk_-16", 3, 5, 3, holders);
    lookUntil(LAST_MS, group, Set.of("a", "b", "y", "d"));
    assertEquals(0, late, "two have the same one");
    lookUntil(2 * LAST_MS + PERIOD_MS, group, Set.of("a", "b", "x", "d"));
    assertEquals(1, late);
  }

  @Test
  void look_forgetsWhatWasNotSeenAllTheTime() {
    lookUntil(40_000, block(2, "a", "b"), CALM);
    nowMs += 20_000;
    lookUntil(90_000, block(2, "a", "b"), CALM);
    blocks.forget();
    lookUntil(140_000, block(2, "a", "b"), CALM);
    assertEquals(0, late);
  }
}

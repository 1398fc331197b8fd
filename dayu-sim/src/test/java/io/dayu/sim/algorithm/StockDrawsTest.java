/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.algorithm;

import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.TaskTable;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Nodes 0, 2 and 4 are on rack 0, the others on rack 1; the group has sources on 1 and 2. */
class StockDrawsTest {
  private static final int NODES = 6;
  private static final int DRAWS = 200;

  private final StockDraws draws = new StockDraws();

  @Test
  void targetOfAGroup_isOnTheRackOfItsFirstSource() {
    assertEquals(Set.of(3, 5), targets(1, Set.of(), Set.of()));
    assertEquals(Set.of(0, 4), targets(2, Set.of(), Set.of()));
  }

  @Test
  void targetOfAGroup_isOnTheRackOfAnotherHolder_ifNoneIsOnThatOfTheFirst() {
    assertEquals(Set.of(0, 4), targets(1, Set.of(3, 5), Set.of()));
    assertEquals(Set.of(3, 5), targets(2, Set.of(), Set.of(0)));
  }

  @Test
  void targetOfAGroup_isMissing_ifNoNodeMayReceiveIt() {
    assertEquals(Set.of(-1), targets(1, Set.of(3, 5), Set.of(0)));
  }

  /** What is drawn in many tries. */
  private Set<Integer> targets(int writer, Set<Integer> leaving, Set<Integer> fullRacks) {
    draws.begin(1);
    Set<Integer> drawn = new TreeSet<>();
    for (int i = 0; i < DRAWS; i++) {
      drawn.add(draws.targetNear(writer, nodes(leaving), group(fullRacks), 0));
    }
    return drawn;
  }

  private static NodeTable nodes(Set<Integer> leaving) {
    long[] bytesPerSec = new long[NODES];
    Arrays.fill(bytesPerSec, 1_000_000);
    boolean[] accepts = new boolean[NODES];
    int[] rack = new int[NODES];
    int[] streams = new int[NODES];
    for (int node = 0; node < NODES; node++) {
      accepts[node] = !leaving.contains(node);
      rack[node] = node % 2;
      streams[node] = 2;
    }
    return new NodeTable(bytesPerSec, bytesPerSec, rack, 2, accepts, streams, streams, new long[1][NODES]);
  }

  private static TaskTable group(Set<Integer> fullRacks) {
    return new TaskTable(new long[] {1}, new int[1], new int[] {1}, rowOf(1, 2), rowOf(),
        rowOf(fullRacks.stream().mapToInt(Integer::intValue).toArray()), new boolean[1], new int[] {1},
        new int[] {2});
  }

  private static IntRows rowOf(int... values) {
    IntRows.Builder row = new IntRows.Builder();
    Arrays.stream(values).forEach(row::add);
    row.endRow();
    return row.build();
  }
}

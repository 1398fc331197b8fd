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
import java.util.SplittableRandom;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;

class FlowBoundTest {
  private static final int NODES = 5;

  private static double bound(List<NeededTransfer> needed, double... bytesPerSec) {
    return FlowBound.seconds(needed, NODES, (node, seconds) -> bytesPerSec[node] * seconds,
        (node, seconds) -> bytesPerSec[node] * seconds);
  }

  @Test
  void seconds_countsTheBytesOfAllSources_atTheTarget() {
    List<NeededTransfer> needed = List.of(new NeededTransfer(10, 3, List.of(0, 1, 2, 3), List.of(4)));
    // Into node 4 go 30 bytes; each of the others sends a quarter of them.
    assertEquals(30, bound(needed, 1, 1, 1, 1, 1), 1e-3);
    assertEquals(7.5, bound(needed, 1, 1, 1, 1, 100), 1e-3);
  }

  @Test
  void seconds_takesFromNoSourceMoreThanItsInternalBlock() {
    List<NeededTransfer> needed = List.of(new NeededTransfer(10, 2, List.of(0, 1, 2), List.of(4)));
    // Node 0 sends 10 bytes, the slow ones the other 10; if it sent all, it would take 2 s at 10 bytes a second.
    assertEquals(5, bound(needed, 10, 1, 1, 1, 100), 1e-3);
  }

  @Test
  void seconds_dealsGroupsOutOverTheirTargets() {
    List<NeededTransfer> needed = List.of(new NeededTransfer(10, 1, List.of(0), List.of(3)),
        new NeededTransfer(10, 1, List.of(0), List.of(3, 4)), new NeededTransfer(10, 1, List.of(1), List.of(3, 4)));
    assertEquals(15, bound(needed, 9, 9, 9, 1, 1), 1e-3);
  }

  @Test
  void seconds_isInfinite_whereNobodyMayReceive() {
    assertEquals(Double.POSITIVE_INFINITY,
        bound(List.of(new NeededTransfer(10, 1, List.of(0), List.of())), 1, 1, 1, 1, 1));
  }

  /** By the theorem of maximum flow and minimum cut: no set of nodes must send or receive more than it can. */
  @Test
  void seconds_isThatOfTheWorstSetOfNodes() {
    for (long seed = 1; seed <= 20; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      double[] bytesPerSec = random.doubles(NODES, 1, 5).toArray();
      List<NeededTransfer> needed = random.ints(8, 0, 1 << 20).mapToObj(bits -> {
        int victimless = bits % NODES;
        List<Integer> sources = IntStream.range(0, NODES).filter(node -> node != victimless).boxed().toList();
        List<Integer> targets = IntStream.range(0, NODES).filter(node -> (bits >> 4 + node & 1) == 1 || node == 0)
            .boxed().toList();
        return new NeededTransfer(100 + bits % 50, 1 + bits % 3, sources, targets);
      }).toList();
      double worst = 0;
      for (int set = 1; set < 1 << NODES; set++) {
        int nodes = set;
        double capacity = IntStream.range(0, NODES).filter(node -> (nodes >> node & 1) == 1)
            .mapToDouble(node -> bytesPerSec[node]).sum();
        double in = needed.stream().filter(each -> each.targets().stream().allMatch(node -> (nodes >> node & 1) == 1))
            .mapToDouble(each -> each.bytes() * each.width()).sum();
        double out = needed.stream().mapToDouble(each -> each.bytes()
            * Math.max(0, each.width() - each.sources().stream().filter(node -> (nodes >> node & 1) == 0).count()))
            .sum();
        worst = Math.max(worst, Math.max(in, out) / capacity);
      }
      assertEquals(worst, bound(needed, bytesPerSec), worst * 1e-4,
          "seed " + seed + ": " + Arrays.toString(bytesPerSec) + " " + needed);
    }
  }
}

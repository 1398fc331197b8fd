/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.client;

import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DataPlanTest {
  private static final Topology TOPOLOGY = new Topology(10, 4);
  private static final DataGroups GROUPS = new DataGroups("RS-3-2-1024k", 3, 2, 40);

  @Test
  void groups_areSpreadOverTheRacksAsEvenlyAsTheyCan() {
    for (int group = 0; group < GROUPS.count(); group++) {
      List<Integer> nodes = new DataPlan(TOPOLOGY, 20, GROUPS, 1).nodesOfGroup(group);
      assertEquals(5, new HashSet<>(nodes).size(), nodes.toString());
      Map<String, Long> inRack = nodes.stream()
          .collect(Collectors.groupingBy(TOPOLOGY::rack, Collectors.counting()));
      assertEquals(4, inRack.size(), nodes.toString());
      assertTrue(inRack.values().stream().allMatch(count -> count <= TOPOLOGY.maxInRack(5)), nodes.toString());
    }
  }

  @Test
  void group_fillsLargerRacks_whereOthersAreFull() {
    assertEquals(9, new Topology(9, 4).group(9, new SplittableRandom(1)).size());
    assertEquals(9, new Topology(9, 4).maxUnits(9, 0));
    assertEquals(8, TOPOLOGY.maxUnits(5, 0), "three, three, two and two nodes, of which two each");
    assertEquals(6, TOPOLOGY.maxUnits(5, 2), "a rack of two is lost");
    assertEquals(6, new Topology(10, 2).maxUnits(5, 2), "five and five nodes, of which three each");
  }

  @Test
  void files_areOnEachNode_whereThereAreGroups() {
    for (long seed = 0; seed < 20; seed++) {
      DataPlan plan = new DataPlan(TOPOLOGY, 10, GROUPS, seed);
      for (int node = 0; node < TOPOLOGY.nodes(); node++) {
        assertFalse(plan.filesOn(node).isEmpty(), "seed " + seed + ", node " + node);
      }
    }
  }
}

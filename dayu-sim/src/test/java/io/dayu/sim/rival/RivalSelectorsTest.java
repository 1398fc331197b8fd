/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.rival;

import io.dayu.model.ClusterSnapshot;
import io.dayu.schedule.choice.NodeLoads;
import io.dayu.schedule.choice.TargetRules;
import io.dayu.schedule.choice.TargetSelector;
import io.dayu.schedule.choice.TargetSelectorTest;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** {@link FullScan} as the product's selectors, and {@link RedBlackTree} by its own order. */
class RivalSelectorsTest extends TargetSelectorTest {

  @Override
  protected List<TargetSelector> selectors() {
    return List.of(new FullScan());
  }

  /** The tree disregards the block's size, so it is held against its own order. */
  @Test
  void redBlackTree_takesTheLeastLoadedAllowedNode() {
    for (long seed = 0; seed < 100; seed++) {
      Random random = new Random(seed);
      ClusterSnapshot snapshot = draw(Cluster.values()[(int) (seed % Cluster.values().length)], random);
      NodeLoads loads = new NodeLoads();
      TargetRules rules = new TargetRules();
      loads.reset(snapshot);
      RedBlackTree tree = new RedBlackTree();
      tree.reset(loads);
      rules.reset(snapshot.nodes(), snapshot.tasks(), loads);
      for (int task = 0; task < snapshot.tasks().count(); task++) {
        rules.begin(task);
        double min = Double.POSITIVE_INFINITY;
        for (int node = 0; node < loads.count(); node++) {
          if (loads.acceptsMore(node) && rules.allows(node)) {
            min = Math.min(min, loads.assignedIn(node) / loads.selectionBandwidth(node));
          }
        }
        int target = tree.select(snapshot.tasks().sizeBytes()[task], rules);
        assertEquals(min == Double.POSITIVE_INFINITY, target < 0, "seed " + seed + ", task " + task);
        if (target >= 0) {
          assertEquals(min, loads.assignedIn(target) / loads.selectionBandwidth(target), "seed " + seed);
          loads.assign(0, target, snapshot.tasks().sizeBytes()[task]);
          tree.loadChanged(target);
        }
      }
    }
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.rival;

import io.dayu.schedule.choice.NodeLoads;
import io.dayu.schedule.choice.TargetRules;
import io.dayu.schedule.choice.TargetSelector;

/**
 * Looks at every node ("Greedy1" of ATC'19 §5, the naive scan of §4.1): O(nodes) for each choice, and the oracle of the
 * other selectors. Among equals of one bandwidth the one that wins the tie ({@link NodeLoads#winsTie}), else the lowest
 * node id. Not thread-safe; arrays are sized once and reused.
 */
public final class FullScan implements TargetSelector {
  private NodeLoads loads;
  private double[] load = new double[0];
  private double[] inverse = new double[0];

  @Override
  public String name() {
    return "fullscan";
  }

  @Override
  public void reset(NodeLoads planLoads) {
    loads = planLoads;
    if (load.length < loads.count()) {
      load = new double[loads.count()];
      inverse = new double[loads.count()];
    }
    for (int node = 0; node < loads.count(); node++) {
      inverse[node] = 1 / loads.selectionBandwidth(node);
      loadChanged(node);
    }
  }

  @Override
  public int select(long sizeBytes, TargetRules rules) {
    int best = -1;
    double bestSeconds = Double.POSITIVE_INFINITY;
    for (int node = 0; node < loads.count(); node++) {
      double seconds = (load[node] + sizeBytes) * inverse[node];
      if ((seconds < bestSeconds || seconds == bestSeconds && winsTie(node, best)) && rules.allows(node)) {
        best = node;
        bestSeconds = seconds;
      }
    }
    return best;
  }

  private boolean winsTie(int node, int best) {
    return best >= 0 && inverse[node] == inverse[best] && loads.winsTie(node, best);
  }

  @Override
  public void loadChanged(int node) {
    load[node] = loads.acceptsMore(node) ? loads.assignedIn(node) : Double.POSITIVE_INFINITY;
  }
}

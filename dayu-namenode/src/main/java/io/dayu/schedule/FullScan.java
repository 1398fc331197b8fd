/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.schedule;

/**
 * Looks at every node ("Greedy1" of ATC'19 §5, the naive scan of §4.1): O(nodes) for each choice, and the oracle of all other greedy
 * selectors. Among equals the lowest node id. Not thread-safe.
 */
public final class FullScan implements TargetSelector {
  private NodeLoads loads;

  @Override
  public String name() {
    return "fullscan";
  }

  @Override
  public void reset(NodeLoads planLoads) {
    loads = planLoads;
  }

  @Override
  public int select(long sizeBytes, TargetRules rules) {
    int best = -1;
    double bestSeconds = Double.POSITIVE_INFINITY;
    for (int node = 0; node < loads.count(); node++) {
      double seconds = (loads.assignedIn(node) + sizeBytes) / loads.selectionBandwidth(node);
      if (seconds < bestSeconds && rules.allows(node)) {
        best = node;
        bestSeconds = seconds;
      }
    }
    return best;
  }

  @Override
  public void loadChanged(int node) {
    // Every choice reads the loads afresh.
  }
}

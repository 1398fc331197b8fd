/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.algorithm;

import io.dayu.schedule.NodeLoads;
import io.dayu.schedule.TargetRules;
import io.dayu.schedule.TargetSelector;

import java.util.Iterator;
import java.util.TreeSet;

/**
 * The allowed node with the least bytes assigned, whatever its bandwidth, by a red-black tree (Greedy2 of ATC'19 §5). A node that a block
 * would saturate leaves the tree for the rest of the plan; else the slowest node, soon full and always the least loaded, would hold up
 * all blocks. Among equals the lowest id. Not thread-safe.
 */
public final class LeastLoaded implements TargetSelector {
  private record Entry(long assignedBytes, int node) implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      int byLoad = Long.compare(assignedBytes, other.assignedBytes);
      return byLoad != 0 ? byLoad : Integer.compare(node, other.node);
    }
  }

  private final TreeSet<Entry> tree = new TreeSet<>();
  private Entry[] entryOf = new Entry[0];
  private NodeLoads loads;

  @Override
  public String name() {
    return "least-loaded";
  }

  @Override
  public void reset(NodeLoads planLoads) {
    loads = planLoads;
    tree.clear();
    entryOf = new Entry[loads.count()];
    for (int node = 0; node < loads.count(); node++) {
      enter(node);
    }
  }

  private void enter(int node) {
    entryOf[node] = new Entry(loads.assignedIn(node), node);
    tree.add(entryOf[node]);
  }

  @Override
  public int select(long sizeBytes, TargetRules rules) {
    for (Iterator<Entry> next = tree.iterator(); next.hasNext();) {
      int node = next.next().node();
      if (!loads.acceptsMore(node) || loads.saturatesTarget(node, sizeBytes)) {
        next.remove();
        entryOf[node] = null;
      } else if (rules.allows(node)) {
        return node;
      }
    }
    return -1;
  }

  @Override
  public void loadChanged(int node) {
    if (entryOf[node] != null) {
      tree.remove(entryOf[node]);
      enter(node);
    }
  }
}

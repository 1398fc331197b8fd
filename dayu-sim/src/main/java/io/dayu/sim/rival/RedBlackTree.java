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

import java.util.TreeSet;

/**
 * Takes the least loaded node, by c_in / B_in without regard to the block's size, from a red-black tree ("Greedy2" of
 * ATC'19 §5): O(log nodes) for each choice, but not quite the least finish time. Among equally loaded nodes the one
 * with the most bandwidth, then the lowest id. Not thread-safe.
 */
public final class RedBlackTree implements TargetSelector {
  private final TreeSet<Integer> tree = new TreeSet<>(this::compare);
  private NodeLoads loads;
  private double[] seconds = new double[0];
  private Integer[] boxed = new Integer[0];

  @Override
  public String name() {
    return "redblacktree";
  }

  @Override
  public void reset(NodeLoads planLoads) {
    tree.clear();
    loads = planLoads;
    if (seconds.length < loads.count()) {
      seconds = new double[loads.count()];
      boxed = new Integer[loads.count()];
      for (int node = 0; node < boxed.length; node++) {
        boxed[node] = node;
      }
    }
    for (int node = 0; node < loads.count(); node++) {
      insert(node);
    }
  }

  private void insert(int node) {
    if (loads.acceptsMore(node)) {
      seconds[node] = loads.assignedIn(node) / loads.selectionBandwidth(node);
      tree.add(boxed[node]);
    }
  }

  private int compare(int a, int b) {
    int order = Double.compare(seconds[a], seconds[b]);
    if (order == 0) {
      order = Double.compare(loads.selectionBandwidth(b), loads.selectionBandwidth(a));
    }
    return order == 0 ? Integer.compare(a, b) : order;
  }

  @Override
  public int select(long sizeBytes, TargetRules rules) {
    for (Integer node : tree) {
      if (rules.allows(node)) {
        return node;
      }
    }
    return -1;
  }

  @Override
  public void loadChanged(int node) {
    if (tree.remove(boxed[node])) {
      insert(node);
    }
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.rival;

import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.schedule.choice.NodeLoads;
import io.dayu.schedule.choice.SourceSelector;

import java.util.SplittableRandom;

/**
 * Takes a random source among the nodes that hold the block and have a stream free: any, the better of two, or weighted
 * by available bandwidth (ATC'19 §5), as {@link RandomTargets} does for targets. Seeded by the snapshot. Not
 * thread-safe.
 */
public final class RandomSources implements SourceSelector {
  private final RandomTargets.Kind kind;
  private NodeTable nodes;
  private IntRows holders;
  private NodeLoads loads;
  private SplittableRandom random;

  public RandomSources(RandomTargets.Kind kind) {
    this.kind = kind;
  }

  @Override
  public void reset(NodeTable planNodes, IntRows planHolders, NodeLoads planLoads) {
    nodes = planNodes;
    holders = planHolders;
    loads = planLoads;
    // Other random numbers than for the targets.
    random = new SplittableRandom(~loads.seed());
  }

  @Override
  public int select(int task, long bytes, boolean[] among) {
    int node = draw(task, among, -1);
    if (kind == RandomTargets.Kind.BEST_OF_TWO && node >= 0) {
      int other = draw(task, among, node);
      node = other >= 0 && seconds(other, bytes) < seconds(node, bytes) ? other : node;
    }
    return node >= 0 && !loads.saturatesSource(node, bytes) ? node : -1;
  }

  private double seconds(int node, long bytes) {
    return (double) (loads.assignedOut(node) + bytes) / nodes.recoverOutBytesPerSec()[node];
  }

  private int draw(int task, boolean[] among, int except) {
    int drawn = -1;
    double sum = 0;
    for (int i = holders.start(task); i < holders.end(task); i++) {
      int node = holders.values()[i];
      if (node != except && (among == null || among[node]) && loads.servesMore(node)) {
        double weight = kind == RandomTargets.Kind.BY_BANDWIDTH ? nodes.recoverOutBytesPerSec()[node] : 1;
        sum += weight;
        drawn = random.nextDouble() * sum < weight ? node : drawn;
      }
    }
    return drawn;
  }
}

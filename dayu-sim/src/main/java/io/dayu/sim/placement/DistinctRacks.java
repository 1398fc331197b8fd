/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import io.dayu.sim.Cluster;

import java.util.SplittableRandom;

/**
 * Draws the other nodes of a chunk so that every replica lies on a rack of its own. Static methods only, hence
 * thread-safe.
 */
final class DistinctRacks {
  private static final int MAX_DRAWS = 100_000;

  private DistinctRacks() {
  }

  /** @throws IllegalArgumentException if the cluster has too few racks */
  static void check(Cluster cluster, int replicas) {
    if (replicas < 2 || replicas > cluster.rackCount()) {
      throw new IllegalArgumentException("replicas = " + replicas + ", expected 2 to the number of racks, which is "
          + cluster.rackCount() + " (" + cluster.nodes() + " nodes)");
    }
  }

  /**
   * A node for the next replica, of which {@code count} are drawn and stand in {@code holders} from {@code first} on.
   */
  static int draw(Cluster cluster, WeightedChoice nodes, SplittableRandom random, int failedNode, int[] holders,
      int first, int count) {
    for (int draw = 0; draw < MAX_DRAWS; draw++) {
      int node = nodes.choose(random);
      boolean free = cluster.rack(node) != cluster.rack(failedNode);
      for (int i = first; i < first + count && free; i++) {
        free = cluster.rack(node) != cluster.rack(holders[i]);
      }
      if (free) {
        return node;
      }
    }
    throw new IllegalStateException("no rack found for replica " + (count + 2) + " of a chunk of node " + failedNode);
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import io.dayu.sim.Cluster;
import io.dayu.sim.SeedMix;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Replicas on few sets of nodes: Copysets (Cidon et al., ATC'13, section 4). Immutable and thread-safe.
 *
 * <p>Permutations of the nodes are cut into groups of as many nodes as there are replicas, all on different racks; a
 * chunk of a node lies on one of the groups that the node is in, drawn by chance. With a scatter width of S there are S
 * / (R - 1) permutations, so a node shares its chunks with about S others: the fewer, the less likely it is that nodes
 * lost together hold all replicas of some chunk, and the more each of the others has to send.
 */
public final class CopysetPlacement implements Placement {
  private final int replicas;
  /** The groups that each node is in. */
  private final List<List<int[]>> groupsOf = new ArrayList<>();

  /** @param scatter nodes that a node shares its chunks with, about */
  public CopysetPlacement(Cluster cluster, int replicas, int scatter, long seed) {
    DistinctRacks.check(cluster, replicas);
    if (scatter < replicas - 1 || scatter >= cluster.nodes()) {
      throw new IllegalArgumentException(
          "scatter width = " + scatter + ", expected " + (replicas - 1) + " to less than the number of nodes");
    }
    this.replicas = replicas;
    for (int node = 0; node < cluster.nodes(); node++) {
      groupsOf.add(new ArrayList<>());
    }
    SplittableRandom random = new SplittableRandom(SeedMix.seed(seed, scatter));
    int permutations = (scatter + replicas - 2) / (replicas - 1);
    for (int i = 0; i < permutations; i++) {
      cut(cluster, shuffled(cluster.nodes(), random), random);
    }
  }

  private static int[] shuffled(int nodes, SplittableRandom random) {
    int[] order = IntStream.range(0, nodes).toArray();
    for (int i = nodes - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int node = order[i];
      order[i] = order[other];
      order[other] = node;
    }
    return order;
  }

  /**
   * Takes the nodes in turn into the first group that lacks a node and has none of the same rack; what is incomplete at
   * the end is filled by chance.
   */
  private void cut(Cluster cluster, int[] order, SplittableRandom random) {
    List<int[]> open = new ArrayList<>();
    for (int node : order) {
      int[] group = open.stream().filter(one -> fits(cluster, one, node)).findFirst().orElse(null);
      if (group == null) {
        group = new int[replicas];
        Arrays.fill(group, -1);
        open.add(group);
      }
      add(group, node);
      if (group[replicas - 1] >= 0) {
        open.remove(group);
      }
    }
    for (int[] group : open) {
      while (group[replicas - 1] < 0) {
        int node = order[random.nextInt(order.length)];
        if (fits(cluster, group, node)) {
          add(group, node);
        }
      }
    }
  }

  private static boolean fits(Cluster cluster, int[] group, int node) {
    return Arrays.stream(group).allMatch(other -> other < 0 || cluster.rack(other) != cluster.rack(node));
  }

  private void add(int[] group, int node) {
    int at = 0;
    while (group[at] >= 0) {
      at++;
    }
    group[at] = node;
    groupsOf.get(node).add(group);
  }

  @Override
  public int[] candidates() {
    return IntStream.range(0, groupsOf.size()).toArray();
  }

  @Override
  public LostBlocks lose(int failedNode, int chunks, long chunkBytes, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<int[]> groups = groupsOf.get(failedNode);
    int[] holders = new int[chunks * (replicas - 1)];
    for (int at = 0; at < holders.length;) {
      for (int node : groups.get(random.nextInt(groups.size()))) {
        if (node != failedNode) {
          holders[at++] = node;
        }
      }
    }
    long[] sizes = new long[chunks];
    Arrays.fill(sizes, chunkBytes);
    return new LostBlocks(failedNode, replicas - 1, holders, sizes);
  }
}

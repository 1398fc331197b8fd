/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import io.dayu.sim.Cluster;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Replicas drawn by the weights of the nodes, all of a chunk on different racks; a node holds chunks in proportion to
 * its weight, as where newer nodes have larger disks. With equal weights this is uniform random placement. Immutable
 * and thread-safe.
 */
public final class WeightedPlacement implements Placement {
  private final Cluster cluster;
  private final int replicas;
  private final double[] weight;
  private final double meanWeight;
  private final WeightedChoice nodes;

  /** @param weight by node, above 0 */
  public WeightedPlacement(Cluster cluster, int replicas, double[] weight) {
    DistinctRacks.check(cluster, replicas);
    if (weight.length != cluster.nodes() || !Arrays.stream(weight).allMatch(w -> w > 0 && w < 1e9)) {
      throw new IllegalArgumentException(
          "weights = " + Arrays.toString(Arrays.copyOf(weight, Math.min(5, weight.length)))
              + "…, expected a number above 0 for each of " + cluster.nodes() + " nodes");
    }
    this.cluster = cluster;
    this.replicas = replicas;
    this.weight = weight;
    meanWeight = Arrays.stream(weight).average().orElseThrow();
    nodes = new WeightedChoice(weight);
  }

  @Override
  public int[] candidates() {
    return IntStream.range(0, cluster.nodes()).toArray();
  }

  @Override
  public LostBlocks lose(int failedNode, int chunks, long chunkBytes, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int count =
        (int) Math.max(1, Math.min(Integer.MAX_VALUE / replicas, Math.round(chunks * weight[failedNode] / meanWeight)));
    int others = replicas - 1;
    int[] holders = new int[count * others];
    long[] sizes = new long[count];
    Arrays.fill(sizes, chunkBytes);
    for (int chunk = 0; chunk < count; chunk++) {
      for (int replica = 0; replica < others; replica++) {
        holders[chunk * others + replica] =
            DistinctRacks.draw(cluster, nodes, random, failedNode, holders, chunk * others, replica);
      }
    }
    return new LostBlocks(failedNode, others, holders, sizes);
  }
}

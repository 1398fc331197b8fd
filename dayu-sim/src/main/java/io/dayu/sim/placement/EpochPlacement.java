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

import java.util.SplittableRandom;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * Where replicas lie, with an imbalance between pairs of nodes as in the paper (ATC'19 §2.2, Fig. 1e, f) although every
 * node holds equally many chunks. Immutable and thread-safe.
 *
 * <p>A cluster grows and its policy shifts, so chunks of one age prefer other nodes than chunks of another: there are
 * 12 epochs, and in each every node has its own lognormal weight, scaled so that all nodes hold the same sum over the
 * epochs and all epochs have the same sum over the nodes. The replicas of a chunk are drawn by the weights of its
 * epoch, all on different racks. With a skew of 0 this is uniform random placement.
 */
public final class EpochPlacement implements Placement {
  /** Skew at which the imbalance between pairs is like the paper's. */
  public static final double PAPER_SKEW = 0.80;
  private static final int EPOCHS = 12;
  private static final int BALANCING_ROUNDS = 50;

  private final Cluster cluster;
  private final int replicas;
  private final double[][] weight;
  private final WeightedChoice[] nodesOfEpoch = new WeightedChoice[EPOCHS];

  /** @param skew standard deviation of the logarithm of the weights */
  public EpochPlacement(Cluster cluster, int replicas, double skew, long seed) {
    DistinctRacks.check(cluster, replicas);
    if (!(skew >= 0 && skew <= 3)) {
      throw new IllegalArgumentException("skew = " + skew + ", expected 0 to 3");
    }
    this.cluster = cluster;
    this.replicas = replicas;
    weight = balancedWeights(cluster.nodes(), skew, new SplittableRandom(SeedMix.seed(seed, 12)));
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
      nodesOfEpoch[epoch] = new WeightedChoice(weight[epoch]);
    }
  }

  private static double[][] balancedWeights(int nodes, double skew, SplittableRandom random) {
    double[][] weight = new double[EPOCHS][nodes];
    for (double[] epoch : weight) {
      for (int node = 0; node < nodes; node++) {
        epoch[node] = Math.exp(skew * random.nextGaussian());
      }
    }
    for (int round = 0; round < BALANCING_ROUNDS; round++) {
      for (double[] epoch : weight) {
        double sum = 0;
        for (double w : epoch) {
          sum += w;
        }
        for (int node = 0; node < nodes; node++) {
          epoch[node] *= nodes / sum;
        }
      }
      for (int node = 0; node < nodes; node++) {
        double sum = 0;
        for (double[] epoch : weight) {
          sum += epoch[node];
        }
        for (double[] epoch : weight) {
          epoch[node] *= EPOCHS / sum;
        }
      }
    }
    return weight;
  }

  @Override
  public int[] candidates() {
    return IntStream.range(0, cluster.nodes()).toArray();
  }

  @Override
  public LostBlocks lose(int failedNode, int chunks, long chunkBytes, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    WeightedChoice epochs = epochsOf(failedNode);
    int others = replicas - 1;
    int[] holders = new int[chunks * others];
    long[] sizes = new long[chunks];
    for (int chunk = 0; chunk < chunks; chunk++) {
      sizes[chunk] = chunkBytes;
      draw(epochs, random, failedNode, holders, chunk * others);
    }
    return new LostBlocks(failedNode, others, holders, sizes);
  }

  /**
   * Draws other holders for one block at a time of those that {@link #lose} gave, in place: another block that was
   * lost.
   */
  public IntConsumer renewal(LostBlocks lost, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    WeightedChoice epochs = epochsOf(lost.failedNode());
    return block -> draw(epochs, random, lost.failedNode(), lost.holders(), block * lost.holdersPerBlock());
  }

  private WeightedChoice epochsOf(int failedNode) {
    double[] epochWeight = new double[EPOCHS];
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
      epochWeight[epoch] = weight[epoch][failedNode];
    }
    return new WeightedChoice(epochWeight);
  }

  private void draw(WeightedChoice epochs, SplittableRandom random, int failedNode, int[] holders, int first) {
    WeightedChoice nodes = nodesOfEpoch[epochs.choose(random)];
    for (int replica = 0; replica < replicas - 1; replica++) {
      holders[first + replica] = onAnotherRack(nodes, random, failedNode, holders, first, replica);
    }
  }

  private int onAnotherRack(WeightedChoice nodes, SplittableRandom random, int failedNode, int[] holders, int first,
      int count) {
    return DistinctRacks.draw(cluster, nodes, random, failedNode, holders, first, count);
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.load;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Chooses the nodes that reads and writes go to, by the nodes' shares of the current regime. Not thread-safe. What a
 * node sends is reads plus what it passes on within write pipelines, which is taken off its share first.
 */
public final class NodeChoice {
  private final LoadProfile profile;
  private final int nodes;
  private final NodeShares shares;
  private final double[] readWeights;
  private final double[] replicaChances;
  private double readWeightSum;

  /** @param random draws the shares of each regime, the first one now */
  public NodeChoice(LoadProfile profile, int nodes, SplittableRandom random) {
    this.profile = profile;
    this.nodes = nodes;
    this.shares = new NodeShares(profile, nodes, random);
    this.readWeights = new double[nodes];
    this.replicaChances = new double[nodes];
    weigh();
  }

  public void nextRegime() {
    shares.nextRegime();
    weigh();
  }

  private void weigh() {
    readWeightSum = 0;
    double incomingSum = 0;
    for (int node = 0; node < nodes; node++) {
      readWeights[node] = Math.max(0, shares.outgoing(node) - profile.passedOn(shares.incoming(node)));
      readWeightSum += readWeights[node];
      incomingSum += shares.incoming(node);
    }
    int replicas = Math.min(profile.replication(), nodes);
    for (int node = 0; node < nodes; node++) {
      replicaChances[node] = incomingSum == 0 ? 0 : Math.min(1, replicas * shares.incoming(node) / incomingSum);
    }
  }

  /** The node that a read goes to. */
  public int nodeToReadFrom(SplittableRandom random) {
    double left = random.nextDouble() * readWeightSum;
    int node = 0;
    for (; node < nodes - 1; node++) {
      left -= readWeights[node];
      if (left < 0) {
        break;
      }
    }
    return node;
  }

  /** Systematic sampling over the nodes in random order: distinct nodes, each exactly as likely as its share says. */
  public List<Integer> nodesToWriteTo(SplittableRandom random) {
    int[] order = new int[nodes];
    for (int i = 0; i < nodes; i++) {
      int swapped = random.nextInt(i + 1);
      order[i] = order[swapped];
      order[swapped] = i;
    }
    List<Integer> chosen = new ArrayList<>(profile.replication());
    double next = random.nextDouble();
    double sum = 0;
    for (int node : order) {
      sum += replicaChances[node];
      if (next < sum) {
        chosen.add(node);
        next += 1;
      }
    }
    return chosen;
  }
}

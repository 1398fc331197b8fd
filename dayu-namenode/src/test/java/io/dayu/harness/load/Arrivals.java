/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.harness.load;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The endless sequence of operations that a profile and its seed stand for, in the order of their moments. Not thread-safe. Knows no
 * cluster: nothing that happens there changes what comes next.
 *
 * <p>Reads and writes are two Poisson processes of constant rates; which node they go to follows the nodes' shares of the regime in
 * which they arrive. What a node sends is reads plus what it passes on within write pipelines, which is taken off its share first.
 */
final class Arrivals {
  private final LoadProfile profile;
  private final int nodes;
  private final NodeShares shares;
  private final SplittableRandom reads;
  private final SplittableRandom writes;
  private final double[] readWeights;
  private final double[] replicaChances;
  private double readWeightSum;
  private long regimeEndNs;
  private double nextReadNs;
  private double nextWriteNs;
  private int written;

  Arrivals(LoadProfile profile, int nodes) {
    this.profile = profile;
    this.nodes = nodes;
    SplittableRandom root = new SplittableRandom(profile.seed());
    this.shares = new NodeShares(profile, nodes, root.split());
    this.reads = root.split();
    this.writes = root.split();
    this.readWeights = new double[nodes];
    this.replicaChances = new double[nodes];
    this.regimeEndNs = regimeNs();
    weigh();
    nextReadNs = gapNs(reads, profile.readsPerSec(nodes));
    nextWriteNs = gapNs(writes, profile.writesPerSec(nodes));
  }

  Operation next() {
    boolean read = nextReadNs <= nextWriteNs;
    long atNs = (long) (read ? nextReadNs : nextWriteNs);
    while (atNs >= regimeEndNs) {
      regimeEndNs += regimeNs();
      shares.nextRegime();
      weigh();
    }
    if (read) {
      nextReadNs += gapNs(reads, profile.readsPerSec(nodes));
      return new Operation.Read(atNs, nodeToReadFrom(), reads.nextInt(profile.filesPerNode()), reads.nextInt(profile.piecesPerFile()));
    }
    nextWriteNs += gapNs(writes, profile.writesPerSec(nodes));
    return new Operation.Write(atNs, written++, nodesToWriteTo());
  }

  private long regimeNs() {
    return TimeUnit.MILLISECONDS.toNanos(profile.regimeMs());
  }

  private static double gapNs(SplittableRandom random, double perSec) {
    return perSec > 0 ? random.nextExponential() / perSec * TimeUnit.SECONDS.toNanos(1) : Double.POSITIVE_INFINITY;
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

  private int nodeToReadFrom() {
    double left = reads.nextDouble() * readWeightSum;
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
  private List<Integer> nodesToWriteTo() {
    int[] order = new int[nodes];
    for (int i = 0; i < nodes; i++) {
      int swapped = writes.nextInt(i + 1);
      order[i] = order[swapped];
      order[swapped] = i;
    }
    List<Integer> chosen = new ArrayList<>(profile.replication());
    double next = writes.nextDouble();
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

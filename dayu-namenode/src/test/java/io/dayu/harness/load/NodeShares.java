/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.load;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * How busy each node is in each direction, regime after regime. Not thread-safe.
 *
 * <p>Lognormal over nodes, with the coefficient of variation that is asked for (ATC'19, Observation 3: 0.4 to 0.6).
 * From one regime to the next most nodes drift a little (an AR(1) process) and some jump (Observation 5); a node's two
 * directions have half of their variance in common. The mean over nodes is the same in every regime, so that moments
 * can be compared with each other; no node is asked for more than {@link #MAX_UTILIZATION}, which lowers the
 * coefficient of variation somewhat where the mean is high.
 */
final class NodeShares {
  static final double MAX_UTILIZATION = 0.85;
  private static final double PERSISTENCE = 0.95;
  private static final double CORRELATION = Math.sqrt(0.5);

  private final double sigma;
  private final double jumpProbability;
  private final SplittableRandom random;
  private final double outgoingMean;
  private final double incomingMean;
  private final double[] outgoingState;
  private final double[] incomingState;
  private final double[] outgoing;
  private final double[] incoming;

  /** The first regime is drawn from {@code random}, as are all that follow. */
  NodeShares(LoadProfile profile, int nodes, SplittableRandom random) {
    this.sigma = Math.sqrt(Math.log1p(profile.coefficientOfVariation() * profile.coefficientOfVariation()));
    this.jumpProbability = profile.jumpProbability();
    this.random = random;
    this.outgoingMean = profile.outgoingUtilization();
    this.incomingMean = profile.incomingUtilization();
    this.outgoingState = new double[nodes];
    this.incomingState = new double[nodes];
    this.outgoing = new double[nodes];
    this.incoming = new double[nodes];
    draw(1);
  }

  void nextRegime() {
    draw(jumpProbability);
  }

  /** The fraction of a node's outgoing bandwidth that clients ask for. */
  double outgoing(int node) {
    return outgoing[node];
  }

  double incoming(int node) {
    return incoming[node];
  }

  private void draw(double chanceOfJump) {
    for (int node = 0; node < outgoing.length; node++) {
      double persistence = random.nextDouble() < chanceOfJump ? 0 : PERSISTENCE;
      double outgoingDraw = random.nextGaussian();
      double incomingDraw =
          CORRELATION * outgoingDraw + Math.sqrt(1 - CORRELATION * CORRELATION) * random.nextGaussian();
      double weight = Math.sqrt(1 - persistence * persistence);
      outgoingState[node] = persistence * outgoingState[node] + weight * outgoingDraw;
      incomingState[node] = persistence * incomingState[node] + weight * incomingDraw;
    }
    derive(outgoingState, outgoing, outgoingMean);
    derive(incomingState, incoming, incomingMean);
  }

  private void derive(double[] state, double[] utilization, double mean) {
    Arrays.setAll(utilization, node -> Math.exp(sigma * state[node]));
    scale(utilization, mean);
  }

  /**
   * Scales to the mean. What is cut off at the busiest nodes goes to the others; each round but the last cuts one more
   * node.
   */
  private static void scale(double[] utilization, double mean) {
    boolean[] cut = new boolean[utilization.length];
    for (boolean cutAnother = true; cutAnother;) {
      double left = mean * utilization.length;
      double sum = 0;
      for (int node = 0; node < cut.length; node++) {
        left -= cut[node] ? MAX_UTILIZATION : 0;
        sum += cut[node] ? 0 : utilization[node];
      }
      cutAnother = false;
      for (int node = 0; node < cut.length; node++) {
        if (!cut[node]) {
          utilization[node] *= left / sum;
          cut[node] = utilization[node] > MAX_UTILIZATION;
          cutAnother |= cut[node];
        }
      }
    }
    Arrays.setAll(utilization, node -> Math.min(MAX_UTILIZATION, utilization[node]));
  }
}

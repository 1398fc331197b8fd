/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import io.dayu.conf.Settings;

import java.util.HashMap;
import java.util.Map;

/**
 * How full the nodes' links are, as means over about {@link Settings#CREDIT_SEC}. A recovery without clients holds a
 * link at alpha, so that moments above and below it alternate, and only the mean tells whether it takes more than
 * alpha. Owned by the recovery loop; not thread-safe.
 */
final class MeanUtilization {
  /** A mean is above alpha when it exceeds it by this factor: recovery holds it at alpha, to within a packet. */
  private static final double TOLERANCE = 1.05;

  private static final class Node {
    private double in;
    private double out;
    private long lastNs;
  }

  private final Map<String, Node> nodes = new HashMap<>();

  /**
   * Records what a node's links carry, in fractions of their bandwidth.
   *
   * @return whether the mean of either is above alpha
   */
  boolean isAbove(double alpha, String node, double in, double out, long nowNs) {
    Node mean = nodes.get(node);
    if (mean == null || nowNs - mean.lastNs > Settings.CREDIT_SEC * 1e9) {
      mean = new Node();
      // The time before is unknown: assume that nothing was above alpha.
      mean.in = Math.min(alpha, in);
      mean.out = Math.min(alpha, out);
      nodes.put(node, mean);
    } else {
      double weight = 1 - Math.exp((mean.lastNs - nowNs) / (Settings.CREDIT_SEC * 1e9));
      mean.in += weight * (in - mean.in);
      mean.out += weight * (out - mean.out);
    }
    mean.lastNs = nowNs;
    return Math.max(mean.in, mean.out) > TOLERANCE * alpha;
  }

  /** Forgets all nodes: a recovery has ended. */
  void clear() {
    nodes.clear();
  }
}

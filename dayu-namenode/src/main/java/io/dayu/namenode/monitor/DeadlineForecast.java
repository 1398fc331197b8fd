/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.rules.RecoveryBandwidth;

import java.util.Collection;
import java.util.function.DoubleUnaryOperator;

/**
 * How long recovery takes for a number of bytes at which α, with the foreground of this moment. Immutable.
 *
 * @param loads of all nodes that send
 * @param targets the loads of those that may receive
 * @param minBytesPerSec B_min by a node's bandwidth, both in bytes a second
 * @param maxTotalBytesPerSec what an admin allows recovery in the whole cluster; 0 = no bound
 */
record DeadlineForecast(Collection<NodeLoad> loads, Collection<NodeLoad> targets, DoubleUnaryOperator minBytesPerSec,
    long maxTotalBytesPerSec) {
  /** What recovery achieves of what targets or sources may transfer together, until its rate is known. */
  static final double EFFICIENCY = 0.7;
  private static final double STEP = 0.05;

  /** What recovery may transfer at this α in the whole cluster: what targets may receive, or sources may send. */
  double bytesPerSec(double maxUtilization) {
    RecoveryBandwidth rule = new RecoveryBandwidth(maxUtilization, true);
    double in = targets.stream().mapToDouble(load -> bytesPerSec(rule, load.in())).sum();
    double out = loads.stream().mapToDouble(load -> bytesPerSec(rule, load.out())).sum();
    double both = Math.min(in, out);
    return maxTotalBytesPerSec > 0 ? Math.min(both, maxTotalBytesPerSec) : both;
  }

  private double bytesPerSec(RecoveryBandwidth rule, NodeLoad.Link link) {
    return rule.bytesPerSec(link.capacityBytesPerSec(), link.foregroundBytesPerSec(),
        minBytesPerSec.applyAsDouble(link.capacityBytesPerSec()));
  }

  /**
   * Seconds until these bytes are copied at this α.
   *
   * @param measuredUtilization α while the rate was measured
   * @param measuredSeconds what it takes at that α, by the rate that recovery had; negative = not known
   */
  double seconds(long bytes, double maxUtilization, double measuredUtilization, long measuredSeconds) {
    double possible = bytesPerSec(maxUtilization);
    if (bytes == 0) {
      return 0;
    }
    return measuredSeconds < 0 || possible == 0 ? bytes / (EFFICIENCY * possible)
        : measuredSeconds * bytesPerSec(measuredUtilization) / possible;
  }

  /** The lowest α from {@code min} on at which the bytes take no longer, in steps; {@code max} if there is none. */
  double neededUtilization(long bytes, double withinSeconds, double min, double max, double measuredUtilization,
      long measuredSeconds) {
    double needed = min;
    while (needed < max && seconds(bytes, needed, measuredUtilization, measuredSeconds) > withinSeconds) {
      needed = Math.min(max, Math.round(100 * (needed + STEP)) / 100.0);
    }
    return needed;
  }
}

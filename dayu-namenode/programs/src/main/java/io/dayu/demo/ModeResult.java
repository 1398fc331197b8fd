/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import io.dayu.harness.load.Latencies;
import io.dayu.harness.nic.Direction;
import io.dayu.harness.nic.NicSeries;
import io.dayu.harness.nic.Traffic;

import java.util.ArrayList;
import java.util.List;

/**
 * The result of one mode after the failure. Immutable.
 *
 * @param cutOff whether the demo stopped waiting before the end of recovery; times and ratio are then lower bounds
 * @param recoveryTimeSec from the moment when the node was declared dead until the last block was back, or the cut-off;
 *     not a number where nobody recovers
 * @param idealTimeSec what the same bytes would have taken with all that the foreground left of alpha times the
 *     bandwidth
 * @param blocks what was lost, and what came back
 * @param before foreground latencies before the failure
 * @param during foreground latencies after it, until the end of recovery or, where nobody recovers, for a set time
 * @param peakNicShare the largest share of a NIC, in one direction, that was used in three seconds of recovery
 * @param courses what the plots show
 */
record ModeResult(Mode mode, long seed, int killedNode, boolean cutOff, double recoveryTimeSec, double idealTimeSec,
    Blocks blocks, Latencies before, Latencies during, double peakNicShare, Courses courses) {

  /**
   * The blocks that lost a replica with the node.
   *
   * @param recovered those of them that were back at the end
   * @param bytes their sizes together
   */
  record Blocks(int lost, int recovered, long bytes) {
  }

  /**
   * What happened over time.
   *
   * @param recovered what came back
   * @param nicUse of each node and second
   * @param latencies of the foreground
   */
  record Courses(List<Recovered> recovered, List<NicUse> nicUse, List<LatencyWindow> latencies) {
    Courses {
      recovered = List.copyOf(recovered);
      nicUse = List.copyOf(nicUse);
      latencies = List.copyOf(latencies);
    }
  }

  /** How much had come back, {@code atSec} seconds after the loss. */
  record Recovered(double atSec, long bytes) {
  }

  /** What one direction of a node's NIC carried in the interval that ends {@code atSec} seconds after the loss. */
  record NicUse(double atSec, int node, Direction direction, double foregroundBytesPerSec, double recoveryBytesPerSec) {

    /** Of all nodes and both directions, with times counted from {@code zeroNs}. */
    static List<NicUse> of(NicSeries series, long zeroNs) {
      List<NicUse> uses = new ArrayList<>();
      for (int interval = 0; interval < series.intervals(); interval++) {
        double atSec = (series.samples().get(interval + 1).atNs() - zeroNs) / 1e9;
        for (int node = 0; node < series.nodes(); node++) {
          for (Direction direction : Direction.values()) {
            uses.add(
                new NicUse(atSec, node, direction, series.bytesPerSec(interval, node, direction, Traffic.FOREGROUND),
                    series.bytesPerSec(interval, node, direction, Traffic.RECOVERY)));
          }
        }
      }
      return uses;
    }
  }

  /** Foreground latencies in a window around {@code atSec} seconds after the loss; negative before it. */
  record LatencyWindow(double atSec, Latencies latencies) {
  }

  double ratioToIdeal() {
    return recoveryTimeSec / idealTimeSec;
  }
}

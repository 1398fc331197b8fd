/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.nic;

import java.util.List;

/**
 * The shortest time in which the lost bytes could have been restored beside the foreground that there was (ATC'19 §2.2,
 * Obs. 2): until the sum over the nodes of max(0, α·B − foreground), integrated over time, is as much as was lost, in
 * the direction that takes longer. Stateless.
 *
 * <p>It supposes that every byte may go from any node to any other, at no delay. Time begins with the first sample, so
 * the series should begin when recovery could. Where the series ends before the bytes are restored, the foreground goes
 * on at its mean over the whole series, node by node. Foreground is what the NICs carried, not what clients wanted.
 * Where recovery delayed clients, it is too low, and the ideal time is too short: so interference with clients is no
 * advantage. To compare runs, take one series for all.
 *
 * <p>There is no B_min, unlike in {@code IdealTime} of the benchmark on hosts and in {@code IdealRecovery} of the
 * simulator, which says how the three differ.
 */
public final class MeasuredIdeal {
  private MeasuredIdeal() {
  }

  /**
   * The ideal time in seconds; infinite if the foreground leaves nothing.
   *
   * @param series at least two samples
   * @param nodes the nodes that take part: those that live
   * @param alpha how much of a link recovery and foreground may use together
   * @param linkBytesPerSec B, what each NIC carries in each direction
   */
  public static double seconds(NicSeries series, List<Integer> nodes, double alpha, long linkBytesPerSec,
      long lostBytes) {
    if (series.intervals() == 0) {
      throw new IllegalArgumentException("a series of " + series.samples().size() + " samples");
    }
    double maxBytesPerSec = alpha * linkBytesPerSec;
    return Math.max(seconds(series, nodes, maxBytesPerSec, lostBytes, Direction.IN),
        seconds(series, nodes, maxBytesPerSec, lostBytes, Direction.OUT));
  }

  private static double seconds(NicSeries series, List<Integer> nodes, double maxBytesPerSec, long lostBytes,
      Direction direction) {
    double elapsedSec = 0;
    double leftBytes = lostBytes;
    for (int interval = 0; interval < series.intervals(); interval++) {
      double idleBytesPerSec = 0;
      for (int node : nodes) {
        idleBytesPerSec +=
            Math.max(0, maxBytesPerSec - series.bytesPerSec(interval, node, direction, Traffic.FOREGROUND));
      }
      if (idleBytesPerSec * series.seconds(interval) >= leftBytes) {
        return leftBytes == 0 ? elapsedSec : elapsedSec + leftBytes / idleBytesPerSec;
      }
      leftBytes -= idleBytesPerSec * series.seconds(interval);
      elapsedSec += series.seconds(interval);
    }
    List<Double> meanBytesPerSec = series.meanBytesPerSec(direction, Traffic.FOREGROUND);
    double idleBytesPerSec =
        nodes.stream().mapToDouble(node -> Math.max(0, maxBytesPerSec - meanBytesPerSec.get(node))).sum();
    return elapsedSec + leftBytes / idleBytesPerSec;
  }
}

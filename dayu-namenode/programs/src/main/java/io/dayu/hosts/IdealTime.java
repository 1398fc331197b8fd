/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.util.List;

/**
 * The shortest time in which the lost bytes could have been restored beside the foreground of the run in which nobody
 * recovers: until the sum over the survivors of max(α·B − foreground, B_min) is as much as was lost, in the direction
 * that takes longer (ATC'19, equation 1). B_min never exceeds what foreground leaves of the link. Stateless.
 *
 * <p>{@code IdealRecovery} of the simulator says how its ideal, this one and that of the demo differ.
 */
final class IdealTime {
  /** Which part of a link recovery and foreground may use together. */
  static final double ALPHA = 0.75;
  /** B_min as a part of the link. */
  static final double MIN_SHARE = 0.12;

  private IdealTime() {
  }

  /**
   * In seconds. Where the series end before the bytes are restored, the foreground goes on at the mean of the series.
   *
   * @param received bytes that each survivor received in each second from the loss on; at least one second
   * @param sent the same for what it sent
   */
  static double seconds(List<double[]> received, List<double[]> sent, double linkBytesPerSec, long lostBytes) {
    return Math.max(seconds(received, linkBytesPerSec, lostBytes), seconds(sent, linkBytesPerSec, lostBytes));
  }

  private static double seconds(List<double[]> series, double linkBytesPerSec, double lostBytes) {
    int length = series.stream().mapToInt(node -> node.length).min().orElseThrow();
    double restoredBytes = 0;
    for (int second = 0; second < length; second++) {
      double capacityBytes = 0;
      for (double[] node : series) {
        capacityBytes += recoveryBytesPerSec(node[second], linkBytesPerSec);
      }
      if (restoredBytes + capacityBytes >= lostBytes) {
        return second + (lostBytes - restoredBytes) / capacityBytes;
      }
      restoredBytes += capacityBytes;
    }
    return length + (lostBytes - restoredBytes) / (restoredBytes / length);
  }

  /**
   * What recovery can move over a link in the first seconds. Where the series ends, the foreground goes on at its mean.
   *
   * @param foreground bytes in each second; at least one second
   */
  static double recoveryBytes(double[] foreground, double linkBytesPerSec, double seconds) {
    double bytes = 0;
    for (int second = 0; second < foreground.length && second < seconds; second++) {
      bytes += recoveryBytesPerSec(foreground[second], linkBytesPerSec) * Math.min(1, seconds - second);
    }
    return seconds <= foreground.length ? bytes : bytes * seconds / foreground.length;
  }

  private static double recoveryBytesPerSec(double foreground, double link) {
    return Math.max(ALPHA * link - foreground, Math.max(0, Math.min(MIN_SHARE * link, link - foreground)));
  }
}

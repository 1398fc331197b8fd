/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

/**
 * The interference factor (ATC'19 §5, equations 3 and 4): traffic above 75 % of a link, as a share of all links.
 * Averaged over the whole recovery, all surviving nodes and both directions. Not thread-safe.
 */
final class InterferenceMeter {
  private final Replicas replicas;
  private double overloadBytes;
  private double foregroundOverloadBytes;
  private double displacedBytes;
  private double capacityBytes;
  private final long[] totalBytesPerSec;

  InterferenceMeter(Replicas replicas, long[] totalBytesPerSec) {
    this.replicas = replicas;
    this.totalBytesPerSec = totalBytesPerSec;
  }

  /** Adds a span of time with the bytes that recovery moved in it, by node, in one direction. */
  void add(double[] movedBytes, long[] foregroundBytesPerSec, double seconds) {
    for (int node = 0; node < movedBytes.length; node++) {
      if (!replicas.isDown(node)) {
        double linkBytes = totalBytesPerSec[node] * seconds;
        double threshold = SimulationSettings.OVERLOAD_SHARE * linkBytes;
        double foregroundBytes = foregroundBytesPerSec[node] * seconds;
        double displaced = Math.max(0, foregroundBytes + movedBytes[node] - linkBytes);
        displacedBytes += displaced;
        overloadBytes += Math.max(0, movedBytes[node] + foregroundBytes - displaced - threshold);
        foregroundOverloadBytes += Math.max(0, foregroundBytes - threshold);
        capacityBytes += linkBytes;
      }
    }
  }

  Interference total() {
    return capacityBytes == 0 ? Interference.NONE
        : new Interference(100 * overloadBytes / capacityBytes, 100 * foregroundOverloadBytes / capacityBytes,
            Math.round(Math.max(0, overloadBytes - foregroundOverloadBytes)), Math.round(displacedBytes));
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim;

import java.util.Arrays;

/**
 * The links of the racks to the rest of the cluster, of a capacity each way. Immutable by convention: the array is
 * shared.
 *
 * @param bytesPerSec capacity of each rack's, each way; empty if they are never the bottleneck
 * @param foregroundShare share of the foreground of each node that crosses them
 */
public record Uplinks(long[] bytesPerSec, double foregroundShare) {
  /** Never the bottleneck. */
  public static final Uplinks UNBOUNDED = new Uplinks(new long[0], 0);

  public Uplinks {
    if (Arrays.stream(bytesPerSec).anyMatch(capacity -> capacity < 1)) {
      throw new IllegalArgumentException("uplink = " + Arrays.stream(bytesPerSec).min().orElse(0)
          + " bytes/s, expected at least 1 byte/s");
    }
    if (!(foregroundShare >= 0 && foregroundShare <= 1)) {
      throw new IllegalArgumentException("foreground share of the uplinks = " + foregroundShare + ", expected 0 to 1");
    }
  }

  /** Uplinks of {@code racks} racks, all of one capacity. */
  public static Uplinks of(int racks, long bytesPerSec, double foregroundShare) {
    long[] capacity = new long[racks];
    Arrays.fill(capacity, bytesPerSec);
    return new Uplinks(capacity, foregroundShare);
  }

  /**
   * Uplinks that carry what their rack's nodes can send together, divided by {@code ratio}.
   *
   * @param rackBytesPerSec what the nodes of each rack can send together
   */
  public static Uplinks oversubscribed(long[] rackBytesPerSec, double ratio, double foregroundShare) {
    if (!(ratio > 0 && ratio <= 1e6)) {
      throw new IllegalArgumentException("oversubscription = " + ratio + ", expected above 0 and at most 1000000");
    }
    return new Uplinks(Arrays.stream(rackBytesPerSec).map(bytes -> (long) (bytes / ratio)).toArray(), foregroundShare);
  }

  public boolean bounded() {
    return bytesPerSec.length > 0;
  }
}

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
 * What each node can carry and hold. Immutable by convention: the arrays are shared.
 *
 * @param bytesPerSec B_total by node, each way: the lesser of what its network interface and its disks carry
 * @param freeBytes room for copies by node
 */
public record Capacities(long[] bytesPerSec, long[] freeBytes) {
  public Capacities {
    if (bytesPerSec.length != freeBytes.length) {
      throw new IllegalArgumentException(bytesPerSec.length + " bandwidths for " + freeBytes.length + " free spaces");
    }
    for (long bytes : bytesPerSec) {
      if (bytes < 1) {
        throw new IllegalArgumentException("bandwidth = " + bytes + ", expected at least 1 byte/s");
      }
    }
  }

  /** All alike, with room without end. */
  public static Capacities alike(int nodes, long bytesPerSec) {
    long[] all = new long[nodes];
    Arrays.fill(all, bytesPerSec);
    long[] free = new long[nodes];
    Arrays.fill(free, Long.MAX_VALUE);
    return new Capacities(all, free);
  }
}

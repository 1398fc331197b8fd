/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.sim.Cluster;

/**
 * The foreground that a step has to carry: what arrives in it, and what recovery delayed before. Not thread-safe;
 * arrays are sized once.
 */
final class Backlog {
  private final long[] linkBytesPerSec;
  private final long[] in;
  private final long[] out;
  /** By link: what nodes send, then what they receive. */
  private final double[] waitingBytes;

  Backlog(Cluster cluster) {
    linkBytesPerSec = cluster.capacities().bytesPerSec();
    in = new long[cluster.nodes()];
    out = new long[cluster.nodes()];
    waitingBytes = new double[2 * cluster.nodes()];
  }

  /** Adds what arrives in the next step. What exceeds the link waits. */
  void add(long[] comingIn, long[] comingOut, double seconds) {
    add(comingOut, 0, out, seconds);
    add(comingIn, in.length, in, seconds);
  }

  private void add(long[] coming, int firstLink, long[] wanted, double seconds) {
    for (int node = 0; node < coming.length; node++) {
      double bytes = coming[node] * seconds + waitingBytes[firstLink + node];
      double fits = Math.min(bytes, linkBytesPerSec[node] * seconds);
      wanted[node] = Math.round(fits / seconds);
      waitingBytes[firstLink + node] = bytes - fits;
    }
  }

  /** Keeps the foreground that recovery, which moved these bytes, delayed in the step. */
  void keep(double[] movedIn, double[] movedOut, double seconds) {
    for (int node = 0; node < in.length; node++) {
      waitingBytes[node] += Math.max(0, out[node] * seconds + movedOut[node] - linkBytesPerSec[node] * seconds);
      waitingBytes[in.length + node] +=
          Math.max(0, in[node] * seconds + movedIn[node] - linkBytesPerSec[node] * seconds);
    }
  }

  /** What does not fit into the step, by link: what nodes send, then what they receive. A live view. */
  double[] waitingBytes() {
    return waitingBytes;
  }

  /** Foreground of the step in bytes/s by node. A live view. */
  long[] in() {
    return in;
  }

  long[] out() {
    return out;
  }
}

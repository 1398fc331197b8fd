/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.sim.SeedMix;
import io.dayu.sim.foreground.ForegroundHistory;

/**
 * What the scheduler knows of the foreground: reports that are averages over an interval, some time old. Not thread-safe.
 */
final class KnownForeground {
  private final SimulationSettings settings;
  private final long[] in;
  private final long[] out;

  KnownForeground(SimulationSettings settings, int nodes) {
    this.settings = settings;
    in = new long[nodes];
    out = new long[nodes];
  }

  /** Turns to a plan whose snapshot is taken now. */
  void look(ForegroundHistory history, long nowMs) {
    if (settings.knowledge() == Knowledge.CURRENT_SLOT) {
      System.arraycopy(history.in(), 0, in, 0, in.length);
      System.arraycopy(history.out(), 0, out, 0, out.length);
      return;
    }
    long interval = settings.reportIntervalMs();
    for (int node = 0; node < in.length; node++) {
      long phase = settings.reportsSpread() ? SeedMix.below(SeedMix.seed(0, node), (int) interval) : 0;
      long reported = Math.floorDiv(nowMs - settings.reportDelayMs() - phase, interval) * interval + phase;
      in[node] = history.meanIn(node, reported - interval, reported);
      out[node] = history.meanOut(node, reported - interval, reported);
    }
  }

  /** Bytes/s by node, live. */
  long[] in() {
    return in;
  }

  long[] out() {
    return out;
  }
}

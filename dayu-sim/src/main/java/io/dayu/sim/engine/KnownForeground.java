/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.schedule.forecast.ForegroundForecast;
import io.dayu.schedule.forecast.ObservedForeground;
import io.dayu.sim.Cluster;
import io.dayu.sim.SeedMix;
import io.dayu.sim.foreground.ForegroundHistory;
import io.dayu.sim.foreground.ForegroundModel;

import java.util.Arrays;

/**
 * The foreground that the scheduler knows: it comes from reports, each the mean over an interval that ended some time
 * ago. Not thread-safe.
 */
final class KnownForeground {
  private final SimulationSettings settings;
  private final long[] totalBytesPerSec;
  private final ForegroundForecast forecast;
  private final ObservedForeground[] histories;
  private final long[] in;
  private final long[] out;

  KnownForeground(SimulationSettings settings, Cluster cluster) {
    this.settings = settings;
    totalBytesPerSec = cluster.capacities().bytesPerSec();
    forecast = settings.refinements().forecast().get();
    in = new long[cluster.nodes()];
    out = new long[cluster.nodes()];
    histories = new ObservedForeground[2 * cluster.nodes()];
    Arrays.setAll(histories, link -> new ObservedForeground());
  }

  /** Lets the forecast learn from the reports of the past, as far back as it is known, one for each planning period. */
  void learn(ForegroundHistory history, ForegroundModel model) {
    if (settings.knowledge() == Knowledge.LAST_REPORT && !forecast.name().equals("last")) {
      long periodMs = settings.planning().timeslotMs();
      long reachMs = ForegroundHistory.reachMs(model) - settings.reports().intervalMs() - settings.reports().windowMs()
          - settings.reports().delayMs();
      for (long rounds = reachMs / periodMs; rounds > 0; rounds--) {
        read(history, -rounds * periodMs);
        observe();
      }
    }
  }

  /** Updates the foreground for a snapshot that is taken now. */
  void look(ForegroundHistory history, long nowMs) {
    if (settings.knowledge() == Knowledge.CURRENT_SLOT) {
      System.arraycopy(history.in(), 0, in, 0, in.length);
      System.arraycopy(history.out(), 0, out, 0, out.length);
      return;
    }
    read(history, nowMs);
    observe();
    for (int node = 0; node < in.length; node++) {
      in[node] = expected(node, histories[node], in[node]);
      out[node] = expected(node, histories[in.length + node], out[node]);
    }
  }

  private void read(ForegroundHistory history, long nowMs) {
    long interval = settings.reports().intervalMs();
    for (int node = 0; node < in.length; node++) {
      long phase = settings.reports().spread() ? SeedMix.below(SeedMix.seed(0, node), (int) interval) : 0;
      long reported = Math.floorDiv(nowMs - settings.reports().delayMs() - phase, interval) * interval + phase;
      in[node] = history.meanIn(node, reported - settings.reports().windowMs(), reported);
      out[node] = history.meanOut(node, reported - settings.reports().windowMs(), reported);
    }
  }

  private void observe() {
    forecast.beginRound();
    for (int node = 0; node < in.length; node++) {
      forecast.observe(histories[node], (double) in[node] / totalBytesPerSec[node]);
      forecast.observe(histories[in.length + node], (double) out[node] / totalBytesPerSec[node]);
    }
  }

  private long expected(int node, ObservedForeground link, long bytesPerSec) {
    return Math.round(forecast.forecast(link, (double) bytesPerSec / totalBytesPerSec[node]) * totalBytesPerSec[node]);
  }

  /** Bytes/s by node, live. */
  long[] in() {
    return in;
  }

  long[] out() {
    return out;
  }
}

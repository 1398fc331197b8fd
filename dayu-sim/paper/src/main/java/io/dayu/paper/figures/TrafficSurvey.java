/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.figures;

import io.dayu.paper.study.Sample;
import io.dayu.sim.foreground.ForegroundModel;
import io.dayu.sim.foreground.ForegroundStream;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What one pass over foreground traffic tells of its imbalance and its changes (ATC'19 Fig. 1c, d, h). Filled once,
 * then immutable.
 */
final class TrafficSurvey {
  private static final int HOUR_SLOTS = 240;
  private static final int DAY_SLOTS = 24 * HOUR_SLOTS;
  static final double[] CHANGE_QUANTILES = {0, 0.025, 0.5, 0.975, 1};

  /** Coefficients of variation across nodes of means over some slots, of one direction. */
  static final class Imbalance {
    private final double[] sum;
    private final int slots;
    private int added;
    private final List<Double> covs = new ArrayList<>();

    private Imbalance(int nodes, int slots) {
      sum = new double[nodes];
      this.slots = slots;
    }

    private void add(long[] rates) {
      for (int node = 0; node < sum.length; node++) {
        sum[node] += rates[node];
      }
      if (++added == slots) {
        Sample sample = new Sample(sum);
        covs.add(sample.deviation() / sample.mean());
        added = 0;
        Arrays.fill(sum, 0);
      }
    }

    /** One number for each whole span. */
    Sample covs() {
      return new Sample(covs.stream().mapToDouble(cov -> cov).toArray());
    }
  }

  /** By direction (0 in, 1 out) and span (a slot, an hour, a day). */
  final Imbalance[][] imbalance = new Imbalance[2][];
  /** For each slot but the first, {@link #CHANGE_QUANTILES} of the changes of all links in bytes/s. */
  final List<double[]> changes = new ArrayList<>();
  private final double small;
  private long smallChanges;
  private long allChanges;

  /** @param smallBytesPerSec what counts as a small change */
  TrafficSurvey(ForegroundModel model, int slots, double smallBytesPerSec) {
    small = smallBytesPerSec;
    int nodes = model.nodes();
    for (int direction = 0; direction < 2; direction++) {
      imbalance[direction] = new Imbalance[] {new Imbalance(nodes, 1), new Imbalance(nodes, HOUR_SLOTS),
          new Imbalance(nodes, DAY_SLOTS)};
    }
    ForegroundStream stream = model.open(0);
    long[][] now = new long[2][nodes];
    long[][] before = new long[2][nodes];
    for (int slot = 0; slot < slots; slot++) {
      stream.next(now[0], now[1]);
      for (int direction = 0; direction < 2; direction++) {
        for (Imbalance span : imbalance[direction]) {
          span.add(now[direction]);
        }
      }
      if (slot > 0) {
        addChanges(now, before);
      }
      long[][] swap = before;
      before = now;
      now = swap;
    }
  }

  private void addChanges(long[][] now, long[][] before) {
    int nodes = now[0].length;
    double[] change = new double[2 * nodes];
    for (int link = 0; link < change.length; link++) {
      int direction = link / nodes;
      change[link] = now[direction][link % nodes] - before[direction][link % nodes];
      smallChanges += Math.abs(change[link]) <= small ? 1 : 0;
    }
    allChanges += change.length;
    Arrays.sort(change);
    double[] quantiles = new double[CHANGE_QUANTILES.length];
    for (int i = 0; i < quantiles.length; i++) {
      quantiles[i] = change[(int) Math.round(CHANGE_QUANTILES[i] * (change.length - 1))];
    }
    changes.add(quantiles);
  }

  double shareOfSmallChanges() {
    return (double) smallChanges / allChanges;
  }

  double largestChange() {
    return changes.stream().mapToDouble(q -> Math.max(-q[0], q[q.length - 1])).max().orElse(Double.NaN);
  }
}

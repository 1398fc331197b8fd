/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.foreground;

import com.google.common.math.Quantiles;
import com.google.common.math.StatsAccumulator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;

/**
 * What the paper publishes of its traffic (ATC'19 §2.2), measured on any model; both directions count alike. Immutable.
 *
 * @param meanShare mean as a share of B_total
 * @param slotCov coefficient of variation across nodes within a slot: 5th, 50th and 95th percentile over the slots in
 *     which there is traffic; NaN without any
 * @param hourCov the same for means over an hour, averaged over the hours; NaN if none is whole
 * @param dayCov for means over a day
 * @param smallChanges share of changes between two slots that are within 14.4 % of B_total
 * @param largestChange the largest change, as a share of B_total
 * @param lagOneCorrelation correlation of a node's deviation from its own mean with that of the slot before
 */
public record ForegroundStatistics(double meanShare, double[] slotCov, double hourCov, double dayCov,
    double smallChanges, double largestChange, double lagOneCorrelation) {
  private static final double SMALL_CHANGE = 0.144;
  private static final long HOUR_MS = 3600 * 1000L;

  /** Reads this number of slots of the model. */
  public static ForegroundStatistics of(ForegroundModel model, long firstSlot, int slots, long totalBytesPerSec) {
    return new Reading(model, totalBytesPerSec).read(firstSlot, slots);
  }

  /** One pass over a model; nothing is kept but sums. Not thread-safe. */
  private static final class Reading {
    private final ForegroundModel model;
    private final double total;
    private final int links;
    private final double[] sum;
    private final double[] squares;
    private final double[] products;
    private final double[] first;
    private final SpanMeans hour;
    private final SpanMeans day;
    private double[] before;
    private double[] now;
    private long small;
    private long changes;
    private double largest;

    Reading(ForegroundModel model, long totalBytesPerSec) {
      this.model = model;
      total = totalBytesPerSec;
      links = 2 * model.nodes();
      sum = new double[links];
      squares = new double[links];
      products = new double[links];
      first = new double[links];
      hour = new SpanMeans(links, (int) (HOUR_MS / model.slotMs()));
      day = new SpanMeans(links, (int) (24 * HOUR_MS / model.slotMs()));
      before = new double[links];
      now = new double[links];
    }

    ForegroundStatistics read(long firstSlot, int slots) {
      ForegroundStream stream = model.open(firstSlot);
      long[] in = new long[model.nodes()];
      long[] out = new long[model.nodes()];
      List<Double> cov = new ArrayList<>();
      for (int slot = 0; slot < slots; slot++) {
        stream.next(in, out);
        for (int node = 0; node < model.nodes(); node++) {
          now[node] = in[node] / total;
          now[model.nodes() + node] = out[node] / total;
        }
        add(slot);
        double ofSlot = covOfBothDirections(now);
        if (!Double.isNaN(ofSlot)) {
          cov.add(ofSlot);
        }
        double[] swap = before;
        before = now;
        now = swap;
      }
      Map<Integer, Double> covs = cov.isEmpty() ? Map.of(5, Double.NaN, 50, Double.NaN, 95, Double.NaN)
          : Quantiles.percentiles().indexes(5, 50, 95).compute(cov);
      return new ForegroundStatistics(Arrays.stream(sum).sum() / links / slots,
          new double[] {covs.get(5), covs.get(50), covs.get(95)}, hour.cov(), day.cov(),
          changes == 0 ? Double.NaN : (double) small / changes, largest, lagOne(slots));
    }

    private void add(int slot) {
      for (int link = 0; link < links; link++) {
        double x = now[link];
        sum[link] += x;
        squares[link] += x * x;
        if (slot == 0) {
          first[link] = x;
        } else {
          double change = Math.abs(x - before[link]);
          products[link] += x * before[link];
          small += change <= SMALL_CHANGE ? 1 : 0;
          largest = Math.max(largest, change);
          changes++;
        }
      }
      hour.add(now);
      day.add(now);
    }

    /** The usual estimate, which is never beyond 1: both sums are of deviations from the mean of all slots. */
    private double lagOne(int slots) {
      double covariance = 0;
      double variance = 0;
      for (int link = 0; link < links; link++) {
        double mean = sum[link] / slots;
        variance += squares[link] - slots * mean * mean;
        // Since the last swap, before is the last slot.
        double others = 2 * sum[link] - first[link] - before[link];
        covariance += products[link] - mean * others + (slots - 1) * mean * mean;
      }
      return covariance / variance;
    }
  }

  /** Mean of the coefficients of variation of the two halves, which are the two directions; NaN if both are idle. */
  private static double covOfBothDirections(double[] values) {
    int half = values.length / 2;
    return DoubleStream.of(cov(values, 0, half), cov(values, half, values.length)).filter(cov -> !Double.isNaN(cov))
        .average().orElse(Double.NaN);
  }

  private static double cov(double[] values, int from, int to) {
    StatsAccumulator stats = new StatsAccumulator();
    for (int i = from; i < to; i++) {
      stats.add(values[i]);
    }
    return stats.populationStandardDeviation() / stats.mean();
  }

  /** Means over spans of many slots, and how far they lie apart. Not thread-safe. */
  private static final class SpanMeans {
    private final double[] sum;
    private final int slots;
    private int added;
    private double covs;
    private int spans;

    SpanMeans(int links, int slots) {
      sum = new double[links];
      this.slots = slots;
    }

    void add(double[] values) {
      for (int link = 0; link < sum.length; link++) {
        sum[link] += values[link];
      }
      if (++added == slots) {
        double cov = covOfBothDirections(sum);
        covs += Double.isNaN(cov) ? 0 : cov;
        spans += Double.isNaN(cov) ? 0 : 1;
        added = 0;
        Arrays.fill(sum, 0);
      }
    }

    double cov() {
      return spans == 0 ? Double.NaN : covs / spans;
    }
  }
}

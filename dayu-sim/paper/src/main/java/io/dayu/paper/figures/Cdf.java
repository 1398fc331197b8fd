/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.figures;

import io.dayu.paper.study.Sample;
import io.dayu.sim.plot.CsvTable;
import io.dayu.sim.plot.Points;

import java.util.Arrays;

/**
 * A cumulative distribution, thinned out to what a plot can show. Immutable by convention: the array is shared.
 *
 * @param sorted the values in ascending order
 */
record Cdf(double[] sorted) {
  private static final int MAX_POINTS = 200;

  static Cdf of(Sample sample) {
    double[] sorted = sample.values().clone();
    Arrays.sort(sorted);
    return new Cdf(sorted);
  }

  /** Adds the points as a series of a plot and as rows (series, value, share). */
  void addTo(Points points, CsvTable table, String series) {
    int count = Math.min(MAX_POINTS, sorted.length);
    if (count > 0) {
      points.add(series, sorted[0], 0);
    }
    for (int i = 1; i <= count; i++) {
      int at = (int) Math.round((double) i / count * sorted.length) - 1;
      double share = (at + 1.0) / sorted.length;
      points.add(series, sorted[at], share);
      table.row(series, sorted[at], share);
    }
  }
}

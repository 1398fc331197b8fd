/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.study;

import com.google.common.math.PairedStatsAccumulator;
import com.google.common.math.Stats;

import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;

/** A handful of measured numbers, in the order of their cases. Immutable by convention: the array is shared. */
public record Sample(double[] values) {

  public int count() {
    return values.length;
  }

  public double mean() {
    return count() == 0 ? Double.NaN : Stats.meanOf(values);
  }

  /** Standard deviation of the population that these were drawn from; NaN of fewer than two. */
  public double deviation() {
    return count() < 2 ? Double.NaN : Stats.of(values).sampleStandardDeviation();
  }

  /** Standard error of the mean. */
  public double error() {
    return deviation() / Math.sqrt(count());
  }

  /** @param share 0 for the least, 1 for the largest */
  public double quantile(double share) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[(int) Math.round(share * (sorted.length - 1))];
  }

  public Sample map(DoubleUnaryOperator function) {
    return new Sample(Arrays.stream(values).map(function).toArray());
  }

  /** Case by case, these less the others. */
  public Sample minus(Sample other) {
    return combine(other, -1);
  }

  /**
   * Case by case, these and the others as their logarithms, subtracted: the mean is the logarithm of the mean ratio.
   */
  public Sample logRatio(Sample other) {
    return map(Math::log).minus(other.map(Math::log));
  }

  private Sample combine(Sample other, double factor) {
    if (other.count() != count()) {
      throw new IllegalArgumentException(count() + " and " + other.count() + " cases cannot be compared one by one");
    }
    double[] combined = new double[count()];
    for (int i = 0; i < combined.length; i++) {
      combined[i] = values[i] + factor * other.values[i];
    }
    return new Sample(combined);
  }

  /** Pearson's coefficient of correlation; NaN if either does not vary. */
  public double correlation(Sample other) {
    PairedStatsAccumulator pairs = new PairedStatsAccumulator();
    for (int i = 0; i < count(); i++) {
      pairs.add(values[i], other.values[i]);
    }
    boolean vary = count() > 1 && pairs.xStats().populationVariance() > 0 && pairs.yStats().populationVariance() > 0;
    return vary ? pairs.pearsonsCorrelationCoefficient() : Double.NaN;
  }
}

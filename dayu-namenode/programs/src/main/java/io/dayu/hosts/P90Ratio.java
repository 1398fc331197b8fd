/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.RunRecord.EndedOperation;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The 90th percentile of latencies divided by that of other ones, with its 95 % interval by bootstrap: both sets are
 * drawn anew, with replacement, a thousand times. It takes operations as independent, so it is rather too narrow.
 * Immutable.
 */
record P90Ratio(double value, double low, double high) {
  private static final int RESAMPLES = 1_000;
  private static final long SEED = 1;
  private static final double P90 = 0.9;

  static P90Ratio of(List<EndedOperation> operations, List<EndedOperation> reference) {
    return of(Latency.sortedMs(operations), Latency.sortedMs(reference));
  }

  /** @param sortedMs latencies in ascending order */
  static P90Ratio of(double[] sortedMs, double[] referenceMs) {
    if (sortedMs.length == 0 || referenceMs.length == 0) {
      return new P90Ratio(Double.NaN, Double.NaN, Double.NaN);
    }
    SplittableRandom random = new SplittableRandom(SEED);
    double[] ratios = new double[RESAMPLES];
    for (int i = 0; i < RESAMPLES; i++) {
      ratios[i] = resampledP90(sortedMs, random) / resampledP90(referenceMs, random);
    }
    Arrays.sort(ratios);
    return new P90Ratio(Latency.percentile(sortedMs, P90) / Latency.percentile(referenceMs, P90),
        Latency.percentile(ratios, 0.025), Latency.percentile(ratios, 0.975));
  }

  private static double resampledP90(double[] values, SplittableRandom random) {
    double[] drawn = new double[values.length];
    for (int i = 0; i < drawn.length; i++) {
      drawn[i] = values[random.nextInt(values.length)];
    }
    Arrays.sort(drawn);
    return Latency.percentile(drawn, P90);
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.load;

import org.HdrHistogram.Histogram;

/**
 * What the operations planned in some window took, counted from their planned moments. Immutable.
 *
 * @param unfinished operations of the window that were still under way when this was asked for, and so are in no
 *     percentile
 * @param failed operations of the window that ended with an error, which are in no percentile either
 */
public record Latencies(Percentiles reads, Percentiles writes, Percentiles all, int unfinished, int failed) {

  /**
   * Percentiles of one kind of operation; not a number where there was none.
   *
   * @param count how many operations were finished
   */
  public record Percentiles(long count, double p50Ms, double p90Ms, double p99Ms, double maxMs) {
    static Percentiles of(Histogram us) {
      return us.getTotalCount() == 0 ? new Percentiles(0, Double.NaN, Double.NaN, Double.NaN, Double.NaN)
          : new Percentiles(us.getTotalCount(), us.getValueAtPercentile(50) / 1e3, us.getValueAtPercentile(90) / 1e3,
              us.getValueAtPercentile(99) / 1e3, us.getMaxValue() / 1e3);
    }
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.RunRecord.EndedOperation;

import java.util.List;

/**
 * Percentiles of latencies in milliseconds; an operation that did not end counts as longer than all others, one that
 * failed not at all. Immutable.
 *
 * @param count of operations, those that failed not included
 */
record Latency(int count, double p50Ms, double p90Ms, double p99Ms) {

  static Latency of(List<EndedOperation> operations) {
    double[] sorted = sortedMs(operations);
    return new Latency(sorted.length, percentile(sorted, 0.5), percentile(sorted, 0.9), percentile(sorted, 0.99));
  }

  static double[] sortedMs(List<EndedOperation> operations) {
    return operations.stream().filter(operation -> !operation.failed())
        .mapToDouble(operation -> operation.ended() ? operation.latencyMs() : Double.POSITIVE_INFINITY).sorted()
        .toArray();
  }

  static double percentile(double[] sorted, double fraction) {
    return sorted.length == 0 ? Double.NaN : sorted[(int) Math.ceil(fraction * sorted.length) - 1];
  }
}

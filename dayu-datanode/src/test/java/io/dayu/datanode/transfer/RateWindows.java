/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;

/** Samples of a counter, and how much it grew at most within any window of a given length. Not thread-safe. */
final class RateWindows {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** The counter was read between these moments: on a busy machine they may be far apart. */
  private record Sample(long beforeNs, long count, long afterNs) {
  }

  private final LongSupplier counter;
  private final List<Sample> samples = new ArrayList<>();

  RateWindows(LongSupplier counter) {
    this.counter = counter;
  }

  /** Takes samples until the condition holds. */
  void sampleUntil(String what, Callable<Boolean> condition) throws Exception {
    Poll.until(what, LIMIT, () -> {
      sample();
      return condition.call();
    }, counter::getAsLong);
  }

  void sample() {
    long beforeNs = System.nanoTime();
    long count = counter.getAsLong();
    samples.add(new Sample(beforeNs, count, System.nanoTime()));
  }

  /** The largest growth between two samples that are surely no further apart than this. */
  long maxBytes(Duration window) {
    long max = 0;
    int first = 0;
    for (int last = 0; last < samples.size(); last++) {
      while (first < last && samples.get(last).afterNs() - samples.get(first).beforeNs() > window.toNanos()) {
        first++;
      }
      max = Math.max(max, samples.get(last).count() - samples.get(first).count());
    }
    return max;
  }
}

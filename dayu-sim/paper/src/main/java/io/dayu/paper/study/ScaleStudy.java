/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.study;

import io.dayu.sim.algorithm.Algorithms;
import io.dayu.sim.engine.Knowledge;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Throughputs of clusters of several sizes, one measured after the other, since the time of planning counts. Owned by
 * one thread.
 *
 * @param store where results are kept
 * @param nodes sizes, ascending
 * @param algorithms names
 * @param spanMs simulated time
 * @param paperThreads whether random kinds plan on as many threads as the paper gives them, else all on one
 */
public record ScaleStudy(ResultStore store, List<Integer> nodes, List<String> algorithms, Knowledge knowledge,
    List<Long> seeds, long spanMs, boolean paperThreads) {
  private static final int WARM_UP_NODES = 1000;
  private static final int WARM_UP_SHARE = 10;

  /** Measurements in all. */
  public int count() {
    return nodes.size() * algorithms.size() * seeds.size();
  }

  /** Measures what the store does not have yet; progress receives the number done. */
  public void run(IntConsumer progress) throws IOException {
    int done = 0;
    for (int size : nodes) {
      for (String algorithm : algorithms) {
        for (long seed : seeds) {
          Throughput.Spec spec = spec(size, algorithm, seed);
          if (store.get(spec.options()) == null) {
            store.put(spec.options(), measure(spec).values());
          }
          progress.accept(++done);
        }
      }
    }
  }

  private Throughput measure(Throughput.Spec spec) {
    int size = spec.scenario().nodes();
    for (int smaller : nodes) {
      if (smaller < size && result(smaller, spec.variant().algorithm(), spec.seed()).planMillisMax() >= spanMs) {
        return Throughput.none(spanMs);
      }
    }
    Throughput.Spec.of(Math.min(size, WARM_UP_NODES), spec.variant().algorithm(), knowledge, spec.seed(),
        spanMs / WARM_UP_SHARE, spec.planningThreads()).run();
    return spec.run();
  }

  private Throughput.Spec spec(int size, String algorithm, long seed) {
    return Throughput.Spec.of(size, algorithm, knowledge, seed, spanMs,
        paperThreads ? Algorithms.named(algorithm).paperThreads() : 1);
  }

  /** A result; {@link #run} must have come to it. */
  public Throughput result(int size, String algorithm, long seed) {
    return Throughput.of(store.get(spec(size, algorithm, seed).options()));
  }

  /** The results of all seeds. */
  public List<Throughput> results(int size, String algorithm) {
    List<Throughput> results = new ArrayList<>();
    seeds.forEach(seed -> results.add(result(size, algorithm, seed)));
    return results;
  }
}

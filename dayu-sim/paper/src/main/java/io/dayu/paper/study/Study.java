/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.study;

import io.dayu.sim.experiment.Experiment;
import io.dayu.sim.experiment.ParallelCases;
import io.dayu.sim.experiment.SharedFailures;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.ToDoubleFunction;

/**
 * Runs cases on several threads and keeps what comes out. Owned by one thread.
 *
 * @param store where results are kept
 * @param seeds of the clusters
 * @param failuresPerSeed failures of each cluster; all variants get the same
 */
public record Study(ResultStore store, List<Long> seeds, int failuresPerSeed, int threads) {

  /** Columns of the store that a study keeps its results in. */
  public static List<String> columns() {
    return CaseResult.COLUMNS;
  }

  /** All cases of a variant, in the order of {@link #sample}. */
  public List<CaseSpec> cases(SyntheticCluster scenario, Variant variant) {
    List<CaseSpec> cases = new ArrayList<>();
    for (long seed : seeds) {
      for (int failure = 0; failure < failuresPerSeed; failure++) {
        cases.add(new CaseSpec(scenario, seed, failure, variant));
      }
    }
    return cases;
  }

  /** The distinct cases without a result, grouped by failure. */
  public List<CaseSpec> missing(Collection<CaseSpec> wanted) {
    List<CaseSpec> missing = new ArrayList<>(new LinkedHashSet<>(wanted));
    missing.removeIf(one -> store.get(one.options()) != null);
    missing.sort(Comparator.comparingInt(CaseSpec::failure).thenComparingLong(CaseSpec::seed)
        .thenComparingInt(one -> one.scenario().nodes()));
    return missing;
  }

  /** Runs these cases; progress receives the number done. */
  public void run(List<CaseSpec> cases, IntConsumer progress) throws IOException {
    Map<Home, SharedFailures> failures = new HashMap<>();
    Map<Home, Experiment> experiments = new HashMap<>();
    cases.forEach(one -> experiments.computeIfAbsent(Home.of(one), home -> home.scenario.experiment(home.seed)));
    experiments.forEach((home, experiment) -> failures.put(home, new SharedFailures(experiment)));
    List<IOException> faults = new ArrayList<>();
    try (ParallelCases pool = new ParallelCases(threads)) {
      pool.<CaseResult>run(cases.size(), index -> {
        CaseSpec one = cases.get(index);
        return one.run(experiments.get(Home.of(one)), failures.get(Home.of(one)).get(one.failure()));
      }, (index, result) -> {
        CaseSpec one = cases.get(index);
        keep(one, result, faults::add);
        boolean last = index + 1 == cases.size() || cases.get(index + 1).failure() != one.failure()
            || !Home.of(cases.get(index + 1)).equals(Home.of(one));
        if (last) {
          failures.get(Home.of(one)).drop(one.failure());
        }
        progress.accept(index + 1);
      });
    }
    if (!faults.isEmpty()) {
      throw faults.get(0);
    }
  }

  private void keep(CaseSpec one, CaseResult result, Consumer<IOException> fault) {
    try {
      store.put(one.options(), result.values());
    } catch (IOException e) {
      fault.accept(e);
    }
  }

  /** One number of each case of a variant; all must have been run. */
  public Sample sample(SyntheticCluster scenario, Variant variant, ToDoubleFunction<CaseResult> number) {
    return new Sample(cases(scenario, variant).stream()
        .mapToDouble(one -> number.applyAsDouble(new CaseResult(store.get(one.options())))).toArray());
  }

  /** A cluster that failures happen to. */
  private record Home(SyntheticCluster scenario, long seed) {
    static Home of(CaseSpec one) {
      return new Home(one.scenario(), one.seed());
    }
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.tune;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Coordinate search from the defaults: one parameter after another takes the values of a coarse grid, and the best
 * settings so far are where the next begins; when a round over all parameters changes nothing, the values half-way to
 * the neighbours are tried once. Ends within its budget. {@link #measured} and {@link #best} may be called by another
 * thread at any time; otherwise single-threaded.
 */
public final class Sweep {
  private static final int MAX_ROUNDS = 4;

  private final Criterion criterion;
  private final int budget;
  private final Trial trial;
  private final Map<TunedSettings, Measured> measured = new LinkedHashMap<>();

  /** @param budget how many settings are measured at most */
  public Sweep(Criterion criterion, int budget, Trial trial) {
    if (budget < 1) {
      throw new IllegalArgumentException("budget = " + budget + ", expected at least 1");
    }
    this.criterion = criterion;
    this.budget = budget;
    this.trial = trial;
  }

  public void run() {
    measure(List.of(TunedSettings.DEFAULTS));
    for (int round = 0; round < MAX_ROUNDS; round++) {
      TunedSettings before = best().settings();
      for (Parameter parameter : Parameter.values()) {
        measure(parameter.coarse(best().settings()));
      }
      if (best().settings().equals(before)) {
        break;
      }
    }
    for (Parameter parameter : Parameter.values()) {
      measure(parameter.fine(best().settings()));
    }
  }

  private void measure(List<TunedSettings> wanted) {
    List<TunedSettings> fresh;
    synchronized (measured) {
      fresh = wanted.stream().filter(settings -> !measured.containsKey(settings)).distinct()
          .limit(budget - measured.size()).toList();
    }
    if (!fresh.isEmpty()) {
      trial.measure(fresh, one -> {
        synchronized (measured) {
          measured.put(one.settings(), one);
        }
      });
    }
  }

  /** What is measured so far, in the order of measuring. */
  public List<Measured> measured() {
    synchronized (measured) {
      return new ArrayList<>(measured.values());
    }
  }

  /** The best so far; at least the defaults must be measured. */
  public Measured best() {
    return criterion.best(measured());
  }
}

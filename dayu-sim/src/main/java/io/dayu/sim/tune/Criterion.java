/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.tune;

import java.util.Collection;
import java.util.Comparator;

/**
 * Which settings are best: the fastest of those that interfere little with clients. Settings that are slower than the
 * fastest by a small share only tie with them. Of those that tie, the settings with the fewest differences from the
 * defaults win. Immutable.
 *
 * @param maxInterferencePercent bound on the interference
 * @param tie share by which times may differ and still be a tie, such as 0.01
 */
public record Criterion(double maxInterferencePercent, double tie) {
  public Criterion {
    if (!(maxInterferencePercent > 0 && maxInterferencePercent <= 100)) {
      throw new IllegalArgumentException(
          "largest interference = " + maxInterferencePercent + " %, expected above 0 and at most 100");
    }
    if (!(tie >= 0 && tie < 1)) {
      throw new IllegalArgumentException("tie = " + tie + ", expected 0 to below 1");
    }
  }

  public boolean allows(Measured measured) {
    return measured.unfinished() == 0 && measured.interferencePercent() <= maxInterferencePercent;
  }

  /** The best of at least one; if none is allowed, the least interfering. */
  public Measured best(Collection<Measured> all) {
    double fastest = all.stream().filter(this::allows).mapToDouble(Measured::recoveryTimeSec).min().orElse(Double.NaN);
    if (Double.isNaN(fastest)) {
      return all.stream()
          .min(Comparator.comparingInt(Measured::unfinished).thenComparingDouble(Measured::interferencePercent))
          .orElseThrow();
    }
    return all.stream().filter(this::allows).filter(one -> one.recoveryTimeSec() <= fastest * (1 + tie))
        .min(Comparator.<Measured>comparingInt(one -> one.settings().differences())
            .thenComparingDouble(Measured::recoveryTimeSec))
        .orElseThrow();
  }
}

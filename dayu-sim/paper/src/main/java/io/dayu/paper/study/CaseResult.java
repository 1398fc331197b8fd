/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.study;

import io.dayu.sim.engine.RecoveryOutcome;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What came out of one recovery; times since the failure. Immutable by convention: the array is shared.
 *
 * @param values in the order of {@link #COLUMNS}
 */
public record CaseResult(double[] values) {
  /**
   * The numbers by their columns. The recovery time is infinite if not all was recovered; planMillisMedian is what a
   * call of the scheduler took on the machine that ran it; {@link io.dayu.sim.engine.LostTime} says where time was lost
   * against the ideal.
   */
  private static final Map<String, ToDoubleFunction<Case>> NUMBERS = new LinkedHashMap<>();

  static {
    NUMBERS.put("recoveryTimeSec",
        c -> c.outcome.finished() ? c.outcome.recoveryTimeSec() : Double.POSITIVE_INFINITY);
    NUMBERS.put("idealTimeSec", c -> c.idealSec);
    NUMBERS.put("timeTo95PercentSec", c -> c.outcome.times().timeTo95PercentSec());
    NUMBERS.put("timeTo99PercentSec", c -> c.outcome.times().timeTo99PercentSec());
    NUMBERS.put("timeTo99_9PercentSec", c -> c.outcome.times().timeTo999PermilleSec());
    NUMBERS.put("interferencePercent", c -> c.outcome.interference().percent());
    NUMBERS.put("foregroundAlonePercent", c -> c.outcome.interference().foregroundAlonePercent());
    NUMBERS.put("wastedBytes", c -> c.outcome.copies().wastedBytes());
    NUMBERS.put("planMillisMedian", c -> c.outcome.planMillisMedian());
    NUMBERS.put("maxTransfersAtOnce", c -> c.outcome.maxTransfersAtOnce());
    NUMBERS.put("lostLeadSec", c -> c.outcome.lost().leadSec());
    NUMBERS.put("lostForecastSec", c -> c.outcome.lost().forecastSec());
    NUMBERS.put("lostGranularitySec", c -> c.outcome.lost().granularitySec());
    NUMBERS.put("lostPhysicsSec", c -> c.outcome.lost().physicsSec());
    NUMBERS.put("lostTailSec", c -> c.outcome.lost().tailSec());
  }

  /** The columns of a file with such results. */
  static final List<String> COLUMNS = List.copyOf(NUMBERS.keySet());

  private record Case(RecoveryOutcome outcome, double idealSec) {
  }

  static CaseResult of(RecoveryOutcome outcome, double idealSec) {
    Case one = new Case(outcome, idealSec);
    return new CaseResult(NUMBERS.values().stream().mapToDouble(number -> number.applyAsDouble(one)).toArray());
  }

  private double value(String column) {
    return values[COLUMNS.indexOf(column)];
  }

  public double recoveryTimeSec() {
    return value("recoveryTimeSec");
  }

  public double idealTimeSec() {
    return value("idealTimeSec");
  }

  public double timeTo95PercentSec() {
    return value("timeTo95PercentSec");
  }

  public double timeTo99PercentSec() {
    return value("timeTo99PercentSec");
  }

  public double interferencePercent() {
    return value("interferencePercent");
  }

  public double ratioToIdeal() {
    return recoveryTimeSec() / idealTimeSec();
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.study;

import io.dayu.sim.engine.RecoveryOutcome;

import java.util.List;

/**
 * What came out of one recovery; times since the failure. Immutable.
 *
 * @param recoveryTimeSec until the last block was recovered; infinite if it was not
 * @param planMillisMedian what a call of the scheduler took on the machine that ran it
 * @param maxTransfersAtOnce in the whole cluster
 * @param lostLeadSec where time was lost against the ideal, see {@link io.dayu.sim.engine.LostTime}; and so on
 */
public record CaseResult(double recoveryTimeSec, double idealTimeSec, double timeTo95PercentSec,
    double timeTo99PercentSec, double timeTo999PermilleSec, double interferencePercent, double foregroundAlonePercent,
    double wastedBytes, double planMillisMedian, double maxTransfersAtOnce, double lostLeadSec, double lostForecastSec,
    double lostGranularitySec, double lostPhysicsSec, double lostTailSec) {

  /** The columns of a file with such results, in the order of {@link #values}. */
  static final List<String> COLUMNS =
      List.of("recoveryTimeSec", "idealTimeSec", "timeTo95PercentSec", "timeTo99PercentSec", "timeTo99_9PercentSec",
          "interferencePercent", "foregroundAlonePercent", "wastedBytes", "planMillisMedian", "maxTransfersAtOnce",
          "lostLeadSec", "lostForecastSec", "lostGranularitySec", "lostPhysicsSec", "lostTailSec");

  static CaseResult of(RecoveryOutcome outcome, double idealSec) {
    return new CaseResult(outcome.finished() ? outcome.recoveryTimeSec() : Double.POSITIVE_INFINITY, idealSec,
        outcome.timeTo95PercentSec(), outcome.timeTo99PercentSec(), outcome.timeTo999PermilleSec(),
        outcome.interferencePercent(), outcome.foregroundAlonePercent(), outcome.wastedBytes(),
        outcome.planMillisMedian(), outcome.maxTransfersAtOnce(), outcome.lost().leadSec(),
        outcome.lost().forecastSec(),
        outcome.lost().granularitySec(), outcome.lost().physicsSec(), outcome.lost().tailSec());
  }

  static CaseResult of(double[] values) {
    return new CaseResult(values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7],
        values[8], values[9], values[10], values[11], values[12], values[13], values[14]);
  }

  double[] values() {
    return new double[] {recoveryTimeSec, idealTimeSec, timeTo95PercentSec, timeTo99PercentSec, timeTo999PermilleSec,
        interferencePercent, foregroundAlonePercent, wastedBytes, planMillisMedian, maxTransfersAtOnce,
        lostLeadSec, lostForecastSec, lostGranularitySec, lostPhysicsSec, lostTailSec};
  }

  public double ratioToIdeal() {
    return recoveryTimeSec / idealTimeSec;
  }
}

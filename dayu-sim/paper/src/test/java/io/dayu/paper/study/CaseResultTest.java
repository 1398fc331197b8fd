/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.study;

import io.dayu.sim.engine.Interference;
import io.dayu.sim.engine.LossAndRisk;
import io.dayu.sim.engine.LostTime;
import io.dayu.sim.engine.RecoveredTimes;
import io.dayu.sim.engine.RecoveryOutcome;
import io.dayu.sim.engine.SlotOutcome;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

class CaseResultTest {
  private static final LostTime LOST = new LostTime(11, 12, 13, 14, 15);

  private static CaseResult result(boolean finished) {
    return CaseResult.of(new RecoveryOutcome(finished, 1, 0, new RecoveredTimes(3, 4, 5, new double[0]),
        new Interference(6, 7, 0, 0), new RecoveryOutcome.Copies(0, 8, 0), new LossAndRisk(0, 0, 0, 0, new double[4]),
        LOST,
        List.of(new SlotOutcome(0, 4, 0, 6, 0, 0, 0, LOST, 9))), 2);
  }

  /** Files of earlier versions have these columns. */
  @Test
  void columns_areThoseOfTheFiles_andValuesInTheirOrder() {
    assertEquals(List.of("recoveryTimeSec", "idealTimeSec", "timeTo95PercentSec", "timeTo99PercentSec",
        "timeTo99_9PercentSec", "interferencePercent", "foregroundAlonePercent", "wastedBytes", "planMillisMedian",
        "maxTransfersAtOnce", "lostLeadSec", "lostForecastSec", "lostGranularitySec", "lostPhysicsSec", "lostTailSec"),
        CaseResult.COLUMNS);
    assertArrayEquals(new double[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, result(true).values());
  }

  @Test
  void numbers_areReadBackByTheirColumns() {
    CaseResult read = new CaseResult(result(true).values());
    assertEquals(0.5, read.ratioToIdeal());
    assertEquals(3, read.timeTo95PercentSec());
    assertEquals(4, read.timeTo99PercentSec());
    assertEquals(6, read.interferencePercent());
    assertEquals(Double.POSITIVE_INFINITY, result(false).recoveryTimeSec());
  }
}

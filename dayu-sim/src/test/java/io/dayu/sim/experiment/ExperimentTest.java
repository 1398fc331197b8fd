/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.experiment;

import io.dayu.schedule.DayuScheduler;
import io.dayu.sim.Cluster;
import io.dayu.sim.engine.CheckedScheduler;
import io.dayu.sim.engine.Knowledge;
import io.dayu.sim.engine.LoadReports;
import io.dayu.sim.engine.RecoveryOutcome;
import io.dayu.sim.engine.Refinements;
import io.dayu.sim.engine.Shaping;
import io.dayu.sim.engine.SimulationSettings;
import io.dayu.sim.engine.SlotOutcome;
import io.dayu.sim.engine.TestSettings;
import io.dayu.sim.foreground.SyntheticForeground;
import io.dayu.sim.placement.EpochPlacement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Recoveries of random failures: what holds for each of them, whatever the seed. */
class ExperimentTest {
  @ParameterizedTest
  @CsvSource({"1, false", "2, false", "3, false", "1, true", "2, true"})
  void everyByte_isAccountedFor_andRunsRepeat(long seed, boolean refined) {
    Cluster cluster = new Cluster(200, 20, 250_000_000);
    Experiment experiment = new Experiment(cluster, new SyntheticForeground(cluster, seed, 0.3),
        new EpochPlacement(cluster, 3, 0.75, seed), 12_000, 64_000_000, seed);
    SimulationSettings settings = new SimulationSettings(TestSettings.PLANNING,
        new SimulationSettings.Limits(0.75, 30_000_000, false), Knowledge.LAST_REPORT, LoadReports.every(15_000),
        new SimulationSettings.Execution(1000, 0, 1000, 3_600_000))
        .with(refined ? new Refinements(Refinements.RECENT, true, true, Shaping.withinAlpha()) : Refinements.NONE);
    Experiment.Failure failure = experiment.failure(0);
    RecoveryOutcome outcome = experiment.recover(failure, settings, new CheckedScheduler(new DayuScheduler()));
    RecoveryOutcome again = experiment.recover(experiment.failure(0), settings, new DayuScheduler());
    assertTrue(outcome.finished(), "seed " + seed);
    long moved = outcome.slots().stream().mapToLong(SlotOutcome::movedBytes).sum();
    assertEquals(failure.lost().movedBytes() + outcome.copies().wastedBytes(), moved, 1e-9 * moved, "seed " + seed);
    assertTrue(outcome.recoveryTimeSec() >= experiment.idealSeconds(failure, settings) * 0.98, "seed " + seed);
    assertTrue(outcome.times().timeTo95PercentSec() <= outcome.times().timeTo99PercentSec()
        && outcome.times().timeTo99PercentSec() <= outcome.times().timeTo999PermilleSec()
        && outcome.times().timeTo999PermilleSec() <= outcome.recoveryTimeSec(), "seed " + seed);
    assertEquals(outcome.recoveryTimeSec(), again.recoveryTimeSec(), "seed " + seed);
    assertEquals(outcome.interference().percent(), again.interference().percent(), "seed " + seed);
  }
}

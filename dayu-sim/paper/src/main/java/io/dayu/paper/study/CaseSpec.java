/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.study;

import io.dayu.sim.engine.RecoveryOutcome;
import io.dayu.sim.engine.SimulationSettings;
import io.dayu.sim.experiment.Experiment;

/**
 * Everything that decides how one recovery goes. Immutable.
 *
 * @param seed of the cluster and its failures
 * @param failure number of the failure, from 0
 */
public record CaseSpec(SyntheticCluster scenario, long seed, int failure, Variant variant) {

  /** All options in one line, by which a result is found again. */
  String options() {
    return (this + " " + settings()).replace(',', ';');
  }

  private SimulationSettings settings() {
    return variant.settings(scenario.bandwidthBytesPerSec());
  }

  CaseResult run(Experiment experiment, Experiment.Failure lost) {
    SimulationSettings settings = settings();
    double idealSec = experiment.idealSeconds(lost, settings);
    RecoveryOutcome outcome = experiment.recover(lost, settings,
        variant.scheduler().factory().create(settings.planning().horizonMs(), seed));
    return CaseResult.of(outcome, idealSec);
  }
}

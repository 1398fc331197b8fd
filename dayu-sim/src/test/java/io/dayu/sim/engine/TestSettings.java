/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.model.PlanningParameters;

/** Settings of simulations in tests: the paper's, but for what is named. */
public final class TestSettings {
  public static final PlanningParameters PLANNING = new PlanningParameters(15_000, 15_000, 1, 0.05);

  private TestSettings() {
  }

  public static SimulationSettings paper() {
    return reports(15_000, 0, false);
  }

  public static SimulationSettings reports(long intervalMs, long delayMs, boolean spread) {
    return new SimulationSettings(PLANNING, new SimulationSettings.Limits(0.75, 12, false), Knowledge.LAST_REPORT,
        new LoadReports(intervalMs, intervalMs, delayMs, spread),
        new SimulationSettings.Execution(0, 0, 1000, 600_000));
  }

  static SimulationSettings knowing(Knowledge knowledge) {
    return new SimulationSettings(PLANNING, new SimulationSettings.Limits(0.75, 12, false), knowledge,
        LoadReports.every(15_000), new SimulationSettings.Execution(0, 0, 1000, 600_000));
  }

  static SimulationSettings lead(long leadMs, int planningThreads) {
    return new SimulationSettings(PLANNING, new SimulationSettings.Limits(0.75, 12, false), Knowledge.LAST_REPORT,
        LoadReports.every(15_000), new SimulationSettings.Execution(leadMs, planningThreads, 1000, 600_000));
  }

  /** As often as {@code StockHdfs} is called. */
  public static SimulationSettings stockHdfs() {
    return new SimulationSettings(new PlanningParameters(500, 500, 1, 0),
        new SimulationSettings.Limits(0.75, 12, false), Knowledge.LAST_REPORT, LoadReports.every(500),
        new SimulationSettings.Execution(250, 0, 1000, 3_600_000));
  }
}

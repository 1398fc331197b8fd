/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.report;

import io.dayu.sim.engine.RecoveredTimes;
import io.dayu.sim.engine.RecoveryOutcome;
import io.dayu.sim.plot.Points;
import io.dayu.sim.plot.SvgPlot;

import java.util.Arrays;
import java.util.List;

/**
 * The recovered share over time, for each algorithm the mean over its failures. Filled, then drawn; single-threaded.
 */
final class RecoverPlot {
  private final Points points = new Points();

  /** A share that some failure did not come to is left out. */
  void add(String algorithm, List<RecoveryOutcome> outcomes) {
    double[] curve = new double[RecoveredTimes.CURVE_STEPS];
    Arrays.setAll(curve, step -> outcomes.stream().mapToDouble(outcome -> outcome.times().curveSec()[step]).average()
        .orElse(Double.NaN));
    add(algorithm, curve);
  }

  /** Adds one course, as {@link RecoveredTimes#curveSec} has it. */
  void add(String name, double[] curveSec) {
    points.add(name, 0.0, 0);
    for (int step = 0; step < RecoveredTimes.CURVE_STEPS; step++) {
      if (Double.isFinite(curveSec[step])) {
        points.add(name, curveSec[step], 100.0 * (step + 1) / RecoveredTimes.CURVE_STEPS);
      }
    }
  }

  /** @param idealSec mean ideal time */
  String svg(String title, double idealSec) {
    return new SvgPlot(title, "time since the failure (s)", "blocks recovered (%)").legend("algorithm").lines(points)
        .paperVertical("ideal recovery time", idealSec).svg();
  }
}

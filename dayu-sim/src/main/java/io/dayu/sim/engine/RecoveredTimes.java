/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import java.util.Arrays;

/**
 * When parts of the blocks were recovered, in seconds since the failure; infinite for a part that never was. Immutable
 * by convention: the array is shared.
 *
 * @param curveSec when each {@link #CURVE_STEPS}-th part was
 */
public record RecoveredTimes(double timeTo95PercentSec, double timeTo99PercentSec, double timeTo999PermilleSec,
    double[] curveSec) {
  public static final int CURVE_STEPS = 200;

  /** @param recoveredAtSec by block, infinite for those that were not recovered; is not changed */
  static RecoveredTimes of(double[] recoveredAtSec) {
    double[] sortedSec = recoveredAtSec.clone();
    Arrays.sort(sortedSec);
    double[] curve = new double[CURVE_STEPS];
    Arrays.setAll(curve, step -> timeTo(sortedSec, (step + 1.0) / CURVE_STEPS));
    return new RecoveredTimes(timeTo(sortedSec, 0.95), timeTo(sortedSec, 0.99), timeTo(sortedSec, 0.999), curve);
  }

  private static double timeTo(double[] sortedSec, double share) {
    return sortedSec[(int) Math.ceil(share * sortedSec.length) - 1];
  }
}

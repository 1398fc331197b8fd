/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import java.util.Arrays;

/** When blocks were recovered, in order. Not thread-safe. */
final class RecoveredTimes {
  private final double[] sortedSec;

  /** @param sec by block, infinite for those that were not recovered; is not changed */
  RecoveredTimes(double[] sec) {
    sortedSec = sec.clone();
    Arrays.sort(sortedSec);
  }

  /** When this share of the blocks was recovered. */
  double timeTo(double share) {
    return sortedSec[(int) Math.ceil(share * sortedSec.length) - 1];
  }

  /** The same for equal steps of the share. */
  double[] curve() {
    double[] curve = new double[RecoveryOutcome.CURVE_STEPS];
    for (int step = 0; step < curve.length; step++) {
      curve[step] = timeTo((step + 1.0) / curve.length);
    }
    return curve;
  }
}

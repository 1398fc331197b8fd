/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import com.google.common.math.Quantiles;

import java.util.List;

/**
 * How one recovery went. Immutable by convention: the array is shared.
 *
 * @param finished whether all blocks were recovered within the limit of the simulation
 * @param recoveryTimeSec from the failure until the last block was recovered, or until the limit
 * @param firstEstimateSec what the NameNode would have said of this time after its first timeslots; not a number if the
 *     recovery had ended by then
 * @param timeTo95PercentSec from the failure until 95 % of the blocks were recovered; infinite if never
 * @param interferencePercent equations 3 and 4
 * @param foregroundAlonePercent the same had there been no recovery
 * @param causedBytes above 75 % of a link, those that are there only for recovery
 * @param displacedBytes of foreground that recovery kept from a full link; they come later
 * @param blocksBehindFullLinks blocks that are not recovered and whose every source is on a link that foreground fills
 * @param copiedBytes sizes of the copies that were finished; of rebuilds, all that was read for them
 * @param wastedBytes moved for transfers that were given up
 * @param risk what was lost for good, and how near to it the rest was
 * @param lost where it lost time against the ideal
 * @param slots what each plan did
 * @param curveSec until each {@link #CURVE_STEPS}-th part of the blocks was recovered; infinite for those that never
 *     were
 */
public record RecoveryOutcome(boolean finished, double recoveryTimeSec, double firstEstimateSec,
    double timeTo95PercentSec, double timeTo99PercentSec, double timeTo999PermilleSec, double interferencePercent,
    double foregroundAlonePercent,
    long causedBytes, long displacedBytes, int blocksBehindFullLinks, long copiedBytes, long wastedBytes,
    LossAndRisk risk, LostTime lost,
    List<SlotOutcome> slots, double[] curveSec) {
  public static final int CURVE_STEPS = 200;

  /** What a call of the scheduler took, on the machine that ran it; 0 if there was none. */
  public double planMillisMedian() {
    return slots.isEmpty() ? 0 : Quantiles.median().compute(slots.stream().map(SlotOutcome::planMillis).toList());
  }

  /** The most transfers under way at once, in the whole cluster. */
  public int maxTransfersAtOnce() {
    return slots.stream().mapToInt(slot -> slot.running() + slot.started()).max().orElse(0);
  }
}

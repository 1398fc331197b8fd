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
 * How one recovery went. Immutable.
 *
 * @param finished whether all blocks were recovered within the limit of the simulation
 * @param recoveryTimeSec from the failure until the last block was recovered, or until the limit
 * @param firstEstimateSec what the NameNode would have said of this time after its first timeslots; not a number if the
 *     recovery had ended by then
 * @param times when parts of the blocks were recovered
 * @param interference how far it filled links
 * @param copies what was moved, and what could not be
 * @param risk what was lost for good, and how near to it the rest was
 * @param lost where it lost time against the ideal
 * @param slots what each plan did
 */
public record RecoveryOutcome(boolean finished, double recoveryTimeSec, double firstEstimateSec, RecoveredTimes times,
    Interference interference, Copies copies, LossAndRisk risk, LostTime lost, List<SlotOutcome> slots) {

  /**
   * What was moved, and what could not be. Immutable.
   *
   * @param copiedBytes sizes of the copies that were finished; of rebuilds, all that was read for them
   * @param wastedBytes moved for transfers that were given up
   * @param behindFullLinks blocks that are not recovered and whose every source is on a link that foreground fills
   */
  public record Copies(long copiedBytes, long wastedBytes, int behindFullLinks) {
  }

  /** What a call of the scheduler took, on the machine that ran it; 0 if there was none. */
  public double planMillisMedian() {
    return slots.isEmpty() ? 0 : Quantiles.median().compute(slots.stream().map(SlotOutcome::planMillis).toList());
  }

  /** The most transfers under way at once, in the whole cluster. */
  public int maxTransfersAtOnce() {
    return slots.stream().mapToInt(slot -> slot.running() + slot.started()).max().orElse(0);
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.model.TimeslotPlan;
import io.dayu.sim.incident.Incident;
import io.dayu.sim.placement.LostBlocks;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** One block of 100 bytes on nodes 1 and 2, of the failed node 0. */
class TransfersTest {
  private final LostBlocks lost = new LostBlocks(0, 2, new int[] {1, 2}, new long[] {100});
  private final Transfers transfers = new Transfers(lost, new Replicas(Incident.of(lost), 4), 4);
  private final double[] in = new double[4];
  private final double[] out = new double[4];

  private final double[] unused = new double[8];

  private void begin() {
    transfers.apply(new TimeslotPlan(new int[] {0}, new int[] {1}, new int[] {3}, new long[] {10}, new int[0],
        new long[0], 100, 100), new int[] {0}, new int[0], 0);
  }

  private void goOn(int source, long rate) {
    transfers.apply(new TimeslotPlan(new int[0], new int[0], new int[0], new long[0], new int[] {source},
        new long[] {rate}, 0, 100), new int[0], new int[] {0}, 0);
  }

  @Test
  void block_isRecovered_atItsExactMoment_andTheRestOfTheStepIsLeft() {
    begin();
    transfers.move(0, 8, in, out, unused);
    assertEquals(80, out[1], 1e-9);
    assertEquals(80, in[3], 1e-9);
    assertEquals(10, transfers.flows().achievedBytesPerSec[0], 1e-9);
    assertFalse(transfers.recovered(0));
    transfers.move(8000, 3, in, out, unused);
    assertTrue(transfers.recovered(0) && transfers.done());
    assertEquals(10, transfers.lastRecoveredSec(), 1e-9);
    assertEquals(10, unused[1], 1e-9);
    assertEquals(10, unused[4 + 3], 1e-9);
  }

  @Test
  void transfer_goesOn_fromAnotherSource() {
    begin();
    transfers.move(0, 1, in, out, unused);
    goOn(2, 12);
    assertEquals(1, transfers.flows().count());
    assertEquals(2, transfers.flows().source[0]);
    assertEquals(90, transfers.flows().leftBytes[0], 1e-9);
    assertEquals(10, transfers.takeMovedBytes(), 1e-9);
  }

  @Test
  void progress_isWasted_whenATransferIsEvicted() {
    begin();
    transfers.move(0, 1, in, out, unused);
    goOn(TimeslotPlan.EVICTED, 0);
    assertEquals(10, transfers.wastedBytes(), 1e-9);
    assertFalse(transfers.underWay(0));
    assertFalse(transfers.waits(0, 149), "the agent has not said so yet");
    assertTrue(transfers.waits(0, 150));
  }
}

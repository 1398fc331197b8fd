/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.model.TimeslotPlan;
import io.dayu.sim.placement.LostBlocks;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** One block of 100 bytes on nodes 1 and 2, of the failed node 0. */
class TransfersTest {
  private final Transfers transfers = new Transfers(new LostBlocks(0, 2, new int[] {1, 2}, new long[] {100}));
  private final double[] in = new double[4];
  private final double[] out = new double[4];

  private void begin(ExtendedPlan.Splits splits) {
    TimeslotPlan plan = new TimeslotPlan(new int[] {0}, new int[] {1}, new int[] {3}, new long[] {10}, new int[0], new long[0], 100, 100);
    transfers.apply(new ExtendedPlan(plan, ExtendedPlan.Queued.NONE, splits), new int[] {0}, new int[0], 0);
  }

  private void goOn(int source, long rate) {
    TimeslotPlan plan = new TimeslotPlan(new int[0], new int[0], new int[0], new long[0], new int[] {source}, new long[] {rate}, 0, 100);
    transfers.apply(new ExtendedPlan(plan, ExtendedPlan.Queued.NONE, ExtendedPlan.Splits.NONE), new int[0], new int[] {0}, 0);
  }

  private static ExtendedPlan.Splits fromNodeTwo(long rate) {
    return new ExtendedPlan.Splits(new int[] {0}, new int[] {2}, new long[] {rate});
  }

  @Test
  void legs_endTogether_andTheBlockWithTheLast() {
    begin(fromNodeTwo(30));
    transfers.move(0, 2, in, out);
    assertEquals(20, out[1], 1e-9);
    assertEquals(60, out[2], 1e-9);
    assertEquals(80, in[3], 1e-9);
    assertFalse(transfers.recovered(0));
    transfers.move(2000, 1, in, out);
    assertTrue(transfers.recovered(0) && transfers.done());
    assertEquals(2.5, transfers.lastRecoveredSec(), 1e-9);
  }

  @Test
  void block_waitsForTheSlowerLeg() {
    begin(fromNodeTwo(30));
    transfers.flows().rateBytesPerSec[0] = 5;
    transfers.move(0, 3, in, out);
    assertTrue(transfers.underWay(0) && !transfers.recovered(0), "the second leg is through, the first has 10 left");
    assertEquals(1, transfers.flows().count());
    transfers.move(3000, 3, in, out);
    assertEquals(5, transfers.lastRecoveredSec(), 1e-9);
  }

  @Test
  void secondLeg_carriesOn_whenTheFirstIsThrough() {
    begin(fromNodeTwo(30));
    transfers.flows().rateBytesPerSec[1] = 15;
    transfers.move(0, 3, in, out);
    assertEquals(1, transfers.flows().count());
    assertEquals(2, transfers.flows().source[0]);
    assertFalse(transfers.flows().second[0]);
    goOn(1, 10);
    assertEquals(30, transfers.flows().leftBytes[0], 1e-9);
    assertEquals(1, transfers.flows().source[0]);
  }

  @Test
  void legs_areJoined_byTheNextPlan() {
    begin(fromNodeTwo(30));
    transfers.move(0, 1, in, out);
    goOn(1, 12);
    assertEquals(1, transfers.flows().count());
    assertEquals(60, transfers.flows().leftBytes[0], 1e-9);
    assertEquals(100 - 60, transfers.takeMovedBytes(), 1e-9);
  }

  @Test
  void progress_isWasted_whenATransferIsEvicted() {
    begin(fromNodeTwo(30));
    transfers.move(0, 1, in, out);
    goOn(TimeslotPlan.EVICTED, 0);
    assertEquals(40, transfers.wastedBytes(), 1e-9);
    assertFalse(transfers.underWay(0));
  }
}

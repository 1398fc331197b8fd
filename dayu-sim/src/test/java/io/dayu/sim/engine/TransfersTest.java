/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.model.IntRows;
import io.dayu.model.TimeslotPlan;
import io.dayu.sim.incident.ClusterEvent;
import io.dayu.sim.incident.Incident;
import io.dayu.sim.placement.LostBlocks;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
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

  private static IntRows row(int... values) {
    IntRows.Builder rows = new IntRows.Builder();
    for (int value : values) {
      rows.add(value);
    }
    return rows.endRow().build();
  }

  /** A rebuild from nodes 1 and 2, on node 3. */
  private static Transfers rebuild() {
    LostBlocks group = new LostBlocks(0, 3, new int[] {1, 2, 4}, new long[] {100}).asGroups(2);
    return rebuild(group, new Replicas(Incident.of(group), 5));
  }

  private static Transfers rebuild(LostBlocks group, Replicas replicas) {
    Transfers rebuilds = new Transfers(group, replicas, 5);
    rebuilds.apply(new TimeslotPlan(new int[] {0}, new int[] {1}, new int[] {3}, new long[] {10}, new int[0],
        new long[0], 100, 100, row(2), new IntRows.Builder().build()), new int[] {0}, new int[0], 0);
    return rebuilds;
  }

  private static void move(Transfers rebuilds, double first, double second) {
    rebuilds.flows().legBytesPerSec[0] = new double[] {first, second};
    rebuilds.move(0, 1, new double[5], new double[5], new double[10]);
  }

  @Test
  void rebuild_decodesWhatBothSourcesHaveSent_thoughNotAtOneTime() {
    Transfers rebuilds = rebuild();
    move(rebuilds, 10, 30);
    assertEquals(90, rebuilds.flows().leftBytes[0], 1e-9);
    assertArrayEquals(new double[] {0, 20}, rebuilds.flows().aheadBytes[0], 1e-9);
    move(rebuilds, 30, 10);
    assertEquals(60, rebuilds.flows().leftBytes[0], 1e-9);
    assertEquals(80, rebuilds.takeMovedBytes(), 1e-9);
    move(rebuilds, 60, 50);
    assertFalse(rebuilds.recovered(0));
    move(rebuilds, 60, 50);
    assertTrue(rebuilds.recovered(0));
    assertEquals(120, rebuilds.takeMovedBytes(), 1e-9, "each source has sent the block once");
    assertEquals(0, rebuilds.wastedBytes(), 1e-9);
  }

  private static void goOn(Transfers rebuilds, int first, int second) {
    rebuilds.apply(new TimeslotPlan(new int[0], new int[0], new int[0], new long[0], new int[] {first},
        new long[] {10}, 0, 100, new IntRows.Builder().build(), row(second)), new int[0], new int[] {0}, 0);
  }

  @Test
  void copyWhoseSourceLosesTheDisk_hasNoSourceAnyMore() {
    ClusterEvent disk = new ClusterEvent(1000, ClusterEvent.Kind.DISK_LOST, 1);
    Replicas replicas = new Replicas(new Incident(lost, new int[] {1}, List.of(disk)), 4);
    Transfers copies = new Transfers(lost, replicas, 4);
    TimeslotPlan plan = new TimeslotPlan(new int[] {0}, new int[] {1}, new int[] {3}, new long[] {10}, new int[0],
        new long[0], 100, 100);
    copies.apply(plan, new int[] {0}, new int[0], 0);
    replicas.advance(1000);
    copies.follow(1);
    assertFalse(copies.flows().hasSources(0));
    copies = new Transfers(lost, replicas, 4);
    copies.apply(plan, new int[] {0}, new int[0], 1000);
    assertFalse(copies.underWay(0), "planned before the disk was lost");
  }

  @Test
  void rebuildWithoutOneOfItsSources_standsStill_untilItHasAnother() {
    LostBlocks group = new LostBlocks(0, 3, new int[] {1, 2, 4}, new long[] {100}).asGroups(2);
    ClusterEvent lost2 = new ClusterEvent(1000, ClusterEvent.Kind.NODE_LOST, 2);
    Replicas replicas = new Replicas(new Incident(group, new int[] {-1}, List.of(lost2)), 5);
    Transfers rebuilds = rebuild(group, replicas);
    move(rebuilds, 10, 30);
    replicas.advance(1000);
    rebuilds.follow(1);
    assertEquals(20, rebuilds.wastedBytes(), 1e-9);
    move(rebuilds, 0, 0);
    assertEquals(90, rebuilds.flows().leftBytes[0], 1e-9);
    goOn(rebuilds, 4, 1);
    move(rebuilds, 10, 20);
    assertEquals(80, rebuilds.flows().leftBytes[0], 1e-9);
    assertArrayEquals(new double[] {0, 10}, rebuilds.flows().aheadBytes[0], 1e-9);
    goOn(rebuilds, 1, 4);
    assertArrayEquals(new double[] {10, 0}, rebuilds.flows().aheadBytes[0], 1e-9, "node 1, in another place");
    assertEquals(20, rebuilds.wastedBytes(), 1e-9);
  }

  @Test
  void sourceThatIsReplaced_hasSentInVainWhatIsNotDecoded() {
    Transfers rebuilds = rebuild();
    move(rebuilds, 10, 30);
    goOn(rebuilds, 1, 4);
    assertEquals(20, rebuilds.wastedBytes(), 1e-9);
    assertArrayEquals(new double[2], rebuilds.flows().aheadBytes[0], 1e-9);
    move(rebuilds, 10, 15);
    rebuilds.apply(new TimeslotPlan(new int[0], new int[0], new int[0], new long[0],
        new int[] {TimeslotPlan.EVICTED}, new long[1], 0, 100, new IntRows.Builder().build(), row(4)), new int[0],
        new int[] {0}, 0);
    assertEquals(20 + 2 * 20 + 5, rebuilds.wastedBytes(), 1e-9);
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

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TimeslotPlan;
import org.junit.jupiter.api.Test;

import static io.dayu.schedule.Snapshots.MB;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Rebuilds whose sources are busy with rebuilds at lower risk, seen through the plan. Nodes move 10 MB/s and the
 * horizon is 6 s, so each sends 60 MB, and a rebuild from two nodes can get 30 MB of each.
 */
class SourceReservationsTest {
  private static final long RATE = 10 * MB;
  private static final int HIGHEST = 0;
  private static final int LOW = 2;

  private final Snapshots snapshots = new Snapshots(20, RATE);
  private int rows;

  /** A group that waits, of internal blocks of 20 MB; its row. */
  private int waiting(int risk, int... holders) {
    snapshots.block(20 * MB, holders).rebuiltFrom(2).risk(risk);
    return rows++;
  }

  /** One that is rebuilt, and lacks all of it. */
  private void running(int risk, int[] holders, int target, int... sources) {
    snapshots.block(20 * MB, holders).rebuiltFrom(2).risk(risk).copies(0);
    snapshots.runningRebuild(rows++, sources, target, 0, 0);
  }

  /** Three rebuilds of low risk, each of which reads nodes 0 and another and could read a third instead of node 0. */
  private void threeThatFillNode0() {
    for (int i = 0; i < 3; i++) {
      running(LOW, new int[] {0, 4 + i, 7 + i}, 10 + i, 0, 4 + i);
    }
  }

  private TimeslotPlan plan() {
    ClusterSnapshot snapshot = snapshots.build();
    TimeslotPlan plan = new DayuScheduler().plan(snapshot);
    PlanVerifier.verify(snapshot, plan);
    return plan;
  }

  @Test
  void rebuildAtHigherRisk_begins_andOneAtLowerRiskMovesToAnotherSource() {
    threeThatFillNode0();
    int task = waiting(HIGHEST, 0, 1);
    TimeslotPlan plan = plan();
    assertArrayEquals(new int[] {task}, plan.task());
    assertArrayEquals(new int[] {7, 0, 0}, plan.runningSource(), "node 0 sends 60 MB in the horizon");
  }

  @Test
  void oneAtLowerRisk_withoutAnotherSource_waitsWithItsProgress() {
    for (int i = 0; i < 3; i++) {
      running(LOW, new int[] {0, 4 + i}, 10 + i, 0, 4 + i);
    }
    waiting(HIGHEST, 0, 1);
    TimeslotPlan plan = plan();
    assertEquals(1, plan.count());
    assertArrayEquals(new int[] {0, 0, 0}, plan.runningSource(), "none is evicted");
    assertEquals(0, plan.runningRateBytesPerSec()[0]);
    assertTrue(plan.runningRateBytesPerSec()[1] > 0 && plan.runningRateBytesPerSec()[2] > 0);
  }

  @Test
  void rebuildAtTheSameRisk_waits() {
    threeThatFillNode0();
    waiting(LOW, 0, 1);
    TimeslotPlan plan = plan();
    assertEquals(0, plan.count());
    assertArrayEquals(new int[] {0, 0, 0}, plan.runningSource());
  }

  @Test
  void rebuildThatWaitsForOthersAtItsRisk_reservesNothing() {
    for (int i = 0; i < 3; i++) {
      running(HIGHEST, new int[] {1, 4 + i}, 10 + i, 1, 4 + i);
      running(LOW, new int[] {0, 7 + i, 17}, 13 + i, 0, 7 + i);
    }
    waiting(HIGHEST, 0, 1);
    TimeslotPlan plan = plan();
    assertEquals(0, plan.count(), "node 1 has 60 MB to send at the highest risk");
    assertArrayEquals(new int[] {1, 0, 1, 0, 1, 0}, plan.runningSource());
  }

  @Test
  void rebuildThatHasLostASource_getsItsLastOne_andOneAtLowerRiskMoves() {
    threeThatFillNode0();
    running(HIGHEST, new int[] {0, 1}, 13, -1, 1);
    TimeslotPlan plan = plan();
    assertArrayEquals(new int[] {7, 0, 0, 0}, plan.runningSource());
    assertTrue(plan.runningRateBytesPerSec()[3] > 0);
  }

  @Test
  void rebuildThatFindsNoSource_waits_andKeepsItsPlaceOnTheOthers() {
    running(HIGHEST, new int[] {1}, 13, -1, 1);
    for (int i = 0; i < 3; i++) {
      running(LOW, new int[] {1, 4 + i, 7 + i}, 10 + i, 1, 4 + i);
    }
    TimeslotPlan plan = plan();
    assertEquals(TimeslotPlan.NO_SOURCE, plan.runningSource()[0]);
    assertArrayEquals(new int[] {TimeslotPlan.NO_SOURCE, 7, 1, 1}, plan.runningSource());
  }

  @Test
  void sourceThatSendsLessThanTheBlock_isReservedWhole() {
    snapshots.out(0, MB);
    running(LOW, new int[] {0, 4, 7}, 10, 0, 4);
    int task = waiting(HIGHEST, 0, 1);
    TimeslotPlan plan = plan();
    assertArrayEquals(new int[] {task}, plan.task());
    assertArrayEquals(new int[] {7}, plan.runningSource());
  }

  /** The waiting rebuild would take all that node 0 can send. */
  @Test
  void copyThatHasLostItsSource_getsItsOnlyHolder_beforeAWaitingRebuildAtItsRisk() {
    snapshots.out(0, MB);
    snapshots.block(20 * MB, 0).copies(0).risk(HIGHEST);
    snapshots.running(rows++, -1, 13, 0, 0);
    running(LOW, new int[] {4, 5}, 14, 4, 5);
    waiting(HIGHEST, 0, 1);
    TimeslotPlan plan = plan();
    assertArrayEquals(new int[] {0, 4}, plan.runningSource());
    assertEquals(0, plan.count());
  }

  /** Node 1 sends three of the four; the one that moves has only node 17, reserved by a rebuild at lower risk. */
  @Test
  void stragglerThatHasToMove_getsWhatARebuildAtLowerRiskHasReserved() {
    for (int i = 0; i < 4; i++) {
      running(HIGHEST, i == 0 ? new int[] {1, 4, 17} : new int[] {1, 4 + i}, 10 + i, 1, 4 + i);
    }
    running(LOW, new int[] {8, 9}, 14, 8, 9);
    snapshots.out(17, MB);
    waiting(1, 17, 18);
    TimeslotPlan plan = plan();
    assertArrayEquals(new int[] {17, 1, 1, 1, 8}, plan.runningSource());
    assertEquals(0, plan.count());
  }

  @Test
  void stragglerWithoutAnotherHolder_leavesWhatOthersHaveReserved() {
    running(HIGHEST, new int[] {1, 4}, 10, -1, 4);
    threeThatFillNode0();
    int task = waiting(HIGHEST, 0, 2);
    TimeslotPlan plan = plan();
    assertArrayEquals(new int[] {task}, plan.task());
  }

  /** The target receives 60 MB: 30 and 20 of those that stay; what has lost a source would add 40. */
  @Test
  void rebuildThatDoesNotFitOnItsTarget_reservesNothing_andNobodyIsEvicted() {
    running(HIGHEST, new int[] {0, 1}, 13, -1, 1);
    begun(HIGHEST, 15 * MB, 4, 5);
    begun(1, 10 * MB, 6, 7);
    assertArrayEquals(new int[] {TimeslotPlan.NO_SOURCE, 4, 6}, plan().runningSource());
  }

  @Test
  void stragglerThatItsTargetRefuses_leavesWhatOthersHaveReservedOnItsHolders() {
    begun(HIGHEST, 15 * MB, 14, 15);
    begun(HIGHEST, 15 * MB, 16, 17);
    snapshots.block(20 * MB, 0, 2).copies(0).risk(HIGHEST);
    snapshots.running(rows++, -1, 13, 0, 0);
    for (int i = 0; i < 3; i++) {
      running(LOW, new int[] {0, 4 + i}, 10 + i, 0, 4 + i);
    }
    int task = waiting(HIGHEST, 0, 1);
    TimeslotPlan plan = plan();
    assertArrayEquals(new int[] {task}, plan.task());
    assertEquals(TimeslotPlan.NO_SOURCE, plan.runningSource()[2]);
  }

  @Test
  void straggler_getsThePlaceOnItsTargetThatOneAtLowerRiskHasReserved() {
    snapshots.block(40 * MB, 0).copies(0).risk(HIGHEST);
    snapshots.running(rows++, -1, 13, 0, 0);
    running(1, new int[] {4, 5, 6}, 13, -1, 4);
    running(LOW, new int[] {7, 8}, 14, 7, 8);
    TimeslotPlan plan = plan();
    assertArrayEquals(new int[] {0, TimeslotPlan.NO_SOURCE, 7}, plan.runningSource());
  }

  /** One that has begun on node 13, and lacks so much from each of its two sources. */
  private void begun(int risk, long leftBytes, int... sources) {
    snapshots.block(leftBytes + MB, sources).rebuiltFrom(2).risk(risk).copies(0);
    snapshots.runningRebuild(rows++, sources, 13, MB, 0);
  }
}

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
import io.dayu.schedule.choice.LeastLoadedSources;
import io.dayu.schedule.paper.HullSelector;
import io.dayu.schedule.rates.ProgressiveFilling;
import org.junit.jupiter.api.Test;

import static io.dayu.schedule.Snapshots.MB;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** What {@link StragglerPolicy} does, seen through the plan, in cases worked out by hand; horizon 6 s, lead 1 s. */
class StragglerPolicyTest {
  private static TimeslotPlan plan(Snapshots snapshots) {
    ClusterSnapshot snapshot = snapshots.build();
    TimeslotPlan plan = new DayuScheduler().plan(snapshot);
    PlanVerifier.verify(snapshot, plan);
    return plan;
  }

  @Test
  void transferThatFinishesBeforeTheTimeslot_keepsItsRate_andTakesNothing() {
    Snapshots snapshots = new Snapshots(2, 10 * MB);
    snapshots.block(20 * MB, 0).copies(0);
    snapshots.block(60 * MB, 0);
    snapshots.running(0, 0, 1, 17 * MB, 3 * MB);
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {0}, plan.runningSource());
    assertArrayEquals(new long[] {3 * MB}, plan.runningRateBytesPerSec());
    assertArrayEquals(new long[] {10 * MB}, plan.rateBytesPerSec());
    assertEquals(60 * MB, plan.plannedBytes());
  }

  @Test
  void straggler_keepsItsNodes_andTakesCapacityByWhatItWillLack() {
    Snapshots snapshots = new Snapshots(2, 10 * MB);
    snapshots.block(20 * MB, 0).copies(0);
    snapshots.block(45 * MB, 0);
    snapshots.block(MB, 0);
    snapshots.running(0, 0, 1, 4 * MB, MB);
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {0}, plan.runningSource());
    assertArrayEquals(new int[] {1}, plan.task(), "60 MB can move: 15 are left of the straggler");
    assertEquals(10 * MB * 16 / 61, plan.runningRateBytesPerSec()[0],
        "shares go by what is left now: 16 of 16 + 45 MB");
    assertEquals(10 * MB - 10 * MB * 16 / 61, plan.rateBytesPerSec()[0], "45 of 61, and what rounding left over");
    assertEquals(60 * MB, plan.plannedBytes());
  }

  @Test
  void leastFinished_isEvictedFromASaturatedTarget() {
    Snapshots snapshots = new Snapshots(5, 10 * MB);
    snapshots.block(100 * MB, 1).copies(0);
    snapshots.block(50 * MB, 2).copies(0);
    snapshots.block(40 * MB, 3).copies(0);
    snapshots.running(0, 1, 0, 70 * MB, 0).running(1, 2, 0, 30 * MB, 0).running(2, 3, 0, 20 * MB, 0);
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {1, 2, TimeslotPlan.EVICTED}, plan.runningSource(),
        "30 + 20 + 20 MB, the last 50 % done");
    assertArrayEquals(new long[] {6 * MB, 4 * MB, 0}, plan.runningRateBytesPerSec());
  }

  @Test
  void lowerRisk_isEvictedBeforeLessFinished() {
    Snapshots snapshots = new Snapshots(3, 10 * MB);
    snapshots.block(50 * MB, 1).copies(0).risk(0);
    snapshots.block(50 * MB, 2).copies(0).risk(1);
    snapshots.running(0, 1, 0, 0, 0).running(1, 2, 0, 19 * MB, 0);
    assertArrayEquals(new int[] {1, TimeslotPlan.EVICTED}, plan(snapshots).runningSource());
  }

  @Test
  void leastFinished_movesToAnotherSource_whenItsSourceIsSaturated() {
    Snapshots snapshots = new Snapshots(5, 10 * MB);
    snapshots.block(50 * MB, 0, 3).copies(0);
    snapshots.block(50 * MB, 0, 4).copies(0);
    snapshots.running(0, 0, 1, 10 * MB, 0).running(1, 0, 2, 5 * MB, 0);
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {0, 4}, plan.runningSource());
    assertArrayEquals(new long[] {10 * MB, 10 * MB}, plan.runningRateBytesPerSec());
  }

  @Test
  void stragglerWithoutAnotherSource_waitsWithItsProgress() {
    Snapshots snapshots = new Snapshots(5, 10 * MB);
    snapshots.block(50 * MB, 0).copies(0);
    snapshots.block(50 * MB, 0).copies(0);
    snapshots.running(0, 0, 1, 10 * MB, 0).running(1, 0, 2, 5 * MB, 0);
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {0, 0}, plan.runningSource());
    assertArrayEquals(new long[] {10 * MB, 0}, plan.runningRateBytesPerSec());
    assertEquals(40 * MB, plan.plannedBytes());
  }

  @Test
  void stragglerWhoseSourceIsGone_getsAnother_orWaits() {
    Snapshots snapshots = new Snapshots(4, 10 * MB);
    snapshots.block(50 * MB, 0).copies(0);
    snapshots.block(50 * MB).copies(0);
    snapshots.running(0, -1, 1, 10 * MB, 5 * MB).running(1, -1, 2, 10 * MB, 5 * MB);
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {0, TimeslotPlan.NO_SOURCE}, plan.runningSource());
    assertArrayEquals(new long[] {10 * MB, 0}, plan.runningRateBytesPerSec());
    assertEquals(40 * MB, plan.plannedBytes(), "no progress is predicted without a source");
  }

  @Test
  void stragglerWhoseSourceIsGone_holdsNoStreamOfItsTarget() {
    Snapshots snapshots = new Snapshots(3, 10 * MB).maxIncoming(1, 1).refuses(2);
    snapshots.block(50 * MB).copies(0);
    snapshots.block(10 * MB, 0);
    snapshots.running(0, -1, 1, 10 * MB, 5 * MB);
    assertArrayEquals(new int[] {1}, plan(snapshots).target());
  }

  @Test
  void stragglerThatWaits_holdsAStreamOfItsTarget() {
    Snapshots snapshots = new Snapshots(4, 10 * MB).maxIncoming(2, 1).refuses(0).refuses(1).refuses(3);
    snapshots.block(50 * MB, 0).copies(0);
    snapshots.block(50 * MB, 0).copies(0);
    snapshots.block(10 * MB, 3);
    snapshots.running(0, 0, 1, 10 * MB, 0).running(1, 0, 2, 5 * MB, 0);
    assertEquals(0, plan(snapshots).count());
    assertArrayEquals(new int[] {2}, plan(snapshots.maxIncoming(2, 2)).target());
  }

  @Test
  void higherRisk_getsTheFreeSourceFirst() {
    Snapshots snapshots = new Snapshots(4, 10 * MB);
    snapshots.block(50 * MB, 0).copies(0).risk(3);
    snapshots.block(50 * MB, 0).copies(0).risk(1);
    snapshots.running(0, -1, 1, 10 * MB, 0).running(1, -1, 2, 0, 0);
    assertArrayEquals(new int[] {TimeslotPlan.NO_SOURCE, 0}, plan(snapshots).runningSource());
  }

  @Test
  void largeStraggler_isNotEvictedFromNodesItHasToItself() {
    Snapshots snapshots = new Snapshots(2, MB);
    snapshots.block(128 * MB, 0).copies(0);
    snapshots.running(0, 0, 1, MB, MB);
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {0}, plan.runningSource());
    assertArrayEquals(new long[] {MB}, plan.runningRateBytesPerSec());
  }

  @Test
  void nodesThatCarryNothingAnyMore_loseTheirStragglers() {
    Snapshots snapshots = new Snapshots(5, 10 * MB).in(1, 0).out(2, 0);
    snapshots.block(50 * MB, 0).copies(0);
    snapshots.block(50 * MB, 2, 3).copies(0);
    snapshots.running(0, 0, 1, 40 * MB, MB).running(1, 2, 4, 40 * MB, MB);
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {TimeslotPlan.EVICTED, 3}, plan.runningSource());
  }

  @Test
  void stragglers_goBeforeNewBlocks() {
    Snapshots snapshots = new Snapshots(3, 10 * MB);
    snapshots.block(70 * MB, 0).copies(0).risk(5);
    snapshots.block(20 * MB, 0).risk(0);
    snapshots.running(0, 0, 1, 10 * MB, 0);
    assertEquals(0, plan(snapshots).count());
  }

  @Test
  void stragglersOnNodesThatCarryNothing_wait_ifNotRescheduled() {
    Snapshots snapshots = new Snapshots(5, 10 * MB).in(1, 0).out(2, 0);
    snapshots.block(50 * MB, 0).copies(0);
    snapshots.block(50 * MB, 2, 3).copies(0);
    snapshots.running(0, 0, 1, 40 * MB, MB).running(1, 2, 4, 40 * MB, MB);
    TimeslotPlan plan = keepingScheduler().plan(snapshots.build());
    assertArrayEquals(new int[] {0, 2}, plan.runningSource());
    assertArrayEquals(new long[] {0, 0}, plan.runningRateBytesPerSec());
  }

  private static DayuScheduler keepingScheduler() {
    return new DayuScheduler("keeps", new HullSelector(), new LeastLoadedSources(), new ProgressiveFilling(),
        Stragglers.KEEP);
  }

  @Test
  void stragglers_keepTheirNodes_ifNotRescheduled() {
    Snapshots snapshots = new Snapshots(5, 10 * MB);
    snapshots.block(100 * MB, 1).copies(0);
    snapshots.block(50 * MB, 1, 2).copies(0);
    snapshots.block(40 * MB, 3).copies(0);
    snapshots.block(40 * MB, 3, 4).copies(0);
    snapshots.running(0, 1, 0, 70 * MB, 0).running(1, 1, 0, 0, 0).running(2, 3, 0, 20 * MB, 0).running(3, -1, 2,
        20 * MB, 0);
    ClusterSnapshot snapshot = snapshots.build();
    TimeslotPlan plan = keepingScheduler().plan(snapshot);
    assertArrayEquals(new int[] {1, 1, 3, 4}, plan.runningSource(),
        "although node 0 is to receive 100 MB; only the lost source is replaced");
    assertArrayEquals(new long[] {3 * MB, 5 * MB, 2 * MB, 10 * MB}, plan.runningRateBytesPerSec());
  }
}

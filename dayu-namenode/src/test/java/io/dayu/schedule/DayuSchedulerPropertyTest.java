/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TimeslotPlan;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Properties of {@link DayuScheduler} over many random snapshots; a failure names the seed of its snapshot. */
class DayuSchedulerPropertyTest {
  private static final int SNAPSHOTS = 4000;

  @Test
  void plan_respectsEveryRule_overRandomSnapshots() {
    DayuScheduler scheduler = new DayuScheduler();
    long planned = 0;
    long evicted = 0;
    long moved = 0;
    for (long seed = 0; seed < SNAPSHOTS; seed++) {
      ClusterSnapshot snapshot = SnapshotGenerator.draw(seed);
      try {
        TimeslotPlan plan = scheduler.plan(snapshot);
        PlanVerifier.verify(snapshot, plan);
        planned += plan.count();
        for (int r = 0; r < plan.runningSource().length; r++) {
          evicted += plan.runningSource()[r] == TimeslotPlan.EVICTED ? 1 : 0;
          moved += plan.runningSource()[r] >= 0 && plan.runningSource()[r] != snapshot.running().source()[r] ? 1 : 0;
        }
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    System.out.println("seeds 0 to " + (SNAPSHOTS - 1) + ": " + planned + " transfers planned, " + evicted
        + " stragglers evicted, " + moved + " moved to another source");
    assertTrue(planned > SNAPSHOTS && evicted > SNAPSHOTS / 10 && moved > SNAPSHOTS / 10, "the snapshots exercise little");
  }

  @Test
  void plan_respectsEveryRule_withEveryAlgorithm() {
    for (String targets : Algorithms.targetSelectors()) {
      for (String rates : Algorithms.rateAllocators()) {
        DayuScheduler scheduler = Algorithms.scheduler(targets, rates);
        for (long seed = 10_000; seed < 10_200; seed++) {
          ClusterSnapshot snapshot = SnapshotGenerator.draw(seed);
          try {
            PlanVerifier.verify(snapshot, scheduler.plan(snapshot));
          } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(targets + ", " + rates + ", seed " + seed, e);
          }
        }
      }
    }
  }

  @Test
  void plan_isTheSame_fromAUsedAndAFreshInstance() {
    DayuScheduler used = new DayuScheduler();
    for (long seed = 0; seed < 500; seed++) {
      ClusterSnapshot snapshot = SnapshotGenerator.draw(seed);
      TimeslotPlan first = used.plan(snapshot);
      used.plan(SnapshotGenerator.draw(seed + 1));
      assertSame(seed, first, used.plan(snapshot));
      assertSame(seed, first, new DayuScheduler().plan(SnapshotGenerator.draw(seed)));
    }
  }

  @Test
  void plan_isTheSame_withEveryAlgorithm() {
    for (String targets : Algorithms.targetSelectors()) {
      for (String rates : Algorithms.rateAllocators()) {
        DayuScheduler used = Algorithms.scheduler(targets, rates);
        for (long seed = 0; seed < 30; seed++) {
          used.plan(SnapshotGenerator.draw(seed + 1));
          assertSame(seed, Algorithms.scheduler(targets, rates).plan(SnapshotGenerator.draw(seed)),
              used.plan(SnapshotGenerator.draw(seed)));
        }
      }
    }
  }

  private static void assertSame(long seed, TimeslotPlan expected, TimeslotPlan actual) {
    String message = "seed " + seed;
    assertArrayEquals(expected.task(), actual.task(), message);
    assertArrayEquals(expected.source(), actual.source(), message);
    assertArrayEquals(expected.target(), actual.target(), message);
    assertArrayEquals(expected.rateBytesPerSec(), actual.rateBytesPerSec(), message);
    assertArrayEquals(expected.runningSource(), actual.runningSource(), message);
    assertArrayEquals(expected.runningRateBytesPerSec(), actual.runningRateBytesPerSec(), message);
    assertEquals(expected.plannedBytes(), actual.plannedBytes(), message);
    assertEquals(expected.volumeBytes(), actual.volumeBytes(), message);
  }
}

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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Holds the plans of 500 snapshots, which have copies only, to those made before the scheduler knew rebuilds: not one
 * source, target or rate may differ. A change that is meant to alter plans of copies sets the sums anew.
 */
class PlansOfCopiesTest {
  private static final int SNAPSHOTS = 500;

  @ParameterizedTest
  @CsvSource({"tournament, filling, -2942958542040406074", "hull, iterativewss, -2726050866008598848",
      "fullscan, wss, -8117451627867169064", "tournament, deadline, 2147559165660244762"})
  void plansOfCopies_areThoseMadeBeforeRebuilds(String targets, String rates, long expectedSum) {
    DayuScheduler scheduler = AlgorithmRegistry.scheduler(targets, rates);
    long sum = 0;
    for (int seed = 0; seed < SNAPSHOTS; seed++) {
      sum = 31 * sum + sumOf(scheduler, SnapshotGenerator.draw(seed));
    }
    assertEquals(expectedSum, sum, "sum over the plans of seeds 0 to " + (SNAPSHOTS - 1));
  }

  private static long sumOf(DayuScheduler scheduler, ClusterSnapshot snapshot) {
    TimeslotPlan plan = scheduler.plan(snapshot);
    long sum = Arrays.hashCode(plan.task());
    sum = 31 * sum + Arrays.hashCode(plan.source());
    sum = 31 * sum + Arrays.hashCode(plan.target());
    sum = 31 * sum + Arrays.hashCode(plan.rateBytesPerSec());
    sum = 31 * sum + Arrays.hashCode(plan.runningSource());
    sum = 31 * sum + Arrays.hashCode(plan.runningRateBytesPerSec());
    sum = 31 * sum + plan.plannedBytes();
    return 31 * sum + plan.volumeBytes();
  }
}

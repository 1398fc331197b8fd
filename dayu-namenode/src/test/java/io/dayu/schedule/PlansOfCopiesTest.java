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
 * Holds the plans of 500 snapshots, which have copies only, to known ones: not one source, target or rate may
 * differ. A change that is meant to alter plans of copies sets the sums anew.
 */
public class PlansOfCopiesTest {
  private static final int SNAPSHOTS = 500;

  @ParameterizedTest
  @CsvSource({"dayu, 5658642798292322444", "paper, 66315171159610025"})
  void plansOfCopies_areThoseMadeBeforeRebuilds(String algorithm, long expectedSum) {
    assertEquals(expectedSum,
        sum(AlgorithmRegistry.named(algorithm, PlansOfCopiesTest.class.getClassLoader()).newScheduler()),
        "sum over the plans of seeds 0 to " + (SNAPSHOTS - 1));
  }

  /** A number made from the scheduler's plans of copies. */
  public static long sum(TimeslotScheduler scheduler) {
    long sum = 0;
    for (int seed = 0; seed < SNAPSHOTS; seed++) {
      sum = 31 * sum + sumOf(scheduler, SnapshotGenerator.draw(seed));
    }
    return sum;
  }

  private static long sumOf(TimeslotScheduler scheduler, ClusterSnapshot snapshot) {
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

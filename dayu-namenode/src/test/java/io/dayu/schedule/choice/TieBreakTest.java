/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.choice;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.DayuScheduler;
import io.dayu.schedule.PlanVerifier;
import io.dayu.schedule.Snapshots;
import io.dayu.schedule.paper.HullSelector;
import io.dayu.schedule.rates.ProgressiveFilling;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** Node 0 has all blocks, so that the target is node 1, 2 or 3; what a test gives the last one makes it preferred. */
public class TieBreakTest {
  private static final long[] ALIKE = {5, 5, 5, 5};
  private static final long[] MOST_FREE_3 = {5, 5, 5, 6};
  private static final long[] CALMEST_3 = {5, 5, 5, 4};

  private final Snapshots snapshots = new Snapshots(4, 100 * Snapshots.MB).bucket(Snapshots.MB);

  static Stream<TargetSelector> selectors() {
    return Stream.of(new BucketTournament(), new HullSelector(), new BucketScan());
  }

  private static int[] targets(TargetSelector selector, ClusterSnapshot snapshot) {
    TimeslotPlan plan = new DayuScheduler("test", selector, new ProgressiveFilling()).plan(snapshot);
    PlanVerifier.verify(snapshot, plan);
    return plan.target();
  }

  @ParameterizedTest
  @MethodSource("selectors")
  void withinABucket_theEmptierAndTheCalmerNode_isTheTarget(TargetSelector selector) {
    snapshots.in(3, 100 * Snapshots.MB + 1).block(Snapshots.MB, 0); // In one bucket, though not equally fast.
    ClusterSnapshot snapshot = snapshots.build();
    assertEquals(3, targets(selector, TieBreak.SPACE.apply(snapshot, MOST_FREE_3, ALIKE))[0]);
    assertEquals(3, targets(selector, TieBreak.LATENCY.apply(snapshot, ALIKE, CALMEST_3))[0]);
  }

  /** Transfers that end within the lead are no load of the plan, but are on their way. */
  @ParameterizedTest
  @MethodSource("selectors")
  void withinABucket_theNodeWithTheFewestBytesOnTheirWay_isTheTarget(TargetSelector selector) {
    snapshots.block(Snapshots.MB, 0);
    for (int node = 1; node <= 2; node++) {
      snapshots.block(Snapshots.MB, 0).copies(0);
      snapshots.running(node, 0, node, Snapshots.MB / 2, 10 * Snapshots.MB);
    }
    assertEquals(3, targets(selector, TieBreak.JOURNAL.apply(snapshots.build(), ALIKE, ALIKE))[0]);
  }

  @ParameterizedTest
  @MethodSource("selectors")
  void acrossBuckets_theEarliestEndDecides(TargetSelector selector) {
    snapshots.in(2, 101 * Snapshots.MB).block(Snapshots.MB, 0);
    ClusterSnapshot snapshot = snapshots.build();
    assertEquals(2, targets(selector, TieBreak.SPACE.apply(snapshot, MOST_FREE_3, ALIKE))[0]);
    assertEquals(2, targets(selector, TieBreak.LATENCY.apply(snapshot, ALIKE, CALMEST_3))[0]);
  }

  @ParameterizedTest
  @MethodSource("selectors")
  void withinABucket_theLoadGoesFirst(TargetSelector selector) {
    for (int block = 0; block < 30; block++) {
      snapshots.block(Snapshots.MB, 0);
    }
    int[] received = new int[4];
    for (int target : targets(selector, TieBreak.SPACE.apply(snapshots.build(), MOST_FREE_3, ALIKE))) {
      received[target]++;
    }
    assertEquals(10, received[1]);
    assertEquals(10, received[2]);
    assertEquals(10, received[3]);
  }

  @Test
  void none_leavesTheSnapshotAsItIs() {
    ClusterSnapshot snapshot = snapshots.build();
    assertSame(snapshot, TieBreak.named("none").apply(snapshot, MOST_FREE_3, CALMEST_3));
  }

  @Test
  void unknownName_isRefusedWithThoseThatThereAre() {
    assertEquals("no tie-break 'cpu'; known are none, space, latency, journal",
        assertThrows(IllegalArgumentException.class, () -> TieBreak.named("cpu")).getMessage());
  }
}

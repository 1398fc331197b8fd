/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.TimeslotPlan;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.stream.IntStream;

import static io.dayu.schedule.Snapshots.MB;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Plans in which internal blocks of erasure-coded groups are rebuilt. Nodes move 10 MB/s, the horizon is 6 s. */
class RebuildPlanTest {
  private static final long RATE = 10 * MB;

  @Test
  void rebuild_takesTheLeastLoadedSources_andFillsItsTarget() {
    Snapshots snapshots = new Snapshots(6, RATE).out(1, 5 * MB);
    snapshots.block(6 * MB, 0, 1, 2, 3).rebuiltFrom(3);
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {0, 2, 3}, sources(plan, 0), "node 1 has half the bandwidth");
    assertEquals(4, plan.target()[0]);
    assertEquals(RATE / 3, plan.rateBytesPerSec()[0], "the target receives from three at once");
    assertEquals(18 * MB, plan.plannedBytes());
  }

  @Test
  void secondRebuildOfAGroup_goesToAnotherNode() {
    Snapshots snapshots = new Snapshots(6, RATE);
    snapshots.block(6 * MB, 0, 1, 2).rebuiltFrom(2).copies(2);
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {0, 0}, plan.task());
    assertArrayEquals(new int[] {3, 4}, plan.target());
    assertArrayEquals(new int[] {0, 1}, sources(plan, 0));
    assertArrayEquals(new int[] {2, 0}, sources(plan, 1), "node 2 has nothing to send yet");
  }

  @Test
  void rebuild_waits_ifItsTargetCannotReceiveAllSources() {
    Snapshots snapshots = new Snapshots(4, RATE);
    snapshots.block(10 * MB, 0, 1, 2).rebuiltFrom(3);
    snapshots.block(11 * MB, 0, 1, 2).rebuiltFrom(3);
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {0}, plan.task(), "30 of the 60 MB of node 3 are taken; 33 more are too many");
  }

  @Test
  void rebuild_waits_ifOneSourceLacks() {
    Snapshots snapshots = new Snapshots(4, RATE).maxOutgoing(2, 0);
    snapshots.block(MB, 0, 1, 2).rebuiltFrom(3);
    assertEquals(0, plan(snapshots).count());
  }

  @Test
  void copyAndRebuild_shareATarget_byWhatEachReceives() {
    Snapshots snapshots = new Snapshots(4, RATE);
    snapshots.block(10 * MB, 0, 1).rebuiltFrom(2).excluded(2).risk(1);
    snapshots.block(10 * MB, 2).excluded(0, 1).risk(1);
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {3, 3}, plan.target());
    assertEquals(2 * plan.rateBytesPerSec()[0] + plan.rateBytesPerSec()[1], RATE);
    assertEquals(plan.rateBytesPerSec()[0], plan.rateBytesPerSec()[1], 1, "equal sizes end together");
  }

  @Test
  void rebuildAtTheHighestRisk_getsMostOfWhatItSharesWithOthers() {
    Snapshots snapshots = new Snapshots(6, RATE);
    for (int risk : new int[] {0, 1}) {
      snapshots.block(10 * MB, 0, 1 + risk).rebuiltFrom(2).excluded(3 + risk).risk(risk);
    }
    snapshots.in(5, 2 * RATE).in(3, 2 * RATE).in(4, 2 * RATE);
    TimeslotPlan plan = plan(snapshots);
    assertEquals(64.0 / 65 * RATE, plan.rateBytesPerSec()[0], 1, "node 0 sends to both");
    assertEquals(RATE, plan.rateBytesPerSec()[0] + plan.rateBytesPerSec()[1]);
  }

  @Test
  void slowDisks_limitWhatIsWritten_notWhatIsReceived() {
    Snapshots snapshots = new Snapshots(4, RATE).write(3, 2 * MB);
    snapshots.block(10 * MB, 0, 1, 2).rebuiltFrom(3);
    TimeslotPlan plan = plan(snapshots);
    assertEquals(2 * MB, plan.rateBytesPerSec()[0], "6 of 10 MB/s are received");
  }

  @Test
  void slowSource_isReplaced_andTheProgressKept() {
    Snapshots snapshots = new Snapshots(6, RATE).out(1, 0);
    snapshots.block(20 * MB, 0, 1, 2, 3).rebuiltFrom(3).copies(0);
    snapshots.runningRebuild(0, new int[] {0, 1, 2}, 4, 5 * MB, MB);
    TimeslotPlan plan = plan(snapshots);
    assertEquals(0, plan.runningSource()[0]);
    assertArrayEquals(new int[] {3, 2}, further(plan.runningFurtherSources(), 0));
    assertEquals(RATE / 3, plan.runningRateBytesPerSec()[0]);
  }

  @Test
  void rebuildWithoutAnotherSource_waitsWithItsProgress() {
    Snapshots snapshots = new Snapshots(6, RATE);
    snapshots.block(20 * MB, 0, 2).rebuiltFrom(3).copies(0);
    snapshots.runningRebuild(0, new int[] {0, -1, 2}, 4, 5 * MB, MB);
    TimeslotPlan plan = plan(snapshots);
    assertEquals(0, plan.runningRateBytesPerSec()[0]);
    assertEquals(0, plan.runningSource()[0]);
    assertArrayEquals(new int[] {TimeslotPlan.NO_SOURCE, 2}, further(plan.runningFurtherSources(), 0));
  }

  @Test
  void groupOfHigherRisk_isPlannedBeforeCopies() {
    Snapshots snapshots = new Snapshots(4, RATE);
    snapshots.block(30 * MB, 0).risk(1).excluded(1, 2);
    snapshots.block(30 * MB, 0, 1).rebuiltFrom(2).excluded(2);
    assertArrayEquals(new int[] {1}, plan(snapshots).task(), "node 3 is full then");
  }

  @Test
  void groupWithFewerHoldersThanItNeeds_isRefused() {
    Snapshots snapshots = new Snapshots(4, RATE);
    snapshots.block(MB, 0, 1).rebuiltFrom(3);
    IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, snapshots::build);
    assertTrue(refused.getMessage().contains("sources[0] has 2 nodes, expected at least width[0] = 3"),
        refused.getMessage());
  }

  private static TimeslotPlan plan(Snapshots snapshots) {
    ClusterSnapshot snapshot = snapshots.build();
    TimeslotPlan plan = new DayuScheduler().plan(snapshot);
    PlanVerifier.verify(snapshot, plan);
    return plan;
  }

  private static int[] sources(TimeslotPlan plan, int transfer) {
    return IntStream
        .concat(IntStream.of(plan.source()[transfer]), Arrays.stream(further(plan.furtherSources(), transfer)))
        .toArray();
  }

  private static int[] further(IntRows rows, int row) {
    return Arrays.copyOfRange(rows.values(), rows.start(row), rows.end(row));
  }
}

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

import java.util.Arrays;

import static io.dayu.schedule.Snapshots.MB;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What {@link DayuScheduler} does with new blocks in cases worked out by hand; horizon 6 s. */
class DayuSchedulerTest {

  private static TimeslotPlan plan(Snapshots snapshots) {
    ClusterSnapshot snapshot = snapshots.build();
    TimeslotPlan plan = new DayuScheduler().plan(snapshot);
    PlanVerifier.verify(snapshot, plan);
    PlanVerifier.verifyMaximal(snapshot, plan);
    return plan;
  }

  @Test
  void emptySnapshot_givesAnEmptyPlan() {
    assertEquals(0, plan(new Snapshots(0, 0)).count());
    assertEquals(60 * MB, plan(new Snapshots(1, 10 * MB)).volumeBytes());
  }

  @Test
  void singleBlock_getsTheWholeBandwidth() {
    Snapshots snapshots = new Snapshots(3, 10 * MB).in(2, 8 * MB);
    snapshots.block(12 * MB, 0).excluded(1);
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {0}, plan.source());
    assertArrayEquals(new int[] {2}, plan.target());
    assertArrayEquals(new long[] {8 * MB}, plan.rateBytesPerSec());
    assertEquals(12 * MB, plan.plannedBytes());
  }

  @Test
  void sourceAndTarget_areThoseThatWouldFinishFirst() {
    Snapshots snapshots = new Snapshots(5, 10 * MB).out(1, 20 * MB).in(4, 15 * MB).in(2, 11 * MB);
    snapshots.block(12 * MB, 0, 1);
    snapshots.block(12 * MB, 0, 1);
    snapshots.block(12 * MB, 0, 1);
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {1, 0, 1}, plan.source(), "0.6 s on node 1, then 1.2 on either, then node 1 again");
    assertArrayEquals(new int[] {4, 2, 3}, plan.target(), "0.8 s on node 4, then 1.1 and 1.2 on 2 and 3 against 1.6");
  }

  @Test
  void nodeOfLessWeight_comesAfterOthers_andIsTakenWhereTheyAreSaturated() {
    Snapshots snapshots = new Snapshots(3, 10 * MB).out(0, 100 * MB).weight(2, 1.0 / 16);
    for (int i = 0; i < 4; i++) {
      snapshots.block(25 * MB, 0);
    }
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {1, 1, 2, 2}, plan.target(), "50 of 60 MB on each");
  }

  @Test
  void blockThatSaturatesItsSource_waits_andTheNextIsPlanned() {
    Snapshots snapshots = new Snapshots(4, 10 * MB);
    snapshots.block(40 * MB, 0);
    snapshots.block(40 * MB, 0);
    snapshots.block(15 * MB, 0);
    snapshots.block(40 * MB, 1);
    assertArrayEquals(new int[] {0, 2, 3}, plan(snapshots).task());
  }

  @Test
  void targetSlowerThanABucketIsWide_keepsNoBlockFromOthers() {
    Snapshots snapshots = new Snapshots(3, 10 * MB).in(1, MB / 10).bucket(MB);
    for (int block = 0; block < 600; block++) {
      snapshots.block(MB / 10, 0);
    }
    assertEquals(600, plan(snapshots).count(), "6 blocks fit on node 1, all others on node 2");
  }

  @Test
  void blockLargerThanTheHorizon_isPlannedOnIdleNodes_andFillsThem() {
    Snapshots snapshots = new Snapshots(4, MB);
    snapshots.block(128 * MB, 0);
    snapshots.block(128 * MB, 0);
    snapshots.block(MB, 0);
    snapshots.block(128 * MB, 1);
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {0, 3}, plan.task());
    assertArrayEquals(new long[] {MB, MB}, plan.rateBytesPerSec());
    assertNotEquals(plan.target()[0], plan.target()[1]);
  }

  @Test
  void largeBlock_takesOfItsSourceOnlyWhatItsTargetCanReceive() {
    Snapshots snapshots = new Snapshots(3, MB).out(0, 100 * MB).in(2, 10 * MB);
    snapshots.block(128 * MB, 0).excluded(2);
    snapshots.block(50 * MB, 0).excluded(1);
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {1, 2}, plan.target());
    assertArrayEquals(new long[] {MB, 10 * MB}, plan.rateBytesPerSec());
  }

  @Test
  void higherRisk_goesFirst_whateverTheRow() {
    Snapshots snapshots = new Snapshots(3, MB);
    snapshots.block(6 * MB, 0).risk(2);
    snapshots.block(6 * MB, 0).risk(0);
    assertArrayEquals(new int[] {1}, plan(snapshots).task());
  }

  @Test
  void blocksThatCannotBePlanned_takeNothingFromTheRest() {
    Snapshots snapshots = new Snapshots(4, 10 * MB);
    for (int i = 0; i < 1000; i++) {
      snapshots.block(MB).risk(0);
      snapshots.block(MB, 0).risk(0).excluded(1, 2, 3);
      snapshots.block(MB, 0).risk(0).forbiddenFaultDomains(0, 1, 2, 3);
      snapshots.block(MB, 0).risk(0).storageTypes(0);
    }
    snapshots.block(MB, 0).risk(5);
    assertArrayEquals(new int[] {4000}, plan(snapshots).task());
  }

  @Test
  void copiesOfOneBlock_goToDistinctTargets_andRacksIfTheyMust() {
    Snapshots snapshots = new Snapshots(6, 10 * MB).racks(0, 1, 1, 2, 2, 2);
    snapshots.block(MB, 0).copies(3);
    snapshots.block(MB, 0).copies(3).onDistinctRacks().forbiddenFaultDomains(0);
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {0, 0, 0, 1, 1}, plan.task());
    assertEquals(3, Arrays.stream(plan.target()).limit(3).distinct().count());
  }

  @Test
  void targetAndRackOfARunningCopy_areNotChosenAgain() {
    Snapshots snapshots = new Snapshots(4, 10 * MB).racks(0, 1, 1, 2);
    snapshots.block(30 * MB, 0).onDistinctRacks().forbiddenFaultDomains(0);
    snapshots.running(0, 0, 1, 0, MB);
    assertArrayEquals(new int[] {3}, plan(snapshots).target());
  }

  @Test
  void nodesThatRefuse_orHaveNoStreamRoomOrBandwidth_areNoTargets() {
    Snapshots snapshots = new Snapshots(6, 10 * MB).refuses(1).maxIncoming(2, 0).in(3, 0).room(0, 4, MB - 1)
        .maxIncoming(5, 1);
    snapshots.block(MB, 0);
    snapshots.block(MB, 0);
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {0}, plan.task());
    assertArrayEquals(new int[] {5}, plan.target());
  }

  @Test
  void room_isTakenByStorageType() {
    Snapshots snapshots = new Snapshots(2, 10 * MB).room(0, 1, 3 * MB).room(1, 1, 2 * MB);
    snapshots.block(2 * MB, 0).storageTypes(0b01);
    snapshots.block(2 * MB, 0).storageTypes(0b01);
    snapshots.block(2 * MB, 0).storageTypes(0b11);
    snapshots.block(2 * MB, 0).storageTypes(0b11);
    assertArrayEquals(new int[] {0, 2}, plan(snapshots).task());
  }

  @Test
  void room_isTakenByWhatIsOnItsWay() {
    Snapshots snapshots = new Snapshots(2, 100 * MB).room(0, 1, 4 * MB);
    snapshots.block(2 * MB, 0).copies(0);
    snapshots.block(2 * MB, 0);
    snapshots.block(2 * MB, 0);
    snapshots.running(0, 0, 1, MB, MB);
    assertArrayEquals(new int[] {1}, plan(snapshots).task());
  }

  @Test
  void streamsOfASource_boundWhatItServes_stragglersIncluded() {
    Snapshots snapshots = new Snapshots(4, 10 * MB).maxOutgoing(0, 2);
    snapshots.block(20 * MB, 0).copies(0);
    snapshots.block(MB, 0);
    snapshots.block(MB, 0);
    snapshots.running(0, 0, 1, 0, MB);
    assertArrayEquals(new int[] {1}, plan(snapshots).task());
  }

  @Test
  void emptyBlocks_areCopiedToo() {
    Snapshots snapshots = new Snapshots(3, 10 * MB);
    snapshots.block(0, 0);
    snapshots.block(60 * MB, 0);
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {0, 1}, plan.task());
    assertTrue(plan.rateBytesPerSec()[0] >= 1 && plan.rateBytesPerSec()[1] > 9 * MB);
  }

  @Test
  void moreTransfersThanBytesASecond_areNotAllPlanned() {
    Snapshots snapshots = new Snapshots(9, 10);
    for (int i = 0; i < 20; i++) {
      snapshots.block(1, 0);
    }
    assertEquals(10, plan(snapshots).count());
  }

  /** The example of ATC'19 §4.2: A can send 50 and holds blocks 1 and 2; B can send 60 and holds all four. */
  @Test
  void underemployedNode_servesItsBlocks_soThatOthersServeTheRest() {
    Snapshots snapshots = new Snapshots(12, 50 * MB).out(0, 60 * MB);
    snapshots.block(100 * MB, 0, 1);
    for (int i = 0; i < 3; i++) {
      snapshots.block(150 * MB, 1, 2);
      snapshots.block(150 * MB, 1, 2);
    }
    // Node 0 has the most bandwidth and the least common size. Its block comes first whatever the row, and node 0
    // serves it.
    snapshots.block(10 * MB, 1, 0);
    snapshots.underemployedRatio(0.05);
    TimeslotPlan plan = plan(snapshots);
    assertEquals(0, plan.task()[0]);
    assertEquals(7, plan.task()[1]);
    assertEquals(0, plan.source()[0]);
    assertEquals(0, plan.source()[1]);
  }

  @Test
  void leavingNode_servesItsBlocks_evenIfAnotherHolderIsUnderemployed() {
    Snapshots snapshots = new Snapshots(12, 50 * MB).out(0, 60 * MB).leaving(1);
    snapshots.block(10 * MB, 0, 1);
    snapshots.block(10 * MB, 1, 2);
    snapshots.block(10 * MB, 1, 2);
    // Node 0 has the most bandwidth and the least common size.
    snapshots.underemployedRatio(0.05);
    assertArrayEquals(new int[] {1, 1, 1}, plan(snapshots).source());
  }

  @Test
  void blockOfASaturatedUnderemployedNode_isTriedAgainWithItsOtherHolders() {
    Snapshots snapshots = new Snapshots(12, 50 * MB).out(0, 60 * MB);
    snapshots.block(250 * MB, 0);
    snapshots.block(120 * MB, 0, 1);
    snapshots.block(280 * MB, 2);
    snapshots.block(280 * MB, 1).risk(1);
    snapshots.block(280 * MB, 2).risk(1);
    snapshots.underemployedRatio(0.05);
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {0, 2, 1}, plan.task());
    assertArrayEquals(new int[] {0, 2, 1}, plan.source());
  }
}

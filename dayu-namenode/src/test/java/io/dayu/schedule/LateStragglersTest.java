/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.PlanningParameters;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.choice.LeastLoadedRebuildSources;
import io.dayu.schedule.choice.LeastLoadedSources;
import io.dayu.schedule.choice.NodeLoads;
import org.junit.jupiter.api.Test;

import java.util.Arrays;

import static io.dayu.schedule.Snapshots.MB;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What {@link LateStragglers} does, seen through the plan, in cases worked out by hand; horizon 6 s, lead 1 s. */
class LateStragglersTest {
  private static TimeslotPlan plan(Snapshots snapshots) {
    ClusterSnapshot snapshot = snapshots.build();
    TimeslotPlan plan = new DayuScheduler().plan(snapshot);
    PlanVerifier.verify(snapshot, plan);
    return plan;
  }

  /**
   * Seven blocks on their way to node 0, which can take 10 MB/s: 55.4 MB, 5.5 s. Anew elsewhere they would take 1 + 1 +
   * 0.8 s.
   */
  private static Snapshots crowdedTarget() {
    Snapshots snapshots = new Snapshots(10, 10 * MB).minTimeslotMs(1000);
    for (int r = 0; r < 7; r++) {
      snapshots.block(8 * MB, r + 1).copies(0);
      snapshots.running(r, r + 1, 0, r == 4 ? 0 : MB / 10, 0);
    }
    return snapshots;
  }

  @Test
  void nearTheEnd_targetIsLeft_whenStartingAnewIsFaster() {
    assertArrayEquals(new int[] {1, 2, 3, 4, 5, 6, 7}, plan(crowdedTarget()).runningSource());
    int gone = TimeslotPlan.EVICTED;
    assertArrayEquals(new int[] {gone, gone, 3, 4, gone, 6, 7},
        plan(crowdedTarget().evictionFactor(1.3)).runningSource(), "31.6 MB stay: in less than 1.3 times 2.8 s");
  }

  @Test
  void nearTheEnd_targetIsKept_whenTheBlockMayGoNowhereElse() {
    Snapshots snapshots = crowdedTarget().evictionFactor(1.3);
    for (int node = 1; node < 10; node++) {
      snapshots.refuses(node);
    }
    assertArrayEquals(new int[] {1, 2, 3, 4, 5, 6, 7}, plan(snapshots).runningSource());
  }

  /** Four nodes, three replicas, one node lost: each block has two holders and one node to go to. */
  @Test
  void nearTheEnd_targetIsKept_whenAllOtherNodesHoldTheBlock() {
    Snapshots snapshots = new Snapshots(4, 10 * MB).in(2, 1_500_000).in(3, 0).out(3, 0).refuses(3).evictionFactor(1.3);
    snapshots.block(4 * MB, 0, 1).copies(0);
    snapshots.block(4 * MB, 0, 1).copies(0);
    snapshots.running(0, 0, 2, 0, 0).running(1, 1, 2, 0, 0);
    assertArrayEquals(new int[] {0, 1}, plan(snapshots).runningSource());
  }

  /**
   * A target of 1 MB/s with a block of high risk and one that is all but done, of lower risk; elsewhere a block takes
   * 2.8 s.
   */
  private static Snapshots slowTarget(long leftBytes) {
    Snapshots snapshots = new Snapshots(20, 10 * MB).in(0, MB).evictionFactor(1.3).minTimeslotMs(1000);
    snapshots.block(8 * MB, 1).copies(0).risk(0);
    snapshots.block(8 * MB, 2).copies(0).risk(2);
    return snapshots.running(0, 1, 0, 3 * MB, 0).running(1, 2, 0, 8 * MB - leftBytes, 0);
  }

  @Test
  void nearTheEnd_almostDoneStraggler_keepsItsTarget_andTheOneInItsWayLeaves() {
    assertArrayEquals(new int[] {TimeslotPlan.EVICTED, 2}, plan(slowTarget(MB / 10)).runningSource());
    assertArrayEquals(new int[] {1, TimeslotPlan.EVICTED}, plan(slowTarget(MB - 1)).runningSource(), "16 % of 6 MB");
  }

  @Test
  void farFromTheEnd_targetIsKept_forAsLongAsTheHorizon() {
    Snapshots snapshots = crowdedTarget().evictionFactor(1.3);
    snapshots.block(500 * MB, 9);
    assertArrayEquals(new int[] {1, 2, 3, 4, 5, 6, 7}, plan(snapshots).runningSource());
  }

  @Test
  void nearTheEnd_sourceIsLeft_forOneWithLessToSend() {
    Snapshots snapshots = new Snapshots(10, 10 * MB);
    snapshots.block(30 * MB, 0, 3).copies(0);
    snapshots.block(30 * MB, 0, 3).copies(0);
    snapshots.running(0, 0, 1, 10 * MB, 0).running(1, 0, 2, 15 * MB, 0);
    assertArrayEquals(new int[] {0, 0}, plan(snapshots).runningSource());
    assertArrayEquals(new int[] {3, 0}, plan(snapshots.evictionFactor(1.3)).runningSource());
  }

  @Test
  void nearTheEnd_leavingSourceIsLeft_forOneThatStays() {
    Snapshots snapshots = new Snapshots(10, 10 * MB).leaving(0);
    snapshots.block(30 * MB, 0, 3).copies(0);
    snapshots.block(30 * MB, 0, 3).copies(0);
    snapshots.running(0, 0, 1, 10 * MB, 0).running(1, 0, 2, 15 * MB, 0);
    assertArrayEquals(new int[] {3, 0}, plan(snapshots.evictionFactor(1.3)).runningSource());
  }

  @Test
  void nearTheEnd_sourceIsKept_whenFromABetterOneTheTargetWouldBeSaturated() {
    Snapshots snapshots = new Snapshots(20, 10 * MB).out(2, MB);
    snapshots.block(60 * MB, 1).copies(0);
    snapshots.block(100 * MB, 2, 3).copies(0);
    snapshots.running(0, 1, 0, 10 * MB, 0).running(1, 2, 0, 0, 0).evictionFactor(1.3);
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {1, 2}, plan.runningSource());
    assertArrayEquals(new long[] {9 * MB, MB}, plan.runningRateBytesPerSec());
  }

  @Test
  void nearTheEnd_sourceIsKept_withItsStream_whenTheBlockIsNowhereElse() {
    Snapshots snapshots = new Snapshots(20, 10 * MB).maxOutgoing(1, 2).out(2, 5 * MB);
    snapshots.block(20 * MB, 1).copies(0);
    snapshots.block(20 * MB, 1).copies(0);
    snapshots.block(20 * MB, 1, 2).copies(0);
    snapshots.running(0, 1, 4, 5 * MB, 0).running(1, 1, 5, 6 * MB, 0).running(2, 2, 6, 5 * MB, 0).evictionFactor(1.3);
    TimeslotPlan plan = plan(snapshots);
    assertArrayEquals(new int[] {1, 1, 2}, plan.runningSource());
    assertEquals(10 * MB, plan.runningRateBytesPerSec()[0] + plan.runningRateBytesPerSec()[1]);
    assertEquals(5 * MB, plan.runningRateBytesPerSec()[2]);
  }

  @Test
  void nearTheEnd_noStragglerStops_thatWouldGoOnFarFromIt() {
    StragglerPolicy policy = new StragglerPolicy(Stragglers.RESCHEDULE);
    int moved = 0;
    for (long seed = 0; seed < 4000; seed++) {
      ClusterSnapshot drawn = SnapshotGenerator.draw(seed);
      PlanningParameters parameters = drawn.parameters();
      ClusterSnapshot near = drawn.with(new PlanningParameters(parameters.timeslotMs(), parameters.horizonMs(),
          parameters.bucketBytesPerSec(), parameters.underemployedRatio(), parameters.pressedSourcesFirst(), 1e-6, 1));
      boolean[] keptFar = place(policy, drawn.with(parameters.farFromTheEnd()));
      int[] sourceFar = new int[keptFar.length];
      Arrays.setAll(sourceFar, policy::source);
      boolean[] keptNear = place(policy, near);
      assertArrayEquals(keptFar, keptNear, "seed " + seed);
      for (int r = 0; r < keptNear.length; r++) {
        moved += policy.source(r) != sourceFar[r] ? 1 : 0;
      }
    }
    assertTrue(moved > 400, "the snapshots exercise little: " + moved);
  }

  private static boolean[] place(StragglerPolicy policy, ClusterSnapshot snapshot) {
    NodeLoads loads = new NodeLoads();
    loads.reset(snapshot);
    LeastLoadedSources sources = new LeastLoadedSources();
    sources.reset(snapshot.nodes(), snapshot.tasks().sources(), loads);
    policy.place(snapshot, loads, sources, new LeastLoadedRebuildSources());
    boolean[] keeps = new boolean[snapshot.running().count()];
    for (int r = 0; r < keeps.length; r++) {
      keeps[r] = policy.keeps(r);
    }
    return keeps;
  }

  @Test
  void nearTheEnd_stragglerAloneOnItsTarget_staysThere() {
    Snapshots snapshots = new Snapshots(20, MB);
    snapshots.block(128 * MB, 0).copies(0);
    snapshots.running(0, 0, 1, 100 * MB, MB).evictionFactor(0.1);
    assertArrayEquals(new int[] {0}, plan(snapshots).runningSource());
  }

  /** Half of 8 MB is left; anew on another node it takes 3 + 1 + 0.8 s. */
  private static Snapshots aloneOnATarget(long inBytesPerSec) {
    Snapshots snapshots = new Snapshots(20, 10 * MB).in(0, inBytesPerSec).evictionFactor(1.3);
    snapshots.block(8 * MB, 1).copies(0);
    return snapshots.running(0, 1, 0, 4 * MB, 0);
  }

  @Test
  void nearTheEnd_stragglerAloneOnItsTarget_leaves_ifANewStartTakesHalfTheTime() {
    assertArrayEquals(new int[] {TimeslotPlan.EVICTED}, plan(aloneOnATarget(MB / 4)).runningSource(), "16 s");
    assertArrayEquals(new int[] {1}, plan(aloneOnATarget(MB / 2)).runningSource(), "8 s");
  }

  /** Each alone on a slow target, half done; anew on node 6 the first takes 3 + 1 + 0.8 s, and each more 0.8 s more. */
  @Test
  void nearTheEnd_noMoreLeaveForOneTarget_thanItCanTakeInTime() {
    Snapshots snapshots = new Snapshots(13, 10 * MB).evictionFactor(1.3);
    for (int node = 0; node < 13; node++) {
      snapshots.in(node, node < 6 ? MB / 4 : 10 * MB);
      if (node > 6) {
        snapshots.refuses(node);
      }
    }
    for (int r = 0; r < 6; r++) {
      snapshots.block(8 * MB, r + 7).copies(0);
      snapshots.running(r, r + 7, r, 4 * MB, 0);
    }
    int gone = TimeslotPlan.EVICTED;
    assertArrayEquals(new int[] {gone, gone, gone, gone, 11, 12}, plan(snapshots).runningSource(),
        "four take 3 + 1 + 3.2 s there, five would take the 8 s that each may take at most");
  }

  @Test
  void nearTheEnd_rebuildsDoNotAllLeaveForOneTarget() {
    Snapshots snapshots = new Snapshots(9, 10 * MB).evictionFactor(1.3);
    for (int node = 0; node < 8; node++) {
      snapshots.in(node, node < 4 ? 9 * MB / 20 : 10 * MB);
      if (node >= 4) {
        snapshots.refuses(node);
      }
    }
    for (int r = 0; r < 4; r++) {
      snapshots.block(4 * MB, 4, 5, 6, 7).rebuiltFrom(3).copies(0);
      snapshots.runningRebuild(r, new int[] {4, 5, 6}, r, 3 * MB / 2, 0);
    }
    long left = Arrays.stream(plan(snapshots).runningSource()).filter(source -> source == TimeslotPlan.EVICTED).count();
    assertEquals(2, left, "12 MB each: 3 + 1 + 2.4 s for two, 7.6 s for three; where they are 16.7 s, by 2.45");
  }

  /** Only node 0, with 10 MB/s, and the slow node 6 take blocks. Row 0 is of 8 MB, and row 1 waits. */
  private static Snapshots blockWaitsForNodeZero() {
    Snapshots snapshots = new Snapshots(13, 10 * MB).in(6, MB / 4).evictionFactor(0.5);
    for (int node = 1; node < 13; node++) {
      if (node != 6) {
        snapshots.refuses(node);
      }
    }
    snapshots.block(8 * MB, 7).copies(0);
    snapshots.block(59 * MB, 8);
    return snapshots;
  }

  @Test
  void nearTheEnd_targetThatStragglersLeaveFor_isFreeForOthersMeanwhile() {
    TimeslotPlan plan = plan(blockWaitsForNodeZero().running(0, 7, 6, 4 * MB, 0));
    assertArrayEquals(new int[] {TimeslotPlan.EVICTED}, plan.runningSource());
    assertArrayEquals(new int[] {0}, plan.target());
    assertEquals(59 * MB, plan.plannedBytes());
  }

  @Test
  void nearTheEnd_whereStragglersLeftForInAnEarlierPlan_doesNotMatter() {
    DayuScheduler scheduler = new DayuScheduler();
    assertEquals(1, scheduler.plan(blockWaitsForNodeZero().running(0, 7, 6, 4 * MB, 0).build()).count());
    Snapshots snapshots = blockWaitsForNodeZero().running(0, 7, 0, 4 * MB, 0);
    snapshots.block(8 * MB, 9).copies(0);
    TimeslotPlan plan = scheduler.plan(snapshots.running(2, 9, 6, 4 * MB, 0).build());
    assertArrayEquals(new int[] {7, TimeslotPlan.EVICTED}, plan.runningSource());
    assertEquals(0, plan.count(), "4 MB of 60 are taken");
  }

  @Test
  void nearTheEnd_targetIsKept_whenTheSourceHasMuchElseToSend() {
    Snapshots snapshots = aloneOnATarget(MB / 4);
    assertArrayEquals(new int[] {TimeslotPlan.EVICTED}, plan(snapshots).runningSource());
    snapshots.block(50 * MB, 1).copies(0);
    snapshots.running(1, 1, 2, 0, 0);
    assertArrayEquals(new int[] {1, 1}, plan(snapshots).runningSource(), "3 + 1 + 5.8 s");
  }
}

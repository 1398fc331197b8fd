/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.schedule.DayuScheduler;
import io.dayu.schedule.TimeslotScheduler;
import io.dayu.sim.Cluster;
import io.dayu.sim.Uplinks;
import io.dayu.sim.algorithm.Algorithms;
import io.dayu.sim.experiment.Experiment;
import io.dayu.sim.foreground.FixedForeground;
import io.dayu.sim.placement.BlockKind;
import io.dayu.sim.placement.BlockKinds;
import io.dayu.sim.placement.BothPlacement;
import io.dayu.sim.placement.EpochPlacement;
import io.dayu.sim.placement.GroupPlacement;
import io.dayu.sim.placement.LostBlocks;
import io.dayu.sim.placement.RackRule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Rebuilds of erasure-coded groups, small enough to be worked out by hand: nodes of 100 bytes/s, of which recovery may
 * use 75, each its own rack; node 0 fails.
 */
class GroupRecoveryTest {
  private static final Cluster CLUSTER = new Cluster(6, 1, 100);

  private static FixedForeground idle(Cluster cluster) {
    return FixedForeground.always(15_000, new long[cluster.nodes()], new long[cluster.nodes()]);
  }

  private static RecoveryOutcome run(Cluster cluster, LostBlocks lost) {
    return new RecoverySimulation(cluster, idle(cluster), 0, lost, TestSettings.paper(), new DayuScheduler()).run();
  }

  @Test
  void rebuild_takesAsLongAsItsTargetReceivesFromAllSources() {
    LostBlocks lost = new LostBlocks(0, 3, new int[] {1, 2, 3}, new long[] {150}).asGroups(3);
    RecoveryOutcome outcome = run(CLUSTER, lost);
    assertTrue(outcome.finished());
    assertEquals(6, outcome.recoveryTimeSec(), 1e-9, "450 bytes at 75 a second");
    assertEquals(450, outcome.slots().get(0).movedBytes());
    assertEquals(450, outcome.copies().copiedBytes());
  }

  /** A block on node 1, and a group of which two of nodes 1 to 3 make the lost internal block. */
  private static LostBlocks blockAndGroup(long sizeBytes) {
    BlockKinds kinds = new BlockKinds.Builder().add(BlockKind.replica(RackRule.ALL_DISTINCT))
        .add(new BlockKind(2, RackRule.ALL_DISTINCT)).build();
    return new LostBlocks(0, 3, new int[] {1, -1, -1, 1, 2, 3}, new long[] {sizeBytes, sizeBytes}, kinds);
  }

  @Test
  void blockAndGroup_areRecoveredTogether() {
    RecoveryOutcome outcome = run(CLUSTER, blockAndGroup(150));
    assertTrue(outcome.finished());
    assertEquals(150 / 37.0, outcome.recoveryTimeSec(), 1e-9, "the group: from both at 37 of 75 bytes a second");
    assertEquals(450, outcome.copies().copiedBytes());
    assertEquals(450, outcome.slots().get(0).movedBytes());
  }

  @Test
  void boundsOfBlockAndGroup_countEachByItsWidth() {
    LostBlocks lost = blockAndGroup(300);
    double ideal = IdealRecovery.seconds(CLUSTER, idle(CLUSTER), 0, lost, TestSettings.paper());
    assertEquals(900 / (5 * 75.0), ideal, 1e-9);
    // Node 1 sends the block, and nodes 1 to 3 together all of the group: the block alone takes as long as node 1 has.
    assertEquals(4, PlacementBound.seconds(CLUSTER, idle(CLUSTER), 0, lost, TestSettings.paper(), ideal), 1e-9);
    // Nodes 4 and 5 receive all of two groups, twice their sizes.
    BlockKind group = lost.kinds().of(1);
    LostBlocks two = new LostBlocks(0, 3, new int[] {1, -1, -1, 1, 2, 3, 1, 2, 3}, new long[] {1, 600, 600},
        new BlockKinds.Builder().add(lost.kinds().of(0)).add(group).add(group).build());
    assertEquals(16, PlacementBound.seconds(CLUSTER, idle(CLUSTER), 0, two, TestSettings.paper(), ideal), 1e-9);
  }

  @Test
  void groupWithTooFewHolders_isLost() {
    LostBlocks lost = new LostBlocks(0, 3, new int[] {1, 2, 3, 1, 2, -1}, new long[] {150, 150}).asGroups(3);
    RecoveryOutcome outcome = run(CLUSTER, lost);
    assertEquals(1, outcome.risk().lostBlocks());
    assertEquals(6, outcome.recoveryTimeSec(), 1e-9);
  }

  @Test
  void uplink_carriesARebuild_onceForEachSourceBehindIt() {
    // Racks of two nodes: 2 and 3 are sources on one rack, whose uplink carries 50; the target is on another one.
    Cluster racks = new Cluster(8, 2, 100).with(Uplinks.of(4, 50, 0));
    LostBlocks lost = new LostBlocks(0, 2, new int[] {2, 3}, new long[] {100}).asGroups(2);
    assertEquals(4, run(racks, lost).recoveryTimeSec(), 1e-9, "200 bytes at 50 a second");
  }

  @Test
  void ideal_andPlacementBound_countAllThatIsRead() {
    LostBlocks lost = new LostBlocks(0, 3, new int[] {1, 2, 3, 1, 2, 4}, new long[] {300, 300}).asGroups(2);
    double ideal = IdealRecovery.seconds(CLUSTER, idle(CLUSTER), 0, lost, TestSettings.paper());
    assertEquals(1200 / (5 * 75.0), ideal, 1e-9);
    // Nodes 1 to 4 send all of it; 1 and 2 at least 600 of it, since each group has one other holder.
    assertEquals(4, PlacementBound.seconds(CLUSTER, idle(CLUSTER), 0, lost, TestSettings.paper(), ideal), 1e-9);
  }

  @Test
  void schedulerOfCopies_isRefused() {
    LostBlocks lost = new LostBlocks(0, 2, new int[] {1, 2}, new long[] {150}).asGroups(2);
    IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
        () -> new RecoverySimulation(CLUSTER, idle(CLUSTER), 0, lost, TestSettings.paper(),
            Algorithms.named("pangu-slow").factory().create(1000, 1)));
    assertTrue(refused.getMessage().contains("plans copies only"), refused.getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"hdfs", "hdfs-20", "selectiveec", "repairboost"})
  void rivals_rebuildAllGroups_withinTheBound(String name) {
    Cluster cluster = new Cluster(12, 1, 1_000_000);
    Experiment experiment = new Experiment(cluster, idle(cluster),
        new GroupPlacement(new EpochPlacement(cluster, 5, 0, 3), 3), 100, 500_000, 3);
    Experiment.Failure failure = experiment.failure(0);
    SimulationSettings settings = TestSettings.stockHdfs();
    RecoveryOutcome outcome =
        experiment.recover(failure, settings, Algorithms.named(name).factory().create(1000, 3));
    assertTrue(outcome.finished());
    assertEquals(100 * 500_000 * 3, outcome.copies().copiedBytes());
    // They fill links whole, not up to alpha.
    double bound = settings.limits().alpha() * experiment.boundSeconds(failure, settings,
        experiment.idealSeconds(failure, settings));
    assertTrue(outcome.recoveryTimeSec() >= bound && outcome.recoveryTimeSec() < 5 * bound,
        name + ": " + outcome.recoveryTimeSec() + " s, bound " + bound + " s");
  }

  @Test
  void drawnGroups_areAllRebuilt_closeToTheBound() {
    assertAllRebuilt("dayu-paper", 1.5);
  }

  /** Half of what is lost are blocks, so twice as many bytes are received as are lost. */
  @ParameterizedTest
  @ValueSource(strings = {"dayu-paper", "R+W", "hdfs", "hdfs-20", "selectiveec", "repairboost"})
  void drawnBlocksAndGroups_areAllRecovered(String name) {
    Cluster cluster = new Cluster(12, 1, 1_000_000);
    boolean keepsAlpha = name.contains("+") || name.startsWith("dayu");
    for (int seed = 1; seed <= 3; seed++) {
      Experiment experiment = new Experiment(cluster, idle(cluster),
          new BothPlacement(new EpochPlacement(cluster, 3, 0, seed),
              new GroupPlacement(new EpochPlacement(cluster, 5, 0, seed), 3)),
          200, 500_000, seed);
      Experiment.Failure failure = experiment.failure(0);
      SimulationSettings settings = keepsAlpha ? TestSettings.paper() : TestSettings.stockHdfs();
      TimeslotScheduler scheduler = Algorithms.named(name).factory().create(15_000, seed);
      RecoveryOutcome outcome =
          experiment.recover(failure, settings, keepsAlpha ? new CheckedScheduler(scheduler) : scheduler);
      assertTrue(outcome.finished(), name + ", seed " + seed);
      assertEquals(200 * 500_000 * 2, outcome.copies().copiedBytes(), name + ", seed " + seed);
      double ideal = experiment.idealSeconds(failure, settings);
      assertEquals(200 * 500_000 * 2 / (11 * settings.limits().alpha() * 1e6), ideal, 1e-9, name + ", seed " + seed);
      double bound = experiment.boundSeconds(failure, settings, ideal) * (keepsAlpha ? 1 : settings.limits().alpha());
      assertTrue(outcome.recoveryTimeSec() >= bound - 1e-6 && outcome.recoveryTimeSec() < 5 * bound,
          name + ", seed " + seed + ": " + outcome.recoveryTimeSec() + " s, bound " + bound + " s");
    }
  }

  @Test
  void drawnGroups_areAllRebuilt_fromRandomSources_toRandomTargets() {
    assertAllRebuilt("R+W", 2);
  }

  /**
   * The simulation checks links, bytes and room of every step itself; plans are checked by {@link CheckedScheduler}.
   */
  private static void assertAllRebuilt(String name, double maxFactor) {
    Cluster cluster = new Cluster(12, 1, 100);
    for (int seed = 1; seed <= 10; seed++) {
      Experiment experiment = new Experiment(cluster, idle(cluster),
          new GroupPlacement(new EpochPlacement(cluster, 5, 0, seed), 3), 600, 50, seed);
      Experiment.Failure failure = experiment.failure(0);
      RecoveryOutcome outcome = experiment.recover(failure, TestSettings.paper(),
          new CheckedScheduler(Algorithms.named(name).factory().create(15_000, seed)));
      double ideal = experiment.idealSeconds(failure, TestSettings.paper());
      double bound = experiment.boundSeconds(failure, TestSettings.paper(), ideal);
      assertTrue(outcome.finished(), "seed " + seed);
      assertEquals(600 * 50 * 3, outcome.copies().copiedBytes(), "seed " + seed);
      assertTrue(outcome.recoveryTimeSec() >= bound - 1e-6 && outcome.recoveryTimeSec() < maxFactor * bound,
          "seed " + seed + ": " + outcome.recoveryTimeSec() + " s, bound " + bound + " s");
    }
  }
}

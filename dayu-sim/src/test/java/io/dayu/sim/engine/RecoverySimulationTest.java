/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.DayuScheduler;
import io.dayu.schedule.TimeslotScheduler;
import io.dayu.sim.Cluster;
import io.dayu.sim.Experiment;
import io.dayu.sim.Uplinks;
import io.dayu.sim.foreground.FixedForeground;
import io.dayu.sim.foreground.SyntheticForeground;
import io.dayu.sim.placement.EpochPlacement;
import io.dayu.sim.placement.LostBlocks;
import io.dayu.sim.placement.RackRule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Recoveries small enough to be worked out by hand: nodes of 100 bytes/s, each its own rack, node 0 fails and node 1 holds the rest. */
class RecoverySimulationTest {
  private static final Cluster CLUSTER = new Cluster(4, 1, 100);

  private static LostBlocks blocksOnNodeOne(long... sizes) {
    int[] holders = new int[sizes.length];
    java.util.Arrays.fill(holders, 1);
    return new LostBlocks(0, 1, holders, sizes);
  }

  private static RecoveryOutcome run(FixedForeground foreground, SimulationSettings settings, LostBlocks lost) {
    return new RecoverySimulation(CLUSTER, foreground, 0, lost, settings, new DayuScheduler()).run();
  }

  @Test
  void block_isMoved_atAlphaOfAnIdleLink() {
    RecoveryOutcome outcome = run(FixedForeground.always(15_000, new long[4], new long[4]), TestSettings.paper(),
        blocksOnNodeOne(150));
    assertTrue(outcome.finished());
    assertEquals(2, outcome.recoveryTimeSec(), 1e-9);
    assertEquals(0, outcome.interferencePercent());
    assertEquals(150, outcome.slots().get(0).movedBytes());
  }

  @Test
  void recovery_getsWhatIsPhysicallyLeft_whenForegroundGrows() {
    // 2 s at 75, then the source sends 95 to clients and has 5 left of the 75 granted: 50 more bytes take 10 s.
    FixedForeground foreground = new FixedForeground(2000, new long[2][4], new long[][] {{0, 0, 0, 0}, {0, 95, 0, 0}});
    RecoveryOutcome outcome = run(foreground, TestSettings.paper(), blocksOnNodeOne(200));
    assertEquals(12, outcome.recoveryTimeSec(), 1e-9);
    double capacity = 3 * 2 * 100 * 12;
    assertEquals(100 * 25 * 10 / capacity, outcome.interferencePercent(), 1e-9);
    assertEquals(100 * 20 * 10 / capacity, outcome.foregroundAlonePercent(), 1e-9);
  }

  @Test
  void minimum_isUsed_whenForegroundLeavesLess() {
    RecoveryOutcome outcome = run(FixedForeground.always(15_000, new long[4], new long[] {0, 70, 0, 0}), TestSettings.paper(),
        blocksOnNodeOne(120));
    assertEquals(10, outcome.recoveryTimeSec(), 1e-9, "B_min of 12 rather than 75 - 70");
    assertEquals(100 * 7 * 10 / (6 * 100.0 * 10), outcome.interferencePercent(), 1e-9);
  }

  @Test
  void minimum_yieldsToForeground_ifWanted() {
    SimulationSettings yields = new SimulationSettings(TestSettings.PLANNING, 0.75, 12, true, Knowledge.LAST_REPORT, 15_000, 0, false,
        0, false, 1000, 600_000);
    assertEquals(4, yields.recoverBytesPerSec(100, 96));
    assertEquals(4, yields.recoverBytesPerSec(100, 100), "a third of B_min is never taken away");
    assertEquals(12, yields.recoverBytesPerSec(100, 70));
    assertEquals(75, yields.recoverBytesPerSec(100, 0));
    assertEquals(12, TestSettings.paper().recoverBytesPerSec(100, 96));
  }

  @Test
  void straggler_goesOn_inTheNextTimeslot() {
    // Two blocks of 1000: one timeslot of 15 s at 75 carries one whole; the other one follows. 1125 bytes a slot fit only one new block.
    RecoveryOutcome outcome = run(FixedForeground.always(15_000, new long[4], new long[4]), TestSettings.paper(),
        blocksOnNodeOne(1000, 1000));
    assertEquals(15 + 1000 / 75.0, outcome.recoveryTimeSec(), 1e-9);
    assertEquals(outcome.recoveryTimeSec(), outcome.timeTo99PercentSec());
  }

  @Test
  void plan_takesEffect_afterTheLead() {
    FixedForeground idle = FixedForeground.always(15_000, new long[4], new long[4]);
    assertEquals(3, run(idle, TestSettings.lead(1000, false), blocksOnNodeOne(150)).recoveryTimeSec(), 1e-9);
    RecoveryOutcome second = run(idle, TestSettings.lead(1000, false), blocksOnNodeOne(1000, 1000));
    assertEquals(16, second.slots().get(1).startSec(), 1e-9);
  }

  @Test
  void slowPlanning_delaysThePlan_ifCounted() {
    TimeslotScheduler slow = new TimeslotScheduler() {
      private final DayuScheduler inner = new DayuScheduler();

      @Override
      public String name() {
        return "slow";
      }

      @Override
      public TimeslotPlan plan(ClusterSnapshot snapshot) {
        long endNs = System.nanoTime() + 50_000_000;
        while (System.nanoTime() < endNs) {
          Thread.onSpinWait();
        }
        return inner.plan(snapshot);
      }
    };
    FixedForeground idle = FixedForeground.always(15_000, new long[4], new long[4]);
    RecoveryOutcome counted = new RecoverySimulation(CLUSTER, idle, 0, blocksOnNodeOne(150), TestSettings.lead(0, true), slow)
        .run();
    RecoveryOutcome not = new RecoverySimulation(CLUSTER, idle, 0, blocksOnNodeOne(150), TestSettings.lead(0, false), slow).run();
    assertTrue(counted.recoveryTimeSec() >= 2.05 && counted.slots().get(0).startSec() >= 0.05);
    assertEquals(2, not.recoveryTimeSec(), 1e-9);
  }

  @Test
  void recovery_thatCannotEnd_isReportedAsUnfinished() {
    FixedForeground full = FixedForeground.always(15_000, new long[4], new long[] {0, 100, 0, 0});
    RecoveryOutcome outcome = run(full, TestSettings.paper(), blocksOnNodeOne(100));
    assertFalse(outcome.finished());
    assertEquals(600, outcome.recoveryTimeSec());
    assertEquals(Double.POSITIVE_INFINITY, outcome.timeTo95PercentSec());
  }

  @Test
  void ideal_followsTheForeground_slotBySlot() {
    // Survivors can send 3*75 = 225 in the first slot of 2 s, and 225 - 63 = 162 afterwards (B_min on node 1); receiving is never less.
    FixedForeground foreground = new FixedForeground(2000, new long[2][4], new long[][] {{0, 0, 0, 0}, {0, 95, 0, 0}});
    assertEquals(2 + 162 / 162.0, IdealRecovery.seconds(foreground, 0, 0, 100, 450 + 162, TestSettings.paper()), 1e-9);
  }

  @Test
  void ideal_isNoFasterThanTheUplinks_whereEachBlockMustCrossThem() {
    FixedForeground foreground = FixedForeground.always(2000, new long[4], new long[] {0, 20, 0, 0});
    // Of 4 uplinks of 30 the foreground takes 10, so 110 bytes/s; the nodes alone could do more.
    Cluster uplinks = CLUSTER.with(Uplinks.of(CLUSTER, 30, 0.5));
    LostBlocks lost = new LostBlocks(0, 1, new int[] {1}, new long[] {330});
    assertEquals(3, IdealRecovery.seconds(uplinks, foreground, 0, lost, TestSettings.paper()), 1e-9);
    LostBlocks mayStay = new LostBlocks(0, 1, new int[] {1}, new long[] {330}, RackRule.TWO_RACKS);
    assertEquals(IdealRecovery.seconds(CLUSTER, foreground, 0, mayStay, TestSettings.paper()),
        IdealRecovery.seconds(uplinks, foreground, 0, mayStay, TestSettings.paper()), 1e-9);
  }

  @Test
  void queuedTransfer_begins_whenBothEndsHaveBandwidthLeft() {
    // Slots of 15 s, 75 bytes/s: 1000 of 1125 bytes fit, so the second block waits for the next slot; queued, it begins when the first is through.
    FixedForeground idle = FixedForeground.always(15_000, new long[4], new long[4]);
    SimulationSettings queue = TestSettings.paper().with(new Refinements("last", false, false, 15_000, false));
    RecoveryOutcome outcome = run(idle, queue, blocksOnNodeOne(1000, 1000));
    assertEquals(14 + 1000 / 75.0, outcome.recoveryTimeSec(), 1e-9, "the first ends after 13.3 s; agents look each second");
  }

  @Test
  void lastBlock_isPulledFromTwoSources() {
    LostBlocks both = new LostBlocks(0, 2, new int[] {1, 2}, new long[] {150});
    long[] busy = {0, 50, 50, 0};
    SimulationSettings split = TestSettings.paper().with(new Refinements("last", false, false, 0, true));
    FixedForeground sources = FixedForeground.always(15_000, new long[4], busy);
    assertEquals(6, run(sources, TestSettings.paper(), both).recoveryTimeSec(), 1e-9);
    assertEquals(3, run(sources, split, both).recoveryTimeSec(), 1e-9);
  }

  @Test
  void surplus_isUsed_whenForegroundShrinks() {
    // Planned with 25 left of the source; from 2 s on it has 75.
    FixedForeground foreground = new FixedForeground(2000, new long[3][4], new long[][] {{0, 50, 0, 0}, {0, 50, 0, 0}, {0, 0, 0, 0}});
    SimulationSettings surplus = TestSettings.paper().with(new Refinements("last", false, true, 0, false));
    LostBlocks block = blocksOnNodeOne(200);
    RecoveryOutcome outcome = new RecoverySimulation(CLUSTER, foreground, 1, block, surplus, new DayuScheduler()).run();
    assertEquals(4, outcome.recoveryTimeSec(), 1e-9);
    assertEquals(0, outcome.interferencePercent(), 1e-9);
  }

  @ParameterizedTest
  @CsvSource({"1, false", "2, false", "3, false", "1, true", "2, true"})
  void everyByte_isAccountedFor_andRunsRepeat(long seed, boolean refined) {
    Cluster cluster = new Cluster(200, 20, 250_000_000);
    Experiment experiment = new Experiment(cluster, new SyntheticForeground(cluster, seed, 0.3),
        new EpochPlacement(cluster, 3, 0.75, seed), 12_000, 64_000_000, seed);
    SimulationSettings settings = new SimulationSettings(TestSettings.PLANNING, 0.75, 30_000_000, false, Knowledge.LAST_REPORT, 15_000,
        0, false, 1000, false, 1000, 3_600_000).with(refined ? new Refinements("mean", true, true, 5000, true) : Refinements.NONE);
    Experiment.Failure failure = experiment.failure(0);
    RecoveryOutcome outcome = experiment.recover(failure, settings, new CheckedScheduler(new DayuScheduler()));
    RecoveryOutcome again = experiment.recover(experiment.failure(0), settings, new DayuScheduler());
    assertTrue(outcome.finished(), "seed " + seed);
    long moved = outcome.slots().stream().mapToLong(SlotOutcome::movedBytes).sum();
    assertEquals(failure.lost().totalBytes() + outcome.wastedBytes(), moved, 1e-9 * moved, "seed " + seed);
    assertTrue(outcome.recoveryTimeSec() >= experiment.idealSeconds(failure, settings) * 0.98, "seed " + seed);
    assertTrue(outcome.timeTo95PercentSec() <= outcome.timeTo99PercentSec()
        && outcome.timeTo99PercentSec() <= outcome.timeTo999PermilleSec()
        && outcome.timeTo999PermilleSec() <= outcome.recoveryTimeSec(), "seed " + seed);
    assertEquals(outcome.recoveryTimeSec(), again.recoveryTimeSec(), "seed " + seed);
    assertEquals(outcome.interferencePercent(), again.interferencePercent(), "seed " + seed);
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.DayuScheduler;
import io.dayu.schedule.TimeslotScheduler;
import io.dayu.sim.Capacities;
import io.dayu.sim.Cluster;
import io.dayu.sim.Uplinks;
import io.dayu.sim.foreground.FixedForeground;
import io.dayu.sim.placement.LostBlocks;
import io.dayu.sim.placement.RackRule;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Recoveries small enough to be worked out by hand: nodes of 100 bytes/s, each its own rack, node 0 fails and node 1
 * holds the rest.
 */
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
    assertEquals(0, outcome.interference().percent());
    assertEquals(150, outcome.slots().get(0).movedBytes());
  }

  @Test
  void firstEstimate_isMadeAfterTwoTimeslots_ofARecoveryThatGoesOn() {
    FixedForeground idle = FixedForeground.always(15_000, new long[4], new long[4]);
    long[] sizes = new long[90];
    java.util.Arrays.fill(sizes, 150);
    RecoveryOutcome outcome = run(idle, TestSettings.paper(), blocksOnNodeOne(sizes));
    assertEquals(180, outcome.recoveryTimeSec(), 20);
    assertEquals(outcome.recoveryTimeSec(), outcome.firstEstimateSec(), 0.2 * outcome.recoveryTimeSec());
    assertEquals(Double.NaN, run(idle, TestSettings.paper(), blocksOnNodeOne(150)).firstEstimateSec());
  }

  @Test
  void recovery_getsWhatIsPhysicallyLeft_whenForegroundGrows() {
    // 2 s at 75, then the source sends 95 to clients and has 5 left of the 75 granted: 50 more bytes take 10 s.
    FixedForeground foreground = new FixedForeground(2000, new long[2][4], new long[][] {{0, 0, 0, 0}, {0, 95, 0, 0}});
    RecoveryOutcome outcome = run(foreground, TestSettings.paper(), blocksOnNodeOne(200));
    assertEquals(12, outcome.recoveryTimeSec(), 1e-9);
    double capacity = 3 * 2 * 100 * 12;
    assertEquals(100 * 25 * 10 / capacity, outcome.interference().percent(), 1e-9);
    assertEquals(100 * 20 * 10 / capacity, outcome.interference().foregroundAlonePercent(), 1e-9);
  }

  @Test
  void minimum_isUsed_whenForegroundLeavesLess() {
    RecoveryOutcome outcome = run(FixedForeground.always(15_000, new long[4], new long[] {0, 70, 0, 0}),
        TestSettings.paper(), blocksOnNodeOne(120));
    assertEquals(10, outcome.recoveryTimeSec(), 1e-9, "B_min of 12 rather than 75 - 70");
    assertEquals(100 * 7 * 10 / (6 * 100.0 * 10), outcome.interference().percent(), 1e-9);
  }

  @Test
  void minimum_yieldsToForeground_ifWanted() {
    SimulationSettings yields = new SimulationSettings(TestSettings.PLANNING,
        new SimulationSettings.Limits(0.75, 12, true), Knowledge.LAST_REPORT, LoadReports.every(15_000),
        new SimulationSettings.Execution(0, 0, 1000, 600_000));
    assertEquals(4, yields.recoverBytesPerSec(CLUSTER, 0, 96));
    assertEquals(4, yields.recoverBytesPerSec(CLUSTER, 0, 100), "a third of B_min is never taken away");
    assertEquals(12, yields.recoverBytesPerSec(CLUSTER, 0, 70));
    assertEquals(75, yields.recoverBytesPerSec(CLUSTER, 0, 0));
    assertEquals(12, TestSettings.paper().recoverBytesPerSec(CLUSTER, 0, 96));
  }

  @Test
  void straggler_goesOn_inTheNextTimeslot() {
    // Two blocks of 1000: one timeslot of 15 s at 75 carries one whole; the other one follows. 1125 bytes a slot fit
    // only one new block.
    RecoveryOutcome outcome = run(FixedForeground.always(15_000, new long[4], new long[4]), TestSettings.paper(),
        blocksOnNodeOne(1000, 1000));
    assertEquals(15 + 1000 / 75.0, outcome.recoveryTimeSec(), 1e-9);
    assertEquals(outcome.recoveryTimeSec(), outcome.times().timeTo99PercentSec());
  }

  @Test
  void plan_takesEffect_afterTheLead() {
    FixedForeground idle = FixedForeground.always(15_000, new long[4], new long[4]);
    assertEquals(3, run(idle, TestSettings.lead(1000, 0), blocksOnNodeOne(150)).recoveryTimeSec(), 1e-9);
    RecoveryOutcome second = run(idle, TestSettings.lead(1000, 0), blocksOnNodeOne(1000, 1000));
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
    RecoveryOutcome counted =
        new RecoverySimulation(CLUSTER, idle, 0, blocksOnNodeOne(150), TestSettings.lead(0, 1), slow).run();
    RecoveryOutcome not =
        new RecoverySimulation(CLUSTER, idle, 0, blocksOnNodeOne(150), TestSettings.lead(0, 0), slow).run();
    assertTrue(counted.recoveryTimeSec() >= 2.05 && counted.slots().get(0).startSec() >= 0.05);
    assertEquals(2, not.recoveryTimeSec(), 1e-9);
  }

  @Test
  void recovery_thatDoesNotEndInTime_isReportedAsUnfinished() {
    FixedForeground full = FixedForeground.always(15_000, new long[4], new long[] {0, 100, 0, 0});
    RecoveryOutcome outcome = run(full, TestSettings.paper(), blocksOnNodeOne(1300));
    assertFalse(outcome.finished());
    assertEquals(600, outcome.recoveryTimeSec());
    assertEquals(Double.POSITIVE_INFINITY, outcome.times().timeTo95PercentSec());
    assertEquals(1, outcome.copies().behindFullLinks());
    assertEquals(600, run(full, TestSettings.paper(), blocksOnNodeOne(1200)).recoveryTimeSec(), 1e-6,
        "2 % of a link is always left");
  }

  @Test
  void lostTime_isAllThatTheIdealIsShorterBy() {
    // Survivors could send 225 bytes/s and one sends 75: two thirds of each second are lost, once nothing waits as the
    // tail.
    RecoveryOutcome outcome =
        run(FixedForeground.always(15_000, new long[4], new long[4]), TestSettings.paper(), blocksOnNodeOne(150));
    assertEquals(2 * 2 / 3.0, outcome.lost().tailSec(), 1e-9);
    assertEquals(0, outcome.lost().leadSec() + outcome.lost().granularitySec(), 1e-9);
    assertEquals(outcome.lost().tailSec(), outcome.slots().get(0).lost().tailSec(), 1e-9);
    RecoveryOutcome two = run(FixedForeground.always(15_000, new long[4], new long[4]), TestSettings.paper(),
        blocksOnNodeOne(1000, 1000));
    LostTime lost = two.lost();
    assertEquals(two.recoveryTimeSec() - 2000 / 225.0,
        lost.leadSec() + lost.forecastSec() + lost.granularitySec() + lost.physicsSec() + lost.tailSec(), 1e-6);
    assertTrue(lost.granularitySec() > 5, lost::toString);
  }

  @Test
  void placementBound_isThatOfTheNodesThatMustSend() {
    FixedForeground idle = FixedForeground.always(15_000, new long[4], new long[4]);
    LostBlocks lost = new LostBlocks(0, 2, new int[] {1, -1, 1, 2, 2, 3}, new long[] {300, 10, 10});
    double ideal = IdealRecovery.seconds(CLUSTER, idle, 0, lost, TestSettings.paper());
    assertEquals(320 / 225.0, ideal, 1e-9);
    assertEquals(4, PlacementBound.seconds(CLUSTER, idle, 0, lost, TestSettings.paper(), ideal), 1e-9,
        "node 1 must send 300 at 75");
  }

  @Test
  void nodes_ofATable_haveTheirOwnBandwidthAndRoom() {
    // Node 2 has room for one block, and node 3, with 40 bytes/s, takes the other two at 30 bytes/s.
    Capacities capacities = new Capacities(new long[] {100, 100, 100, 40}, new long[] {0, 0, 60, 1000});
    RecoveryOutcome outcome =
        new RecoverySimulation(CLUSTER.with(capacities), FixedForeground.always(15_000, new long[4], new long[4]), 0,
            blocksOnNodeOne(60, 60, 60), TestSettings.paper(), new DayuScheduler()).run();
    assertEquals(120 / 30.0, outcome.recoveryTimeSec(), 1e-9);
  }

  @Test
  void ideal_followsTheForeground_slotBySlot() {
    // Survivors can send 3*75 = 225 in the first slot of 2 s, and 225 - 63 = 162 afterwards (B_min on node 1);
    // receiving is never less.
    FixedForeground foreground = new FixedForeground(2000, new long[2][4], new long[][] {{0, 0, 0, 0}, {0, 95, 0, 0}});
    assertEquals(2 + 162 / 162.0, IdealRecovery.seconds(CLUSTER, foreground, 0, 0, 450 + 162, TestSettings.paper()),
        1e-9);
  }

  @Test
  void ideal_isNoFasterThanTheUplinks_whereEachBlockMustCrossThem() {
    FixedForeground foreground = FixedForeground.always(2000, new long[4], new long[] {0, 20, 0, 0});
    // Of 4 uplinks of 30 the foreground takes 10, so 110 bytes/s; the nodes alone could do more.
    Cluster uplinks = CLUSTER.with(Uplinks.of(CLUSTER.rackCount(), 30, 0.5));
    LostBlocks lost = new LostBlocks(0, 1, new int[] {1}, new long[] {330});
    assertEquals(3, IdealRecovery.seconds(uplinks, foreground, 0, lost, TestSettings.paper()), 1e-9);
    LostBlocks mayStay = new LostBlocks(0, 1, new int[] {1}, new long[] {330}, RackRule.TWO_RACKS);
    assertEquals(IdealRecovery.seconds(CLUSTER, foreground, 0, mayStay, TestSettings.paper()),
        IdealRecovery.seconds(uplinks, foreground, 0, mayStay, TestSettings.paper()), 1e-9);
  }

  private static SimulationSettings shaped(double peak, double creditSec) {
    return TestSettings.paper()
        .with(new Refinements(Refinements.LAST, false, false, Shaping.product().with(peak, creditSec)));
  }

  @Test
  void queuedTransfer_begins_whenAnotherEnds() {
    // Four blocks to be sent by one node to three: two of one target run, whatever else it was granted.
    FixedForeground idle = FixedForeground.always(15_000, new long[4], new long[4]);
    RecoveryOutcome outcome = run(idle, shaped(1, 0), blocksOnNodeOne(150, 150, 150, 150));
    assertEquals(600 / 75.0, outcome.recoveryTimeSec(), 0.11, "the source's link is never idle, to a step");
    assertEquals(0, outcome.interference().percent(), 0.1);
  }

  @Test
  void credit_isUsedUpToThePeak_thenAlphaHolds() {
    // 8 s of credit are 600 bytes; at 90 of 100 they last 40 s: 3600 bytes. 750 more at 75.
    FixedForeground idle = FixedForeground.always(1000, new long[4], new long[4]);
    RecoveryOutcome outcome = run(idle, shaped(0.9, 8), blocksOnNodeOne(4350));
    assertEquals(50, outcome.recoveryTimeSec(), 0.2);
    assertEquals(600, outcome.interference().causedBytes() / 2.0, 10, "on either link");
  }

  @Test
  void agents_yieldAtOnce_whenForegroundGrows_andGetTheMinimumAfterAWhile() {
    // 2 s at 75, then the source sends 70 to clients: 5 are left of alpha until 4 s of B_min, 48, have drained at 12 -
    // 5. Then there are 12.
    FixedForeground foreground = new FixedForeground(2000, new long[2][4], new long[][] {{0, 0, 0, 0}, {0, 70, 0, 0}});
    double inDebtSec = 48 / 7.0;
    assertEquals(2 + inDebtSec + (60 - 5 * inDebtSec) / 12,
        run(foreground, shaped(1, 0), blocksOnNodeOne(210)).recoveryTimeSec(), 0.2);
  }

  @Test
  void fairSharing_holdsForegroundUp_andLetsItGoLater() {
    FixedForeground foreground = new FixedForeground(2000, new long[2][4], new long[][] {{0, 90, 0, 0}, {0, 0, 0, 0}});
    SimulationSettings fair = TestSettings.paper().with(new LinkPhysics(true, 1));
    RecoveryOutcome outcome = run(foreground, fair, blocksOnNodeOne(200));
    assertTrue(outcome.interference().displacedBytes() >= 0 && outcome.finished());
    RecoveryOutcome first = run(foreground, TestSettings.paper(), blocksOnNodeOne(200));
    assertTrue(outcome.recoveryTimeSec() <= first.recoveryTimeSec() + 1e-9);
  }
}

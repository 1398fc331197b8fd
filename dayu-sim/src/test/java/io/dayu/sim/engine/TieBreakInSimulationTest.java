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
import io.dayu.schedule.choice.TieBreak;
import io.dayu.sim.Capacities;
import io.dayu.sim.Cluster;
import io.dayu.sim.foreground.FixedForeground;
import io.dayu.sim.placement.LostBlocks;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Two nodes could take the block, equally loaded and of one bucket: room and foreground of each decide. */
class TieBreakInSimulationTest {
  /** The node that gets the one block of node 1; node 0 is lost, so it is node 2 or 3. */
  private static int target(TieBreak tieBreak, long[] foregroundIn, long... freeBytes) {
    List<Integer> targets = new ArrayList<>();
    TimeslotScheduler recording = new TimeslotScheduler() {
      private final DayuScheduler inner = new DayuScheduler();

      @Override
      public String name() {
        return inner.name();
      }

      @Override
      public TimeslotPlan plan(ClusterSnapshot snapshot) {
        TimeslotPlan plan = inner.plan(snapshot);
        for (int transfer = 0; transfer < plan.count(); transfer++) {
          targets.add(plan.target()[transfer]);
        }
        return plan;
      }
    };
    Cluster cluster = new Cluster(4, 1, 100).with(new Capacities(new long[] {100, 100, 100, 100}, freeBytes));
    SimulationSettings settings =
        TestSettings.paper().with(new Refinements(Refinements.LAST, false, false, null, tieBreak));
    new RecoverySimulation(cluster, FixedForeground.always(15_000, foregroundIn, new long[4]), 0,
        new LostBlocks(0, 1, new int[] {1}, new long[] {150}), settings, recording).run();
    assertEquals(1, targets.size());
    return targets.get(0);
  }

  @Test
  void space_prefersTheEmptierNode() {
    long[] none = new long[4];
    assertEquals(2, target(TieBreak.SPACE, none, 1_000, 1_000, 6_000, 5_000));
    assertEquals(3, target(TieBreak.SPACE, none, 1_000, 1_000, 5_000, 6_000));
  }

  @Test
  void latency_prefersTheCalmerNode_whereBothHaveTheMinimum() {
    assertEquals(2, target(TieBreak.LATENCY, new long[] {0, 0, 80, 90}, 9_000, 9_000, 9_000, 9_000));
    assertEquals(3, target(TieBreak.LATENCY, new long[] {0, 0, 90, 80}, 9_000, 9_000, 9_000, 9_000));
  }

  @Test
  void none_doesNotLookAtThem() {
    long[] none = new long[4];
    assertEquals(target(TieBreak.NONE, none, 1_000, 1_000, 6_000, 5_000),
        target(TieBreak.NONE, none, 1_000, 1_000, 5_000, 6_000));
  }
}

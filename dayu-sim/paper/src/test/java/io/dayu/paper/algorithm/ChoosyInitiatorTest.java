/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.algorithm;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.PlanningParameters;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.TimeslotScheduler;
import io.dayu.sim.Cluster;
import io.dayu.sim.engine.Knowledge;
import io.dayu.sim.engine.LoadReports;
import io.dayu.sim.engine.RecoveryOutcome;
import io.dayu.sim.engine.SimulationSettings;
import io.dayu.sim.experiment.Experiment;
import io.dayu.sim.foreground.SyntheticForeground;
import io.dayu.sim.placement.EpochPlacement;
import org.junit.jupiter.api.Test;

import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ChoosyInitiatorTest {
  private static final Cluster CLUSTER = new Cluster(60, 10, 250_000_000);
  private static final Experiment EXPERIMENT =
      new Experiment(CLUSTER, new SyntheticForeground(CLUSTER, 1, SyntheticForeground.MEAN_LEVEL),
          new EpochPlacement(CLUSTER, 3, 0, 1), 900, 64_000_000, 1);

  /** Nodes act every 100 ms. */
  private static final SimulationSettings SETTINGS =
      new SimulationSettings(new PlanningParameters(100, 100, 1_000_000, 0),
          new SimulationSettings.Limits(0.75, 30_000_000, true), Knowledge.LAST_REPORT, LoadReports.every(100),
          new SimulationSettings.Execution(0, 0, Integer.MAX_VALUE, 6 * 3_600_000));

  /** Checks that nobody has two transfers on a link. */
  private record Exclusive(TimeslotScheduler inner) implements TimeslotScheduler {
    @Override
    public String name() {
      return inner.name();
    }

    @Override
    public TimeslotPlan plan(ClusterSnapshot snapshot) {
      TimeslotPlan plan = inner.plan(snapshot);
      int[] sent = new int[snapshot.nodes().count()];
      int[] received = new int[snapshot.nodes().count()];
      Arrays.stream(plan.source()).forEach(node -> sent[node]++);
      Arrays.stream(plan.runningSource()).forEach(node -> sent[node]++);
      Arrays.stream(plan.target()).forEach(node -> received[node]++);
      Arrays.stream(snapshot.running().target()).forEach(node -> received[node]++);
      assertTrue(Arrays.stream(sent).max().orElse(0) <= 1 && Arrays.stream(received).max().orElse(0) <= 1);
      return plan;
    }
  }

  private static RecoveryOutcome recover(TimeslotScheduler scheduler) {
    return EXPERIMENT.recover(EXPERIMENT.failure(0), SETTINGS, scheduler);
  }

  @Test
  void links_areExclusive_andAllIsRecovered() {
    ChoosyInitiator choosy = new ChoosyInitiator(true, 3);
    RecoveryOutcome outcome = recover(new Exclusive(choosy));
    assertTrue(outcome.finished());
    assertTrue(choosy.messages() >= 900 * 9, "three questions, bids and answers a block: " + choosy.messages());
    ChoosyInitiator again = new ChoosyInitiator(true, 3);
    assertEquals(outcome.recoveryTimeSec(), recover(again).recoveryTimeSec(), "the same seed");
    assertEquals(choosy.messages(), again.messages());
  }

  @Test
  void renegotiation_sendsMoreMessages() {
    ChoosyInitiator without = new ChoosyInitiator(false, 3);
    assertTrue(recover(without).finished());
    ChoosyInitiator with = new ChoosyInitiator(true, 3);
    recover(with);
    assertTrue(with.messages() > without.messages(), with.messages() + " and " + without.messages());
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.algorithm;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.RunningTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.TimeslotScheduler;
import io.dayu.sim.Cluster;
import io.dayu.sim.engine.LinkPhysics;
import io.dayu.sim.engine.RecoveryOutcome;
import io.dayu.sim.engine.TestSettings;
import io.dayu.sim.experiment.Experiment;
import io.dayu.sim.foreground.SyntheticForeground;
import io.dayu.sim.placement.BothPlacement;
import io.dayu.sim.placement.EpochPlacement;
import io.dayu.sim.placement.GroupPlacement;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class StockRebuildsTest {
  private static final int MAX_STREAMS = 2;
  private static final int WIDTH = 3;
  private static final Cluster CLUSTER = new Cluster(10, 1, 3_125_000);

  /** Looks at the sources of each plan, and counts how often a group was passed over since too many were busy. */
  private static final class BusyNodes implements TimeslotScheduler {
    private final StockHdfs inner = new StockHdfs(2, MAX_STREAMS, 3000, 1);
    private int busySeen;
    private int fewerThanAskedFor;

    @Override
    public String name() {
      return inner.name();
    }

    @Override
    public boolean plansRebuilds() {
      return true;
    }

    @Override
    public TimeslotPlan plan(ClusterSnapshot snapshot) {
      int[] queued = new int[snapshot.nodes().count()];
      RunningTable running = snapshot.running();
      for (int r = 0; r < running.count(); r++) {
        queued[running.target()[r]] += StockRebuilds.isQueued(running, r) ? 1 : 0;
      }
      for (int node : queued) {
        busySeen += node >= MAX_STREAMS ? 1 : 0;
      }
      TimeslotPlan plan = inner.plan(snapshot);
      for (int i = 0; i < plan.count(); i++) {
        assertTrue(queued[plan.source()[i]] < MAX_STREAMS, "busy as a worker");
        assertEquals(WIDTH - 1, plan.furtherSources().end(i) - plan.furtherSources().start(i));
        for (int at = plan.furtherSources().start(i); at < plan.furtherSources().end(i); at++) {
          assertTrue(queued[plan.furtherSources().values()[at]] < MAX_STREAMS, "busy as a worker");
        }
      }
      fewerThanAskedFor += plan.count() > 0 && plan.count() < 2 * (CLUSTER.nodes() - 1) ? 1 : 0;
      return plan;
    }
  }

  /** Counts what each node runs: copies that it sends, and rebuilds by its worker, of which each counts one here. */
  private static final class BothQueues implements TimeslotScheduler {
    private final StockHdfs inner = new StockHdfs(4, MAX_STREAMS, 3000, 1);
    private int full;
    private int fullOfBoth;

    @Override
    public String name() {
      return inner.name();
    }

    @Override
    public boolean plansRebuilds() {
      return true;
    }

    @Override
    public TimeslotPlan plan(ClusterSnapshot snapshot) {
      TimeslotPlan plan = inner.plan(snapshot);
      RunningTable running = snapshot.running();
      int[] copies = new int[snapshot.nodes().count()];
      int[] rebuilds = new int[snapshot.nodes().count()];
      for (int r = 0; r < running.count(); r++) {
        if (plan.runningRateBytesPerSec()[r] > LinkPhysics.QUEUED_BYTES_PER_SEC) {
          boolean copy = snapshot.tasks().width(running.task()[r]) == 1;
          (copy ? copies : rebuilds)[copy ? running.source()[r] : running.target()[r]]++;
        }
      }
      for (int i = 0; i < plan.count(); i++) {
        boolean copy = snapshot.tasks().width(plan.task()[i]) == 1;
        assertEquals(copy ? 0 : WIDTH - 1, plan.furtherSources().end(i) - plan.furtherSources().start(i));
        if (plan.rateBytesPerSec()[i] > LinkPhysics.QUEUED_BYTES_PER_SEC) {
          (copy ? copies : rebuilds)[copy ? plan.source()[i] : plan.target()[i]]++;
        }
      }
      for (int node = 0; node < copies.length; node++) {
        assertTrue(copies[node] + rebuilds[node] <= MAX_STREAMS, "streams of a node");
        full += copies[node] + rebuilds[node] == MAX_STREAMS ? 1 : 0;
        fullOfBoth += copies[node] > 0 && rebuilds[node] > 0 ? 1 : 0;
      }
      return plan;
    }
  }

  @Test
  void copiesAndRebuilds_shareTheStreamsOfANode() {
    Experiment experiment = new Experiment(CLUSTER, new SyntheticForeground(CLUSTER, 1, 0),
        new BothPlacement(new EpochPlacement(CLUSTER, 3, 0, 3),
            new GroupPlacement(new EpochPlacement(CLUSTER, 5, 0, 3), WIDTH)),
        160, 2_000_000, 3);
    BothQueues stock = new BothQueues();
    RecoveryOutcome outcome = experiment.recover(experiment.failure(0), TestSettings.stockHdfs(), stock);
    assertTrue(outcome.finished());
    assertEquals(0, outcome.copies().wastedBytes());
    assertTrue(stock.full > 0 && stock.fullOfBoth > 0, "nodes are full, of copies and rebuilds together");
  }

  @Test
  void nodesWithFullQueues_areNoSources_andAllGroupsAreRebuilt() {
    Experiment experiment = new Experiment(CLUSTER, new SyntheticForeground(CLUSTER, 1, 0),
        new GroupPlacement(new EpochPlacement(CLUSTER, 5, 0, 3), WIDTH), 80, 2_000_000, 3);
    BusyNodes stock = new BusyNodes();
    RecoveryOutcome outcome = experiment.recover(experiment.failure(0), TestSettings.stockHdfs(), stock);
    assertTrue(outcome.finished());
    assertEquals(0, outcome.copies().wastedBytes());
    assertFalse(stock.busySeen == 0 || stock.fewerThanAskedFor == 0, "queues fill up and hold groups back");
  }
}

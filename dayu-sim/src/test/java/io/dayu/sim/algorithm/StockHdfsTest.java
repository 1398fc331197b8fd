/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.algorithm;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.Snapshots;
import io.dayu.schedule.TimeslotScheduler;
import io.dayu.sim.Cluster;
import io.dayu.sim.engine.LinkPhysics;
import io.dayu.sim.engine.RecoveryOutcome;
import io.dayu.sim.engine.TestSettings;
import io.dayu.sim.experiment.Experiment;
import io.dayu.sim.foreground.SyntheticForeground;
import io.dayu.sim.placement.EpochPlacement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class StockHdfsTest {
  private static final Cluster CLUSTER = new Cluster(120, 12, 250_000_000);

  /** Holds each plan against the limits, and counts how often each of them was reached. */
  private static final class Limits implements TimeslotScheduler {
    private final StockHdfs inner;
    private final int blocksPerNode;
    private final int maxStreams;
    private int quotaReached;
    private int streamsReached;
    private int queuesReached;
    private int calls;

    Limits(int blocksPerNode, int maxStreams) {
      inner = new StockHdfs(blocksPerNode, maxStreams, 3000, 1);
      this.blocksPerNode = blocksPerNode;
      this.maxStreams = maxStreams;
    }

    @Override
    public String name() {
      return inner.name();
    }

    @Override
    public TimeslotPlan plan(ClusterSnapshot snapshot) {
      TimeslotPlan plan = inner.plan(snapshot);
      int[] sending = new int[snapshot.nodes().count()];
      int[] queued = new int[snapshot.nodes().count()];
      for (int i = 0; i < plan.count(); i++) {
        (plan.rateBytesPerSec()[i] == LinkPhysics.QUEUED_BYTES_PER_SEC ? queued : sending)[plan.source()[i]]++;
      }
      for (int r = 0; r < plan.runningSource().length; r++) {
        boolean waits = plan.runningRateBytesPerSec()[r] == LinkPhysics.QUEUED_BYTES_PER_SEC;
        (waits ? queued : sending)[plan.runningSource()[r]]++;
      }
      for (int node = 0; node < sending.length; node++) {
        assertTrue(sending[node] <= maxStreams, "streams of a source");
        assertTrue(queued[node] <= maxStreams, "queue of a source");
        streamsReached += sending[node] == maxStreams ? 1 : 0;
        queuesReached += queued[node] == maxStreams ? 1 : 0;
      }
      assertTrue(plan.count() == 0 || calls % 6 == 0, "blocks are chosen every 3 s");
      calls++;
      assertTrue(plan.count() <= blocksPerNode * (CLUSTER.nodes() - 1), "blocks of a call");
      quotaReached += plan.count() == blocksPerNode * (CLUSTER.nodes() - 1) ? 1 : 0;
      for (int i = 0; i < plan.count(); i++) {
        int task = plan.task()[i];
        assertTrue(snapshot.tasks().sources().contains(task, plan.source()[i]));
        assertTrue(snapshot.nodes().acceptsTransfers()[plan.target()[i]]);
        assertFalse(snapshot.tasks().forbiddenFaultDomains().contains(task, snapshot.nodes().rack()[plan.target()[i]]));
      }
      return plan;
    }
  }

  @ParameterizedTest
  @CsvSource({"2,2,false,true", "1,1000,true,false", "1000,50,false,true"})
  void plans_keepToTheSettings_andRecoverEverything(int blocksPerNode, int maxStreams, boolean quota, boolean streams) {
    Experiment experiment = new Experiment(CLUSTER, new SyntheticForeground(CLUSTER, 1, 0),
        new EpochPlacement(CLUSTER, 3, 0.75, 1), 6000, 64_000_000, 1);
    Limits limits = new Limits(blocksPerNode, maxStreams);
    RecoveryOutcome outcome = experiment.recover(experiment.failure(0), TestSettings.stockHdfs(), limits);
    assertTrue(outcome.finished());
    assertEquals(0, outcome.copies().wastedBytes());
    assertEquals(quota, limits.quotaReached > 0, "limit of blocks reached");
    assertEquals(streams, limits.streamsReached > 0, "limit of streams reached");
    assertEquals(streams, limits.queuesReached > 0, "limit of queues reached");
  }

  /** The fewest replicas first, as far as the queues of their only holders allow; then what was known first. */
  @Test
  void blocksOfTheHighestRisk_goFirst_andMoreOfThemMayWaitForASource() {
    Snapshots snapshots = new Snapshots(10, Snapshots.MB);
    for (int block = 0; block < 40; block++) {
      snapshots.block(Snapshots.MB, 0, 1).risk(2);
    }
    for (int block = 0; block < 6; block++) {
      snapshots.block(Snapshots.MB, 2).risk(0);
    }
    TimeslotPlan plan = new StockHdfs(1, 2, 3000, 1).plan(snapshots.build());
    assertArrayEquals(new int[] {40, 41, 42, 43, 0, 1, 2, 3}, plan.task());
  }
}

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
import io.dayu.sim.Cluster;
import io.dayu.sim.algorithm.Algorithms;
import io.dayu.sim.foreground.FixedForeground;
import io.dayu.sim.incident.ClusterEvent;
import io.dayu.sim.incident.ClusterEvent.Kind;
import io.dayu.sim.incident.Incident;
import io.dayu.sim.placement.BlockKind;
import io.dayu.sim.placement.BlockKinds;
import io.dayu.sim.placement.EpochPlacement;
import io.dayu.sim.placement.GroupPlacement;
import io.dayu.sim.placement.LostBlocks;
import io.dayu.sim.placement.RackRule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Events that hit erasure-coded groups, small enough to be worked out by hand: nodes of 100 bytes/s, of which recovery
 * may use 75, each its own rack.
 */
class GroupIncidentTest {
  private static final int K = 3;

  /** Groups of internal blocks of 150 bytes, each on the first nodes. */
  private static Incident groups(int count, int k, int units, ClusterEvent... events) {
    int[] holders = IntStream.range(0, count * units).map(i -> i % units).toArray();
    long[] sizes = new long[count];
    Arrays.fill(sizes, 150);
    int[] onNoDisk = new int[count];
    Arrays.fill(onNoDisk, -1);
    return new Incident(new LostBlocks(-1, units, holders, sizes,
        BlockKinds.all(new BlockKind(k, RackRule.ALL_DISTINCT))), onNoDisk, List.of(events));
  }

  private static ClusterEvent lost(long atMs, int node) {
    return new ClusterEvent(atMs, Kind.NODE_LOST, node);
  }

  private static RecoveryOutcome run(int nodes, Incident incident) {
    return run(nodes, incident, new CheckedScheduler(new DayuScheduler()), TestSettings.paper());
  }

  private static RecoveryOutcome run(int nodes, Incident incident, TimeslotScheduler scheduler,
      SimulationSettings settings) {
    FixedForeground idle = FixedForeground.always(15_000, new long[nodes], new long[nodes]);
    return new RecoverySimulation(new Cluster(nodes, 1, 100), idle, 0, incident, settings, scheduler).run();
  }

  @Test
  void riskOfAGroup_isItsLevelInTheQueuesOfHdfs() {
    Replicas rs63 = new Replicas(groups(1, 6, 9, lost(0, 0), lost(1000, 1), lost(2000, 2)), 12);
    int[] risks = new int[3];
    for (int i = 0; i < risks.length; i++) {
      rs63.advance(1000L * i);
      risks[i] = rs63.risk(0);
    }
    assertArrayEquals(new int[] {2, 1, 0}, risks);
    Replicas rs32 = new Replicas(groups(1, 3, 5, lost(0, 0), lost(1000, 1)), 12);
    rs32.advance(0);
    assertEquals(2, rs32.risk(0));
    rs32.advance(1000);
    assertEquals(0, rs32.risk(0));
  }

  @Test
  void rebuiltBlock_takesThePlaceOfItsIndex_whenTheNodeIsBack() {
    Replicas replicas = new Replicas(
        groups(1, K, 5, lost(0, 0), new ClusterEvent(1000, Kind.BACK, 0), lost(2000, 1), lost(2000, 2)), 8);
    replicas.advance(0);
    replicas.copied(0, 5);
    replicas.advance(1000);
    assertFalse(replicas.lacks(0));
    replicas.advance(2000);
    assertTrue(replicas.isSingle(0), "nodes 3, 4 and 5 have the three indices that are left");
    assertFalse(replicas.serves(0, 0));
  }

  @Test
  void groupThatLacksTwo_isAtRisk_untilOneIsRebuilt() {
    RecoveryOutcome outcome = run(8, groups(1, K, 5, lost(0, 0), lost(2000, 1)));
    assertTrue(outcome.finished());
    // 450 bytes at 75 a second; the rebuild loses a source after 2 s, and goes on from another one.
    assertEquals(4, outcome.risk().oneReplicaBlockSec(), 1e-9);
    assertEquals(3 * 4, outcome.risk().exposedNodeSec(), 1e-9, "each of the three holders");
    assertEquals(4, outcome.risk().lackingBlockSec()[1], 1e-9);
    assertEquals(outcome.recoveryTimeSec() - 4, outcome.risk().lackingBlockSec()[0], 1e-9);
    assertEquals(0, outcome.risk().lostBlocks());
    assertEquals(2 * 450, outcome.copies().copiedBytes());
    assertEquals(0, outcome.copies().wastedBytes());
  }

  @Test
  void groupOfWhichFewerThanKAreLeft_isLost() {
    RecoveryOutcome outcome = run(8, groups(2, K, 5, lost(0, 0), lost(1000, 1), lost(2000, 2)));
    assertTrue(outcome.finished());
    assertEquals(2, outcome.risk().lostBlocks());
    assertEquals(300, outcome.risk().lostBytes());
    assertEquals(0, outcome.copies().copiedBytes());
    assertEquals(2, outcome.risk().lackingBlockSec()[0], 1e-9);
    assertEquals(2, outcome.risk().lackingBlockSec()[1], 1e-9);
    assertEquals(0, outcome.risk().lackingBlockSec()[2], 1e-9, "what is lost for good lacks nothing any more");
  }

  @Test
  void nodeThatComesBack_endsTheRebuildsOfItsGroups() {
    RecoveryOutcome outcome = run(8, groups(1, K, 5, lost(0, 0), new ClusterEvent(2000, Kind.BACK, 0)));
    assertTrue(outcome.finished());
    assertEquals(0, outcome.copies().copiedBytes());
    assertEquals(150, outcome.copies().wastedBytes());
  }

  /** Passes plans on, and notes at which risk the first new rebuilds of each were. */
  private static final class FirstRisks implements TimeslotScheduler {
    private final TimeslotScheduler inner = new DayuScheduler();
    private boolean sawBoth;

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
      int[] risks = Arrays.stream(plan.task()).map(task -> snapshot.tasks().risk()[task]).toArray();
      assertArrayEquals(Arrays.stream(risks).sorted().toArray(), risks, "the highest risk goes first");
      sawBoth |= risks.length > 1 && risks[0] == 0 && risks[risks.length - 1] == 2;
      return plan;
    }
  }

  @Test
  void groupsAtTheHighestRisk_goFirst() {
    Cluster cluster = new Cluster(12, 1, 100);
    FirstRisks dayu = new FirstRisks();
    Incident incident = Incident.of(List.of(lost(0, 3), lost(3000, 7)),
        new GroupPlacement(new EpochPlacement(cluster, 5, 0, 1), K), 200, 50, 1);
    assertTrue(run(12, incident, dayu, TestSettings.paper()).finished());
    assertTrue(dayu.sawBoth);
  }

  /** Dayu reads k internal blocks for each lost one, stock HDFS for all that the group has lost. */
  @Test
  void stockHdfs_rebuildsAllThatAGroupLacks_atOnce() {
    Incident incident = groups(1, K, 5, lost(0, 0), lost(0, 1));
    assertEquals(900, run(8, incident).copies().copiedBytes());
    RecoveryOutcome stock =
        run(8, incident, Algorithms.named("hdfs").factory().create(500, 1), TestSettings.stockHdfs());
    assertTrue(stock.finished());
    assertEquals(450, stock.copies().copiedBytes());
    assertEquals(0, stock.risk().lackingBlockSec()[0], 1e-9);
    assertEquals(stock.recoveryTimeSec(), stock.risk().lackingBlockSec()[1], 0.25, "but for the rest of a step");
  }

  /** The simulation itself checks that each group is recovered, lost or unfinished, and the bytes of all transfers. */
  @ParameterizedTest
  @ValueSource(strings = {"dayu-paper", "C+W-A", "R+W", "hdfs", "hdfs-20", "selectiveec", "repairboost"})
  void groupsAreRecovered_orLost_whateverHappens(String name) {
    Cluster cluster = new Cluster(14, 1, 100);
    boolean keepsAlpha = name.contains("+") || name.startsWith("dayu");
    for (int seed = 1; seed <= 3; seed++) {
      List<ClusterEvent> events = List.of(lost(0, 3), lost(7000, 7), new ClusterEvent(11_000, Kind.DISK_LOST, 1),
          lost(13_000, 5), new ClusterEvent(19_000, Kind.BACK, 7), lost(25_000, 9), new ClusterEvent(60_000, Kind.BACK,
              3));
      Incident incident =
          Incident.of(events, new GroupPlacement(new EpochPlacement(cluster, 5, 0, seed), K), 60, 150, seed);
      TimeslotScheduler scheduler = Algorithms.named(name).factory().create(15_000, seed);
      RecoveryOutcome outcome = run(14, incident, keepsAlpha ? new CheckedScheduler(scheduler) : scheduler,
          keepsAlpha ? TestSettings.paper() : TestSettings.stockHdfs());
      assertTrue(outcome.finished(), name + ", seed " + seed);
      assertTrue(outcome.risk().oneReplicaBlockSec() > 0 && outcome.copies().wastedBytes() > 0,
          name + ", seed " + seed);
    }
  }
}

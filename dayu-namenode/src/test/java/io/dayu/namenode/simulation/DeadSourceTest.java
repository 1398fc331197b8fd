/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Two DataNodes are dead, and a third one dies in mid-recovery. HDFS knows it half a minute later, and until then it
 * seems to be the only source of many blocks.
 */
class DeadSourceTest {
  private static final SequenceSettings SETTINGS =
      new SequenceSettings(8, 1, false, 1_000, 0, 8_000, 40_000, "dayu");
  private static final long STEP_MS = 100;
  private static final long STARTED_MS = 5_000;
  private static final long MAX_MS = 600_000;
  /** By then each agent has reported that its transfers from the third DataNode have failed. */
  private static final long NOTICED_MS = 2_000;
  /** Transfers that may find out whether it serves blocks again. */
  private static final int MAX_TRIED = 4;
  /** Transfers from other sources that end meanwhile; if those from the third fill all streams, a dozen. */
  private static final int MIN_OTHERS = 35;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 6, 10, 11})
  void transfersFromIt_doNotPileUp_andOthersGoOn(long seed) {
    SimulatedCluster cluster = new SimulatedCluster(SETTINGS, new Random(seed));
    cluster.threadsStandStill = false;
    cluster.events.run(STARTED_MS);
    cluster.dataNodes.get(0).kill();
    cluster.dataNodes.get(2).kill();
    while (cluster.active().map.needed.size() < SETTINGS.blocks() / 3) {
      step(cluster);
    }
    run(cluster, 4_000);
    cluster.dataNodes.get(4).kill();
    ModelNode third = cluster.active().map.nodes.get("dn4");
    run(cluster, NOTICED_MS);
    int lost = cluster.active().recovery.withoutSource().size();
    long finished = cluster.active().recovery.status().getTotalFinished();
    int maxLost = 0;
    while (third.alive) {
      step(cluster);
      maxLost = Math.max(maxLost, cluster.active().recovery.withoutSource().size());
    }
    long more = cluster.active().recovery.status().getTotalFinished() - finished;
    System.out.printf("seed %d: %d transfers lost the third DataNode, at most %d wait for it, %d others end%n", seed,
        lost, maxLost, more);
    int allowed = Math.max(lost, MAX_TRIED);
    int waiting = maxLost;
    assertTrue(waiting <= allowed, () -> waiting + " transfers wait, of which " + lost + " were under way");
    assertTrue(more >= MIN_OTHERS, () -> "only " + more + " transfers from other sources have ended");
  }

  private static void run(SimulatedCluster cluster, long millis) {
    for (long passedMs = 0; passedMs < millis; passedMs += STEP_MS) {
      step(cluster);
    }
  }

  private static void step(SimulatedCluster cluster) {
    cluster.events.run(STEP_MS);
    cluster.invariants.check();
    assertTrue(cluster.events.elapsedMs() < MAX_MS, () -> "not recovered: " + cluster.active());
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Two false agents among those of five live DataNodes: what the other three can hold is restored within twice the time
 * that they need without the two.
 */
class LyingDataNodesTest {
  private static final SequenceSettings SETTINGS =
      new SequenceSettings(6, 1, false, 400, 0, 8_000, 40_000, "dayu");
  private static final long STEP_MS = 100;
  /** The invariants are not what is tested here, and their check takes most of the time. */
  private static final long CHECK_MS = 1_000;
  private static final long STARTED_MS = 5_000;
  private static final long MAX_MS = 3_600_000;
  private static final double MAX_FACTOR = 2;
  private static final long[] SEEDS = {1, 2, 3};
  /** By seed: what recovery takes without the agents of the liars. The same for each lie. */
  private static final Map<Long, Long> WITHOUT_MS = new HashMap<>();

  private interface Change {
    void apply(SimulatedDataNode node);
  }

  /**
   * Milliseconds from the death of the first DataNode being known until all blocks have their replicas again.
   *
   * @param change to each of the last two DataNodes
   */
  private static long recoveryMs(long seed, Change change) {
    SimulatedCluster cluster = new SimulatedCluster(SETTINGS, new Random(seed));
    cluster.threadsStandStill = false;
    List<SimulatedDataNode> two = cluster.dataNodes.subList(4, 6);
    two.forEach(change::apply);
    cluster.events.run(STARTED_MS);
    cluster.dataNodes.get(0).kill();
    while (cluster.active().map.needed.isEmpty()) {
      step(cluster);
    }
    if (two.get(0).lies(Lie.CLAIMS_TRANSFERS)) {
      cluster.active().map.stopActive();
      cluster.activate(cluster.nameNodes.get(1));
    }
    long beganMs = cluster.events.elapsedMs();
    while (!isRecovered(cluster.active().map)) {
      step(cluster);
    }
    return cluster.events.elapsedMs() - beganMs;
  }

  private static boolean isRecovered(ModelBlockMap map) {
    return map.blocks.values().stream().allMatch(block -> map.live(block).size() >= block.expected);
  }

  private static void step(SimulatedCluster cluster) {
    cluster.events.run(STEP_MS);
    if (cluster.events.elapsedMs() % CHECK_MS < STEP_MS) {
      cluster.invariants.check();
    }
    assertTrue(cluster.events.elapsedMs() < MAX_MS, () -> "not recovered: " + cluster.active());
  }

  /** Their transfers may be slow for this reason, so it must not hold up the others' blocks either. */
  @ParameterizedTest
  @EnumSource(names = {"CLAIMS_BANDWIDTH", "FAKES_PROGRESS"})
  void twoLiarsThatBlameTheirDisks_doNotDoubleTheTimeOfTheOthers(Lie lie) {
    compare(lie, node -> {
      node.lie(lie);
      node.blameDisks();
    });
  }

  @ParameterizedTest
  @EnumSource
  void twoLiarsOfFive_doNotDoubleTheTimeOfTheOthers(Lie lie) {
    compare(lie, node -> node.lie(lie));
  }

  private static void compare(Lie lie, Change change) {
    for (long seed : SEEDS) {
      long withoutMs = WITHOUT_MS.computeIfAbsent(seed, one -> recoveryMs(one, SimulatedDataNode::stopAgent));
      long withMs = recoveryMs(seed, change);
      System.out.printf("%s, seed %d: %d ms, without the two agents %d ms%n", lie, seed, withMs, withoutMs);
      assertTrue(withMs <= MAX_FACTOR * withoutMs,
          () -> lie + ", seed " + seed + ": " + withMs + " ms instead of " + withoutMs);
    }
  }
}

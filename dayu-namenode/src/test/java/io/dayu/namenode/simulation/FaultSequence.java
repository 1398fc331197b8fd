/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import org.apache.hadoop.fs.StorageType;

import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** One sequence of faults, from its seed to its end. Immutable; each {@link #run} is a run of its own. */
final class FaultSequence {
  private static final long STEP_MS = 100;
  /** How often it is seen whether everything is as it should be. */
  private static final long UNFINISHED_MS = 1_000;
  /** Longer than all back-offs together, and than a block is left to stock. */
  private static final long MAX_RECOVERY_MS = 1_800_000;

  /**
   * How a sequence ended.
   *
   * @param violation what was violated, or null
   * @param log what was done, line by line
   * @param recoveryMs how long after the last fault everything was as it should be
   * @param finished transfers that Dayu finished
   * @param applied faults that happened
   * @param states of the active NameNodes' recovery, as seen each second
   * @param situations that it has met
   */
  record Result(long seed, RuntimeException violation, String log, long recoveryMs, long finished, long handedToStock,
      List<FaultStep> applied, Set<String> states, Set<MetSituation> situations) {
    @Override
    public String toString() {
      return "sequence of seed " + seed + (violation == null ? ": recovered " + recoveryMs + " ms after the last fault"
          : " violates " + violation.getMessage()) + "\n" + log;
    }
  }

  private final long seed;

  FaultSequence(long seed) {
    this.seed = seed;
  }

  Result run() {
    Random random = new Random(seed * 0x9E3779B97F4A7C15L);
    SequenceSettings settings = SequenceSettings.draw(random);
    List<FaultStep> steps = FaultStep.draw(settings, random);
    StringBuilder log = new StringBuilder("  " + settings + "\n");
    SimulatedCluster cluster = new SimulatedCluster(settings, random);
    Faults faults = new Faults(cluster, log);
    steps.forEach(step -> cluster.events.after(step.atMs(), () -> faults.apply(step)));
    RuntimeException violation = null;
    long recoveryMs = 0;
    Set<String> states = new TreeSet<>();
    try {
      while (cluster.events.elapsedMs() < settings.faultsMs()) {
        cluster.events.run(STEP_MS);
        cluster.invariants.check();
        if (cluster.active() != null && cluster.events.elapsedMs() % UNFINISHED_MS < STEP_MS) {
          states.add(cluster.active().recovery.status().getState());
          noteRoom(cluster.active(), cluster.situations);
          noteSituations(cluster.active().map, cluster.situations);
          note(cluster.situations, MetSituation.BOTH_NAMESPACES, cluster.dataNodes.stream()
              .anyMatch(node -> node.receiving().stream().map(SimulatedTransfer::pool).distinct().count() > 1));
        }
      }
      faults.stop();
      recoveryMs = recover(cluster);
    } catch (RuntimeException e) {
      violation = e;
      cluster.nameNodes.forEach(nameNode -> log.append("  ").append(nameNode).append('\n'));
      cluster.dataNodes.forEach(node -> log.append("  ").append(node).append('\n'));
    }
    long finished = cluster.nameNodes.stream().mapToLong(nameNode -> nameNode.recovery.status().getTotalFinished())
        .sum();
    long handed = cluster.nameNodes.stream().mapToLong(nameNode -> nameNode.recovery.status().getTotalHandedToStock())
        .sum();
    return new Result(seed, violation, log.toString(), recoveryMs, finished, handed, faults.applied(), states,
        cluster.situations);
  }

  private static void noteRoom(SimulatedNameNode active, Set<MetSituation> met) {
    for (ModelBlock block : active.map.blocks.values()) {
      if (active.map.needed.containsKey(block.id)) {
        note(met, MetSituation.COLD_BLOCK_WAITS, block.storageType != StorageType.DISK);
        note(met, MetSituation.NODE_WITHOUT_ROOM, active.map.nodes.values().stream()
            .anyMatch(node -> active.management.isTarget(node) && !node.couldHold(block)));
        note(met, MetSituation.BLOCK_WITHOUT_ROOM, active.map.live(block).size() < active.map.wanted(block)
            && active.map.nodes.values().stream().allMatch(node -> !active.management.isTarget(node)
                || active.map.holdsOrAwaits(block, node.uuid) || !node.couldHold(block)));
      }
    }
  }

  private static void noteSituations(ModelBlockMap map, Set<MetSituation> met) {
    note(met, MetSituation.CORRUPT_REPLICA, map.blocks.values().stream().anyMatch(block -> !block.corrupt.isEmpty()));
    ModelGroups groups = map.groups;
    for (ModelGroup group : groups.all.values()) {
      int lost = 0;
      boolean leaving = false;
      ModelGroups.State[] states = groups.states(group);
      for (int index : group.indices()) {
        lost += states[index] == ModelGroups.State.NONE ? 1 : 0;
        leaving |= states[index] == ModelGroups.State.LEAVING;
      }
      note(met, MetSituation.ONE_LOST, lost == 1);
      note(met, MetSituation.TWO_LOST, lost == 2);
      note(met, MetSituation.LEAVING_INDEX, leaving);
      note(met, MetSituation.CORRUPT_INDEX, !group.corrupt.isEmpty());
      note(met, MetSituation.TOO_FEW_RACKS, lost == 0 && groups.racksMissing(group, List.of()) > 0);
    }
  }

  private static void note(Set<MetSituation> met, MetSituation situation, boolean isMet) {
    if (isMet) {
      met.add(situation);
    }
  }

  /**
   * Runs until everything is as it should be, and stays so while a DataNode might still be found dead. Returns how many
   * milliseconds that took.
   */
  static long recover(SimulatedCluster cluster) {
    long sinceMs = cluster.events.elapsedMs();
    Invariants.Violation unfinished = cluster.invariants.goals.unfinished();
    while (unfinished != null || cluster.events.elapsedMs() - sinceMs < 2 * cluster.settings.deadMs()) {
      if (cluster.events.elapsedMs() - sinceMs > MAX_RECOVERY_MS) {
        throw unfinished;
      }
      for (long stepMs = 0; stepMs < UNFINISHED_MS; stepMs += STEP_MS) {
        cluster.events.run(STEP_MS);
        cluster.invariants.check();
      }
      unfinished = cluster.invariants.goals.unfinished();
    }
    return cluster.events.elapsedMs() - sinceMs;
  }
}

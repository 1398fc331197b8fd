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

/** What a sequence must have reached some time after its last fault. Not thread-safe. */
final class RecoveryGoals {
  /** Which part of the DataNodes must have agents for Dayu to resume: 1.1 times the default of the setting. */
  private static final double SHARE_TO_RESUME = 0.55;

  private final SimulatedCluster cluster;

  RecoveryGoals(SimulatedCluster cluster) {
    this.cluster = cluster;
  }

  /** The first thing that is not yet as it should be in the end, or null. */
  Invariants.Violation unfinished() {
    SimulatedNameNode active = cluster.active();
    for (ModelBlock block : active.map.blocks.values()) {
      boolean hopeless = active.map.sources(block).isEmpty();
      boolean inMaintenance = active.map.inMaintenance(block) > 0;
      boolean isWhole =
          inMaintenance ? isWholeBesideMaintenance(active.map, block) : isWhole(active.map, block);
      if (!hopeless && !isWhole && !isHeldUp(active, block)) {
        return new Invariants.Violation(inMaintenance ? Invariants.MAINTENANCE_GOAL : Invariants.REPLICATION_GOAL,
            block + ", pending on " + active.map.pendingTargets(block));
      }
    }
    for (ModelGroup group : active.map.groups.all.values()) {
      if (!isWhole(active, group)) {
        return new Invariants.Violation(Invariants.GROUPS_WHOLE,
            group + ", pending on " + active.map.groups.pendingTargets(group));
      }
    }
    for (SimulatedNameNode nameNode : cluster.nameNodes) {
      if (nameNode.map.pendingCopies() + nameNode.map.scheduledCopies() + nameNode.recovery.registrations() != 0
          || nameNode.recovery.status().getRunningTransfers() != 0) {
        return new Invariants.Violation(Invariants.COUNTERS_ZERO, nameNode.toString());
      }
    }
    if (active.management.groups.entries() != 0) {
      return new Invariants.Violation(Invariants.COUNTERS_ZERO,
          active + " knows the indices of " + active.management.groups.entries()
              + " pending entries");
    }
    for (SimulatedDataNode node : cluster.dataNodes) {
      if (node.up && node.hasPartials()) {
        return new Invariants.Violation(Invariants.NO_PARTIAL_STAYS, node.uuid + " has " + node.describeTransfers());
      }
    }
    return null;
  }

  /** Whether nobody can give the block what it lacks: no target has room, or a corrupt replica is in the way. */
  private boolean isHeldUp(SimulatedNameNode active, ModelBlock block) {
    boolean isLimited = cluster.settings.tight() || block.storageType != StorageType.DISK;
    boolean withoutRoom = isLimited && block.excess.isEmpty()
        && active.map.pendingTargets(block).isEmpty() && active.map.live(block).size() <= block.expected
        && !active.map.placement.hasTarget(block, active.management::isTarget);
    return withoutRoom || isHeldUpByCorrupt(active, block);
  }

  /**
   * Whether the only DataNodes that could take a copy have a corrupt replica, and Dayu cannot have one of those deleted
   * either: too few others are good, or have agents that say so (HDFS-17798).
   */
  private boolean isHeldUpByCorrupt(SimulatedNameNode active, ModelBlock block) {
    ModelBlockMap map = active.map;
    if (block.corrupt.isEmpty() || map.nodes.values().stream().anyMatch(node -> node.inService()
        && node.volumes[block.storageType.ordinal()] > 0 && !block.replicas.contains(node.uuid)
        && !block.outdated.contains(node.uuid)
        && !map.placement.refusesRack(block, node, active.management::isTarget))) {
      return false;
    }
    long good = map.live(block).stream().map(cluster::dataNode)
        .filter(node -> node.mayHaveAgent && node.hasGood(block.id, block.generationStamp)).count();
    return stockIsToRecover() || good < ModelBlockManagement.goodNeeded(block);
  }

  /**
   * Whether too few DataNodes have an agent for Dayu to recover, or to resume for the next half hour once it missed
   * some of them. Where threads of agents only stand still it leaves the work to stock HDFS for a while, and has to
   * make up for that if it can do without one of them: else each that stands still begins the wait anew.
   */
  private boolean stockIsToRecover() {
    long up = cluster.dataNodes.stream().filter(node -> node.up).count();
    long agents = cluster.dataNodes.stream().filter(node -> node.up && node.mayHaveAgent).count();
    return agents - (cluster.threadsStandStill ? 1 : 0) < SHARE_TO_RESUME * up;
  }

  private static boolean isWhole(ModelBlockMap map, ModelBlock block) {
    return map.live(block).size() == block.expected && map.placement.racksMissing(block, map.live(block)) == 0
        && block.excess.isEmpty();
  }

  /** Or cannot be: too few internal blocks can be read, or no DataNode in service is without one. */
  private static boolean isWhole(SimulatedNameNode active, ModelGroup group) {
    ModelGroups groups = active.map.groups;
    // Stock HDFS reads none on decommissioned DataNodes.
    int readable = active.management.recoversGroups() ? groups.readable(group) : groups.stockSources(group).size();
    if (readable < group.width()) {
      return true;
    }
    boolean hasTarget = active.map.nodes.values().stream()
        .anyMatch(node -> node.inService() && !group.holders.containsKey(node.uuid));
    boolean all = groups.live(group) == group.total() && groups.racksMissing(group, List.of()) == 0;
    return group.excess.isEmpty() && (all || !hasTarget);
  }

  /** While a dead node has not reported to this NameNode, HDFS removes no replica of what that had. */
  private static boolean isWholeBesideMaintenance(ModelBlockMap map, ModelBlock block) {
    boolean allReported = block.replicas.stream().allMatch(uuid -> map.nodes.get(uuid).reported);
    boolean tooMany = map.live(block).size() > block.expected
        || block.excess.stream().anyMatch(uuid -> map.nodes.get(uuid).alive);
    return map.hasEnough(block, 0) && !(tooMany && allReported);
  }
}

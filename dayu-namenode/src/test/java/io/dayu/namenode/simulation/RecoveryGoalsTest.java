/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.Test;

import java.util.Comparator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/** Each goal of {@link RecoveryGoals} is missed where something is left undone. */
class RecoveryGoalsTest extends BrokenBlockInvariants {
  /** A block of three replicas that has one of them on a dead DataNode in maintenance. */
  private ModelBlock blockInMaintenance() {
    runUntilFinished();
    ModelBlock block =
        active.map.blocks.values().stream().filter(one -> one.replicas.size() == 3).findFirst().orElseThrow();
    // The other two are on two racks, so that no further one is wanted.
    SimulatedDataNode maintained = block.replicas.stream().map(cluster::dataNode)
        .filter(holder -> block.replicas.stream().filter(uuid -> !uuid.equals(holder.uuid))
            .map(uuid -> cluster.dataNode(uuid).rack).distinct().count() == 2)
        .findFirst().orElseThrow();
    cluster.setAdmin(maintained, ModelNode.Admin.ENTERING_MAINTENANCE);
    runUntil(() -> active.map.nodes.get(maintained.uuid).admin == ModelNode.Admin.IN_MAINTENANCE);
    maintained.kill();
    run(SETTINGS.deadMs() + 3_000);
    return block;
  }

  @Test
  void maintenanceGoal_isViolated_byABlockThatNobodyCopies() {
    ModelBlock block = blockInMaintenance();
    runUntilFinished();
    active.map.live(block).forEach(holder -> {
      if (active.map.live(block).size() > 1) {
        active.map.replicas.deleted(holder, block.id);
      }
    });
    assertUnfinished(Invariants.MAINTENANCE_GOAL, "wanted");
  }

  @Test
  void deadNodeInMaintenance_itsReplicasCount_untilMaintenanceEnds() {
    ModelBlock block = blockInMaintenance();
    runUntilFinished();
    assertEquals(1, active.map.inMaintenance(block));
    SimulatedDataNode dead = cluster.dataNodes.stream().filter(node -> !node.up).findFirst().orElseThrow();
    assertFalse(active.map.sources(block).contains(dead.uuid));
    cluster.setAdmin(dead, ModelNode.Admin.IN_SERVICE);
    assertUnfinished(Invariants.REPLICATION_GOAL);
    runUntilFinished();
    assertEquals(3, active.map.live(block).size());
  }

  @Test
  void replicationGoal_isViolated_byABlockThatNobodyCopies() {
    run(3_000);
    cluster.pause(true);
    cluster.dataNodes.get(0).kill();
    run(SETTINGS.deadMs() + 3_000);
    assertViolates(Invariants.REPLICATION_GOAL, "wanted", () -> FaultSequence.recover(cluster));
  }

  @Test
  void countersZero_isViolated_byAScheduledCopyThatIsLeft() {
    runUntilFinished();
    active.map.nodes.get("dn1").scheduled[StorageType.DISK.ordinal()]++;
    assertUnfinished(Invariants.COUNTERS_ZERO);
  }

  @Test
  void countersZero_isViolated_onAStandby() {
    runUntilFinished();
    standby.map.nodes.get("dn1").scheduled[StorageType.DISK.ordinal()]++;
    assertUnfinished(Invariants.COUNTERS_ZERO);
  }

  @Test
  void noPartialStays_isViolated_byACopyThatNobodyWaitsFor() {
    runUntilFinished();
    ModelBlock block = active.map.blocks.values().stream().max(Comparator.comparingLong(b -> b.numBytes)).orElseThrow();
    active.map.nodes.get(block.replicas.iterator().next()).toSend
        .add(new ModelNode.StockCopy(block.id, block.generationStamp, freeNode(active, block).uuid));
    run(1_100);
    assertUnfinished(Invariants.NO_PARTIAL_STAYS);
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Random;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A NameNode that stands still as a whole, and goes on. */
class SimulatedNameNodeTest {
  private static final SequenceSettings SETTINGS =
      new SequenceSettings(6, 2, false, 40, 0, 8_000, 40_000, "dayu");
  /** Longer than any timeout in the cluster. */
  private static final long PAUSE_MS = 40_000;

  private final SimulatedCluster cluster = new SimulatedCluster(SETTINGS, new Random(1));
  private final SimulatedNameNode first = cluster.active();
  private final SimulatedNameNode second = cluster.nameNodes.get(1);

  private void run(long periodMs) {
    for (long ms = 0; ms < periodMs; ms += 100) {
      cluster.events.run(100);
      cluster.invariants.check();
    }
  }

  @Test
  void pauseOfTheProcess_isNotTakenForALoopThatHangs() {
    // Until all blocks are where they should be: no copy could be finished between two pauses.
    run(60_000);
    // The watchdog may look before the loop goes on, or after it.
    for (int pause = 0; pause < 10; pause++) {
      first.standStill();
      cluster.disturbLoop(PAUSE_MS);
      run(PAUSE_MS);
      assertNull(cluster.active());
      first.goOn();
      run(5_000);
      assertSame(first, cluster.active());
      assertEquals("DAYU", first.recovery.status().getState());
    }
    assertTrue(first.map.nodes.values().stream().allMatch(node -> node.alive));
    assertNull(cluster.invariants.goals.unfinished());
  }

  @Test
  void reports_areAnsweredWhenTheProcessGoesOn() {
    run(5_000);
    int[] answered = {0};
    first.standStill();
    cluster.network.sendRequest(cluster.dataNodes.get(0), 0, nameNode -> answered[0]++);
    run(PAUSE_MS);
    assertEquals(0, answered[0]);
    first.goOn();
    run(200);
    assertEquals(1, answered[0]);
  }

  @Test
  void activeNameNode_isStandbyWhenItGoesOn_ifTheOtherTookOver() {
    run(5_000);
    first.standStill();
    run(1_000);
    cluster.activate(second);
    first.goOn();
    assertFalse(first.map.active);
    assertEquals("DAYU", first.recovery.status().getState());
    run(1_000);
    assertEquals("STANDBY", first.recovery.status().getState());
    assertSame(second, cluster.active());
    cluster.dataNodes.get(0).kill();
    FaultSequence.recover(cluster);
    assertTrue(second.recovery.status().getTotalFinished() > 0);
  }

  /** Else it would count as one too many for ever, and not as a replica when it is needed again. */
  @Test
  void deletionsOfANodeThatDiesInMaintenance_areKeptUntilItsMaintenanceEnds() {
    ModelBlock block = first.map.blocks.values().iterator().next();
    ModelNode node = first.map.nodes.get(block.replicas.iterator().next());
    block.excess.add(node.uuid);
    long internalId = -16;
    node.toDelete.addAll(List.of(block.id, internalId));
    node.admin = ModelNode.Admin.IN_MAINTENANCE;
    first.map.replicas.died(node);
    assertEquals(Set.of(block.id, internalId), node.toDelete);
    first.map.replicas.backInService(node);
    assertEquals(Set.of(), node.toDelete, "it is still dead");
    assertFalse(block.excess.contains(node.uuid));
  }
}

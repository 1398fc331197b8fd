/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.schedule.DayuScheduler;
import io.dayu.sim.Cluster;
import io.dayu.sim.foreground.FixedForeground;
import io.dayu.sim.incident.ClusterEvent;
import io.dayu.sim.incident.ClusterEvent.Kind;
import io.dayu.sim.incident.Incident;
import io.dayu.sim.placement.EpochPlacement;
import io.dayu.sim.placement.LostBlocks;
import io.dayu.sim.placement.Placement;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Events small enough to be worked out by hand: nodes of 100 bytes/s, each its own rack; nodes 0 and 1 hold the same
 * blocks.
 */
class IncidentTest {
  private static final Cluster CLUSTER = new Cluster(5, 1, 100);
  private static final FixedForeground IDLE = FixedForeground.always(15_000, new long[5], new long[5]);

  /** As many blocks on nodes 0 and 1 as on nodes 2 and 3. */
  private record Pairs(int blocks, long bytes) implements Placement {
    @Override
    public LostBlocks lose(int node, int chunks, long chunkBytes, long seed) {
      int[] holders = new int[blocks];
      java.util.Arrays.fill(holders, node ^ 1);
      long[] sizes = new long[blocks];
      java.util.Arrays.fill(sizes, bytes);
      return new LostBlocks(node, 1, holders, sizes);
    }

    @Override
    public int[] candidates() {
      return new int[] {0, 1, 2, 3};
    }
  }

  private static RecoveryOutcome run(int blocks, long bytes, ClusterEvent... events) {
    Incident incident = Incident.of(List.of(events), new Pairs(blocks, bytes), 0, 0, 1);
    return new RecoverySimulation(CLUSTER, IDLE, 0, incident, TestSettings.paper(), new DayuScheduler()).run();
  }

  @Test
  void secondNode_takesWhatIsNotYetCopied() {
    RecoveryOutcome outcome =
        run(2, 300, new ClusterEvent(0, Kind.NODE_LOST, 0), new ClusterEvent(6000, Kind.NODE_LOST, 1));
    // Node 1 sends 75 bytes/s: two blocks of 300 bytes would take 8 s, together.
    assertTrue(outcome.finished());
    assertEquals(2, outcome.risk().lostBlocks());
    assertEquals(600, outcome.risk().lostBytes());
    assertEquals(450, outcome.copies().wastedBytes());
    assertEquals(12, outcome.risk().oneReplicaBlockSec(), 1e-9);
    assertEquals(6, outcome.risk().exposedNodeSec(), 1e-9);
  }

  @Test
  void secondNode_losesNoBlock_thatWasCopied_butItsReplica() {
    RecoveryOutcome outcome =
        run(1, 300, new ClusterEvent(0, Kind.NODE_LOST, 0), new ClusterEvent(6000, Kind.NODE_LOST, 1));
    assertEquals(0, outcome.risk().lostBlocks());
    assertEquals(6 + 4, outcome.recoveryTimeSec(), 1e-9, "the copy of the first 4 s is copied again");
    assertEquals(8, outcome.risk().oneReplicaBlockSec(), 1e-9);
  }

  @Test
  void ideal_waitsForTheLastEvent() {
    Incident incident =
        Incident.of(List.of(new ClusterEvent(0, Kind.NODE_LOST, 0), new ClusterEvent(20_000, Kind.NODE_LOST, 2)),
            new Pairs(1, 300), 0, 0, 1);
    assertEquals(20 + 300 / 225.0, IdealRecovery.seconds(CLUSTER, IDLE, 0, incident, TestSettings.paper()), 1e-9);
  }

  @Test
  void nodeThatComesBack_endsItsTransfers() {
    RecoveryOutcome outcome =
        run(2, 3000, new ClusterEvent(0, Kind.NODE_LOST, 0), new ClusterEvent(10_000, Kind.BACK, 0));
    assertTrue(outcome.finished());
    assertEquals(0, outcome.recoveryTimeSec(), "nothing was recovered");
    assertEquals(750, outcome.copies().wastedBytes());
    assertEquals(20, outcome.risk().oneReplicaBlockSec(), 1e-9);
  }

  @Test
  void decommission_keepsTheSource_andIsDoneWhenAllIsElsewhere() {
    RecoveryOutcome outcome = run(1, 600, new ClusterEvent(0, Kind.DECOMMISSION, 0));
    assertEquals(8, outcome.recoveryTimeSec(), 1e-9, "from one of two sources");
    assertEquals(0, outcome.risk().exposedNodeSec(), 1e-9);
  }

  @Test
  void disk_losesATwelfthOfTheNode() {
    Incident incident =
        Incident.of(List.of(new ClusterEvent(0, Kind.DISK_LOST, 2), new ClusterEvent(1000, Kind.NODE_LOST, 2)),
            new Pairs(24, 75), 0, 0, 1);
    assertEquals(24, incident.blocks().count());
    Replicas replicas = new Replicas(incident, 5);
    replicas.advance(0);
    assertEquals(2 * 75, replicas.lackingBytes());
    replicas.advance(1000);
    assertEquals(24 * 75, replicas.lackingBytes(), "each block lacks one copy");
    assertFalse(replicas.gone(0));
  }

  @Test
  void blocksOfTwoLostNodes_areOne() {
    Cluster cluster = new Cluster(12, 2, 100);
    Placement placement = new EpochPlacement(cluster, 3, 0, 1);
    Incident incident =
        Incident.of(List.of(new ClusterEvent(0, Kind.NODE_LOST, 0), new ClusterEvent(0, Kind.NODE_LOST, 5)),
            placement, 1000, 10, 1);
    Replicas replicas = new Replicas(incident, 12);
    replicas.advance(0);
    assertEquals(2000 * 10, replicas.lackingBytes(), 2000, "a block of both is in the list once, and lacks two copies");
    assertTrue(incident.blocks().count() < 1950, "some are of both");
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The harness held against stock HDFS, which recovers by itself from what the harness does. */
@Tag("harness")
class StockClusterIT extends StockClusterFixture {
  @Test
  void cluster_isSoundAfterStockRecoversADeadNode() throws Exception {
    int lost = cluster.blocksOn(1).size();
    assertTrue(lost > 0, "node 1 holds blocks");
    cluster.kill(1);
    assertFalse(cluster.descriptor(1).isAlive());

    ClusterVerifier.Verdict verdict = verifier.verify(LIMIT);

    verdict.assertSound();
    assertEquals(5 * 4, verdict.blocks());
    assertEquals(5 * 4 * 3, verdict.replicas());
    assertEquals(5, verdict.filesRead());
    assertEquals(5 * 200_000, verdict.bytesRead());
  }

  @Test
  void cluster_isSoundAfterRestartsDecommissionAndChanges() throws Exception {
    cluster.restart(0);
    assertEquals("/rack0", cluster.descriptor(0).getNetworkLocation());
    cluster.nameNodes().restartAfterAllBlockReports(LIMIT);
    // A copy that ends as the file is opened to append stays on its DataNode with the old generation. HDFS forgets it
    // until the next full report, and no other copy can go there.
    verifier.awaitSettled(LIMIT);
    cluster.append("/f0", 100_000);
    cluster.delete("/f1");
    cluster.setReplication("/f2", 2);
    cluster.admin().decommission(3);
    Await.until("node 3 decommissioned", LIMIT, () -> cluster.descriptor(3).isDecommissioned());

    ClusterVerifier.Verdict verdict = verifier.verify(LIMIT);

    verdict.assertSound();
    assertEquals(4, verdict.filesRead());
    assertEquals(4 * 200_000 + 100_000, verdict.bytesRead());
  }

  @Test
  void nameNodeThatLacksBlocks_isTheActiveOne_andLeavesSafeModeWhenItIsTold() throws Exception {
    cluster.write("/single", 200_000, 1);
    cluster.kill(cluster.nodeOf(cluster.blocksOf("/single").get(0).getLocations()[0].getDatanodeUuid()));
    cluster.nameNodes().restart();
    assertTrue(cluster.namesystem().isInSafeMode());
    cluster.nameNodes().leaveSafeMode(LIMIT);
    cluster.write("/later", 200_000, 3);
  }

  @Test
  void cluster_isSoundAfterMaintenanceAndTheLossOfAVolume() throws Exception {
    cluster.admin().enterMaintenance(0);
    Await.until("node 0 in maintenance", LIMIT, () -> cluster.descriptor(0).isInMaintenance());
    cluster.admin().comeBack(0);
    assertTrue(cluster.descriptor(0).isInService());

    int blocks = cluster.blocksOn(1).size();
    cluster.volumes().fail(1, 0);
    assertTrue(cluster.blocksOn(1).size() < blocks, "the lost volume held blocks");
    assertTrue(cluster.isRunning(1) && cluster.descriptor(1).isAlive(), "the node goes on with its other volume");
    verifier.assertRecovers(LIMIT);
  }

  @Test
  void fullVolumes_takeNoBlock() throws Exception {
    cluster.volumes().fill(2, 0);
    cluster.volumes().fill(2, 1);
    Await.until("no room on node 2", LIMIT, () -> cluster.descriptor(2).getRemaining() == 0);
    int blocks = cluster.blocksOn(2).size();
    for (int file = 0; file < 5; file++) {
      cluster.write("/later" + file, 200_000, 3);
    }
    verifier.assertRecovers(LIMIT);
    assertEquals(blocks, cluster.blocksOn(2).size());
  }
}

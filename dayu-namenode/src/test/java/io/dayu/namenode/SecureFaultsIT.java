/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.harness.Await;
import io.dayu.harness.ClusterVerifier;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** With security: a failover and then a decommission, and the loss of a source after the block keys are rolled. */
@Tag("slow")
final class SecureFaultsIT extends SecureFaultsFixture {
  @Test
  void failover_adoptsRunningTransfers_andTheNextNameNodeDecommissions() throws Exception {
    start(FaultsIT.forAnotherNameNode());
    write(6);
    killFullestNode();
    StatusProbe.awaitRunning(2);
    cluster.nameNodes().failover();
    StatusProbe.await("adoption", () -> StatusProbe.status().getTotalAdopted() > 0);
    hurry();
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    StatusProbe.awaitFinished();

    long finished = StatusProbe.status().getTotalFinished();
    int leaving = cluster.fullestNode();
    assertTrue(!cluster.blocksOn(leaving).isEmpty());
    cluster.admin().decommission(leaving);
    Await.until("decommissioned", LIMIT, () -> cluster.descriptor(leaving).isDecommissioned(), StatusProbe::describe);
    StatusProbe.await("a transfer finished", () -> StatusProbe.status().getTotalFinished() > finished);
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    assertEquals(0, StatusProbe.status().getTotalHandedToStock(), StatusProbe.describe());
  }

  /** What connects to another source then does so with a key that was not there when the transfer began. */
  @Test
  void sourceDiesAfterTheBlockKeysAreRolled_transfersGoOnElsewhere() throws Exception {
    start(FaultsIT.largeBlocks());
    writeLarge(4);
    cluster.kill(cluster.fullestNode());
    StatusProbe.awaitRunning(1);
    rollBlockKeys();
    cluster.kill(StatusProbe.firstSource(cluster));
    StatusProbe.await("a transfer resumed", () -> StatusProbe.status().getTotalResumed() > 0);
    hurry();
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    assertEquals(0, StatusProbe.status().getTotalHandedToStock(), StatusProbe.describe());
  }

  /** After that neither the NameNode nor any DataNode knows a key that there was before. */
  private void rollBlockKeys() throws Exception {
    BlockTokenSecretManager keys = cluster.blockManager().getBlockTokenSecretManager();
    int before = keys.getCurrentKey().getKeyId();
    // HDFS keeps the last key as long as tokens made with it are good.
    keys.updateKeys(Long.MAX_VALUE);
    keys.clearAllKeysForTesting();
    keys.updateKeys(Long.MAX_VALUE);
    keys.clearAllKeysForTesting();
    keys.updateKeys(Long.MAX_VALUE);
    assertTrue(!keys.hasKey(before));
    for (int node = 0; node < NODES; node++) {
      if (cluster.isRunning(node)) {
        keysOf(node).clearAllKeysForTesting();
        cluster.descriptor(node).setNeedKeyUpdate(true);
      }
    }
    int now = keys.getCurrentKey().getKeyId();
    assertNotEquals(before, now);
    for (int node = 0; node < NODES; node++) {
      if (cluster.isRunning(node)) {
        BlockTokenSecretManager known = keysOf(node);
        Await.until("new block keys on node " + node, LIMIT, () -> known.getCurrentKey().getKeyId() == now);
        assertTrue(!known.hasKey(before));
      }
    }
  }

  private BlockTokenSecretManager keysOf(int node) {
    return cluster.dataNode(node).getBlockPoolTokenSecretManager().get(cluster.namesystem().getBlockPoolId());
  }
}

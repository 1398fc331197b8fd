/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.harness.Await;
import io.dayu.harness.ClusterBuilder;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.Kerberos;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Faults in mid-recovery on a cluster of two NameNodes with Kerberos, service authorization, encrypted RPC, block
 * tokens and data transfers that are authenticated by SASL and encrypted.
 */
@Tag("slow")
@Timeout(600)
final class SecureFaultsIT extends FaultsFixture {
  private static Kerberos kerberos;

  @BeforeAll
  static void startKdc() throws Exception {
    Path directory = Path.of(System.getProperty("test.build.data", System.getProperty("java.io.tmpdir")));
    kerberos = new Kerberos(directory, "hdfs=hdfs");
    kerberos.login(Kerberos.DAEMON);
  }

  @AfterAll
  static void stopKdc() throws Exception {
    kerberos.close();
  }

  private void start(ClusterBuilder builder) throws Exception {
    kerberos.settings().forEach(builder::conf);
    kerberos.webSettings().forEach(builder::conf);
    cluster = builder.highAvailability().conf("hadoop.security.authorization", "true")
        .conf("hadoop.rpc.protection", "privacy").conf("dfs.data.transfer.protection", "privacy")
        .conf("dfs.encrypt.data.transfer", "true")
        .conf("hadoop.user.group.static.mapping.overrides", "hdfs=hdfs").start();
    StatusProbe.awaitDayu(NODES);
  }

  @Test
  void failover_adoptsRunningTransfers_andTheNextNameNodeDecommissions() throws Exception {
    start(FaultsIT.forAnotherNameNode());
    write(6);
    killFullestNode();
    StatusProbe.awaitRunning(2);
    cluster.failover();
    StatusProbe.await("adoption", () -> StatusProbe.status().getTotalAdopted() > 0);
    hurry();
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    StatusProbe.awaitFinished();

    long finished = StatusProbe.status().getTotalFinished();
    int leaving = cluster.fullestNode();
    assertTrue(!cluster.blocksOn(leaving).isEmpty());
    cluster.decommission(leaving);
    Await.until("decommissioned", LIMIT, () -> cluster.descriptor(leaving).isDecommissioned(), StatusProbe::describe);
    StatusProbe.await("a transfer finished", () -> StatusProbe.status().getTotalFinished() > finished);
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    assertEquals(0, StatusProbe.status().getTotalHandedToStock(), StatusProbe.describe());
  }

  @Test
  void corruptSource_restartOfTheNameNode_andAppend_endAsWithoutSecurity() throws Exception {
    start(FaultsIT.forAnotherNameNode().conf("dayu.scheduler.eviction-factor", "0")
        .conf("dayu.scheduler.underemployed-ratio", "0"));
    int lost = corruptSource();
    cluster.restart(lost);
    // A NameNode that has become active removes no excess replica before the next block reports.
    cluster.renewBlockReports(LIMIT);
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    StatusProbe.awaitDayu(NODES);
    slowAgain();
    restartNameNodeInMidTransfer();
    slowAgain();
    // Less to recover then.
    for (String path : List.copyOf(cluster.files().lengthsBytes().keySet())) {
      cluster.delete(path);
    }
    appendInMidTransfer();
    assertEquals(0, StatusProbe.status().getTotalHandedToStock(), StatusProbe.describe());
  }

  /** As at first: what {@link #hurry} has set no longer counts. */
  private void slowAgain() throws Exception {
    cluster.setMaxUtilization("");
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

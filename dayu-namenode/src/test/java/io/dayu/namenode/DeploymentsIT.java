/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.harness.ClusterBuilder;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.apache.hadoop.io.erasurecode.ErasureCodeConstants;
import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import java.time.Duration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Dayu in the ways in which HDFS is deployed: small, with service RPC, with authorization, with fine-grained locks,
 * with EC.
 */
final class DeploymentsIT {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final int BLOCK_BYTES = 1 << 20;

  private DayuCluster cluster;

  @AfterEach
  void close() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static ClusterBuilder builder() {
    return FaultsIT.builder().bandwidthBytesPerSec(20 << 20).blockSizeBytes(BLOCK_BYTES);
  }

  private void assertDayuRecovers(ClusterBuilder builder, int nodes, int replication) throws Exception {
    cluster = builder.start();
    StatusProbe.awaitDayu(nodes);
    for (int i = 0; i < 4; i++) {
      cluster.write("/f" + i, 2L * BLOCK_BYTES - 1_000 * i - 1, replication);
    }
    long before = StatusProbe.awaitSettled(cluster);
    int node = cluster.fullestNode();
    int lost = cluster.blocksOn(node).size();
    cluster.kill(node);
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    StatusProbe.await(lost + " transfers finished", () -> StatusProbe.status().getTotalFinished() == before + lost);
  }

  @Test
  void threeNodesWithEveryDefault() throws Exception {
    assertDayuRecovers(DayuCluster.builder().dataNodes(3).blockSizeBytes(BLOCK_BYTES), 3, 2);
  }

  @Test
  void serviceRpc_withAuthorization() throws Exception {
    assertDayuRecovers(builder().conf("dfs.namenode.servicerpc-address", "localhost:0")
        .conf("hadoop.security.authorization", "true"), 6, 3);
  }

  /**
   * As in an upgrade of some daemons only: the configuration has a key that an older jar does not know, and one of an
   * earlier version, which is named with what has replaced it.
   */
  @Test
  void settingsOfOtherVersions_areNamedInWarnings_andSilenceNobody() throws Exception {
    LogCapturer nameNode = LogCapturer.captureLogs(LoggerFactory.getLogger("io.dayu.namenode.NameNodeRuntime"));
    LogCapturer dataNodes = LogCapturer.captureLogs(LoggerFactory.getLogger("io.dayu.datanode.DataNodeRuntime"));
    assertDayuRecovers(builder().conf("dayu.of-a-newer-version", "1").conf("dayu.scheduler.targets", "hull"), 6, 3);
    nameNode.stopCapturing();
    dataNodes.stopCapturing();
    assertEquals(1, warnings(nameNode));
    assertEquals(6, warnings(dataNodes));
    assertEquals(1, nameNode.getOutput().lines().filter(line -> line.contains(
        "Dayu ignores the setting dayu.scheduler.targets: dayu.scheduler.algorithm has replaced it")).count());
  }

  private static long warnings(LogCapturer log) {
    return log.getOutput().lines()
        .filter(line -> line.contains("Dayu does not know the setting dayu.of-a-newer-version and ignores it")).count();
  }

  /** The paper's own algorithm, and one of somebody else. */
  @ParameterizedTest
  @ValueSource(strings = {"paper", "io.dayu.namenode.SchedulerSettingsTest$Foreign"})
  void otherAlgorithm_recovers_andIsNamedInTheLog(String algorithm) throws Exception {
    LogCapturer nameNode = LogCapturer.captureLogs(LoggerFactory.getLogger("io.dayu.namenode.NameNodeRuntime"));
    assertDayuRecovers(builder().conf("dayu.scheduler.algorithm", algorithm), 6, 3);
    nameNode.stopCapturing();
    assertTrue(nameNode.getOutput().contains("scheduler " + algorithm), nameNode.getOutput());
  }

  /** Hadoop 3.5's separate locks for namespace and blocks; Hadoop 3.4 does not know the setting. */
  @Test
  void fineGrainedLocks() throws Exception {
    assertDayuRecovers(builder().conf("dfs.namenode.lock.model.provider.class",
        "org.apache.hadoop.hdfs.server.namenode.fgl.FineGrainedFSNamesystemLock"), 6, 3);
  }

  @Test
  void rackFaultTolerantPlacement() throws Exception {
    assertDayuRecovers(builder().racks(6).conf("dfs.block.replicator.classname",
        "org.apache.hadoop.hdfs.server.blockmanagement.BlockPlacementPolicyRackFaultTolerant"), 6, 3);
  }

  @Test
  void erasureCodedBlocks_areRecoveredByStockWhileDayuHoldsTheQueues() throws Exception {
    cluster = builder().dataNodes(7).start();
    StatusProbe.awaitDayu(7);
    var policy = SystemErasureCodingPolicies.getByID(SystemErasureCodingPolicies.RS_3_2_POLICY_ID);
    assertEquals(ErasureCodeConstants.RS_3_2_SCHEMA, policy.getSchema());
    cluster.fileSystem().enableErasureCodingPolicy(policy.getName());
    cluster.fileSystem().mkdirs(new Path("/ec"));
    cluster.fileSystem().setErasureCodingPolicy(new Path("/ec"), policy.getName());
    for (int i = 0; i < 3; i++) {
      cluster.write("/ec/f" + i, 3L * BLOCK_BYTES, 1);
      cluster.write("/f" + i, 2L * BLOCK_BYTES, 3);
    }
    StatusProbe.awaitSettled(cluster);
    long handed = StatusProbe.status().getTotalHandedToStock();
    cluster.kill(cluster.nodeOf(cluster.blocksOf("/ec/f0").get(0).getLocations()[0].getDatanodeUuid()));
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    StatusProbe.await("groups handed to stock by Dayu", () -> StatusProbe.status().getState().equals("DAYU")
        && StatusProbe.status().getTotalHandedToStock() > handed);
  }
}

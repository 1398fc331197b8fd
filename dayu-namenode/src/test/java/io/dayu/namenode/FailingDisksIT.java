/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.cli.DayuAdmin;
import io.dayu.harness.Await;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import io.dayu.namenode.transfers.AvoidedNodes;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FailingDisks;
import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A disk fails without an error: it writes nothing, or reads very little, while its DataNode reports as ever. */
final class FailingDisksIT {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final int NODES = 6;
  private static final int FILES = 8;
  private static final int BLOCK_BYTES = 3 << 20;
  private static final int LOST = 1;
  /** In the rack of the lost node and of no replica. */
  private static final int HANGING = 4;
  private static final int LIMPING = 0;
  /** A block takes 25 minutes. */
  private static final int LIMPING_BYTES_PER_SEC = 2_000;

  private static final int LIMPING_WRITES_BYTES_PER_SEC = 50_000;

  private DayuCluster cluster;

  /** All replicas on the nodes 0, 1 and 2, one in each rack. */
  private void start() throws Exception {
    cluster = FaultsIT.builder().conf("dayu.transfer.stall-window", "4s")
        .conf("dfs.namenode.redundancy.considerLoad", "false")
        .conf("dfs.datanode.fsdataset.factory", FailingDisks.Factory.class.getName()).start();
    StatusProbe.awaitDayu(NODES);
    InetSocketAddress[] holders = new InetSocketAddress[3];
    for (int i = 0; i < holders.length; i++) {
      holders[i] = cluster.dataNode(i).getXferAddress();
    }
    for (int i = 0; i < FILES; i++) {
      cluster.files().write(cluster.fileSystem(), "/f" + i, BLOCK_BYTES, 3, holders);
    }
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    assertEquals(FILES, cluster.blocksOn(LOST).size());
  }

  @AfterEach
  void close() throws Exception {
    FailingDisks.heal();
    if (cluster != null) {
      cluster.close();
    }
  }

  private boolean hasAllReplicas() {
    BlockManagerTestUtil.updateState(cluster.blockManager());
    return cluster.blockManager().getLowRedundancyBlocksCount() == 0
        && cluster.blockManager().getPendingReconstructionBlocksCount() == 0;
  }

  @Test
  void targetWhoseDiskHangs_itsBlocksGoToOthersWhileItHangs() throws Exception {
    start();
    FailingDisks.hang(cluster.dataNode(HANGING).getDatanodeUuid());
    LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger(AvoidedNodes.class));
    cluster.kill(LOST);
    ClusterVerifier verifier = new ClusterVerifier(cluster);
    StatusProbe.await("a transfer to the disk that hangs", () -> !verifier.partialReplicas(HANGING).isEmpty());
    Await.until("all replicas", LIMIT, this::hasAllReplicas, StatusProbe::describe);
    assertFalse(verifier.partialReplicas(HANGING).isEmpty(), "it hangs still");
    assertEquals(0, cluster.blocksOn(HANGING).size());
    log.stopCapturing();
    String uuid = cluster.dataNode(HANGING).getDatanodeUuid();
    assertTrue(log.getOutput().contains("(" + uuid + ") gets no new transfers for 300 s"), log::getOutput);
    FailingDisks.heal();
    verifier.assertRecovers(LIMIT);
    assertEquals(0, StatusProbe.status().getTotalHandedToStock(), StatusProbe.describe());
  }

  @Test
  void sourceThatLimps_itsTransfersGoOnFromAnother() throws Exception {
    start();
    String uuid = cluster.dataNode(LIMPING).getDatanodeUuid();
    FailingDisks.limp(uuid, LIMPING_BYTES_PER_SEC);
    try (TransferLog log = new TransferLog()) {
      cluster.kill(LOST);
      Await.until("all replicas", LIMIT, this::hasAllReplicas, StatusProbe::describe);
      assertTrue(log.pulls().stream().anyMatch(pull -> pull.source().equals(uuid)), log.pulls()::toString);
    }
    StatusProbe.await("a transfer resumed", () -> StatusProbe.status().getTotalResumed() > 0);
    FailingDisks.heal();
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    assertEquals(0, StatusProbe.status().getTotalHandedToStock(), StatusProbe.describe());
  }

  /** Its agent reports it, and the NameNode reads it. */
  @Test
  void targetWhoseDiskWritesLittle_isSeenByThat() throws Exception {
    start();
    FailingDisks.limpWrites(cluster.dataNode(HANGING).getDatanodeUuid(), LIMPING_WRITES_BYTES_PER_SEC);
    String port = ":" + cluster.dataNode(HANGING).getXferPort() + " ";
    cluster.kill(LOST);
    AtomicReference<String> answer = new AtomicReference<>("");
    Await.until("the limit is that of its disk", LIMIT, () -> {
      answer.set(nodes());
      return answer.get().lines().anyMatch(line -> line.contains(port) && line.contains(" (its disks) / "));
    }, answer::get);
    assertEquals(1, answer.get().lines().filter(line -> line.contains("(its disks)")).count(), answer.get());
    FailingDisks.heal();
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
  }

  private String nodes() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    assertEquals(0, ToolRunner.run(new DayuAdmin(new Configuration(cluster.conf()), new PrintStream(out, true),
        System.err), new String[] {"-nodes"}));
    return out.toString(StandardCharsets.UTF_8);
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import io.dayu.harness.Await;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** An admin sees what stock HDFS does beside Dayu. */
final class StockWorkIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int NODES = 7;
  private static final int FILES = 3;

  @Test
  void status_saysHowManyErasureCodedBlocksStockReconstructsOrCopies() throws Exception {
    try (DayuCluster cluster = DayuCluster.builder().dataNodes(NODES).blockSizeBytes(1 << 20)
        .conf("dayu.heartbeat.interval", "200ms").start()) {
      await("Dayu", cluster, ": DAYU since");
      await("agents", cluster, NODES + " of " + NODES + " live DataNodes report");
      DistributedFileSystem fs = cluster.fileSystem();
      fs.enableErasureCodingPolicy("RS-3-2-1024k");
      fs.mkdirs(new Path("/coded"));
      fs.setErasureCodingPolicy(new Path("/coded"), "RS-3-2-1024k");
      for (int i = 0; i < FILES; i++) {
        cluster.write("/coded/f" + i, 3 << 20, 1);
      }
      new ClusterVerifier(cluster).awaitSettled(LIMIT);
      awaitNot("nothing is going on", cluster, "stock HDFS  ");
      int lost = cluster.fullestNode();
      int blocks = cluster.blocksOn(lost).size();
      announceNothing(cluster, true);
      cluster.kill(lost);
      awaitStock(cluster, blocks, 3, "each internal block of 1 MB from three others");
      announceNothing(cluster, false);
      new ClusterVerifier(cluster).awaitSettled(LIMIT);
      awaitNot("all is announced", cluster, "reconstructed by it");

      int leaving = cluster.fullestNode();
      blocks = cluster.blocksOn(leaving).size();
      announceNothing(cluster, true);
      cluster.admin().decommission(leaving);
      awaitStock(cluster, blocks, 1, "each internal block is copied");
      announceNothing(cluster, false);
      new ClusterVerifier(cluster).assertRecovers(LIMIT);
      awaitNot("all is announced", cluster, "reconstructed by it");
    }
  }

  private static void announceNothing(DayuCluster cluster, boolean paused) {
    for (int node = 0; node < NODES; node++) {
      if (cluster.isRunning(node) && paused) {
        DataNodeTestUtils.pauseIBR(cluster.dataNode(node));
      } else if (cluster.isRunning(node)) {
        DataNodeTestUtils.resumeIBR(cluster.dataNode(node));
      }
    }
  }

  private static void awaitStock(DayuCluster cluster, int blocks, long internalBlocksEach, String why)
      throws Exception {
    assertTrue(blocks > 0);
    await("all " + blocks, cluster, "stock HDFS    " + blocks + " blocks are copied or reconstructed by it");
    await(why, cluster, "reconstructions move " + ReportText.bytes(blocks * internalBlocksEach << 20));
  }

  private static void await(String what, DayuCluster cluster, String line) throws Exception {
    Await.until(what, LIMIT, () -> status(cluster).contains(line), () -> status(cluster));
  }

  private static void awaitNot(String what, DayuCluster cluster, String line) throws Exception {
    Await.until(what, LIMIT, () -> {
      String status = status(cluster);
      return status.contains("DAYU") && !status.contains(line);
    }, () -> status(cluster));
  }

  private static String status(DayuCluster cluster) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ToolRunner.run(new DayuAdmin(new Configuration(cluster.conf()), new PrintStream(out, true), System.err),
        new String[] {"-status"});
    return out.toString(StandardCharsets.UTF_8);
  }
}

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
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.SafeModeAction;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.RollingUpgradeAction;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.namenode.metrics.ReReplications;
import org.apache.hadoop.net.StaticMapping;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What HDFS itself counts and reports of what Dayu does is the same as of what stock HDFS does. */
@Tag("slow")
@Tag("both-lines")
final class StockCountersIT extends StockCountersFixture {
  private static final String ANOTHER_RACK = "/another-rack";
  private static final int SHORT_PENDING_TIMEOUT_SEC = 10;

  @Test
  void counters_areThoseOfStock() throws Exception {
    Map<String, String> stock = run(builder().withoutDayu(), false);
    Map<String, String> dayu = run(builder(), true);
    assertEquals(lines(stock), lines(dayu));
  }

  private Map<String, String> run(ClusterBuilder builder, boolean byDayu) throws Exception {
    seen.clear();
    cluster = builder.start();
    try {
      if (byDayu) {
        StatusProbe.awaitDayu(NODES);
      }
      fs = cluster.fileSystem();
      writeFiles();
      count("replication raised by one and by two", this::raiseReplication);
      count("a DataNode lost", () -> loseNode(() -> null));
      count("maintenance", this::maintain);
      cluster.delete("/single");
      count("decommission", this::decommission);
      cluster.delete("/nowhere-else");
      count("a DataNode lost and the namespace saved", () -> loseNode(() -> inSafeMode(() -> fs.saveNamespace(0, 0))));
      count("a DataNode lost as a rolling upgrade begins",
          () -> loseNode(() -> inSafeMode(() -> fs.rollingUpgrade(RollingUpgradeAction.PREPARE))));
      fs.rollingUpgrade(RollingUpgradeAction.FINALIZE);
      pendingTimeout();
      if (byDayu) {
        StatusProbe.awaitFinished();
        assertEquals(0, StatusProbe.status().getTotalHandedToStock(), StatusProbe.describe());
      }
      topologyChange();
      return new LinkedHashMap<>(seen);
    } finally {
      cluster.close();
    }
  }

  private Object inSafeMode(Callable<?> work) throws Exception {
    fs.setSafeMode(SafeModeAction.ENTER);
    try {
      return work.call();
    } finally {
      fs.setSafeMode(SafeModeAction.LEAVE);
    }
  }

  /** Two DataNodes move to another rack, which HDFS notices when the NameNode restarts. */
  private void topologyChange() throws Exception {
    List<DataNode> moved = cluster.mini().getDataNodes().subList(0, 2);
    InetSocketAddress[] addresses = moved.stream().map(DataNode::getXferAddress).toArray(InetSocketAddress[]::new);
    cluster.files().write(fs, "/on-one-rack", BLOCK_BYTES, 2, addresses);
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    for (DataNode node : moved) {
      StaticMapping.addNodeToRack(node.getDatanodeId().getHostName(), ANOTHER_RACK);
    }
    Set<String> uuids = moved.stream().map(DataNode::getDatanodeUuid).collect(Collectors.toSet());
    int copies = blocksOnOneRack(uuids);
    assertTrue(copies > 0, "no block is on one rack now");
    cluster.nameNodes().restartAfterAllBlockReports(LIMIT);
    // HDFS looks for such blocks in the background; until it has found one, nothing seems to be going on.
    Await.until("all blocks on two racks", LIMIT, () -> blocksOnOneRack(uuids) == 0);
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    assertEquals(ANOTHER_RACK, cluster.descriptor(cluster.nodeOf(moved.get(0).getDatanodeUuid())).getNetworkLocation());
    seen.put("topology changed", new ReReplications(0, 0, 0).moved(ReReplications.now(), copies) + ", " + metasave());
  }

  private int blocksOnOneRack(Set<String> moved) throws Exception {
    int blocks = 0;
    for (String root : List.of("/", "/snapshot/.snapshot/s")) {
      RemoteIterator<LocatedFileStatus> files = fs.listFiles(new Path(root), true);
      while (files.hasNext()) {
        for (LocatedBlock block : cluster.blocksOf(files.next().getPath().toUri().getPath())) {
          DatanodeInfo[] nodes = block.getLocations();
          long there = Arrays.stream(nodes).filter(node -> moved.contains(node.getDatanodeUuid())).count();
          blocks += nodes.length > 1 && (there == 0 || there == nodes.length) ? 1 : 0;
        }
      }
    }
    return blocks;
  }

  private int maintain() throws Exception {
    cluster.write("/single", BLOCK_BYTES, 1);
    int maintained = cluster.nodeOf(cluster.blocksOf("/single").get(0).getLocations()[0].getDatanodeUuid());
    int copies = (int) cluster.blocksOn(maintained).stream()
        .filter(block -> cluster.blockManager().countNodes(block).liveReplicas() == 1).count();
    cluster.admin().enterMaintenance(maintained);
    Await.until("maintenance", LIMIT, () -> cluster.descriptor(maintained).isInMaintenance());
    seen.put("DataNode in maintenance", status(maintained));
    cluster.admin().comeBack(maintained);
    return copies;
  }

  /** A copy that is made and not announced: HDFS gives it up, counts it and has it made again. */
  private void pendingTimeout() throws Exception {
    cluster.write("/unannounced", BLOCK_BYTES, 1);
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    ReReplications before = ReReplications.now();
    announceNothing(true);
    cluster.blockManager().setReconstructionPendingTimeout(SHORT_PENDING_TIMEOUT_SEC);
    cluster.setReplication("/unannounced", 2);
    Await.until("pending", LIMIT, () -> {
      BlockManagerTestUtil.updateState(cluster.blockManager());
      return cluster.blockManager().getPendingReconstructionBlocksCount() == 1;
    });
    seen.put("while a copy is pending", metasave());
    // What the await has seen: it is made again, and may time out again.
    AtomicLong timedOut = new AtomicLong();
    Await.until("timed out", LIMIT, () -> {
      timedOut.set(ReReplications.now().timedOut() - before.timedOut());
      return timedOut.get() > 0;
    }, () -> ReReplications.now() + ", before " + before + "; " + metasave());
    seen.put("a copy that is not announced, timed out", timedOut.toString());
    announceNothing(false);
    cluster.blockManager().setReconstructionPendingTimeout(PENDING_TIMEOUT_SEC);
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
  }
}

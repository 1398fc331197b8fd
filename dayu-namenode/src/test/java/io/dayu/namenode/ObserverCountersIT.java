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
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.namenode.ha.HATestUtil;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.LinkedHashMap;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The counters of HDFS with an observer, with Dayu and without: all NameNodes of a JVM count in one place. */
@Tag("slow")
@Tag("both-lines")
final class ObserverCountersIT extends StockCountersFixture {
  @Test
  void countersWithAnObserver_areThoseOfStock() throws Exception {
    Map<String, String> stock = runWithObserver(builder().withoutDayu(), false);
    Map<String, String> dayu = runWithObserver(builder(), true);
    assertEquals(lines(stock), lines(dayu));
  }

  private Map<String, String> runWithObserver(ClusterBuilder builder, boolean byDayu) throws Exception {
    seen.clear();
    cluster = builder.observer().conf("dfs.ha.tail-edits.period", "1").start();
    try {
      if (byDayu) {
        StatusProbe.awaitDayu(NODES);
      }
      // A NameNode that has become active removes no excess replica before the next block reports.
      cluster.renewBlockReports(LIMIT);
      fs = cluster.fileSystem();
      writeFiles();
      count("replication raised by one and by two", this::raiseReplication);
      seen.put("the observer, after that", observed());
      count("a DataNode lost", () -> loseNode(() -> null));
      seen.put("the observer, after the loss", observed());
      count("decommission", this::decommission);
      seen.put("the observer, after the decommission", observed());
      if (byDayu) {
        StatusProbe.awaitFinished();
        assertEquals(0, StatusProbe.status().getTotalHandedToStock(), StatusProbe.describe());
      }
      return new LinkedHashMap<>(seen);
    } finally {
      cluster.close();
    }
  }

  /** What the observer has left over when the active NameNode has nothing to do, and whether it knows all replicas. */
  private String observed() throws Exception {
    BlockManager blocks = cluster.mini().getNamesystem(2).getBlockManager();
    assertTrue(cluster.mini().getNameNode(2).isObserverState());
    HATestUtil.waitForStandbyToCatchUp(cluster.nameNode(), cluster.mini().getNameNode(2));
    Await.until("the observer knows all replicas", LIMIT, () -> {
      for (String path : cluster.files().lengthsBytes().keySet()) {
        for (LocatedBlock block : cluster.blocksOf(path)) {
          BlockInfo stored = blocks.getStoredBlock(block.getBlock().getLocalBlock());
          if (stored == null || blocks.countNodes(stored).liveReplicas() != block.getLocations().length) {
            return false;
          }
        }
      }
      return true;
    });
    BlockManagerTestUtil.updateState(blocks);
    int scheduled = blocks.getDatanodeManager().getDatanodeListForReport(DatanodeReportType.LIVE).stream()
        .mapToInt(DatanodeDescriptor::getBlocksScheduled).sum();
    return "low redundancy " + blocks.getLowRedundancyBlocksCount() + ", pending "
        + blocks.getPendingReconstructionBlocksCount() + ", scheduled " + scheduled + ", excess "
        + blocks.getExcessBlocksCount();
  }
}

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
import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.DayuScheduler;
import io.dayu.schedule.TimeslotScheduler;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerAccess;
import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Where Dayu cannot start on a NameNode, it leaves everything to stock HDFS and says why. */
final class DeclinedStartIT extends StockFallbackFixture {
  /** The plugin whose start fails when all but the last line of it is done. */
  public static final class HalfStartedPlugin extends RuntimePlugin {
    public HalfStartedPlugin() {
      super(new NameNodeRuntime(new TimeslotScheduler() {
        @Override
        public String name() {
          throw new UnsupportedOperationException("the test wants it so");
        }

        @Override
        public TimeslotPlan plan(ClusterSnapshot snapshot) {
          throw new AssertionError("it has not started");
        }
      }, BlockManagerAccess::required));
    }
  }

  /** The plugin on a Hadoop that lacks something. */
  public static final class PluginOnAnotherHadoop extends RuntimePlugin {
    public PluginOnAnotherHadoop() {
      super(new NameNodeRuntime(new DayuScheduler(),
          () -> BlockManagerAccess.required().field(DFSConfigKeys.class, "noSuchField")));
    }
  }

  @Test
  void startThatFailsHalfWay_givesEverythingBack_andIsStoppedInGoodOrder() throws Exception {
    cluster =
        builder().conf(DFSConfigKeys.DFS_NAMENODE_PLUGINS_KEY, HalfStartedPlugin.class.getName()).dataNodes(3).start();
    assertEquals(null, StatusProbe.status());
    Await.until("no loop runs, nor that of a cluster before", LIMIT, () -> Thread.getAllStackTraces().keySet().stream()
        .noneMatch(thread -> thread.getName().startsWith("Dayu recovery loop")));
    assertTrue(cluster.nameNode().getNamesystem().getBlockManager().getBlocksReplWorkMultiplier() > 0,
        "stock is not suspended");
    // The NameNode stops its plugins in close().
  }

  @Test
  void malformedSetting_leavesStockAlone() throws Exception {
    assertDeclines(builder().conf("dayu.recovery.max-utilization", "75%"), "dayu.recovery.max-utilization = '75%'",
        "from 0.01 to 1.0");
  }

  @Test
  void missingInternals_leaveStockAlone() throws Exception {
    assertDeclines(builder().conf(DFSConfigKeys.DFS_NAMENODE_PLUGINS_KEY, PluginOnAnotherHadoop.class.getName()),
        "this Hadoop has no org.apache.hadoop.hdfs.DFSConfigKeys.noSuchField");
  }

  /** Dayu declines in one line that has all of {@code parts}, and stock recovers. */
  private void assertDeclines(ClusterBuilder builder, String... parts) throws Exception {
    LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger(NameNodeRuntime.class));
    cluster = builder.start();
    log.stopCapturing();
    List<String> lines = log.getOutput().lines().filter(line -> line.contains("Dayu")).toList();
    assertEquals(1, lines.size(), lines::toString);
    assertTrue(lines.get(0).contains("Dayu is NOT active, stock HDFS re-replicates: "), lines::toString);
    for (String part : parts) {
      assertTrue(lines.get(0).contains(part), lines::toString);
    }
    assertNull(StatusProbe.status(), "Dayu must not be active");
    write(3);
    cluster.kill(cluster.fullestNode());
    assertRecovered();
  }
}

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
import io.dayu.namenode.status.DayuStatus;
import io.dayu.schedule.DayuScheduler;
import io.dayu.schedule.TimeslotScheduler;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.SafeModeAction;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerAccess;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockPlacementPolicyDefault;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockPlacementStatus;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockPlacementStatusDefault;
import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** When Dayu cannot or must not do the work, stock HDFS does, on real HDFS; and Dayu takes it back when it can. */
final class StockFallbackIT extends StockFallbackFixture {
  /** With a scheduler that can hang or fail. The watchdog waits for four seconds only. */
  private static ClusterBuilder hanging() {
    return builder().conf(DFSConfigKeys.DFS_NAMENODE_PLUGINS_KEY, HangingPlugin.class.getName())
        .conf("dayu.namenode.watchdog.timeout", "4s");
  }

  @AfterEach
  void release() {
    HangingScheduler.release();
  }

  /** Plans as Dayu does, until it is told to hang or to fail. */
  static class HangingScheduler implements TimeslotScheduler {
    private static volatile CountDownLatch hang;
    private static volatile boolean fail;

    private final TimeslotScheduler real = new DayuScheduler();

    static void hang() {
      hang = new CountDownLatch(1);
    }

    static void fail() {
      fail = true;
    }

    static void release() {
      fail = false;
      CountDownLatch latch = hang;
      hang = null;
      if (latch != null) {
        latch.countDown();
      }
    }

    @Override
    public String name() {
      return "hanging";
    }

    @Override
    public TimeslotPlan plan(ClusterSnapshot snapshot) {
      if (fail) {
        throw new IllegalStateException("the test wants it so");
      }
      CountDownLatch latch = hang;
      if (latch != null) {
        try {
          latch.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      return real.plan(snapshot);
    }
  }

  /** The plugin with the scheduler that can hang. */
  public static final class HangingPlugin extends RuntimePlugin {
    public HangingPlugin() {
      super(new NameNodeRuntime(new HangingScheduler(), BlockManagerAccess::required));
    }
  }

  /** Refuses every replica more on a node that has an agent. */
  public static final class NotOnAgents extends BlockPlacementPolicyDefault {
    static volatile Set<String> agents = Set.of();

    @Override
    public BlockPlacementStatus verifyBlockPlacement(DatanodeInfo[] locations, int replicas) {
      long onAgents = Arrays.stream(locations).filter(node -> agents.contains(node.getDatanodeUuid())).count();
      return onAgents == 0 ? super.verifyBlockPlacement(locations, replicas)
          : new BlockPlacementStatusDefault(0, (int) onAgents, Integer.MAX_VALUE);
    }
  }

  @Test
  void hangingLoop_isRelievedByTheWatchdogAndComesBack() throws Exception {
    cluster = hanging().start();
    StatusProbe.awaitDayu(6);
    write(4);
    long finished = StatusProbe.awaitSettled(cluster);
    HangingScheduler.hang();
    cluster.kill(cluster.fullestNode());
    StatusProbe.awaitState("STOCK");
    assertTrue(StatusProbe.status().getStateReason().contains("silent"), StatusProbe.describe());
    assertRecovered();
    assertEquals(finished, StatusProbe.status().getTotalFinished(), StatusProbe.describe());
    HangingScheduler.release();
    StatusProbe.awaitState("DAYU");
    cluster.kill(cluster.fullestNode());
    assertRecovered();
    StatusProbe.await("Dayu recovers again", () -> StatusProbe.status().getTotalFinished() > finished);
  }

  @Test
  void hangWithTransfersUnderWay_leavesNothingBehind() throws Exception {
    cluster = hanging().bandwidthBytesPerSec(400_000).start();
    StatusProbe.awaitDayu(6);
    write(4);
    cluster.kill(cluster.fullestNode());
    StatusProbe.awaitRunning(1);
    HangingScheduler.hang();
    StatusProbe.awaitState("STOCK");
    assertRecovered();
  }

  @Test
  void planThatFailsAgainAndAgain_isLeftToStockForAWhile() throws Exception {
    cluster = hanging().start();
    StatusProbe.awaitDayu(6);
    write(4);
    HangingScheduler.fail();
    // Stock HDFS recovers for four seconds only, so the status may be missed.
    LogCapturer states = LogCapturer.captureLogs(LoggerFactory.getLogger(DayuStatus.class));
    cluster.kill(cluster.fullestNode());
    Await.until("stock after three failures", LIMIT,
        () -> states.getOutput().contains("3 times in a row at TIMESLOT"), states::getOutput);
    states.stopCapturing();
    assertRecovered();
    HangingScheduler.release();
    StatusProbe.awaitState("DAYU");
  }

  @Test
  void safeModeInMidRecovery_forgetsNothing() throws Exception {
    cluster = builder().bandwidthBytesPerSec(400_000).start();
    StatusProbe.awaitDayu(6);
    write(4);
    cluster.kill(cluster.fullestNode());
    StatusProbe.awaitRunning(1);
    DistributedFileSystem client = cluster.fileSystem();
    Configuration conf = cluster.clientConf();
    client.setSafeMode(SafeModeAction.ENTER);
    StatusProbe.awaitLoop(conf);
    long planned = StatusProbe.status().getTotalPlanned();
    StatusProbe.await("what was running ends", () -> StatusProbe.status().getRunningTransfers() == 0);
    assertEquals(planned, StatusProbe.status().getTotalPlanned(), "nothing is begun in safe mode");
    client.setSafeMode(SafeModeAction.LEAVE);
    assertRecovered();
    StatusProbe.awaitState("DAYU");
  }

  @Test
  void policyThatRefusesEveryTargetOfOurs_stockTakesTheBlocks() throws Exception {
    cluster = builder().dataNodes(8).racks(4).withoutAgents(4, 8)
        .conf("dfs.block.replicator.classname", NotOnAgents.class.getName()).start();
    NotOnAgents.agents = Set.of();
    StatusProbe.awaitDayu(4);
    write(4);
    StatusProbe.awaitSettled(cluster);
    long planned = StatusProbe.status().getTotalPlanned();
    long handed = StatusProbe.status().getTotalHandedToStock();
    Set<String> agents = new HashSet<>();
    for (int node = 0; node < 4; node++) {
      agents.add(cluster.dataNode(node).getDatanodeUuid());
    }
    NotOnAgents.agents = agents;
    cluster.kill(7);
    StatusProbe.await("blocks handed to stock", () -> StatusProbe.status().getTotalHandedToStock() > handed);
    assertEquals(planned, StatusProbe.status().getTotalPlanned(), StatusProbe.describe());
    NotOnAgents.agents = Set.of();
    assertRecovered();
  }
}

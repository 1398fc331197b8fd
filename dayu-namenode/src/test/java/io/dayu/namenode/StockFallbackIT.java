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
import io.dayu.harness.DayuCluster;
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
import org.apache.hadoop.util.ServicePlugin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** When Dayu cannot or must not do the work, stock HDFS does, on real HDFS; and Dayu takes it back when it can. */
@Timeout(180)
final class StockFallbackIT {
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private DayuCluster cluster;

  private static ClusterBuilder builder() {
    return FaultsIT.builder().bandwidthBytesPerSec(20 << 20).blockSizeBytes(1 << 20);
  }

  /** With a scheduler that can hang or fail. The watchdog waits for four seconds only. */
  private static ClusterBuilder hanging() {
    return builder().conf(DFSConfigKeys.DFS_NAMENODE_PLUGINS_KEY, HangingPlugin.class.getName())
        .conf("dayu.namenode.watchdog.timeout", "4s");
  }

  private void write(int files) throws Exception {
    for (int i = 0; i < files; i++) {
      cluster.write("/f" + i, (2 << 20) - 1_000L * i - 1, 3);
    }
  }

  private void assertRecovered() throws Exception {
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
  }

  @AfterEach
  void close() throws Exception {
    HangingScheduler.release();
    if (cluster != null) {
      cluster.close();
    }
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

  /** The NameNode's plugin with something else inside. */
  abstract static class Plugin implements ServicePlugin {
    private final NameNodeRuntime runtime;

    Plugin(NameNodeRuntime runtime) {
      this.runtime = runtime;
    }

    @Override
    public void start(Object service) {
      runtime.start(service);
    }

    @Override
    public void stop() {
      runtime.stop();
    }

    @Override
    public void close() {
      stop();
    }
  }

  /** The plugin with the scheduler that can hang. */
  public static final class HangingPlugin extends Plugin {
    public HangingPlugin() {
      super(new NameNodeRuntime(new HangingScheduler(), BlockManagerAccess::required));
    }
  }

  /** The plugin whose start fails when all but the last line of it is done. */
  public static final class HalfStartedPlugin extends Plugin {
    public HalfStartedPlugin() {
      super(new NameNodeRuntime(new HangingScheduler() {
        @Override
        public String name() {
          throw new UnsupportedOperationException("the test wants it so");
        }
      }, BlockManagerAccess::required));
    }
  }

  /** The plugin on a Hadoop that lacks something. */
  public static final class PluginOnAnotherHadoop extends Plugin {
    public PluginOnAnotherHadoop() {
      super(new NameNodeRuntime(new DayuScheduler(),
          () -> BlockManagerAccess.required().field(DFSConfigKeys.class, "noSuchField")));
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
  void noAgentAtAll_stockRecovers() throws Exception {
    cluster = builder().withoutAgents(0, 6).start();
    StatusProbe.awaitState("STOCK");
    write(4);
    cluster.kill(cluster.fullestNode());
    assertRecovered();
    assertEquals(0, StatusProbe.status().getTotalPlanned());
  }

  @Test
  void agentsOnMostNodes_dayuRecoversWithTheOthersAsSources() throws Exception {
    cluster = builder().withoutAgents(4, 6).start();
    StatusProbe.awaitDayu(4);
    write(6);
    // Once node 0 is lost, only nodes without an agent have it.
    String path = "/without-agents";
    cluster.files().write(cluster.fileSystem(), path, 1 << 20, 3, IntStream.of(0, 4, 5)
        .mapToObj(node -> cluster.dataNode(node).getXferAddress()).toArray(InetSocketAddress[]::new));
    long finished = StatusProbe.awaitSettled(cluster);
    long block = cluster.blocksOf(path).get(0).getBlock().getBlockId();
    int lost = cluster.blocksOn(0).size();
    try (TransferLog log = new TransferLog()) {
      cluster.kill(0);
      assertRecovered();
      StatusProbe.await("all finished", () -> StatusProbe.status().getTotalFinished() == finished + lost);
      assertEquals(0, StatusProbe.status().getTotalHandedToStock(), StatusProbe.describe());
      List<TransferLog.Pull> pulls = log.pullsOf(block);
      assertTrue(!pulls.isEmpty() && pulls.stream().allMatch(pull -> cluster.nodeOf(pull.source()) >= 4
          && cluster.nodeOf(pull.target()) < 4), pulls::toString);
    }
  }

  @Test
  void agentsOnTooFewNodes_stockRecoversUntilThereAreEnough() throws Exception {
    cluster = builder().withoutAgents(2, 6).start();
    StatusProbe.awaitState("STOCK");
    write(4);
    cluster.kill(5);
    assertRecovered();
    assertEquals(0, StatusProbe.status().getTotalPlanned(), StatusProbe.describe());
    cluster.kill(4);
    StatusProbe.awaitDayu(2);
    assertTrue(StatusProbe.status().getStateReason().contains("2 of 4"), StatusProbe.describe());
    assertRecovered();
  }

  /**
   * Cuts off the agents of four of six nodes, until stock re-replication resumes; it says for how long it then waits.
   */
  private void loseAgents(int delaySec) throws Exception {
    for (int node = 0; node < 4; node++) {
      cluster.partitionAgent(node);
    }
    StatusProbe.await("stock, for so long", () -> StatusProbe.status().getState().equals("STOCK")
        && StatusProbe.status().getStateReason().contains(
            "Dayu resumes when 4 of 6 have had one for " + delaySec + " s without a break"));
  }

  /** Lets all agents report again and waits until Dayu resumes, not before the delay has passed. */
  private void healAgents(int delaySec) throws Exception {
    long healedNs = System.nanoTime();
    for (int node = 0; node < 4; node++) {
      cluster.healAgent(node);
    }
    StatusProbe.await("Dayu waits for the agents to stay", () -> StatusProbe.status().getStateReason()
        .matches("[4-6] of 6 live DataNodes have an agent; Dayu resumes when .*, in \\d+ s at the earliest"));
    StatusProbe.awaitState("DAYU");
    assertTrue(System.nanoTime() - healedNs >= TimeUnit.SECONDS.toNanos(delaySec), "not before " + delaySec + " s");
  }

  @Tag("slow")
  @Test
  void agentsThatWereLost_mustBeBackForLongerEachTime() throws Exception {
    // Long enough that a slow machine sees the wait.
    cluster = builder().conf("dayu.transfer.lease", "10s").start();
    StatusProbe.awaitDayu(6);
    write(4);
    loseAgents(10);
    healAgents(10);
    loseAgents(20);
    healAgents(20);
    long finished = StatusProbe.awaitSettled(cluster);
    cluster.kill(cluster.fullestNode());
    assertRecovered();
    StatusProbe.await("Dayu recovers again", () -> StatusProbe.status().getTotalFinished() > finished);
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

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.datanode.transfer.Poll;
import io.dayu.datanode.transfer.PullCluster;
import io.dayu.datanode.transfer.PullCluster.Placed;
import io.dayu.datanode.transfer.ResourceLeaks;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.hdfs.server.namenode.ha.HATestUtil;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

import static io.dayu.datanode.transfer.PullCluster.assertNoTrace;
import static io.dayu.datanode.transfer.PullCluster.assertSameFiles;
import static io.dayu.datanode.transfer.PullCluster.grant;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The whole plugin in real DataNodes, loaded by {@code dfs.datanode.plugins}, in front of a scripted scheduler on the
 * NameNode's RPC server.
 */
class AgentIT {
  private static final long SEED = 20261122;
  private static final long SLOW = 64 * 1024;
  private static final long FAST = 1L << 30;
  private static final int LARGE = 6 << 20;
  private static final Duration SOON = Duration.ofSeconds(60);

  private static PullCluster hdfs;
  private static FakeScheduler scheduler;

  private static Configuration conf() {
    Configuration conf = new HdfsConfiguration();
    conf.set(DFSConfigKeys.DFS_DATANODE_PLUGINS_KEY, DayuDataNodePlugin.class.getName());
    // What is granted and no more: transfers have to be under way while they are looked at.
    return conf;
  }

  @BeforeAll
  static void startCluster() throws Exception {
    System.out.println("seed " + SEED);
    hdfs = new PullCluster(conf(), SEED);
    // The agents meet a NameNode that does not know them, and find it again when it does.
    scheduler = new FakeScheduler(hdfs.cluster.getNameNode(), 7);
    for (DataNode node : hdfs.cluster.getDataNodes()) {
      awaitReport(node);
    }
  }

  @AfterAll
  static void stopCluster() {
    hdfs.close();
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    ResourceLeaks.assertNone(hdfs.cluster.getDataNodes());
  }

  private static void awaitReport(DataNode node) throws Exception {
    int before = scheduler.reports(node.getDatanodeUuid()).size();
    Poll.until("the agent reports", SOON, () -> scheduler.reports(node.getDatanodeUuid()).size() > before, () -> "");
  }

  private static FinishedTransferProto end(DataNode node, GrantProto grant) throws Exception {
    String uuid = node.getDatanodeUuid();
    Poll.until("attempt " + grant.getAttempt() + " has ended", SOON, () -> find(uuid, grant) != null,
        () -> scheduler.last(uuid));
    return find(uuid, grant);
  }

  private static FinishedTransferProto find(String uuid, GrantProto grant) {
    return scheduler.reports(uuid).stream().flatMap(report -> report.getFinishedList().stream())
        .filter(end -> end.getAttempt() == grant.getAttempt()).findFirst().orElse(null);
  }

  private static void awaitProgress(DataNode node) throws Exception {
    String uuid = node.getDatanodeUuid();
    Poll.until("bytes have arrived", SOON,
        () -> scheduler.last(uuid).getRunningList().stream().anyMatch(running -> running.getDoneBytes() > 0),
        () -> scheduler.last(uuid));
  }

  @Test
  void agent_reportsItsLoad() throws Exception {
    String uuid = hdfs.cluster.getDataNodes().get(0).getDatanodeUuid();
    Poll.until("the load is reported", SOON, () -> scheduler.last(uuid).hasLoad(), () -> scheduler.last(uuid));
    ReportProto report = scheduler.last(uuid);
    assertEquals(hdfs.cluster.getNamesystem().getBlockPoolId(), report.getBlockPoolId());
    assertEquals(2, report.getLoad().getVolumesCount());
    assertEquals("DISK", report.getLoad().getVolumes(0).getStorageType());
    assertTrue(report.getLoad().getCapacityInBytesPerSec() > 0);
    List<ReportProto> all = scheduler.reports(uuid);
    for (int i = 1; i < all.size(); i++) {
      assertEquals(all.get(i - 1).getReportSequence() + 1, all.get(i).getReportSequence());
      assertEquals(all.get(0).getAgentIncarnation(), all.get(i).getAgentIncarnation());
    }
  }

  @Test
  void addresses_areThoseByWhichNameNodeAndDataNodeKnowEachOther() throws Exception {
    DataNode node = hdfs.cluster.getDataNodes().get(0);
    DataNodeAccess access = new DataNodeAccess(node);
    String known = hdfs.cluster.getNamesystem().getBlockManager().getDatanodeManager()
        .getDatanode(node.getDatanodeUuid()).getIpAddr();
    assertEquals(known, access.registeredAddress().orElseThrow().getHostAddress());
    assertEquals(hdfs.cluster.getNameNode().getNameNodeAddress().getPort(),
        access.nameNodeAddress().orElseThrow().getPort());
  }

  @Test
  void grantedBlock_isPulledReportedAndForgottenWhenAcknowledged() throws Exception {
    Placed file = hdfs.write("granted", LARGE);
    GrantProto grant = grant(file.block(), file.first(), FAST);
    String uuid = file.target().getDatanodeUuid();
    scheduler.grant(uuid, grant);
    assertEquals(Outcome.DONE, end(file.target(), grant).getOutcome());
    assertSameFiles(file.block(), file.first(), file.target());
    // Still granted, yet not started again; and acknowledged, so not reported again.
    awaitReport(file.target());
    awaitReport(file.target());
    assertEquals(0, scheduler.last(uuid).getRunningCount());
    assertEquals(0, scheduler.last(uuid).getFinishedCount());
    scheduler.grant(uuid);
  }

  @Test
  void cancelledTransfer_isGoneOnceTheCommandsCountAsObeyed() throws Exception {
    Placed file = hdfs.write("cancelled", LARGE);
    GrantProto grant = grant(file.block(), file.first(), SLOW);
    String uuid = file.target().getDatanodeUuid();
    scheduler.grant(uuid, grant);
    awaitProgress(file.target());
    long sequence = scheduler.grant(uuid);
    Poll.until("the cancel is obeyed", SOON, () -> scheduler.last(uuid).getObeyedSequence() >= sequence,
        () -> scheduler.last(uuid));
    assertNoTrace(file.block(), file.target());
    assertEquals(Outcome.CANCELLED, end(file.target(), grant).getOutcome());
    for (ReportProto report : scheduler.reports(uuid)) {
      assertTrue(report.getObeyedSequence() < sequence
          || report.getRunningList().stream().noneMatch(running -> running.getAttempt() == grant.getAttempt()));
    }
  }

  @Test
  void stoppedDataNode_leavesNoTraceAndComesBackWithANewIncarnation() throws Exception {
    Placed file = hdfs.write("stopped", LARGE);
    GrantProto grant = grant(file.block(), file.first(), SLOW);
    DataNode target = file.target();
    String uuid = target.getDatanodeUuid();
    scheduler.grant(uuid, grant);
    awaitProgress(target);
    long incarnation = scheduler.last(uuid).getAgentIncarnation();
    MiniDFSCluster.DataNodeProperties stopped = hdfs.cluster.stopDataNode(target.getDisplayName());
    scheduler.grant(uuid);
    assertTrue(hdfs.cluster.restartDataNode(stopped));
    hdfs.cluster.waitActive();
    Poll.until("the new agent reports", SOON, () -> scheduler.last(uuid).getAgentIncarnation() != incarnation,
        () -> scheduler.last(uuid));
    assertEquals(0, scheduler.last(uuid).getRunningCount());
    DataNode restarted = hdfs.cluster.getDataNodes().stream().filter(node -> node.getDatanodeUuid().equals(uuid))
        .findFirst().orElseThrow();
    assertNoTrace(file.block(), restarted);
  }

  @Test
  void agent_reportsToBothNameNodesAndObeysTheActiveOne() throws Exception {
    Configuration conf = conf();
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_REDUNDANCY_INTERVAL_SECONDS_KEY, 3_600);
    conf.setInt(DFSConfigKeys.DFS_HEARTBEAT_INTERVAL_KEY, 1);
    try (MiniDFSCluster ha = new MiniDFSCluster.Builder(conf, new java.io.File(MiniDFSCluster.getBaseDirectory(), "ha"))
        .nnTopology(MiniDFSNNTopology.simpleHATopology()).numDataNodes(2).build()) {
      ha.waitActive();
      FakeScheduler first = new FakeScheduler(ha.getNameNode(0), 30);
      FakeScheduler second = new FakeScheduler(ha.getNameNode(1), 20);
      ha.transitionToActive(0);
      ExtendedBlock block;
      try (FileSystem fs = HATestUtil.configureFailoverFs(ha, conf)) {
        DFSTestUtil.createFile(fs, new Path("/file"), LARGE, (short) 1, SEED);
        block = DFSTestUtil.getFirstBlock(fs, new Path("/file"));
      }
      int holder = ha.getDataNodes().get(0).getFSDataset().contains(block) ? 0 : 1;
      DataNode source = ha.getDataNodes().get(holder);
      DataNode target = ha.getDataNodes().get(1 - holder);
      String uuid = target.getDatanodeUuid();
      GrantProto byFirst = grant(block, source, SLOW);
      second.grant(uuid, grant(block, source, FAST));
      Poll.until("both hear the agent", SOON, () -> !first.reports(uuid).isEmpty() && second.reports(uuid).size() > 3,
          () -> "");
      assertTrue(second.reports(uuid).stream()
          .allMatch(report -> report.getRunningCount() == 0 && !report.hasObeyedSequence()));
      first.grant(uuid, byFirst);
      Poll.until("the standby, too, hears of the active's transfer", SOON,
          () -> second.last(uuid).getRunningCount() == 1
              && second.last(uuid).getRunning(0).getAttempt() == byFirst.getAttempt(),
          () -> second.last(uuid));

      // As after a failover: what runs is adopted, under the same attempt.
      second.grant(uuid, byFirst.toBuilder().setRateBytesPerSec(FAST).build());
      ha.transitionToStandby(0);
      ha.transitionToActive(1);
      Poll.until("the new active's transfer is done", SOON, () -> second.reports(uuid).stream()
          .flatMap(report -> report.getFinishedList().stream())
          .anyMatch(end -> end.getOutcome() == Outcome.DONE), () -> second.last(uuid));
      assertSameFiles(block, source, target);
      assertNotEquals(0, second.last(uuid).getObeyedSequence());
    }
  }
}

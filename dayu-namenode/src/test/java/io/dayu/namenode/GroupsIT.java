/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.cli.DayuAdmin;
import io.dayu.conf.Setting;
import io.dayu.harness.Await;
import io.dayu.harness.ClusterBuilder;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.management.ObjectName;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Dayu rebuilds the internal blocks of erasure-coded groups on an embedded cluster; stock re-replication is suspended
 * all the while. The verifier compares each internal block byte by byte, and HDFS's counters with zero.
 */
final class GroupsIT {
  private static final Duration LIMIT = Duration.ofSeconds(120);
  private static final int NODES = 9;
  private static final int CELL_BYTES = 1 << 20;
  private static final String POLICY = "RS-3-2-1024k";

  private DayuCluster cluster;

  private static ClusterBuilder builder() {
    return FaultsIT.builder().dataNodes(NODES).racks(1).bandwidthBytesPerSec(8_000_000)
        .conf(Setting.ERASURE_CODING.key(), "dayu").conf("dfs.namenode.redundancy.considerLoad", "false");
  }

  @AfterEach
  void close() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  private void start(ClusterBuilder builder) throws Exception {
    start(builder, NODES, POLICY);
  }

  private void start(ClusterBuilder builder, int nodes, String policy) throws Exception {
    cluster = builder.start();
    StatusProbe.awaitDayu(nodes);
    DistributedFileSystem fs = cluster.fileSystem();
    fs.enableErasureCodingPolicy(policy);
    fs.mkdirs(new Path("/coded"));
    fs.setErasureCodingPolicy(new Path("/coded"), policy);
  }

  /**
   * Files of one group each, of different lengths around cells and stripes, that were closed long ago, by their times.
   * Those that are shorter than a stripe are recovered some seconds after they were allocated.
   */
  private void writeGroups(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      String path = "/coded/f" + i;
      cluster.write(path, 6L * CELL_BYTES - i * (CELL_BYTES / 3) % (5L * CELL_BYTES) - 1, 1);
      cluster.fileSystem().setTimes(new Path(path), 0, -1);
    }
    StatusProbe.awaitSettled(cluster);
  }

  private int internalBlocksOn(int node) throws Exception {
    String uuid = cluster.dataNode(node).getDatanodeUuid();
    int found = 0;
    for (String path : cluster.files().lengthsBytes().keySet()) {
      for (LocatedBlock block : cluster.blocksOf(path)) {
        if (block instanceof LocatedStripedBlock) {
          for (var location : block.getLocations()) {
            found += location.getDatanodeUuid().equals(uuid) ? 1 : 0;
          }
        }
      }
    }
    return found;
  }

  private static long metric(String name) throws Exception {
    return ((Number) ManagementFactory.getPlatformMBeanServer()
        .getAttribute(new ObjectName("Hadoop:service=NameNode,name=Dayu"), name)).longValue();
  }

  /** JMX has metrics as they were some seconds ago. */
  private static void awaitRebuilt() throws Exception {
    StatusProbe.await("rebuilt internal blocks in the metrics", () -> metric("BlocksRebuilt") > 0);
  }

  private void assertRecovered() throws Exception {
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    StatusProbe.await("no transfer under way", () -> StatusProbe.status().getRunningTransfers() == 0);
    assertEquals(0, StatusProbe.status().getTotalHandedToStock(), "stock HDFS gets nothing");
  }

  @Test
  void lostNode_isRebuilt_withoutARedundantRebuild() throws Exception {
    // No agent that stands still for a while ends a transfer.
    start(builder().conf("dayu.transfer.lease", "30s"));
    writeGroups(12);
    int lost = cluster.fullestNode();
    int internal = internalBlocksOn(lost);
    assertTrue(internal >= 4, () -> internal + " internal blocks on the fullest node");
    // What was reported late when its file was written may have been rebuilt then.
    long before = StatusProbe.status().getTotalFinished();
    StatusProbe.await("metrics of now", () -> metric("BlocksRebuilt") == before);
    cluster.kill(lost);
    assertRecovered();
    StatusProbe.await("all are counted", () -> metric("BlocksRebuilt") - before >= internal);
    assertEquals(internal, metric("BlocksRebuilt") - before, "no redundant rebuild");
    assertEquals(0, StatusProbe.status().getTotalFailed());
  }

  /** HDFS-17732: what a DataNode has yet to report when the file is closed is not lost. */
  @Test
  void smallFilesThatAreReportedLate_areNotRebuilt() throws Exception {
    start(builder().conf("dfs.blockreport.incremental.intervalMsec", "2500"));
    for (int i = 0; i < 6; i++) {
      cluster.write("/coded/small" + i, CELL_BYTES - i, 1);
    }
    StatusProbe.awaitSettled(cluster);
    assertEquals(0, StatusProbe.status().getTotalPlanned());
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
  }

  /** HDFS-14768, HDFS-15186, HDFS-16566: stock HDFS may take the index of the one for that of another. */
  @Test
  @Tag("slow")
  void lostLeavingAndUnreachableHolders_areNotTakenForEachOther() throws Exception {
    start(builder().conf("dayu.transfer.lease", "30s"));
    writeGroups(12);
    int lost = cluster.fullestNode();
    int leaving = (lost + 1) % NODES;
    cluster.partitionAgent((lost + 2) % NODES);
    cluster.admin().decommission(leaving);
    cluster.kill(lost);
    Await.until("decommissioned", LIMIT, () -> cluster.descriptor(leaving).isDecommissioned(), StatusProbe::describe);
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    awaitRebuilt();
  }

  /** HDFS-16510: stock HDFS may never end it, since there are too few racks. */
  @Test
  @Tag("slow")
  void wholeRackOfSix_isDecommissioned() throws Exception {
    start(builder().dataNodes(12).racks(6), 12, "RS-6-3-1024k");
    writeGroups(8);
    int[] rack = IntStream.range(0, 12).filter(node -> cluster.descriptor(node).getNetworkLocation()
        .equals(cluster.descriptor(0).getNetworkLocation())).toArray();
    assertEquals(2, rack.length);
    for (int node : rack) {
      cluster.admin().decommission(node);
    }
    Await.until("decommissioned", LIMIT, () -> IntStream.of(rack)
        .allMatch(node -> cluster.descriptor(node).isDecommissioned()), StatusProbe::describe);
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
  }

  @Test
  @Tag("slow")
  void groupsAndBlocks_areRecoveredTogether() throws Exception {
    start(builder());
    writeGroups(8);
    for (int i = 0; i < 8; i++) {
      cluster.write("/f" + i, 2L * CELL_BYTES - i, 3);
    }
    StatusProbe.awaitSettled(cluster);
    cluster.kill(cluster.fullestNode());
    assertRecovered();
    awaitRebuilt();
    assertTrue(StatusProbe.status().getTotalFinished() > metric("BlocksRebuilt"));
  }

  @Test
  void twoLostNodes_areRebuilt() throws Exception {
    start(builder());
    writeGroups(10);
    // What is written already is rebuilt all the same.
    cluster.fileSystem().disableErasureCodingPolicy(POLICY);
    int first = cluster.fullestNode();
    cluster.kill(first);
    cluster.kill(first == 0 ? 1 : 0);
    assertRecovered();
    awaitRebuilt();
  }

  @Test
  void sourceThatDiesInMidRebuild_isReplaced() throws Exception {
    start(FaultsFixture.slowAtFirst(builder(), 200_000));
    writeGroups(8);
    cluster.kill(cluster.fullestNode());
    StatusProbe.awaitRunning(2);
    cluster.kill(StatusProbe.firstSource(cluster));
    FaultsFixture.hurry(cluster);
    assertRecovered();
  }

  /** HDFS-17690: stock HDFS queues the same work again when its pending entry has timed out. */
  @Test
  @Tag("slow")
  void rebuildThatTakesLongerThanThePendingTimeout_isMadeOnce() throws Exception {
    start(FaultsFixture.slowAtFirst(builder(), 200_000).conf("dayu.transfer.lease", "30s")
        .conf("dfs.namenode.reconstruction.pending.timeout-sec", "3"));
    writeGroups(6);
    int lost = cluster.fullestNode();
    int internal = internalBlocksOn(lost);
    long before = StatusProbe.status().getTotalFinished();
    cluster.kill(lost);
    StatusProbe.awaitRunning(1);
    long begunNs = System.nanoTime();
    StatusProbe.await("three timeouts", () -> System.nanoTime() - begunNs > TimeUnit.SECONDS.toNanos(9));
    assertEquals(before, StatusProbe.status().getTotalFinished(), "a rebuild has ended sooner");
    FaultsFixture.hurry(cluster);
    assertRecovered();
    StatusProbe.await("all are counted", () -> metric("BlocksRebuilt") - before >= internal);
    assertEquals(internal, metric("BlocksRebuilt") - before, "no redundant rebuild");
    assertEquals(0, StatusProbe.status().getTotalFailed());
  }

  @Test
  void failoverInMidRebuild_isAdopted() throws Exception {
    start(FaultsFixture.slowAtFirst(builder().highAvailability(), 200_000).conf("dayu.transfer.lease", "30s"));
    writeGroups(8);
    cluster.kill(cluster.fullestNode());
    StatusProbe.awaitRunning(2);
    cluster.nameNodes().failover();
    StatusProbe.await("adopted transfers", () -> StatusProbe.status().getTotalAdopted() > 0);
    FaultsFixture.hurry(cluster);
    new ClusterVerifier(cluster).afterFailover().assertRecovers(LIMIT);
  }

  @Test
  @Tag("slow")
  void leavingNode_isCopiedAndRebuilt_untilItIsDecommissioned() throws Exception {
    start(builder().bandwidthBytesPerSec(2_000_000));
    writeGroups(16);
    // What is planned at once does not wait for one that was just allocated.
    long writtenNs = System.nanoTime();
    StatusProbe.await("groups of some age", () -> System.nanoTime() - writtenNs > TimeUnit.SECONDS.toNanos(11));
    int leaving = cluster.fullestNode();
    int internal = internalBlocksOn(leaving);
    cluster.admin().decommission(leaving);
    Await.until("decommissioned", LIMIT, () -> cluster.descriptor(leaving).isDecommissioned(), StatusProbe::describe);
    awaitRebuilt();
    long rebuilt = metric("BlocksRebuilt");
    assertTrue(rebuilt > 0 && rebuilt < internal, () -> rebuilt + " of " + internal + " rebuilt");
  }

  @Test
  @Tag("slow")
  void setting_isLive() throws Exception {
    start(builder().conf(Setting.ERASURE_CODING.key(), "stock"));
    writeGroups(6);
    assertEquals(0, ToolRunner.run(new DayuAdmin(new Configuration(cluster.conf()), System.out, System.err),
        new String[] {"-set", Setting.ERASURE_CODING.key() + "=dayu"}));
    cluster.kill(cluster.fullestNode());
    assertRecovered();
    awaitRebuilt();
  }
}

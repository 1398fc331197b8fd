/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import io.dayu.namenode.status.DayuStatusMXBean;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.PendingTargets;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.management.ObjectName;
import javax.management.StandardMBean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** The oracle of the harness held against damage, which it must see. */
@Tag("harness")
class ClusterVerifierIT extends StockClusterFixture {
  private static final Duration BRIEF = Duration.ofSeconds(2);

  @Test
  void verifier_seesMissingReplicas() throws Exception {
    cluster.kill(0);
    cluster.kill(1);

    List<String> problems = verifier.verify(BRIEF).problems();

    assertTrue(problems.stream().anyMatch(p -> p.startsWith("fsck: Under-replicated blocks: ")), problems::toString);
    assertTrue(problems.stream().anyMatch(p -> p.contains("low redundancy blocks: ")), problems::toString);
  }

  @Test
  void verifier_seesDamagedContent() throws Exception {
    ExtendedBlock block = cluster.blocksOf("/f3").get(1).getBlock();
    for (var location : cluster.blocksOf("/f3").get(1).getLocations()) {
      cluster.corruptReplica(block, cluster.nodeOf(location.getDatanodeUuid()));
    }

    List<String> problems = verifier.verify(BRIEF).problems();

    assertTrue(problems.stream().anyMatch(p -> p.startsWith("/f3 cannot be read")), problems::toString);
  }

  @Test
  void verifier_seesOneDamagedReplicaOfSeveral() throws Exception {
    ExtendedBlock block = cluster.blocksOf("/f3").get(1).getBlock();
    int node = cluster.nodeOf(cluster.blocksOf("/f3").get(1).getLocations()[2].getDatanodeUuid());
    cluster.corruptReplica(block, node);

    List<String> problems = verifier.verify(BRIEF).problems();

    assertTrue(
        problems.stream()
            .anyMatch(p -> p.startsWith("/f3: replica of " + block.getLocalBlock() + " on node " + node + " differs")),
        problems::toString);
  }

  @Test
  void verifier_readsEachCellOfAStripedBlock_andSeesDamagedParity() throws Exception {
    ErasureCodingPolicy policy = new ErasureCodingPolicy(new ECSchema("xor", 2, 1), 64 << 10);
    String name = cluster.fileSystem().addErasureCodingPolicies(new ErasureCodingPolicy[] {policy})[0].getPolicy()
        .getName();
    cluster.fileSystem().enableErasureCodingPolicy(name);
    cluster.fileSystem().mkdirs(new org.apache.hadoop.fs.Path("/ec"));
    cluster.fileSystem().setErasureCodingPolicy(new org.apache.hadoop.fs.Path("/ec"), name);
    // A full block group, and one whose second cell is not full.
    cluster.write("/ec/f", 200_000, 1);
    ClusterVerifier.Verdict verdict = verifier.verify(LIMIT);
    verdict.assertSound();
    assertEquals(5 * 4 * 3 + 2 * 3, verdict.replicas());

    LocatedStripedBlock group = (LocatedStripedBlock) cluster.blocksOf("/ec/f").get(1);
    int parity = IntStream.range(0, 3).filter(i -> group.getBlockIndices()[i] == 2).findFirst().orElseThrow();
    ExtendedBlock block = StripedBlockUtil.constructInternalBlock(group.getBlock(), policy, 2);
    cluster.corruptReplica(block, cluster.nodeOf(group.getLocations()[parity].getDatanodeUuid()));
    List<String> problems = verifier.verify(BRIEF).problems();

    assertTrue(problems.stream().anyMatch(p -> p.startsWith("/ec/f: replica of " + block.getLocalBlock())),
        problems::toString);
  }

  @Test
  void verifier_seesOtherContentThanWasWritten() throws Exception {
    SeededFiles otherSeed = new SeededFiles(8);
    cluster.fileSystem().delete(new org.apache.hadoop.fs.Path("/f4"), false);
    otherSeed.write(cluster.fileSystem(), "/f4", 200_000, 3);

    List<String> problems = verifier.verify(LIMIT).problems();

    assertTrue(problems.contains("/f4 differs at byte 0"), problems::toString);
  }

  @Test
  void verifier_seesAPartialReplica() throws Exception {
    Path volume = Path.of(DataNode.getStorageLocations(cluster.dataNode(2).getConf()).get(1).getUri());
    Path partial = Files.createFile(volume.resolve("current/" + cluster.namesystem().getBlockPoolId() + "/tmp/blk_42"));

    assertEquals(List.of("partial replica on node 2: " + partial), verifier.unsettled());
    AssertionError error = assertThrows(AssertionError.class, () -> verifier.assertRecovers(BRIEF));
    assertTrue(error.getMessage().contains("blk_42"), error.getMessage());
  }

  @Test
  void verifier_hasHdfsGiveUpAReplicaThatALostNodeHasNotReported() throws Exception {
    DataNodeTestUtils.pauseIBR(cluster.dataNode(0));
    cluster.files().write(cluster.fileSystem(), "/unreported", 60_000, 3, cluster.dataNode(0).getXferAddress(),
        cluster.dataNode(1).getXferAddress(), cluster.dataNode(2).getXferAddress());
    cluster.kill(0);
    int timeoutSec = cluster.blockManager().getReconstructionPendingTimeout();

    verifier.afterBrokenPipelines().assertRecovers(LIMIT);

    assertEquals(3, cluster.blocksOf("/unreported").get(0).getLocations().length);
    assertEquals(timeoutSec, cluster.blockManager().getReconstructionPendingTimeout());
  }

  @Test
  void verifier_hasHdfsGiveUpCopiesThatALateNodeHasRefused() throws Exception {
    LocatedBlock enough = cluster.blocksOf("/f0").get(0);
    Set<String> holders = Stream.of(enough.getLocations()).map(DatanodeInfo::getDatanodeUuid)
        .collect(Collectors.toSet());
    PendingTargets.expect(cluster.namesystem(), enough.getBlock().getLocalBlock(),
        IntStream.range(0, cluster.nodeCount()).mapToObj(node -> cluster.dataNode(node).getDatanodeUuid())
            .filter(uuid -> !holders.contains(uuid)).toList());
    LocatedBlock lacking = cluster.blocksOf("/f1").get(0);
    PendingTargets.expect(cluster.namesystem(), lacking.getBlock().getLocalBlock(),
        List.of(lacking.getLocations()[0].getDatanodeUuid()));
    cluster.setReplication("/f1", 4);

    verifier.afterLateDataNodes().assertRecovers(LIMIT);

    assertEquals(4, cluster.blocksOf("/f1").get(0).getLocations().length);
  }

  @Test
  void verifier_seesReservedSpace_threads_andWhatDayuBelievesToBeUnderWay() throws Exception {
    try (var volumes = cluster.dataNode(2).getFSDataset().getFsVolumeReferences()) {
      volumes.get(1).reserveSpaceForReplica(17);
      assertEquals(List.of("bytes reserved on node 2: 17"), verifier.unsettled());
      volumes.get(1).releaseReservedSpace(17);
    }

    CountDownLatch end = new CountDownLatch(1);
    List<String> names = List.of("dayu-transfer-blk_42", "DataXceiver for client dayu-recovery at /127.0.0.1:1");
    List<Thread> threads = names.stream().map(name -> new Thread(() -> awaitQuietly(end), name)).toList();
    threads.forEach(Thread::start);
    try {
      assertEquals(Set.of("thread " + names.get(0), "thread " + names.get(1)), Set.copyOf(verifier.unsettled()));
    } finally {
      end.countDown();
      for (Thread thread : threads) {
        thread.join();
      }
    }

    DayuStatusMXBean status = mock(DayuStatusMXBean.class);
    when(status.getState()).thenReturn("DAYU", "STOCK");
    when(status.getStateReason()).thenReturn("an admin has left recovery to stock HDFS",
        "the recovery loop has been silent for 9 ms");
    when(status.getRunningTransfers()).thenReturn(3L);
    when(status.getProgressBytes()).thenReturn(17L);
    when(status.getWaitingBlocks()).thenReturn(2L);
    ObjectName name = new ObjectName("Hadoop:service=NameNode,name=DayuStatusOfThisTest");
    ManagementFactory.getPlatformMBeanServer().registerMBean(new StandardMBean(status, DayuStatusMXBean.class, true),
        name);
    try {
      List<String> left = List.of("transfers under way in DayuStatusOfThisTest: 3",
          "bytes of transfers that have not ended in DayuStatusOfThisTest: 17",
          "waiting blocks in DayuStatusOfThisTest: 2");
      assertEquals(left, verifier.unsettled(), "in state DAYU");
      assertEquals(left, verifier.unsettled(), "in state STOCK");
      assertEquals(List.of(), verifier.unsettled(), "a loop that hangs knows no better");
    } finally {
      ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
    }
  }

  private static void awaitQuietly(CountDownLatch end) {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

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
import io.dayu.harness.DayuCluster;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Everything that can go wrong while Dayu recovers, on real HDFS. A node is killed, the fault is made while its blocks
 * are being transferred (transfers are slow: a block takes seconds), and then all must be as if nothing had gone wrong:
 * full replication, every file readable, no partial replica, no counter left.
 */
final class FaultsIT extends FaultsFixture {
  /** Slow links, so that a fault finds transfers under way; short times, so that a test does not wait for leases. */
  static ClusterBuilder builder() {
    return DayuCluster.builder().dataNodes(NODES).racks(3).blockSizeBytes(BLOCK_BYTES).bandwidthBytesPerSec(1_500_000)
        .conf("dayu.timeslot.interval", "600ms").conf("dayu.timeslot.horizon", "8s").conf("dayu.timeslot.lead", "100ms")
        .conf("dayu.heartbeat.interval", "200ms").conf("dayu.transfer.lease", "4s");
  }

  /**
   * Large blocks, since the kernel goes on delivering some megabytes of what a dead process has sent. One takes
   * more than ten seconds, so that a fault finds it under way on a loaded machine.
   */
  static ClusterBuilder largeBlocks() {
    return slowAtFirst(builder(), 1_000_000).blockSizeBytes(LARGE_BLOCK_BYTES);
  }

  /** A block takes ten seconds at least. */
  private static ClusterBuilder slowBlocks() {
    return slowAtFirst(builder(), 200_000);
  }

  /** On a loaded machine a transfer may be slow enough to be moved before the fault reaches it. */
  static ClusterBuilder withoutEvictions() {
    return slowBlocks().conf("dayu.scheduler.eviction-factor", "0");
  }

  /** Slow links and a long lease, so that transfers outlast the start of the next NameNode on a loaded machine. */
  static ClusterBuilder forAnotherNameNode() {
    return slowAtFirst(builder(), 200_000).conf("dayu.transfer.lease", "30s");
  }

  @Test
  void lostNode_isRecoveredByDayuAlone() throws Exception {
    start(builder(), NODES);
    write(6);
    long before = StatusProbe.awaitSettled(cluster);
    int node = cluster.fullestNode();
    int lost = cluster.blocksOn(node).size();
    cluster.kill(node);
    assertRecovered();
    StatusProbe.await(lost + " transfers finished", () -> StatusProbe.status().getTotalFinished() == before + lost);
    assertEquals(0, StatusProbe.status().getTotalHandedToStock());
    assertEquals("DAYU", StatusProbe.status().getState());
  }

  @Test
  void decommission_isServedByTheLeavingNodeToo() throws Exception {
    start(builder(), NODES);
    write(4);
    long before = StatusProbe.awaitSettled(cluster);
    int node = cluster.fullestNode();
    DataNodeAccess leaving = new DataNodeAccess(cluster.dataNode(node));
    long servedBefore = leaving.bytesRead();
    cluster.admin().decommission(node);
    Await.until("decommissioned", LIMIT, () -> cluster.descriptor(node).isDecommissioned(), StatusProbe::describe);
    // HDFS counts a replica when its node reports it, Dayu with its own agent's next report.
    StatusProbe.await("a transfer finished", () -> StatusProbe.status().getTotalFinished() > before);
    String uuid = cluster.dataNode(node).getDatanodeUuid();
    assertTrue(log.pulls().stream().anyMatch(pull -> pull.source().equals(uuid)), log.pulls()::toString);
    StatusProbe.await("the leaving node has counted what was read from it",
        () -> leaving.bytesRead() > servedBefore);
    assertRecovered();
  }

  @Test
  void sourceDies_transferGoesOnElsewhereFromItsOffset() throws Exception {
    // The lease is longer than this JVM may stand still.
    start(largeBlocks().conf("dayu.transfer.lease", "30s"), NODES);
    writeLarge(4);
    cluster.kill(cluster.fullestNode());
    StatusProbe.awaitRunning(1);
    cluster.kill(StatusProbe.firstSource(cluster));
    StatusProbe.await("a transfer resumed", () -> StatusProbe.status().getTotalResumed() > 0);
    hurry();
    assertRecovered();
  }

  @Test
  void targetDies_blockGoesToAnotherNode() throws Exception {
    start(slowBlocks(), NODES);
    write(6);
    cluster.kill(cluster.fullestNode());
    StatusProbe.awaitRunning(2);
    Partial partial = awaitPartial();
    String target = cluster.dataNode(partial.node()).getDatanodeUuid();
    cluster.kill(partial.node());
    hurry();
    assertRecovered();
    assertTrue(log.ended().stream().anyMatch(end -> end.blockId() == partial.blockId() && end.target().equals(target)
        && !end.why().equals("received")), log.ended()::toString);
    List<TransferLog.Pull> pulls = log.pullsOf(partial.blockId());
    assertTrue(pulls.stream().anyMatch(pull -> !pull.target().equals(target)), () -> target + " in " + pulls);
  }

  @Test
  void fileDeleted_transferIsCancelled() throws Exception {
    start(withoutEvictions(), NODES);
    write(6);
    cluster.kill(cluster.fullestNode());
    StatusProbe.awaitRunning(2);
    long block = cancelInMidTransfer(cluster::delete);
    hurry();
    assertRecovered();
    for (int node = 0; node < NODES; node++) {
      if (cluster.isRunning(node)) {
        for (BlockInfo stored : cluster.blocksOn(node)) {
          assertTrue(stored.getBlockId() != block, "a replica of the deleted file is left on node " + node);
        }
      }
    }
  }

  @Test
  void append_transferOfTheOldVersionIsCancelled() throws Exception {
    start(withoutEvictions(), NODES);
    appendInMidTransfer();
  }

  @Test
  void corruptSource_isReportedAndAnotherSourceServes() throws Exception {
    start(builder().conf("dayu.scheduler.underemployed-ratio", "0"), NODES);
    corruptSource();
  }

  @Test
  void setReplication_upAndDownMidTransferEndsAtWhatIsAskedFor() throws Exception {
    start(slowBlocks(), NODES);
    write(4);
    cluster.kill(cluster.fullestNode());
    StatusProbe.awaitRunning(1);
    cluster.setReplication("/f0", 4);
    cluster.setReplication("/f1", 2);
    hurry();
    assertRecovered();
  }

  @Test
  void lostNodeReturns_transfersThatAreNotNeededAnyMoreAreCancelled() throws Exception {
    // No block can have arrived, and no lease ended, before the node is back.
    start(builder().bandwidthBytesPerSec(100_000).conf("dayu.transfer.lease", "30s"), NODES);
    write(6);
    long before = StatusProbe.awaitSettled(cluster);
    int node = cluster.fullestNode();
    cluster.kill(node);
    StatusProbe.awaitRunning(2);
    Set<Long> begun = log.pulls().stream().map(TransferLog.Pull::blockId).collect(Collectors.toSet());
    cluster.restart(node);
    assertRecovered();
    assertEquals(before, StatusProbe.status().getTotalFinished(), StatusProbe.describe());
    assertTrue(log.cancelled().stream().map(TransferLog.End::blockId).collect(Collectors.toSet()).containsAll(begun),
        () -> begun + ", but cancelled " + log.cancelled());
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.CommitResult.Verdict;
import io.dayu.blocks.GroupNeed;
import io.dayu.blocks.GroupPolicy;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.InternalBlock;
import io.dayu.blocks.PendingCheck.State;
import io.dayu.blocks.TransferRequest;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.IntStream;

import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.CELL;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.DISK;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.ON_RACK;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.RS_3_2;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.has;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.key;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.policy;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.transfer;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.uuid;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * What becomes of groups that others have begun, agents under an earlier activation and stock HDFS, on a real
 * BlockManager.
 */
class GroupHandoverIT extends GroupCommitFixture {
  @Test
  void group_isNotBegun_whileItIsStocks() throws Exception {
    BlockInfoStriped group = lacking(1);
    TransferRequest rebuild = transfer(group, 1, FREE, at(0), at(2), at(3));
    cluster.access.setRecoversGroups(false);
    assertFalse(commit(rebuild).committed());
    cluster.access.setRecoversGroups(true);
    cluster.blocks.pendingReconstruction.increment(group, cluster.storage(FREE_TOO));
    assertEquals(Verdict.NOT_NEEDED, commit(rebuild).verdict());
    assertEquals(1, cluster.pending(group));
  }

  @Test
  void rebuildThatAnAgentRuns_isAdopted_oncePerIndex() throws Exception {
    BlockInfoStriped group = lacking(1, 4);
    GroupPolicy nameless = new GroupPolicy("", "rs", 3, 2, CELL);
    TransferRequest running = with(transfer(group, 1, FREE, at(0), at(2), at(3)),
        new GroupTransfer(nameless, BYTES, 1, List.of(at(0), at(2), at(3))));
    assertTrue(adopt(running).committed());
    assertTrue(adopt(running).committed());
    assertEquals(1, cluster.pending(group));
    assertEquals(Verdict.NOT_NEEDED, adopt(with(transfer(group, 1, FREE_TOO, at(0), at(2), at(3)),
        running.group())).verdict());
    assertFalse(adopt(transfer(group, 4, FREE, at(0), at(2), at(3))).committed());
    assertFalse(adopt(new TransferRequest(new BlockKey(group.getBlockId() + 4,
        LostNodes.GENERATION), running.numBytes(), 0, uuid(AT[0]), uuid(FREE_TOO), DISK)).committed());
    assertEquals(State.WANTED, check(running).state());
    assertEquals(1, cluster.pending(group));
    unregister(running);
    assertEquals(0, cluster.pending(group));
  }

  @Test
  void copyThatAnAgentRuns_isAdopted_withoutPolicy() throws Exception {
    BlockInfoStriped group = lacking();
    cluster.node(AT[2]).startDecommission();
    cluster.enqueue(group);
    TransferRequest running = with(transfer(group, 2, FREE, at(2)), new GroupTransfer(null, 0, 2, List.of(at(2))));
    assertTrue(adopt(running).committed());
    assertEquals(List.of(at(2)), check(running).indexed());
    unregister(running);
  }

  /** Once an entry of stock's has timed out, nothing on the NameNode names the group, and its worker may go on. */
  @Test
  void targetOfStock_isNoneOfDayus_beyondItsEntry() throws Exception {
    BlockInfoStriped group = lacking(1);
    assertEquals(1, cluster.access.scheduleByStock(List.of(cluster.read(group))));
    List<DatanodeStorageInfo> targets = cluster.blocks.pendingReconstruction.getTargets(group);
    assertEquals(1, targets.size());
    DatanodeDescriptor target = targets.get(0).getDatanodeDescriptor();
    assertEquals(1, cluster.access.stockReconstructions().size());
    assertNull(cluster.read(group));
    cluster.blocks.pendingReconstruction.remove(group);
    cluster.enqueue(group);
    assertTrue(cluster.read(group).holders().contains(target.getDatanodeUuid()));
    TransferRequest there = new TransferRequest(key(group), transfer(group, 1, FREE, at(0)).numBytes(), 2, uuid(AT[0]),
        target.getDatanodeUuid(), DISK, new GroupTransfer(policy(group), BYTES, 1, List.of(at(0), at(2), at(3))));
    assertEquals(Verdict.TARGET_REFUSED, commit(there).verdict());
    int elsewhere = target.getDatanodeUuid().equals(uuid(FREE)) ? FREE_TOO : FREE;
    TransferRequest other = transfer(group, 1, elsewhere, at(0), at(2), at(3));
    assertTrue(commit(other).committed());
    // That entry is Dayu's: stock reconstructs nothing.
    assertEquals(List.of(), cluster.access.stockReconstructions());
    unregister(other);
  }

  @Test
  void groupsBegin_whenThePassOfStockThatRan_hasEnded() throws Exception {
    try (GroupCluster own = new GroupCluster(RACKS)) {
      BlockInfoStriped group = own.add(RS_3_2, BYTES, AT[0], -1, AT[2], AT[3], AT[4]);
      BlockInfoStriped stocks = own.add(RS_3_2, BYTES, AT[0], -1, AT[2], AT[3], AT[4]);
      own.blocks.pendingReconstruction.increment(stocks, own.storage(FREE));
      own.access.setStockMultiplier(2);
      own.access.setStockMultiplier(0);
      assertNull(own.read(group));
      TransferRequest rebuild = transfer(group, 1, FREE, at(0), at(2), at(3));
      assertEquals(Verdict.CHANGED, own.access.commit(List.of(rebuild), () -> true).get(0).verdict());
      assertEquals(0, own.pending(group));
      own.endOfStockPass();
      assertTrue(own.access.commit(List.of(rebuild), () -> true).get(0).committed());
      // What stock had pending then is remembered beyond its entry.
      own.blocks.pendingReconstruction.remove(stocks);
      own.enqueue(stocks);
      assertTrue(own.read(stocks).holders().contains(uuid(FREE)));
    }
  }

  /**
   * Of a group on two of three racks stock makes one copy, and registers three targets. Two of its entries stay when
   * the copy has come.
   */
  @Test
  void entriesThatStockLeaves_areWaitedFor_andTheirTargetsAreNoneOfDayus() throws Exception {
    try (GroupCluster own = new GroupCluster(3)) {
      BlockInfoStriped group = own.add(RS_3_2, BYTES, 0, 1, 2, ON_RACK, ON_RACK + 1);
      assertEquals(GroupNeed.Kind.PLACEMENT, own.read(group).group().kind());
      assertEquals(1, own.access.scheduleByStock(List.of(own.read(group))));
      List<DatanodeStorageInfo> targets = List.copyOf(own.blocks.pendingReconstruction.getTargets(group));
      assertEquals(3, targets.size());
      own.report(group, 0, targets.get(0));
      assertEquals(2, own.pending(group));

      own.lose(group, ON_RACK + 1);
      assertNull(own.read(group), "nobody knows which index they stand for");
      TransferRequest rebuild = transfer(group, 4, lastFree(own, group, targets), has(0, 0), has(1, 1), has(2, 2));
      assertEquals(Verdict.NOT_NEEDED, own.access.commit(List.of(rebuild), () -> true).get(0).verdict());

      own.blocks.pendingReconstruction.remove(group);
      own.enqueue(group);
      List<String> holders = own.read(group).holders();
      targets.forEach(target -> assertTrue(holders.contains(target.getDatanodeDescriptor().getDatanodeUuid())));
      assertEquals(List.of(4), own.read(group).group().wanted().stream().map(InternalBlock::index).toList());
      assertTrue(own.access.commit(List.of(rebuild), () -> true).get(0).committed());
      assertEquals(1, own.pending(group));
    }
  }

  /** The only node that neither holds an index of the group nor is a target of stock's. */
  private static int lastFree(GroupCluster own, BlockInfoStriped group, List<DatanodeStorageInfo> targets) {
    int[] free = IntStream.range(0, 3 * ON_RACK).filter(node -> node != ON_RACK + 1
        && group.findStorageInfo(own.node(node)) == null && !targets.contains(own.storage(node))).toArray();
    assertEquals(1, free.length);
    return free[0];
  }

  /** HDFS forgets its pending entries at a failover. Stock may take the target of one that Dayu had before. */
  @Test
  void entryOfStock_isNotTakenForOneOfAnEarlierActivation() throws Exception {
    try (GroupCluster own = new GroupCluster(RACKS)) {
      BlockInfoStriped group = own.add(RS_3_2, BYTES, AT[0], -1, AT[2], AT[3], -1);
      TransferRequest before = transfer(group, 1, FREE, at(0), at(2), at(3));
      assertTrue(own.access.commit(List.of(before), () -> true).get(0).committed());
      own.blocks.pendingReconstruction.remove(group);
      own.lastTransitionMs.set(1);
      own.access.setStockMultiplier(2);
      own.blocks.pendingReconstruction.increment(group, own.storage(FREE));
      own.enqueue(group);
      own.access.setStockMultiplier(0);
      own.endOfStockPass();
      assertNull(own.read(group));
    }
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.GroupNeed.Kind;
import io.dayu.blocks.WaitingBlock;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.CELL;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.ON_RACK;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.RS_3_2;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.RS_6_3;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.has;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Where {@link BlockManagerAccess} tells the planner that internal blocks of erasure-coded groups may go, on a real
 * BlockManager: to which racks and types of storage.
 */
class GroupPlacementIT extends GroupReadingFixture {
  @Test
  void racksWithFewest_areAllowed_othersOnlyIfNothingElseHasANode() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, BYTES, 0, 1, 3, 6, -1);
    WaitingBlock block = cluster.read(group);
    assertEquals(Set.of("/rack0", "/rack1", "/rack2"), new HashSet<>(block.forbiddenFaultDomains()));
    // The racks without an internal block leave: those with one may get another, that with two may not.
    for (int node = rack(3); node < rack(RACKS); node++) {
      cluster.node(node).startDecommission();
    }
    cluster.access.liveNodes();
    assertEquals(List.of("/rack0"), cluster.read(group).forbiddenFaultDomains());
    cluster.backInService();
    cluster.access.liveNodes();
  }

  /** Stock HDFS takes the next rack then, too. */
  @Test
  void racksWhoseNodesHaveNoRoom_areNotWaitedFor() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, BYTES, 0, 1, 3, 6, -1);
    for (int node = rack(3); node < rack(RACKS); node++) {
      cluster.fill(node, CELL);
    }
    assertEquals(List.of("/rack0"), cluster.read(group).forbiddenFaultDomains());
    // An internal block of a shorter group has room there.
    BlockInfoStriped shorter = cluster.add(RS_3_2, CELL, 0, -1, -1, 3, -1);
    assertTrue(cluster.read(shorter).forbiddenFaultDomains().contains("/rack1"));
    for (int node = rack(3); node < rack(RACKS); node++) {
      cluster.fill(node, GroupCluster.ROOM_BYTES);
    }
    assertEquals(Set.of("/rack0", "/rack1", "/rack2"), new HashSet<>(cluster.read(group).forbiddenFaultDomains()));
  }

  @Test
  void wholeRackThatLeaves_isNotWaitedFor() throws Exception {
    // RS-6-3 on eight racks: one has two, and leaves.
    BlockInfoStriped group = cluster.add(RS_6_3, 6 * BYTES, 0, 1, 3, 6, 9, 12, 15, 18, 21);
    for (int node = 0; node < ON_RACK; node++) {
      cluster.node(node).startDecommission();
    }
    cluster.enqueue(group);
    cluster.access.liveNodes();
    WaitingBlock block = cluster.read(group);
    assertEquals(Kind.LEAVING, block.group().kind());
    assertEquals(List.of(), block.forbiddenFaultDomains());
    cluster.backInService();
    cluster.access.liveNodes();
  }

  @Test
  void badlyPlacedGroup_isCopiedFromTheFullestRack() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, BYTES, 0, 1, 3, 6, 9);
    WaitingBlock block = cluster.read(group);
    assertEquals(LowRedundancyBlocks.QUEUE_REPLICAS_BADLY_DISTRIBUTED, block.risk());
    assertEquals(Kind.PLACEMENT, block.group().kind());
    assertEquals(List.of(has(0, 0), has(1, 1)), block.group().sources());
    assertEquals(List.of(0, 1), wanted(block));
    assertEquals(1, block.copies());
    assertEquals(Set.of("/rack0", "/rack1", "/rack2", "/rack3"), new HashSet<>(block.forbiddenFaultDomains()));
    // One pending copy of anybody's is enough: HDFS takes the group from its queue.
    cluster.blocks.pendingReconstruction.increment(group, cluster.storage(rack(5)));
    assertNull(cluster.read(group));
    assertFalse(cluster.waits(group));
  }

  @Test
  void policyOfSsd_fallsBackToDisk_whereNothingElseHasRoom() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, BYTES, HdfsConstants.ALLSSD_STORAGE_POLICY_ID, rack(0), rack(1),
        rack(2), -1, -1);
    cluster.access.liveNodes();
    WaitingBlock block = cluster.read(group);
    assertEquals(1 << StorageType.DISK.ordinal(), block.storageTypes());
    assertEquals(2, block.copies());
  }
}

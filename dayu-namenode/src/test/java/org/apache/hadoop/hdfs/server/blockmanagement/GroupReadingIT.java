/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.BlockDetails;
import io.dayu.blocks.BlockDetails.FileState;
import io.dayu.blocks.GroupNeed;
import io.dayu.blocks.GroupNeed.Kind;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.InternalBlock;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.BlockUCState;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.apache.hadoop.util.Time;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.CELL;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.RS_3_2;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.RS_6_3;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.has;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.uuid;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What {@link BlockManagerAccess} tells the planner of erasure-coded groups, on a real BlockManager. */
class GroupReadingIT extends GroupReadingFixture {
  @AfterEach
  void recoverGroups() {
    cluster.access.setRecoversGroups(true);
  }

  @Test
  void groupsOfEveryLength_nameTheIndicesThatTheyHave_withTheirLengths() throws Exception {
    for (ErasureCodingPolicy policy : List.of(RS_3_2, RS_6_3)) {
      int data = policy.getNumDataUnits();
      int units = data + policy.getNumParityUnits();
      long stripe = (long) data * CELL;
      for (long bytes : new long[] {1, CELL - 1, CELL, CELL + 1, stripe - 1, stripe, stripe + 1, 2 * stripe + CELL / 2,
          3 * stripe}) {
        int width = (int) Math.min(data, (bytes - 1) / CELL + 1);
        // Index 0 and the first parity unit are lost.
        int[] holders = IntStream.range(0, units)
            .map(index -> index == 0 || index == data || index >= width && index < data ? -1 : index).toArray();
        BlockInfoStriped group = cluster.add(policy, bytes, holders);
        WaitingBlock block = cluster.read(group);
        String what = policy.getName() + " " + bytes;
        assertNull(block.stockReason(), what);
        GroupNeed need = block.group();
        assertEquals(Kind.REBUILD, need.kind(), what);
        assertEquals(List.of(0, data), wanted(block), what);
        assertEquals(2, block.copies(), what);
        assertEquals(width, need.width(), what);
        assertEquals(bytes, need.groupBytes(), what);
        assertEquals(GroupCluster.policy(group), need.policy(), what);
        for (InternalBlock lost : need.wanted()) {
          assertEquals(StripedBlockUtil.getInternalBlockLength(bytes, policy, lost.index()), lost.bytes(), what);
        }
        assertEquals(need.wanted().get(0).bytes(), block.numBytes(), what);
        assertEquals(Arrays.stream(holders).filter(node -> node >= 0).mapToObj(GroupCluster::uuid).toList(),
            block.sources(), what);
        assertEquals(block.sources(), need.sources().stream().map(IndexedNode::node).toList(), what);
        assertFalse(block.lacksSources(), what);
      }
    }
  }

  @Test
  void lostIndex_goesBeforeALeavingOne_andIsNamed() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, BYTES, rack(0), -1, rack(2), rack(3), rack(4));
    cluster.node(rack(2)).startDecommission();
    WaitingBlock lost = cluster.read(group);
    assertEquals(Kind.REBUILD, lost.group().kind());
    assertEquals(List.of(1), wanted(lost));
    assertEquals(1, lost.copies());
    assertEquals(Set.of(has(0, rack(0)), has(2, rack(2)), has(3, rack(3)), has(4, rack(4))),
        new HashSet<>(lost.group().sources()));
    cluster.report(group, 1, rack(1));
    WaitingBlock leaving = cluster.read(group);
    assertEquals(Kind.LEAVING, leaving.group().kind());
    assertEquals(List.of(2), wanted(leaving));
    assertEquals(List.of(has(2, rack(2))), leaving.group().sources());
    assertEquals(List.of(has(0, rack(0)), has(1, rack(1)), has(3, rack(3)), has(4, rack(4))),
        leaving.group().others());
    assertTrue(leaving.group().canRebuildInstead());
    assertEquals(Set.of(uuid(rack(0)), uuid(rack(1)), uuid(rack(2)), uuid(rack(3)), uuid(rack(4))),
        new HashSet<>(leaving.holders()));
  }

  @Test
  void duplicateOfAnIndex_isOneSource_thatInService() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, BYTES, rack(0), rack(1), rack(2), -1, -1);
    cluster.node(rack(0)).startDecommission();
    cluster.report(group, 0, rack(5));
    WaitingBlock block = cluster.read(group);
    assertEquals(List.of(3, 4), wanted(block));
    assertEquals(3, block.group().sources().size());
    assertEquals(Set.of(has(0, rack(5)), has(1, rack(1)), has(2, rack(2))), new HashSet<>(block.group().sources()));
    assertTrue(block.holders().contains(uuid(rack(0))) && block.holders().contains(uuid(rack(5))));
  }

  @Test
  void fewerThanEnoughUsableIndices_areNoSources_untilOneReturns() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, BYTES, rack(0), rack(1), rack(2), rack(3), -1);
    // Holders in maintenance cannot be read.
    for (int index : new int[] {0, 1}) {
      cluster.node(rack(index)).startMaintenance();
      cluster.node(rack(index)).setInMaintenance();
    }
    WaitingBlock block = cluster.read(group);
    assertTrue(block.lacksSources());
    assertEquals(2, block.group().sources().size());
    // Index 4 is gone; the others come back.
    assertEquals(List.of(4, 0, 1), wanted(block));
    cluster.node(rack(1)).stopMaintenance();
    block = cluster.read(group);
    assertFalse(block.lacksSources());
    assertEquals(List.of(4, 0), wanted(block));
    assertEquals(1, block.copies());
  }

  /** It may be one of the last. */
  @Test
  void leavingIndex_isCopied_whileTooFewForARebuildCanBeRead() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, BYTES, rack(0), rack(1), rack(2), -1, -1);
    for (int index : new int[] {0, 1}) {
      cluster.node(rack(index)).startMaintenance();
      cluster.node(rack(index)).setInMaintenance();
    }
    cluster.node(rack(2)).startDecommission();
    WaitingBlock block = cluster.read(group);
    assertEquals(Kind.LEAVING, block.group().kind());
    assertEquals(List.of(2), wanted(block));
    assertEquals(List.of(has(2, rack(2))), block.group().sources());
    assertFalse(block.lacksSources());
    cluster.node(rack(1)).stopMaintenance();
    cluster.node(rack(0)).stopMaintenance();
    assertEquals(Kind.REBUILD, cluster.read(group).group().kind());
  }

  @Test
  void decommissionedHolders_areTheLastSources() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, BYTES, rack(0), rack(1), rack(2), rack(3), -1);
    decommissioned(rack(0));
    WaitingBlock enough = cluster.read(group);
    assertEquals(List.of(4), wanted(enough));
    assertEquals(Set.of(has(1, rack(1)), has(2, rack(2)), has(3, rack(3))), new HashSet<>(enough.group().sources()));
    decommissioned(rack(1));
    WaitingBlock tooFew = cluster.read(group);
    assertEquals(List.of(4), wanted(tooFew));
    assertEquals(Set.of(has(0, rack(0)), has(1, rack(1)), has(2, rack(2)), has(3, rack(3))),
        new HashSet<>(tooFew.group().sources()));
  }

  /** Stock never rebuilds these. */
  @Test
  void groupThatOnlyDecommissionedNodesHold_isCopied() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, BYTES, rack(0), rack(1), rack(2), rack(3), rack(4));
    for (int index = 0; index < 5; index++) {
      decommissioned(rack(index));
    }
    cluster.enqueue(group);
    WaitingBlock block = cluster.read(group);
    assertEquals(LowRedundancyBlocks.QUEUE_HIGHEST_PRIORITY, block.risk());
    assertEquals(Kind.LEAVING, block.group().kind());
    assertEquals(List.of(has(0, rack(0))), block.group().sources());
    assertEquals(4, block.group().others().size());
  }

  private static void decommissioned(int node) {
    cluster.node(node).startDecommission();
    cluster.node(node).setDecommissioned();
  }

  @Test
  void maintenance_needsNothing_whileEnoughOthersAreLive() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, BYTES, rack(0), rack(1), rack(2), rack(3), rack(4));
    BlockInfoStriped one = cluster.add(RS_3_2, BYTES, -1, rack(1), rack(2), rack(3), rack(4));
    cluster.node(rack(3)).startMaintenance();
    cluster.node(rack(4)).startMaintenance();
    assertFalse(cluster.waits(group));
    // With one lost, two of three that must stay are left: the lost one is needed.
    assertEquals(List.of(0), wanted(cluster.read(one)));
    assertEquals(1, cluster.read(one).copies());
    cluster.node(rack(2)).startMaintenance();
    cluster.enqueue(group);
    WaitingBlock needed = cluster.read(group);
    assertEquals(Kind.LEAVING, needed.group().kind());
    assertEquals(List.of(2), wanted(needed));
  }

  @Test
  void corruptInternalBlock_isLost_andNoSource() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, BYTES, rack(0), rack(1), rack(2), rack(3), rack(4));
    cluster.corrupt(group, 2, rack(2));
    WaitingBlock block = cluster.read(group);
    assertEquals(List.of(2), wanted(block));
    assertEquals(4, block.group().sources().size());
    assertFalse(block.sources().contains(uuid(rack(2))));
    assertTrue(block.holders().contains(uuid(rack(2))));
  }

  @Test
  void entryOfStock_makesTheGroupWait() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, BYTES, rack(0), -1, rack(2), -1, rack(4));
    assertEquals(List.of(1, 3), wanted(cluster.read(group)));
    cluster.blocks.pendingReconstruction.increment(group, cluster.storage(rack(5)));
    assertNull(cluster.read(group));
    assertTrue(cluster.waits(group));
    cluster.blocks.pendingReconstruction.decrement(group, cluster.storage(rack(5)));
    assertNotNull(cluster.read(group));
  }

  /** HDFS has the nodes pending that have not reported yet when a file is closed. */
  @Test
  void groupThatIsNotComplete_isNotRead() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, BYTES, rack(0), rack(1), rack(2), -1, -1);
    group.convertToBlockUnderConstruction(BlockUCState.COMMITTED, null);
    assertNull(cluster.read(group));
  }

  /** HDFS has nothing pending for groups that are shorter than a stripe. */
  @Test
  void shortGroupOfAFileThatWasJustClosed_awaitsReports() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, CELL, rack(0), -1, -1, rack(3), -1);
    cluster.setModified(group, Time.now());
    assertNull(cluster.read(group));
    assertTrue(cluster.waits(group));
    assertEquals(FileState.JUST_CLOSED, cluster.access.detailsOf(group.getBlockId()).file());
    // Whoever sets times may set any.
    cluster.setModified(group, Time.now() + 3_600_000);
    assertNotNull(cluster.read(group));
    cluster.setModified(group, Time.now() - 11_000);
    assertNotNull(cluster.read(group));
    assertEquals(FileState.CLOSED, cluster.access.detailsOf(group.getBlockId()).file());
    BlockInfoStriped full = cluster.add(RS_3_2, BYTES, rack(0), -1, rack(2), rack(3), rack(4));
    cluster.setModified(full, Time.now());
    assertNotNull(cluster.read(full));
  }

  /** As {@code distcp -pt} has it: the file gets the times of the one that was copied as soon as it is closed. */
  @Test
  void shortGroupThatWasJustAllocated_awaitsReports_whateverItsFilesTimes() throws Exception {
    cluster.access.liveNodes();
    BlockInfoStriped group = cluster.addNew(RS_3_2, CELL, rack(0), -1, -1, rack(3), -1);
    cluster.setModified(group, 0);
    assertNull(cluster.read(group));
    assertEquals(FileState.JUST_CLOSED, cluster.access.detailsOf(group.getBlockId()).file());
    assertNotNull(cluster.read(cluster.addNew(RS_3_2, BYTES, rack(0), -1, rack(2), rack(3), rack(4))));
  }

  @Test
  void excessReplica_isAHolder_andNoSource() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, BYTES, rack(0), rack(1), rack(2), rack(3), rack(4));
    cluster.reported();
    cluster.report(group, 0, rack(5));
    Set<Integer> excess = new HashSet<>();
    for (int node : new int[] {rack(0), rack(5)}) {
      if (cluster.blocks.isExcess(cluster.node(node), group)) {
        excess.add(node);
      }
    }
    assertEquals(1, excess.size());
    cluster.lose(group, rack(3));
    WaitingBlock block = cluster.read(group);
    assertEquals(List.of(3), wanted(block));
    String excessNode = uuid(excess.iterator().next());
    assertTrue(block.holders().contains(excessNode));
    assertFalse(block.sources().contains(excessNode));
  }

  @Test
  void groupLevels_areThoseOfStock() throws Exception {
    BlockInfoStriped two = cluster.add(RS_6_3, 6 * BYTES, 0, 3, 6, 9, 12, 15, -1, -1, -1);
    BlockInfoStriped three = cluster.add(RS_6_3, 6 * BYTES, 0, 3, 6, 9, 12, 15, 18, -1, -1);
    BlockInfoStriped four = cluster.add(RS_6_3, 6 * BYTES, 0, 3, 6, 9, 12, 15, 18, 21, -1);
    int risk = LowRedundancyBlocks.QUEUE_HIGHEST_PRIORITY;
    for (BlockInfoStriped group : List.of(two, three, four)) {
      assertEquals(risk, cluster.read(group).risk());
      assertEquals(risk, cluster.access.readAgain(List.of(GroupCluster.key(group))).get(0).risk());
      assertEquals(risk, cluster.access.detailsOf(group.getBlockId() + 2).needed().risk());
      risk++;
    }
  }

  @Test
  void groups_areStocks_whileTheSwitchSaysSo() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, BYTES, rack(0), -1, rack(2), rack(3), rack(4));
    assertNull(cluster.read(group).stockReason());
    cluster.access.setRecoversGroups(false);
    assertEquals(WaitReason.ERASURE_CODED, cluster.read(group).stockReason());
    assertNull(cluster.read(group).group());
  }

  @Test
  void stocksGroup_isExplainedWithWhatStockNeeds() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, BYTES, rack(0), -1, rack(2), -1, -1);
    cluster.access.setRecoversGroups(false);
    WaitingBlock needed = cluster.access.detailsOf(group.getBlockId() + 1).needed();
    assertEquals(WaitReason.ERASURE_CODED, needed.stockReason());
    assertEquals(List.of(1, 3, 4), wanted(needed));
    assertEquals(Set.of(has(0, rack(0)), has(2, rack(2))), new HashSet<>(needed.group().sources()));
    assertTrue(needed.lacksSources());
    assertEquals(List.of(), needed.forbiddenFaultDomains());
    assertEquals(0, cluster.access.scheduleByStock(List.of(needed)), "stock has too few sources, too");
    // Of one that is whole HDFS's queue may know nothing yet.
    cluster.report(group, 1, rack(1));
    cluster.report(group, 3, rack(3));
    cluster.report(group, 4, rack(4));
    assertNull(cluster.access.detailsOf(group.getBlockId()).needed());
  }

  /** Stock reads as many for a copy as for a rebuild. */
  @Test
  void leavingIndexOfStocksGroup_isNotCopied_whileTooFewForARebuildCanBeRead() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, BYTES, rack(0), -1, rack(2), -1, -1);
    cluster.node(rack(2)).startDecommission();
    cluster.access.setRecoversGroups(false);
    WaitingBlock needed = cluster.access.detailsOf(group.getBlockId()).needed();
    assertEquals(Kind.LEAVING, needed.group().kind());
    assertEquals(2, needed.group().readable());
    assertEquals(0, cluster.access.scheduleByStock(List.of(needed)));
  }

  @Test
  void stocksGroupThatIsUnderWay_saysSinceWhen() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, BYTES, rack(0), rack(1), rack(2), -1, -1);
    cluster.access.setRecoversGroups(false);
    assertEquals(0, cluster.access.detailsOf(group.getBlockId()).pendingSinceMs());
    long beforeMs = Time.now();
    cluster.blocks.pendingReconstruction.increment(group, cluster.storage(rack(5)));
    BlockDetails details = cluster.access.detailsOf(group.getBlockId());
    assertNull(details.needed(), "stock waits for what it has begun");
    assertEquals(List.of(uuid(rack(5))), details.pendingTargets());
    // Two clocks, each of which counts whole milliseconds.
    assertTrue(details.pendingSinceMs() >= beforeMs - 1 && details.pendingSinceMs() <= Time.now() + 1,
        details::toString);
  }
}

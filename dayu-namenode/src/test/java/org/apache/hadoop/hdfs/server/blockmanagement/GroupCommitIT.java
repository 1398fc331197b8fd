/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.CommitResult;
import io.dayu.blocks.CommitResult.Verdict;
import io.dayu.blocks.GroupPolicy;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.PendingCheck.State;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

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

/** What {@link BlockManagerAccess} registers and checks for erasure-coded groups, on a real BlockManager. */
class GroupCommitIT extends GroupCommitFixture {
  @Test
  void twoRebuildsOfAGroup_areRegistered_andEndByTheReportsOfTheirTargets() throws Exception {
    BlockInfoStriped group = lacking(1, 4);
    int scheduled = cluster.scheduled();
    TransferRequest first = transfer(group, 1, FREE, at(0), at(2), at(3));
    TransferRequest second = transfer(group, 4, FREE_TOO, at(0), at(2), at(3));
    assertTrue(commit(first).committed());
    assertEquals(scheduled + 1, cluster.scheduled());
    assertTrue(cluster.waits(group));
    // The other index goes on beside it.
    WaitingBlock rest = cluster.read(group);
    assertEquals(4, rest.group().wanted().get(0).index());
    assertEquals(1, rest.group().wanted().size());
    assertTrue(rest.holders().contains(uuid(FREE)));
    assertTrue(commit(second).committed());
    assertFalse(cluster.waits(group));
    assertEquals(2, cluster.pending(group));
    assertEquals(State.WANTED, check(first).state());
    assertEquals(List.of(at(0), at(2), at(3)), check(second).indexed());
    assertEquals(check(second).sources(), check(second).indexed().stream().map(IndexedNode::node).toList());

    cluster.report(group, 1, FREE);
    assertEquals(State.COMPLETE, check(first).state());
    assertEquals(State.WANTED, check(second).state());
    assertEquals(1, cluster.pending(group));
    unregister(first);
    cluster.report(group, 4, FREE_TOO);
    assertEquals(State.COMPLETE, check(second).state());
    unregister(second);
    assertEquals(0, cluster.pending(group));
    assertEquals(scheduled, cluster.scheduled());
    assertFalse(cluster.waits(group));
  }

  @Test
  void rejectedCommit_registersNothing() throws Exception {
    BlockInfoStriped group = lacking(1);
    TransferRequest good = transfer(group, 1, FREE, at(0), at(2), at(3));
    Map<String, TransferRequest> bad = new LinkedHashMap<>();
    bad.put("no group", new TransferRequest(key(group), good.numBytes(), 2, uuid(0), uuid(FREE), DISK));
    bad.put("another length of the internal block",
        new TransferRequest(key(group), 7, 2, uuid(0), uuid(FREE), DISK, good.group()));
    bad.put("another length of the group", with(good, new GroupTransfer(policy(group), 7, 1, good.group().sources())));
    bad.put("another policy", with(good,
        new GroupTransfer(new GroupPolicy("RS-3-2-512k", "rs", 3, 2, CELL / 2), BYTES, 1, good.group().sources())));
    bad.put("no policy", with(good, new GroupTransfer(null, BYTES, 1, good.group().sources())));
    bad.put("index that is there", transfer(group, 2, FREE, at(0), at(3), at(4)));
    bad.put("index that no group has", with(good, new GroupTransfer(policy(group), BYTES, 9,
        good.group().sources())));
    bad.put("too few sources", transfer(group, 1, FREE, at(0), at(2)));
    bad.put("too many sources", transfer(group, 1, FREE, at(0), at(2), at(3), at(4)));
    bad.put("two sources of one index", transfer(group, 1, FREE, at(0), at(2), at(2)));
    bad.put("source without its index", transfer(group, 1, FREE, at(0), at(2), has(4, AT[3])));
    bad.put("copy of what is lost", transfer(group, 1, FREE, has(1, AT[0])));
    bad.put("target that has another index", transfer(group, 1, AT[4], at(0), at(2), at(3)));
    bad.put("unknown target", transfer(group, 1, RACKS * ON_RACK, at(0), at(2), at(3)));
    bad.put("target on a rack that has one", transfer(group, 1, AT[4] + 1, at(0), at(2), at(3)));
    bad.put("target without the type of storage", new TransferRequest(key(group), good.numBytes(), 2, uuid(0),
        uuid(FREE), 1 << StorageType.SSD.ordinal(), good.group()));
    int scheduled = cluster.scheduled();
    List<String> committed = new ArrayList<>();
    bad.forEach((what, request) -> {
      CommitResult result = commit(request);
      if (result.committed() || cluster.pending(group) != 0 || cluster.scheduled() != scheduled
          || !cluster.waits(group)) {
        committed.add(what + ": " + result);
      }
    });
    assertEquals(List.of(), committed);
    assertTrue(commit(good).committed());
    assertEquals(Verdict.NOT_NEEDED, commit(transfer(group, 1, FREE_TOO, at(0), at(2), at(3))).verdict());
    assertEquals(1, cluster.pending(group));
    unregister(good);
    assertEquals(scheduled, cluster.scheduled());
    assertTrue(cluster.waits(group));
  }

  /** Other racks have room for the last data block of a short group, but not for what else it lacks. */
  @Test
  void shortInternalBlock_goesWhereThePlanSendsIt_beyondRacksWithRoomForItOnly() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, 2L * CELL + 10, AT[0], AT[1], -1, AT[3], -1);
    for (int node = 0; node < RACKS * ON_RACK; node++) {
      int rack = node / ON_RACK;
      cluster.fill(node, rack <= 1 || rack == 3 ? GroupCluster.ROOM_BYTES : CELL / 2);
    }
    WaitingBlock block = cluster.read(group);
    assertEquals(List.of(), block.forbiddenFaultDomains());
    TransferRequest alone = transfer(group, 2, AT[1] + 1, at(0), at(1), at(3));
    assertEquals(10, alone.numBytes());
    assertEquals(Verdict.TARGET_MISPLACED, commit(alone).verdict(), "the other racks are better for it alone");
    TransferRequest planned = with(alone, new GroupTransfer(policy(group), group.getNumBytes(), block.numBytes(), 2,
        alone.group().sources()));
    CommitResult result = commit(planned);
    for (int node = 0; node < RACKS * ON_RACK; node++) {
      cluster.fill(node, GroupCluster.ROOM_BYTES);
    }
    assertTrue(result.committed(), result::toString);
    unregister(planned);
  }

  /** HDFS-16739, HDFS-17401: stock HDFS may make one for each type of storage, and keep what is too many. */
  @Test
  void groupOfSsdPolicy_onDisks_getsEachIndexOnce() throws Exception {
    try (GroupCluster own = new GroupCluster(RACKS)) {
      own.reported();
      BlockInfoStriped group =
          own.add(RS_3_2, BYTES, HdfsConstants.ALLSSD_STORAGE_POLICY_ID, AT[0], AT[1], AT[2], -1, -1);
      List<TransferRequest> both = List.of(transfer(group, 3, FREE, at(0), at(1), at(2)),
          transfer(group, 4, FREE_TOO, at(0), at(1), at(2)));
      both.forEach(one -> assertTrue(own.access.commit(List.of(one), () -> true).get(0).committed()));
      assertNull(own.read(group));
      TransferRequest third = transfer(group, 4, FREE_TOO + ON_RACK, at(0), at(1), at(2));
      assertEquals(Verdict.NOT_NEEDED, own.access.commit(List.of(third), () -> true).get(0).verdict());
      own.report(group, 3, FREE);
      own.report(group, 4, FREE_TOO);
      own.access.unregister(both);
      assertEquals(AT.length, own.blocks.countNodes(group).liveReplicas());
      assertEquals(0, own.blocks.countNodes(group).excessReplicas());
      assertEquals(0, own.scheduled());
      assertFalse(own.waits(group));
    }
  }

  /** A report of any index ends the entry of its node. */
  @Test
  void indexThatIsNotTheAwaitedOne_isNotComplete() throws Exception {
    BlockInfoStriped group = lacking(1, 2);
    TransferRequest rebuild = transfer(group, 1, FREE, at(0), at(3), at(4));
    assertTrue(commit(rebuild).committed());
    cluster.report(group, 2, FREE);
    assertEquals(0, cluster.pending(group));
    assertEquals(State.UNWANTED, check(rebuild).state());
    unregister(rebuild);
    assertTrue(cluster.waits(group));
    assertEquals(1, cluster.read(group).group().wanted().get(0).index());
  }

  @Test
  void secondIndexOnTheSameStorage_isNotComplete_andTheGroupIsQueuedAgain() throws Exception {
    BlockInfoStriped group = lacking(1, 2);
    TransferRequest rebuild = transfer(group, 1, FREE, at(0), at(3), at(4));
    TransferRequest other = transfer(group, 2, FREE_TOO, at(0), at(3), at(4));
    assertTrue(commit(rebuild).committed());
    assertTrue(commit(other).committed());
    assertFalse(cluster.waits(group));
    // Stock's rebuild of index 2 has come to the same node, without any entry of its own; then ours comes, too.
    cluster.report(group, 2, FREE);
    cluster.report(group, 1, FREE);
    assertEquals(State.UNWANTED, check(rebuild).state());
    assertEquals(State.UNWANTED, check(other).state());
    cluster.access.unregister(List.of(rebuild, other));
    assertTrue(cluster.waits(group));
    assertEquals(1, cluster.read(group).group().wanted().get(0).index());
  }

  @Test
  void secondIndexOnAnotherStorage_isNeitherWanted() throws Exception {
    BlockInfoStriped group = lacking(1, 2);
    int node = 7 * ON_RACK;
    DatanodeStorageInfo second = cluster.addStorage(node, StorageType.SSD);
    TransferRequest rebuild = transfer(group, 1, node, at(0), at(3), at(4));
    assertTrue(commit(rebuild).committed());
    cluster.report(group, 2, second);
    assertEquals(State.UNWANTED, check(rebuild).state());
    unregister(rebuild);
    assertTrue(cluster.waits(group));
    // No holder is a target, whatever its index.
    assertEquals(Verdict.TARGET_REFUSED, commit(rebuild).verdict());
    assertTrue(cluster.read(group).holders().contains(uuid(node)));
  }

  /** HDFS no longer counts a corrupt internal block that it deletes; the report of that would end any other's entry. */
  @Test
  void targetThatIsToDeleteAnInternalBlock_isRefused() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, BYTES, AT);
    cluster.addUnreported(group, 3, FREE);
    cluster.corrupt(group, 3, FREE);
    cluster.lose(group, AT[1]);
    assertFalse(cluster.read(group).holders().contains(uuid(FREE)));
    TransferRequest rebuild = transfer(group, 1, FREE, at(0), at(2), at(4));
    assertEquals(Verdict.TARGET_DELETES, commit(rebuild).verdict());
    // The next heartbeat is to take it.
    cluster.blocks.computeInvalidateWork(Integer.MAX_VALUE);
    assertEquals(Verdict.TARGET_DELETES, commit(rebuild).verdict());
    assertEquals(0, cluster.pending(group));
    cluster.node(FREE).getInvalidateBlocks(Integer.MAX_VALUE);
    CommitResult gone = commit(rebuild);
    assertTrue(gone.committed(), gone::toString);
    unregister(rebuild);
  }

  @Test
  void indexThatHasComeBack_isUnwanted_thoughTheGroupLacksOthers() throws Exception {
    BlockInfoStriped group = lacking(1, 4);
    TransferRequest rebuild = transfer(group, 1, FREE, at(0), at(2), at(3));
    assertTrue(commit(rebuild).committed());
    cluster.report(group, 1, AT[1]);
    assertEquals(State.UNWANTED, check(rebuild).state());
    unregister(rebuild);
    assertEquals(4, cluster.read(group).group().wanted().get(0).index());
  }

  @Test
  void entry_isRefreshed_whileItIsWanted() throws Exception {
    BlockInfoStriped group = lacking(3);
    TransferRequest rebuild = transfer(group, 3, FREE, at(0), at(2), at(1));
    assertTrue(commit(rebuild).committed());
    long timeoutMs = cluster.blocks.pendingReconstruction.getTimeout();
    try {
      for (int i = 0; i < 3; i++) {
        assertEquals(State.WANTED, check(rebuild).state());
        cluster.blocks.pendingReconstruction.setTimeout(60_000);
        expire();
        assertEquals(1, cluster.pending(group));
      }
    } finally {
      cluster.blocks.pendingReconstruction.setTimeout(timeoutMs);
    }
    unregister(rebuild);
    assertEquals(0, cluster.pending(group));
  }

  private static void expire() {
    BlockManagerTestUtil.wakeupPendingReconstructionTimerThread(cluster.blocks);
    cluster.blocks.processPendingReconstructions();
  }

  @Test
  void leavingInternalBlock_isCopied_orRebuiltFromTheOthers() throws Exception {
    BlockInfoStriped group = lacking();
    cluster.node(AT[2]).startDecommission();
    cluster.enqueue(group);
    TransferRequest copy = transfer(group, 2, FREE, at(2));
    assertTrue(commit(copy).committed());
    assertEquals(List.of(at(2)), check(copy).indexed());
    unregister(copy);
    TransferRequest rebuild = transfer(group, 2, FREE_TOO, at(0), at(1), at(3));
    assertTrue(commit(rebuild).committed());
    assertEquals(Set.of(at(0), at(1), at(3), at(4)), Set.copyOf(check(rebuild).indexed()));
    // The node comes back into service: nothing is needed any more.
    cluster.node(AT[2]).stopDecommission();
    assertEquals(State.UNWANTED, check(rebuild).state());
    unregister(rebuild);
    assertEquals(0, cluster.pending(group));
  }

  @Test
  void copyForPlacement_hasToMakeItBetter_andIsOneAtATime() throws Exception {
    BlockInfoStriped group = cluster.add(RS_3_2, BYTES, 0, 1, AT[1], AT[2], AT[3]);
    assertEquals(Verdict.TARGET_MISPLACED, commit(transfer(group, 1, 2, has(1, 1))).verdict());
    assertEquals(Verdict.NOT_NEEDED, commit(transfer(group, 1, FREE, has(0, 0), has(2, AT[1]), has(3, AT[2])))
        .verdict());
    TransferRequest copy = transfer(group, 1, FREE, has(1, 1));
    assertTrue(commit(copy).committed());
    assertFalse(cluster.waits(group));
    assertEquals(State.WANTED, check(copy).state());
    assertEquals(Verdict.NOT_NEEDED, commit(transfer(group, 0, FREE_TOO, has(0, 0))).verdict());
    cluster.report(group, 1, FREE);
    assertEquals(State.COMPLETE, check(copy).state());
    unregister(copy);
    assertFalse(cluster.waits(group));
  }
}

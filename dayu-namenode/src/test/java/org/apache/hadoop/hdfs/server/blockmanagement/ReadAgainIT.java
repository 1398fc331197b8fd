/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import io.dayu.harness.RackByAddress;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.util.LightWeightLinkedSet;
import org.apache.hadoop.net.DNSToSwitchMapping;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * What {@link BlockManagerAccess#readAgain} says of blocks that could not be placed: which of them, and where a type of
 * storage gives way to the policy's fallback, by the room of the nodes that may get the very block. On a real NameNode
 * with two racks; files want {@code DISK}, and {@code ARCHIVE} where that has no room.
 */
class ReadAgainIT {
  private static final int RACK = RackByAddress.RACK_SIZE;
  private static final int ARCHIVE_NODE = 2 * RACK - 1;
  private static final long BYTES = 1 << 20;
  private static final int DISK = 1 << StorageType.DISK.ordinal();
  private static final int ARCHIVE = 1 << StorageType.ARCHIVE.ordinal();

  private MiniDFSCluster nameNode;
  private LostNodes nodes;
  private BlockManagerAccess access;

  @BeforeEach
  void start() throws Exception {
    HdfsConfiguration conf = new HdfsConfiguration();
    conf.setClass(CommonConfigurationKeysPublic.NET_TOPOLOGY_NODE_SWITCH_MAPPING_IMPL_KEY, RackByAddress.class,
        DNSToSwitchMapping.class);
    LostNodes.configure(conf);
    nameNode = new MiniDFSCluster.Builder(conf).numDataNodes(0).useConfiguredTopologyMappingClass(true).build();
    nodes = new LostNodes(nameNode.getNamesystem(), RACK, 1, BYTES);
    nodes.addNodes(2 * RACK, node -> node == ARCHIVE_NODE ? StorageType.ARCHIVE : StorageType.DISK);
    access = BlockManagerAccess.open(nameNode.getNamesystem(), () -> 0L, TimeUnit.SECONDS.toNanos(1), ns -> {});
  }

  @AfterEach
  void stop() {
    nameNode.close();
  }

  /** All nodes are full, but for these. */
  private void onlyRoomOn(int... roomy) {
    List<Integer> with = Arrays.stream(roomy).boxed().toList();
    for (int node = 0; node < 2 * RACK; node++) {
      nodes.heartbeat(node, with.contains(node) ? 4 * BYTES : 0L, 4);
    }
    access.liveNodes();
  }

  private static BlockKey key(long id) {
    return new BlockKey(id, LostNodes.GENERATION);
  }

  private WaitingBlock readAgain(long id) {
    List<WaitingBlock> read = access.readAgain(List.of(key(id)));
    assertEquals(List.of(key(id)), read.stream().map(WaitingBlock::key).toList());
    assertNull(read.get(0).stockReason());
    return read.get(0);
  }

  /** On a cluster without room each block has all nodes looked at. */
  @Test
  void room_isLookedForWithoutTheLock() throws Exception {
    long id = nodes.addBlockOn(0, RACK);
    FSNamesystem namesystem = nameNode.getNamesystem();
    BlockManager blocks = namesystem.getBlockManager();
    GroupEntries entries = new GroupEntries();
    CopyStorageTypes storageTypes = new CopyStorageTypes(blocks);
    GroupReading groups =
        new GroupReading(blocks, entries, new StockTargets(), new StockPass(blocks, () -> {}), storageTypes);
    BlockReading reading = new BlockReading(blocks, groups, storageTypes, null);
    List<LightWeightLinkedSet<BlockInfo>> byRisk = LowRedundancyQueues.byRisk(blocks.neededReconstruction);
    PendingReconstructionAccess pending = new PendingReconstructionAccess(blocks, reading, groups, byRisk,
        new ArrivedCopies(blocks.pendingReconstruction), entries);
    LowRedundancyQueues queues = new LowRedundancyQueues(blocks, reading, pending,
        new NamesystemLock(namesystem, TimeUnit.SECONDS.toNanos(1), ns -> {}), byRisk, new FailingBlocks());
    List<LiveNode> targets = access.liveNodes();
    AtomicInteger looks = new AtomicInteger();
    long[] roomBytes = new long[StorageType.values().length];
    Arrays.fill(roomBytes, BYTES);
    List<LiveNode> watched = new AbstractList<>() {
      @Override
      public LiveNode get(int index) {
        assertFalse(isLocked(namesystem), "the namesystem lock is held");
        looks.incrementAndGet();
        return targets.get(index);
      }

      @Override
      public int size() {
        return targets.size();
      }
    };
    reading.setRoom(watched, watched, roomBytes);
    assertNull(queues.readAgain(List.of(key(id))).get(0).stockReason());
    assertTrue(looks.get() > 0);
  }

  /** Whether another thread cannot have the lock for writing. */
  private static boolean isLocked(FSNamesystem namesystem) {
    Thread writer = new Thread(() -> {
      namesystem.writeLock();
      namesystem.writeUnlock("test");
    });
    writer.start();
    try {
      writer.join(60_000);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return writer.isAlive();
  }

  @Test
  void typeWithRoomOnHoldersOnly_givesWayToTheFallback() throws Exception {
    long id = nodes.addBlockOn(0, RACK);
    onlyRoomOn(0, RACK, ARCHIVE_NODE);
    assertEquals(DISK, access.peek(1).get(0).storageTypes(), "some node has room");
    assertEquals(ARCHIVE, readAgain(id).storageTypes(), "but none that may get it");
    onlyRoomOn(0, RACK, ARCHIVE_NODE, 1);
    assertEquals(DISK, readAgain(id).storageTypes());
  }

  @Test
  void typeWithRoomOnAForbiddenRackOnly_givesWayToTheFallback() throws Exception {
    long id = nodes.addBlockOn(0, 1);
    onlyRoomOn(2, ARCHIVE_NODE);
    WaitingBlock read = readAgain(id);
    assertEquals(List.of("/rack0"), read.forbiddenFaultDomains());
    assertEquals(ARCHIVE, read.storageTypes());
    onlyRoomOn(2, RACK, ARCHIVE_NODE);
    assertEquals(DISK, readAgain(id).storageTypes());
  }

  private CommitResult commit(long id, int risk, int source, int target) {
    return access.commit(List.of(new TransferRequest(key(id), BYTES, risk, LostNodes.uuid(source),
        LostNodes.uuid(target), DISK)), () -> true).get(0);
  }

  @Test
  void blockWhoseOtherRacksAreFull_isCopiedWithinItsRack() throws Exception {
    long id = nodes.addBlockOn(0);
    onlyRoomOn(0, 1, 2);
    assertEquals(List.of("/rack0"), access.readHighestRisk(1).get(0).forbiddenFaultDomains());
    WaitingBlock read = readAgain(id);
    assertEquals(List.of(), read.forbiddenFaultDomains());
    assertEquals(1, read.copies(), "the rack holds no third replica");
    assertTrue(commit(id, 0, 0, 1).committed());
    assertEquals(List.of("/rack0"), readAgain(id).forbiddenFaultDomains());
    assertFalse(commit(id, 0, 0, 2).committed());
  }

  @Test
  void blockWithRoomOnAnotherRack_isNotCopiedWithinItsRack() throws Exception {
    long id = nodes.addBlockOn(0);
    onlyRoomOn(0, 1, RACK);
    assertEquals(List.of("/rack0"), readAgain(id).forbiddenFaultDomains());
    assertFalse(commit(id, 0, 0, 1).committed());
    assertTrue(commit(id, 0, 0, RACK).committed());
  }

  @Test
  void blockThatLacksOnlyARack_isNotCopiedWithinItsRack() throws Exception {
    long id = nodes.addBadlyDistributed(0, 1, 2);
    onlyRoomOn(3);
    assertEquals(List.of("/rack0"), readAgain(id).forbiddenFaultDomains());
    assertFalse(commit(id, LowRedundancyBlocks.QUEUE_REPLICAS_BADLY_DISTRIBUTED, 0, 3).committed());
  }

  @Test
  void blockWithoutRoomForAnyType_isReadAsByOthers() throws Exception {
    long id = nodes.addBlockOn(0, RACK);
    onlyRoomOn(0, RACK);
    assertEquals(access.peek(1).get(0), readAgain(id));
  }

  @Test
  void fallback_changesNothingElseOfTheBlock() throws Exception {
    long id = nodes.addBlockOn(RACK);
    onlyRoomOn(RACK, ARCHIVE_NODE);
    WaitingBlock before = access.readHighestRisk(10).get(0);
    WaitingBlock again = readAgain(id);
    assertEquals(List.of(before.key(), before.numBytes(), before.risk(), before.copies(), before.sources(),
        before.holders(), before.forbiddenFaultDomains(), before.distinctRacks()),
        List.of(again.key(), again.numBytes(), again.risk(), again.copies(), again.sources(), again.holders(),
            again.forbiddenFaultDomains(), again.distinctRacks()));
    assertEquals(0, again.risk());
  }

  @Test
  void onlyWaitingBlocksInTheSameGeneration_areRead_inTheOrderOfTheKeys() throws Exception {
    long first = nodes.addBlockOn(0, RACK);
    long second = nodes.addBlockOn(1);
    long notAsked = nodes.addBlockOn(2, RACK);
    long inNoQueue = nodes.addBlockOn(3, RACK);
    BlockManager blocks = nameNode.getNamesystem().getBlockManager();
    blocks.neededReconstruction.remove(blocks.getStoredBlock(new Block(inNoQueue)), 2);
    access.liveNodes();
    List<WaitingBlock> read = access.readAgain(List.of(key(second), key(inNoQueue), new BlockKey(notAsked, 1), key(-1),
        key(first)));
    assertEquals(List.of(key(second), key(first)), read.stream().map(WaitingBlock::key).toList());
    assertEquals(List.of(0, 2), read.stream().map(WaitingBlock::risk).toList(), "the risk is that of now");
    assertEquals(3, nodes.waiting(), "all stay in their queues");
  }

  @Test
  void blockThatHasEnough_leavesTheQueue() throws Exception {
    long id = nodes.addBlockOn(0, 1, RACK);
    access.liveNodes();
    assertEquals(List.of(), access.readAgain(List.of(key(id))));
    assertEquals(0, nodes.waiting());
  }
}

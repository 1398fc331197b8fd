/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.GroupPolicy;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import io.dayu.harness.Await;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;
import org.apache.hadoop.hdfs.server.namenode.NamesystemFixture;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;
import org.apache.hadoop.hdfs.server.protocol.ReceivedDeletedBlockInfo;
import org.apache.hadoop.hdfs.server.protocol.StorageReceivedDeletedBlocks;
import org.apache.hadoop.hdfs.server.protocol.StorageReport;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.apache.hadoop.net.AbstractDNSToSwitchMapping;
import org.apache.hadoop.net.DNSToSwitchMapping;
import org.apache.hadoop.util.Time;

import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A real NameNode with erasure-coded groups on DataNodes that are descriptors only: {@link LostNodes} with groups. What
 * a DataNode would report is said by the test. Each node has one storage, node n is on rack n ÷ {@link #ON_RACK}. For
 * one thread.
 */
final class GroupCluster implements Closeable {
  /** Nodes on a rack. */
  static final int ON_RACK = 3;
  static final int CELL = 1 << 20;
  static final ErasureCodingPolicy RS_3_2 =
      SystemErasureCodingPolicies.getByID(SystemErasureCodingPolicies.RS_3_2_POLICY_ID);
  static final ErasureCodingPolicy RS_6_3 =
      SystemErasureCodingPolicies.getByID(SystemErasureCodingPolicies.RS_6_3_POLICY_ID);
  static final int DISK = 1 << StorageType.DISK.ordinal();
  /** More than any test needs. */
  static final long ROOM_BYTES = 1L << 45;
  /** Ids of internal blocks lie between those of groups. */
  private static final int ID_STEP = 16;
  private static final long FIRST_GROUP = Long.MIN_VALUE + 1_024;

  final BlockManager blocks;
  final BlockManagerAccess access;
  private final MiniDFSCluster nameNode;
  private final FSNamesystem namesystem;
  private final LostNodes nodes;
  private long groups;

  /** Racks of a few nodes each, by address. */
  public static final class SmallRacks extends AbstractDNSToSwitchMapping {
    @Override
    public List<String> resolve(List<String> addresses) {
      return addresses.stream().map(address -> {
        String[] parts = address.split("\\.");
        return "/rack" + (Integer.parseInt(parts[2]) * 256 + Integer.parseInt(parts[3])) / ON_RACK;
      }).toList();
    }

    @Override
    public void reloadCachedMappings() {
      // Nothing is cached.
    }

    @Override
    public void reloadCachedMappings(List<String> names) {
      // Nothing is cached.
    }
  }

  /** When the NameNode last became active, as Dayu is told. */
  final AtomicLong lastTransitionMs = new AtomicLong();

  GroupCluster(int racks) throws Exception {
    HdfsConfiguration conf = new HdfsConfiguration();
    conf.setClass(CommonConfigurationKeysPublic.NET_TOPOLOGY_NODE_SWITCH_MAPPING_IMPL_KEY, SmallRacks.class,
        DNSToSwitchMapping.class);
    LostNodes.configure(conf);
    nameNode = new MiniDFSCluster.Builder(conf).numDataNodes(0).useConfiguredTopologyMappingClass(true).build();
    namesystem = nameNode.getNamesystem();
    blocks = namesystem.getBlockManager();
    nodes = new LostNodes(namesystem, ON_RACK, 1, CELL);
    nodes.addNodes(racks * ON_RACK, node -> StorageType.DISK);
    // As if the groups that tests add had been allocated before.
    blocks.getBlockIdManager().setGenerationStamp(LostNodes.GENERATION);
    access = BlockManagerAccess.open(namesystem, lastTransitionMs::get, TimeUnit.SECONDS.toNanos(1), ns -> {});
    access.setRecoversGroups(true);
    access.liveNodes();
  }

  /** Further racks, with storages of a type. */
  void addRacks(int all, StorageType type) throws Exception {
    nodes.addNodes(all * ON_RACK, node -> type);
    access.liveNodes();
  }

  static String uuid(int node) {
    return LostNodes.uuid(node);
  }

  DatanodeDescriptor node(int node) {
    return blocks.getDatanodeManager().getDatanode(uuid(node));
  }

  DatanodeStorageInfo storage(int node) {
    return node(node).getStorageInfos()[0];
  }

  /**
   * A group whose internal blocks are on these nodes: {@code holders[i]} has index i, -1 = nobody. HDFS's queue gets
   * it, as when a node has died.
   */
  BlockInfoStriped add(ErasureCodingPolicy policy, long bytes, int... holders) throws IOException {
    return add(policy, bytes, HdfsConstants.HOT_STORAGE_POLICY_ID, holders);
  }

  BlockInfoStriped add(ErasureCodingPolicy policy, long bytes, byte storagePolicy, int... holders)
      throws IOException {
    return add(policy, bytes, LostNodes.GENERATION, storagePolicy, holders);
  }

  /** The same of a group that is allocated now. */
  BlockInfoStriped addNew(ErasureCodingPolicy policy, long bytes, int... holders) throws IOException {
    return add(policy, bytes, blocks.getBlockIdManager().getNextGenerationStamp(),
        HdfsConstants.HOT_STORAGE_POLICY_ID, holders);
  }

  private BlockInfoStriped add(ErasureCodingPolicy policy, long bytes, long generationStamp, byte storagePolicy,
      int... holders) throws IOException {
    BlockInfoStriped group =
        new BlockInfoStriped(new Block(FIRST_GROUP + ID_STEP * groups++, bytes, generationStamp), policy);
    namesystem.writeLock();
    try {
      INodeFile file = NamesystemFixture.addStripedFile(namesystem, group, policy.getId(), storagePolicy);
      group.setBlockCollectionId(file.getId());
      blocks.addBlockCollection(group, file);
      for (int index = 0; index < holders.length; index++) {
        if (holders[index] >= 0) {
          storage(holders[index]).addBlock(group, internalBlock(group, index));
        }
      }
    } finally {
      namesystem.writeUnlock("test");
    }
    enqueue(group);
    return group;
  }

  /** When the group's file was closed, or whatever time it was given since. */
  void setModified(BlockInfoStriped group, long ms) {
    namesystem.writeLock();
    try {
      ((INodeFile) blocks.getBlockCollection(group)).setModificationTime(ms);
    } finally {
      namesystem.writeUnlock("test");
    }
  }

  static Block internalBlock(BlockInfoStriped group, int index) {
    return new Block(group.getBlockId() + index, 0, group.getGenerationStamp());
  }

  /** Has HDFS look at the group anew. */
  void enqueue(BlockInfoStriped group) {
    namesystem.writeLock();
    try {
      NumberReplicas counted = blocks.countNodes(group);
      int pending = blocks.pendingReconstruction.getNumReplicas(group);
      if (blocks.isNeededReconstruction(group, counted, pending)) {
        blocks.neededReconstruction.add(group, counted.liveReplicas(), counted.readOnlyReplicas(),
            counted.outOfServiceReplicas(), blocks.getExpectedRedundancyNum(group));
      }
    } finally {
      namesystem.writeUnlock("test");
    }
  }

  /** The node reports that it has received this internal block. */
  void report(BlockInfoStriped group, int index, int node) throws IOException {
    report(group, index, storage(node));
  }

  void report(BlockInfoStriped group, int index, DatanodeStorageInfo storage) throws IOException {
    namesystem.writeLock();
    try {
      Block block = internalBlock(group, index);
      block.setNumBytes(StripedBlockUtil.getInternalBlockLength(group.getNumBytes(),
          group.getErasureCodingPolicy(), index));
      blocks.processIncrementalBlockReport(storage.getDatanodeDescriptor(),
          new StorageReceivedDeletedBlocks(new DatanodeStorage(storage.getStorageID()),
              new ReceivedDeletedBlockInfo[] {new ReceivedDeletedBlockInfo(block,
                  ReceivedDeletedBlockInfo.BlockStatus.RECEIVED_BLOCK, null)}));
    } finally {
      namesystem.writeUnlock("test");
    }
  }

  /** The node reports that it has deleted this internal block. */
  void reportDeleted(BlockInfoStriped group, int index, int node) throws IOException {
    namesystem.writeLock();
    try {
      DatanodeStorageInfo storage = storage(node);
      blocks.processIncrementalBlockReport(storage.getDatanodeDescriptor(),
          new StorageReceivedDeletedBlocks(new DatanodeStorage(storage.getStorageID()),
              new ReceivedDeletedBlockInfo[] {new ReceivedDeletedBlockInfo(internalBlock(group, index),
                  ReceivedDeletedBlockInfo.BlockStatus.DELETED_BLOCK, null)}));
    } finally {
      namesystem.writeUnlock("test");
    }
  }

  /** What the heartbeats of this node take from HDFS to delete. */
  List<Block> takeDeletions(int node) {
    blocks.computeInvalidateWork(Integer.MAX_VALUE);
    Block[] taken = node(node).getInvalidateBlocks(Integer.MAX_VALUE);
    return taken == null ? List.of() : List.of(taken);
  }

  /** The block map has an internal block there, and HDFS does not look at the group. */
  void addUnreported(BlockInfoStriped group, int index, int node) {
    namesystem.writeLock();
    try {
      storage(node).addBlock(group, internalBlock(group, index));
    } finally {
      namesystem.writeUnlock("test");
    }
  }

  /** The block map forgets an internal block, as when its node has died. */
  void lose(BlockInfoStriped group, int node) {
    namesystem.writeLock();
    try {
      blocks.removeStoredBlock(group, node(node));
    } finally {
      namesystem.writeUnlock("test");
    }
    enqueue(group);
  }

  void corrupt(BlockInfoStriped group, int index, int node) throws IOException {
    namesystem.writeLock();
    try {
      blocks.findAndMarkBlockAsCorrupt(new ExtendedBlock(namesystem.getBlockPoolId(), internalBlock(group, index)),
          node(node), storage(node).getStorageID(), "test");
    } finally {
      namesystem.writeUnlock("test");
    }
  }

  /** Every storage has reported all its blocks: HDFS removes what is too many at once. */
  void reported() {
    for (int node = 0; blocks.getDatanodeManager().getDatanode(uuid(node)) != null; node++) {
      storage(node).receivedBlockReport();
    }
  }

  /** A second storage of a node. */
  DatanodeStorageInfo addStorage(int node, StorageType type) throws IOException {
    DatanodeStorageInfo first = storage(node);
    List<StorageReport> reports = new ArrayList<>();
    for (DatanodeStorage storage : List.of(
        new DatanodeStorage(first.getStorageID(), DatanodeStorage.State.NORMAL, first.getStorageType()),
        new DatanodeStorage("second-" + node, DatanodeStorage.State.NORMAL, type))) {
      reports.add(new StorageReport(storage, false, 1L << 46, 0, 1L << 45, 0, 0));
    }
    blocks.getDatanodeManager().getHeartbeatManager().updateHeartbeat(node(node), reports.toArray(new StorageReport[0]),
        0, 0, 1, 0, null);
    return Arrays.stream(node(node).getStorageInfos()).filter(storage -> storage != first).findFirst().orElseThrow();
  }

  void fill(int node, long roomBytes) {
    nodes.heartbeat(node, roomBytes, 1);
    access.liveNodes();
  }

  /** What planning is told of this group; null if nothing. */
  WaitingBlock read(BlockInfoStriped group) {
    return access.peek(1_000).stream().filter(block -> block.key().equals(BlockRecords.keyOf(group))).findFirst()
        .orElse(null);
  }

  static BlockKey key(BlockInfoStriped group) {
    return BlockRecords.keyOf(group);
  }

  static GroupPolicy policy(BlockInfoStriped group) {
    ErasureCodingPolicy policy = group.getErasureCodingPolicy();
    return new GroupPolicy(policy.getName(), policy.getCodecName(), policy.getNumDataUnits(),
        policy.getNumParityUnits(), policy.getCellSize());
  }

  /** A transfer to make this index on a node, from these. */
  static TransferRequest transfer(BlockInfoStriped group, int index, int target, IndexedNode... sources) {
    long bytes = StripedBlockUtil.getInternalBlockLength(group.getNumBytes(),
        group.getErasureCodingPolicy(), index);
    return new TransferRequest(key(group), bytes, 2, sources[0].node(), uuid(target), DISK,
        new GroupTransfer(policy(group), group.getNumBytes(), index, List.of(sources)));
  }

  /** The DataNode with this number has this index. */
  static IndexedNode has(int index, int node) {
    return new IndexedNode(uuid(node), index);
  }

  int pending(BlockInfoStriped group) {
    return blocks.pendingReconstruction.getNumReplicas(group);
  }

  /** Copies and rebuilds that HDFS counts as on their way to all nodes. */
  int scheduled() {
    int scheduled = 0;
    for (int node = 0; blocks.getDatanodeManager().getDatanode(uuid(node)) != null; node++) {
      scheduled += node(node).getBlocksScheduled();
    }
    return scheduled;
  }

  boolean waits(BlockInfoStriped group) {
    return blocks.neededReconstruction.contains(group);
  }

  /** The pass of stock's that runs ends, a moment after now. */
  void endOfStockPass() throws Exception {
    long nowMs = Time.monotonicNow();
    Await.until("the clock moves", Duration.ofSeconds(10), () -> Time.monotonicNow() > nowMs);
    Field ended = BlockManager.class.getDeclaredField("lastRedundancyCycleTS");
    ended.setAccessible(true);
    ((AtomicLong) ended.get(blocks)).set(Time.monotonicNow());
  }

  /** No node is leaving any more. */
  void backInService() {
    for (int node = 0; blocks.getDatanodeManager().getDatanode(uuid(node)) != null; node++) {
      node(node).stopDecommission();
      node(node).stopMaintenance();
    }
  }

  /** Whether the directories of the NameNode are there. */
  boolean hasDirectories() {
    return nameNode.getNameDirs(0).stream().allMatch(directory -> Files.isDirectory(Path.of(directory)));
  }

  @Override
  public void close() {
    nameNode.shutdown(true);
  }
}

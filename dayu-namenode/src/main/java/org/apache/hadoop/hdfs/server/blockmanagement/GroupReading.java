/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.GroupNeed;
import io.dayu.blocks.GroupNeed.Kind;
import io.dayu.blocks.GroupPolicy;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.InternalBlock;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;
import org.apache.hadoop.util.Time;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Reads what an erasure-coded group lacks, by the BlockManager's own rules. Lost internal blocks come first, then those
 * on leaving nodes, then placement. Every method needs the namesystem lock for reading, unless it says otherwise, and
 * changes nothing.
 */
final class GroupReading {
  private final BlockManager blocks;
  private final GroupEntries entries;
  private final StockTargets stockTargets;
  private final StockPass stockPass;
  private final CopyStorageTypes storageTypes;
  private final JustClosedGroups justClosed = new JustClosedGroups();
  private final Map<String, GroupPolicy> policies = new ConcurrentHashMap<>();
  private volatile FreeRacks.Targets targets = FreeRacks.Targets.UNKNOWN;
  private volatile boolean enabled;

  GroupReading(BlockManager blocks, GroupEntries entries, StockTargets stockTargets, StockPass stockPass,
      CopyStorageTypes storageTypes) {
    this.blocks = blocks;
    this.entries = entries;
    this.stockTargets = stockTargets;
    this.stockPass = stockPass;
    this.storageTypes = storageTypes;
  }

  /** Whether groups are Dayu's; else stock's. */
  boolean isEnabled() {
    return enabled;
  }

  /** Whether transfers of groups may be registered now. */
  boolean mayBegin() {
    return enabled && stockPass.hasEnded();
  }

  void setEnabled(boolean byDayu) {
    enabled = byDayu;
  }

  /** Takes the nodes that may get blocks. */
  void setTargets(FreeRacks.Targets possible) {
    targets = possible;
  }

  /** Notes how far generation stamps are. Needs no lock. */
  void noteGenerationStamp() {
    justClosed.note(blocks.getBlockIdManager().getGenerationStamp(), System.nanoTime());
  }

  GroupReplicas replicas(BlockInfoStriped group) {
    return new GroupReplicas(blocks, group, entries);
  }

  /**
   * What planning needs to know of a group, or null if it needs nothing now, or waits: for what stock makes of it, or
   * for what is under way.
   *
   * @param needless receives the group if it has enough: as in the reading of a block
   */
  WaitingBlock read(GroupReplicas replicas, int level, BlockCollection file, Consumer<BlockInfo> needless) {
    BlockInfoStriped group = replicas.group();
    if (!group.isComplete()) {
      return null;
    }
    if (replicas.areEnough()) {
      needless.accept(group);
      return null;
    }
    return replicas.awaitsStock() || !stockPass.hasEnded() || awaitsReports(group, file) ? null
        : lacking(replicas, level, file);
  }

  /**
   * The same of a group that is left to stock HDFS, for people; null if stock has it under way. Stock places internal
   * blocks on any rack.
   */
  WaitingBlock readForStock(GroupReplicas replicas, int level, BlockCollection file) {
    WaitingBlock lacking =
        !replicas.pending().isEmpty() || replicas.areEnough() ? null : lacking(replicas, level, file);
    return lacking == null || lacking.isForStock() ? lacking : lacking.leftToStock(WaitReason.ERASURE_CODED);
  }

  private WaitingBlock lacking(GroupReplicas replicas, int level, BlockCollection file) {
    byte storagePolicy = file.getStoragePolicyID();
    Set<String> holders = untouchable(replicas);
    List<Integer> lost = replicas.lost();
    List<Integer> leaving = replicas.leaving();
    // With too few sources for a rebuild, a leaving index may be one of the last: it is copied meanwhile.
    boolean canRebuild = replicas.sourcesWithout(GroupEntries.NONE).size() >= replicas.width();
    if (replicas.needed() > 0 && !lost.isEmpty() && (canRebuild || leaving.isEmpty())) {
      int copies = Math.min(replicas.needed(), lost.size());
      return needed(replicas, level, copies, holders, need(replicas, Kind.REBUILD, internalBlocks(replicas, lost),
          replicas.sourcesWithout(GroupEntries.NONE), List.of()), storagePolicy);
    }
    if (replicas.needed() > 0 && !leaving.isEmpty()) {
      int index = leaving.get(0);
      return needed(replicas, level, 1, holders, need(replicas, Kind.LEAVING,
          internalBlocks(replicas, List.of(index)), replicas.copySources(index), replicas.sourcesWithout(index)),
          storagePolicy);
    }
    if (!replicas.isBadlyPlaced()) {
      return null;
    }
    List<IndexedNode> crowded = replicas.onRacks(GroupRacks.fullest(blocks, replicas));
    List<Integer> indices = crowded.stream().map(IndexedNode::index).distinct().toList();
    return needed(replicas, level, 1, holders,
        need(replicas, Kind.PLACEMENT, internalBlocks(replicas, indices), crowded, List.of()), storagePolicy);
  }

  /**
   * Whether the file was closed so lately that what the group lacks may be written and not reported yet. HDFS has
   * pending entries for that, but none for a group that is shorter than a stripe (HDFS-17732).
   */
  boolean isJustClosed(BlockInfoStriped group, BlockCollection file) {
    return isShort(group) && file instanceof INodeFile inode && justClosed.contains(group.getBlockId(),
        group.getGenerationStamp(), inode.getModificationTime(), Time.now(), System.nanoTime());
  }

  private boolean awaitsReports(BlockInfoStriped group, BlockCollection file) {
    return isShort(group) && file instanceof INodeFile inode && justClosed.holdBack(group.getBlockId(),
        group.getGenerationStamp(), inode.getModificationTime(), Time.now(), System.nanoTime());
  }

  private static boolean isShort(BlockInfoStriped group) {
    return group.getRealTotalBlockNum() < group.getTotalBlockNum();
  }

  /** Nodes that get no internal block of the group, whatever their rack. */
  Set<String> untouchable(GroupReplicas replicas) {
    Set<String> nodes = replicas.holders();
    nodes.addAll(stockTargets.of(replicas.group(), System.nanoTime()));
    return nodes;
  }

  /**
   * @param bytes how much room each of the copies needs
   * @param type of storage that has to have it
   */
  GroupRacks racks(GroupReplicas replicas, int copies, long bytes, StorageType type, Set<String> holders) {
    return new GroupRacks(blocks, replicas, copies, bytes, type, holders, targets);
  }

  private static List<InternalBlock> internalBlocks(GroupReplicas replicas, List<Integer> indices) {
    return indices.stream().map(index -> new InternalBlock(index, replicas.bytes(index))).toList();
  }

  private GroupNeed need(GroupReplicas replicas, Kind kind, List<InternalBlock> wanted, List<IndexedNode> sources,
      List<IndexedNode> others) {
    return new GroupNeed(policy(replicas.group()), replicas.group().getNumBytes(), replicas.width(), kind, wanted,
        sources, others);
  }

  private WaitingBlock needed(GroupReplicas replicas, int level, int copies, Set<String> holders, GroupNeed need,
      byte storagePolicy) {
    long bytes = need.wanted().stream().mapToLong(InternalBlock::bytes).max().orElse(0);
    CopyStorageTypes.Choice types = storageTypes(replicas, storagePolicy, copies, storageTypes.unavailable(bytes));
    if (types.count() == 0) {
      return BlockRecords.forStock(replicas.group(), level, WaitReason.NO_STORAGE_TYPE);
    }
    int atOnce = Math.min(copies, types.count());
    GroupRacks racks = racks(replicas, atOnce, bytes, types.type(), holders);
    return new WaitingBlock(BlockRecords.keyOf(replicas.group()), bytes, level, atOnce,
        need.sources().stream().map(IndexedNode::node).toList(),
        new ArrayList<>(holders), racks.forbidden(), racks.distinct(), types.bit(), null, need);
  }

  /** They follow from the policy and from all internal blocks that the group is to have. Needs no lock. */
  CopyStorageTypes.Choice storageTypes(GroupReplicas replicas, byte storagePolicy, int copies, int unavailable) {
    List<DatanodeStorageInfo> chosen = replicas.chosen();
    int missing = Math.max(copies, replicas.total() - chosen.size());
    return storageTypes.choose(storagePolicy, chosen, missing, unavailable);
  }

  /** The group's policy in our own words. */
  GroupPolicy policy(BlockInfoStriped group) {
    ErasureCodingPolicy policy = group.getErasureCodingPolicy();
    return policies.computeIfAbsent(policy.getName(), name -> new GroupPolicy(name, policy.getCodecName(),
        policy.getNumDataUnits(), policy.getNumParityUnits(), policy.getCellSize()));
  }

  /** LowRedundancyBlocks.getPriorityStriped, of a group that is not lost. */
  static int risk(BlockInfoStriped group, int live, int expected) {
    if (live >= expected) {
      return LowRedundancyBlocks.QUEUE_REPLICAS_BADLY_DISTRIBUTED;
    }
    int spare = live - group.getRealDataBlockNum();
    if (spare <= 0) {
      return LowRedundancyBlocks.QUEUE_HIGHEST_PRIORITY;
    }
    return spare * 3 < group.getParityBlockNum() + 1 ? LowRedundancyBlocks.QUEUE_VERY_LOW_REDUNDANCY
        : LowRedundancyBlocks.QUEUE_LOW_REDUNDANCY;
  }
}

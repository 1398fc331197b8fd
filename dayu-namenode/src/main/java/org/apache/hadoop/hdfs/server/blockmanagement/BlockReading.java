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
import io.dayu.blocks.BlockKey;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.net.NetworkTopology;
import org.apache.hadoop.net.Node;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Reads one block's replicas by the BlockManager's own rules (its {@code chooseSourceDatanodes} and
 * {@code scheduleReconstruction}, without their side effects and their random choice). Every method needs the
 * namesystem lock for reading, unless it says otherwise, and changes nothing.
 */
final class BlockReading {
  /** Racks begin with a slash. */
  private static final String UPGRADE_DOMAIN = "upgrade domain ";
  private static final int ALL_TYPES = (1 << StorageType.values().length) - 1;

  private final BlockManager blocks;
  private final GroupReading groups;
  private final VarHandle upgradeDomainFactor;
  private final CopyStorageTypes storageTypes;
  private volatile List<LiveNode> targets = List.of();
  /** Of the same nodes; for what is asked under the lock. */
  private volatile FreeRacks.Targets targetsByRack = FreeRacks.Targets.UNKNOWN;
  /** Also nodes that are silent now, and may be targets when they report again. */
  private volatile FreeRacks.Targets laterTargetsByRack = FreeRacks.Targets.UNKNOWN;

  /**
   * @param groups reads erasure-coded groups
   * @param storageTypes chooses types of storage
   * @param upgradeDomainFactor private field of {@code BlockPlacementPolicyWithUpgradeDomain}
   */
  BlockReading(BlockManager blocks, GroupReading groups, CopyStorageTypes storageTypes,
      VarHandle upgradeDomainFactor) {
    this.blocks = blocks;
    this.groups = groups;
    this.storageTypes = storageTypes;
    this.upgradeDomainFactor = upgradeDomainFactor;
  }

  /**
   * Sets the room that there is now.
   *
   * @param possibleTargets the nodes that may get blocks
   * @param laterTargets the same, and those that are silent now and may get blocks when they report again
   * @param maxBytes by storage type, the most room of a volume of a node in service
   */
  void setRoom(List<LiveNode> possibleTargets, List<LiveNode> laterTargets, long[] maxBytes) {
    targets = possibleTargets;
    targetsByRack = new FreeRacks.Targets(possibleTargets);
    laterTargetsByRack =
        laterTargets.size() == possibleTargets.size() ? targetsByRack : new FreeRacks.Targets(laterTargets);
    storageTypes.setRoom(maxBytes);
    if (groups.isEnabled()) {
      groups.setTargets(targetsByRack);
    }
  }

  /** On how many upgrade domains the placement policy wants a block; 0 if it knows none. */
  int upgradeDomainFactor() {
    return blocks.getBlockPlacementPolicy() instanceof BlockPlacementPolicyWithUpgradeDomain policy
        ? (int) upgradeDomainFactor.get(policy) : 0;
  }

  /** Name of the node's upgrade domain among the names of racks. */
  static String upgradeDomain(DatanodeDescriptor node) {
    return UPGRADE_DOMAIN + (node.getUpgradeDomain() == null ? node.getXferAddr() : node.getUpgradeDomain());
  }

  /** What was read under the lock. What planning needs to know follows from it without. */
  sealed interface Read {
    BlockKey key();

    long numBytes();

    /** Of the queue that it was read from. */
    int level();
  }

  /**
   * Of a block.
   *
   * @param holders DataNodes that must not receive the block
   * @param copies that stock HDFS would issue now
   */
  private record OfBlock(BlockKey key, long numBytes, int level, byte policyId, BlockReplicas replicas,
      List<String> holders, int copies) implements Read {
  }

  /** Of a group: what planning needs to know is known already. */
  private sealed interface OfGroup extends Read {
    WaitingBlock needed();

    @Override
    default BlockKey key() {
      return needed().key();
    }

    @Override
    default long numBytes() {
      return needed().numBytes();
    }

    @Override
    default int level() {
      return needed().risk();
    }
  }

  /** Of a group that is Dayu's. */
  private record OfOurGroup(WaitingBlock needed, byte policyId, GroupReplicas replicas) implements OfGroup {
  }

  /** Of a group that is left to stock HDFS. */
  private record OfStocksGroup(WaitingBlock needed) implements OfGroup {
  }

  /**
   * Reads {@code block}; null if it needs no copy now. Needs the whole lock, since the storage policy is the file's.
   *
   * @param needless receives the block if it {@link #isGone} or {@link #hasEnough} replicas; called at most once, on
   *     this thread, with the lock held for reading. So it only takes a note: to remove the block from its queue needs
   *     the lock for writing, and the check again
   */
  Read read(BlockInfo block, int level, Consumer<BlockInfo> needless) {
    if (isGone(block)) {
      needless.accept(block);
      return null;
    }
    BlockCollection file = blocks.getBlockCollection(block);
    if (file == null) {
      return null;
    }
    if (block instanceof BlockInfoStriped group) {
      return readGroup(group, level, file, needless);
    }
    BlockReplicas replicas = new BlockReplicas(blocks, block);
    if (replicas.areEnough()) {
      needless.accept(block);
      return null;
    }
    int copies = replicas.copiesToIssue();
    if (copies <= 0) {
      return null;
    }
    List<String> holders = inNodeGroups() ? withNodeGroups(replicas) : replicas.holders();
    return new OfBlock(BlockRecords.keyOf(block), block.getNumBytes(), level, file.getStoragePolicyID(), replicas,
        holders, copies);
  }

  private Read readGroup(BlockInfoStriped group, int level, BlockCollection file, Consumer<BlockInfo> needless) {
    if (!groups.isEnabled()) {
      return new OfStocksGroup(BlockRecords.forStock(group, level, WaitReason.ERASURE_CODED));
    }
    GroupReplicas replicas = groups.replicas(group);
    WaitingBlock needed = groups.read(replicas, level, file, needless);
    return needed == null ? null : new OfOurGroup(needed, file.getStoragePolicyID(), replicas);
  }

  /** What planning needs to know of a block. Needs no lock: it asks for what has none, or one of its own. */
  WaitingBlock needed(Read read) {
    return read instanceof OfGroup group ? group.needed() : needed((OfBlock) read);
  }

  private WaitingBlock needed(OfBlock read) {
    BlockReplicas replicas = read.replicas;
    int copies = read.copies;
    List<DatanodeStorageInfo> chosen = replicas.chosen();
    CopyStorageTypes.Choice types =
        storageTypes.choose(read.policyId, chosen, copies, storageTypes.unavailable(read.numBytes));
    if (types.count() == 0 || replicas.inProvidedStorage()) {
      return BlockRecords.forStock(read.key, read.numBytes, read.level,
          replicas.inProvidedStorage() ? WaitReason.PROVIDED_STORAGE : WaitReason.NO_STORAGE_TYPE);
    }
    Racks racks = new Racks(chosen, copies);
    // Two copies planned at once might meet in a group or domain.
    int atOnce = inNodeGroups() || racks.domains ? 1 : Math.min(copies, types.count());
    return new WaitingBlock(read.key, read.numBytes, read.level, atOnce, replicas.sources(),
        read.holders, racks.forbidden, racks.distinct, types.bit(), null);
  }

  /**
   * As {@link #needed}, but a copy may stay in the only rack that has replicas if no node elsewhere has room, and a
   * type of storage gives way to the policy's fallback already if no node that may get the block has room there. Looks
   * at targets until one has room, at all of them for a type without room.
   */
  WaitingBlock neededByNode(Read read) {
    WaitingBlock needed = needed(read);
    if (needed.isForStock() || storageTypes.maxRoomBytes() == null) {
      return needed;
    }
    int wanted = Integer.numberOfTrailingZeros(needed.storageTypes());
    if (hasRoom(needed, wanted)) {
      return needed;
    }
    if (read instanceof OfBlock block && mayStayInRack(block.replicas, block.numBytes, needed.storageTypes())) {
      WaitingBlock inRack = needed.withoutForbiddenFaultDomains();
      if (hasRoom(inRack, wanted)) {
        return inRack;
      }
    }
    int unavailable = 1 << wanted;
    for (int type = 0; type < StorageType.values().length; type++) {
      unavailable |= type == wanted || hasRoom(needed, type) ? 0 : 1 << type;
    }
    CopyStorageTypes.Choice types = typesWithout(unavailable, read, needed.copies());
    return types.count() == 0 ? needed
        : needed.onStorageTypes(types.bit(), Math.min(needed.copies(), types.count()));
  }

  private CopyStorageTypes.Choice typesWithout(int unavailable, Read read, int copies) {
    if (read instanceof OfOurGroup group) {
      return groups.storageTypes(group.replicas, group.policyId, copies, unavailable);
    }
    OfBlock block = (OfBlock) read;
    return storageTypes.choose(block.policyId, block.replicas.chosen(), block.copies, unavailable);
  }

  /** Whether a node that may get the block has room for it on this type of storage. */
  private boolean hasRoom(WaitingBlock block, int type) {
    long bytes = Math.max(1, block.numBytes());
    if (storageTypes.maxRoomBytes()[type] < bytes) {
      return false;
    }
    for (LiveNode node : targets) {
      if (node.space().maxVolumeFreeBytes()[type] >= bytes && !block.holders().contains(node.uuid())
          && !node.isForbidden(block)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether a copy may go to the only rack that has replicas, as with stock's default policy: the block lacks replicas,
   * not only racks, the rack may hold more of them, and no target elsewhere has room. Needs no lock; the commit asks
   * with the lock held, so it looks at the block's nodes only.
   *
   * @param types of storage that may hold the copy: bits by ordinal
   */
  boolean mayStayInRack(BlockReplicas replicas, long numBytes, int types) {
    List<DatanodeStorageInfo> chosen = replicas.chosen();
    int max = RackRules.maxNodesPerRack(blocks.getBlockPlacementPolicy(),
        Math.max(chosen.size() + 1, replicas.expected()),
        blocks.getDatanodeManager().getNetworkTopology().getNumOfNonEmptyRacks());
    if (blocks.getBlockPlacementPolicy().getClass() != BlockPlacementPolicyDefault.class || chosen.isEmpty()
        || replicas.areEnoughWith(0) || chosen.size() >= max) {
      return false;
    }
    String rack = RackRules.rackOf(blocks, chosen.get(0).getDatanodeDescriptor());
    for (DatanodeStorageInfo storage : chosen) {
      if (!RackRules.rackOf(blocks, storage.getDatanodeDescriptor()).equals(rack)) {
        return false;
      }
    }
    return !targetsByRack.haveRoomBeside(List.of(rack), replicas.holders(), Math.max(1, numBytes), types);
  }

  /**
   * Racks that hold as many replicas of the block as the default policy allows, so that neither Dayu nor stock HDFS
   * places a further one there. None of another policy: it may place one there after all.
   */
  Set<String> fullRacks(BlockReplicas replicas) {
    List<DatanodeStorageInfo> chosen = replicas.chosen();
    BlockPlacementPolicy policy = blocks.getBlockPlacementPolicy();
    if (policy.getClass() != BlockPlacementPolicyDefault.class) {
      return Set.of();
    }
    int max = RackRules.maxNodesPerRack(policy, Math.max(chosen.size() + 1, replicas.expected()),
        blocks.getDatanodeManager().getNetworkTopology().getNumOfNonEmptyRacks());
    Map<String, Integer> counts = new HashMap<>();
    for (DatanodeStorageInfo storage : chosen) {
      counts.merge(RackRules.rackOf(blocks, storage.getDatanodeDescriptor()), 1, Integer::sum);
    }
    counts.values().removeIf(count -> count < max);
    return counts.keySet();
  }

  /**
   * Whether a node that has no replica of the block and awaits none has room for one on a type of storage that the
   * storage policy allows a further copy, on a rack that is none of these; also one that is silent now. The block lacks
   * replicas and none is pending. Looks at the block's nodes only.
   */
  boolean hasTarget(BlockReplicas replicas, long numBytes, byte policyId, Set<String> fullRacks) {
    for (StorageType type : StorageType.values()) {
      if (mayHaveCopyOn(type, replicas, policyId)
          && laterTargetsByRack.haveRoomBeside(fullRacks, replicas.holders(), Math.max(1, numBytes), bit(type))) {
        return true;
      }
    }
    return false;
  }

  /** Whether the storage policy puts a further copy on this type of storage if no other has room. */
  boolean mayHaveCopyOn(StorageType type, BlockReplicas replicas, byte policyId) {
    return storageTypes.choose(policyId, replicas.chosen(), replicas.copiesToIssue(), ALL_TYPES & ~bit(type))
        .count() > 0;
  }

  private static int bit(StorageType type) {
    return 1 << type.ordinal();
  }

  /** Whether the block is deleted or was reopened. */
  static boolean isGone(BlockInfo block) {
    return block.isDeleted() || !block.isCompleteOrCommitted();
  }

  /**
   * Whether a block needs no copy besides those that are pending; never of a group that is left to stock. Needs the
   * lock of the blocks only.
   */
  boolean hasEnough(BlockInfo block) {
    return block instanceof BlockInfoStriped group ? groups.isEnabled() && groups.replicas(group).areEnough()
        : new BlockReplicas(blocks, block).areEnough();
  }

  private boolean inNodeGroups() {
    return blocks.getBlockPlacementPolicy() instanceof BlockPlacementPolicyWithNodeGroup;
  }

  /** A node group, which fails as one, holds one replica of a block. Needs the lock, which nodes register under. */
  private List<String> withNodeGroups(BlockReplicas replicas) {
    Set<String> all = new LinkedHashSet<>(replicas.holders());
    NetworkTopology topology = blocks.getDatanodeManager().getNetworkTopology();
    for (DatanodeStorageInfo storage : replicas.chosen()) {
      for (Node neighbour : topology.getLeaves(storage.getDatanodeDescriptor().getNetworkLocation())) {
        all.add(((DatanodeDescriptor) neighbour).getDatanodeUuid());
      }
    }
    return List.copyOf(all);
  }

  /**
   * How a block stands, for people.
   *
   * @param pendingSinceMs since when HDFS awaits a copy, in milliseconds since the epoch; 0 if it awaits none
   */
  BlockDetails details(BlockInfo block, long pendingSinceMs) {
    NumberReplicas replicas = blocks.countNodes(block);
    int expected = blocks.getExpectedRedundancyNum(block);
    boolean queued = blocks.neededReconstruction.contains(block);
    List<String> pending =
        pendingTargets(block).stream().map(storage -> storage.getDatanodeDescriptor().getDatanodeUuid()).toList();
    return new BlockDetails(BlockRecords.keyOf(block), block.getNumBytes(), replicas.liveReplicas(), expected, pending,
        pendingSinceMs, fileState(block), queued, queued ? neededNow(block) : null);
  }

  private WaitingBlock neededNow(BlockInfo block) {
    Read read = read(block, risk(block), gone -> {});
    return read == null ? null
        : read instanceof OfStocksGroup && block instanceof BlockInfoStriped group
            ? groups.readForStock(groups.replicas(group), read.level(), blocks.getBlockCollection(block))
        : needed(read);
  }

  private FileState fileState(BlockInfo block) {
    if (!block.isCompleteOrCommitted()) {
      return FileState.OPEN;
    }
    return block instanceof BlockInfoStriped group && groups.isEnabled()
        && groups.isJustClosed(group, blocks.getBlockCollection(block)) ? FileState.JUST_CLOSED
            : FileState.CLOSED;
  }

  /** The level of the queue that the block belongs to. */
  int risk(BlockInfo block) {
    int live = blocks.countNodes(block).liveReplicas();
    int expected = blocks.getExpectedRedundancyNum(block);
    return block instanceof BlockInfoStriped group ? GroupReading.risk(group, live, expected) : risk(live, expected);
  }

  /** LowRedundancyBlocks.getPriorityContiguous. */
  private static int risk(int live, int expected) {
    if (live >= expected) {
      return LowRedundancyBlocks.QUEUE_REPLICAS_BADLY_DISTRIBUTED;
    }
    if (live <= 1) {
      return LowRedundancyBlocks.QUEUE_HIGHEST_PRIORITY;
    }
    return live * 3 < expected ? LowRedundancyBlocks.QUEUE_VERY_LOW_REDUNDANCY
        : LowRedundancyBlocks.QUEUE_LOW_REDUNDANCY;
  }

  List<DatanodeStorageInfo> pendingTargets(BlockInfo block) {
    List<DatanodeStorageInfo> targets = blocks.pendingReconstruction.getTargets(block);
    return targets == null ? List.of() : targets;
  }

  /**
   * What the placement policies of HDFS say about racks, as constraints for the planner; the policy itself decides at
   * commit.
   */
  private final class Racks {
    private final List<String> forbidden = new ArrayList<>(2);
    private final boolean distinct;
    /** Whether a further copy has to go to another upgrade domain. */
    private final boolean domains;

    Racks(List<DatanodeStorageInfo> chosen, int copies) {
      NetworkTopology topology = blocks.getDatanodeManager().getNetworkTopology();
      int racks = topology.getNumOfNonEmptyRacks();
      int nodes = chosen.size();
      String[] used = new String[nodes];
      int[] replicas = new int[nodes];
      int usedCount = 0;
      for (int i = 0; i < nodes; i++) {
        String rack = topology.getRack(chosen.get(i).getDatanodeDescriptor().getNetworkLocation());
        int at = 0;
        while (at < usedCount && !used[at].equals(rack)) {
          at++;
        }
        used[at] = rack;
        replicas[at]++;
        usedCount = Math.max(usedCount, at + 1);
      }
      boolean spread = blocks.getBlockPlacementPolicy() instanceof BlockPlacementPolicyRackFaultTolerant;
      this.distinct = spread && usedCount + copies <= racks;
      int max = RackRules.maxNodesPerRack(blocks.getBlockPlacementPolicy(), nodes + copies, racks);
      boolean newRackNeeded = racks > 1 && (usedCount == 1 || spread && usedCount < racks);
      for (int i = 0; i < usedCount; i++) {
        if (newRackNeeded || racks > 1 && replicas[i] >= max) {
          forbidden.add(used[i]);
        }
      }
      int factor = upgradeDomainFactor();
      Set<String> usedDomains = new LinkedHashSet<>();
      if (factor > 0) {
        chosen.forEach(storage -> usedDomains.add(upgradeDomain(storage.getDatanodeDescriptor())));
      }
      this.domains = usedDomains.size() < Math.min(factor, chosen.size() + copies);
      if (domains) {
        forbidden.addAll(usedDomains);
      }
    }
  }
}

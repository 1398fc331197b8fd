/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.BlockDetails;
import io.dayu.blocks.BlockKey;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.NeededBlock;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.net.NetworkTopology;
import org.apache.hadoop.net.Node;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Reads one block's replicas by the BlockManager's own rules (its {@code chooseSourceDatanodes} and
 * {@code scheduleReconstruction}, without their side effects and their random choice). Every method needs the
 * namesystem lock for reading, and changes nothing.
 */
final class BlockReading {
  /** Racks begin with a slash. */
  private static final String UPGRADE_DOMAIN = "upgrade domain ";
  private static final int MAX_KEPT_COPIES = 15;

  /** How many of the next copies go to one type of storage, and its bit. */
  private record CopyTypes(int count, int bit) {
  }

  private final BlockManager blocks;
  private final VarHandle upgradeDomainFactor;
  /** By type, the most room of a volume of a node in service; any room before it is known. */
  private volatile long[] maxRoomBytes;
  private volatile List<LiveNode> targets = List.of();
  /** Storage policies do not change while a NameNode runs, so there are few different keys. */
  private final Map<Long, CopyTypes> typesByKey = new ConcurrentHashMap<>();

  /** @param upgradeDomainFactor private field of {@code BlockPlacementPolicyWithUpgradeDomain} */
  BlockReading(BlockManager blocks, VarHandle upgradeDomainFactor) {
    this.blocks = blocks;
    this.upgradeDomainFactor = upgradeDomainFactor;
  }

  /**
   * Sets the room that there is now.
   *
   * @param possibleTargets the nodes that may get blocks
   * @param maxBytes by storage type, the most room of a volume of a node in service
   */
  void setRoom(List<LiveNode> possibleTargets, long[] maxBytes) {
    targets = possibleTargets;
    maxRoomBytes = maxBytes;
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

  /**
   * What planning needs to know of {@code block}, or null if it needs no copy now.
   *
   * @param needless receives the block if it {@link #isGone} or {@link #hasEnough} replicas; called at most once, on
   *     this thread, with the lock held for reading. So it only takes a note: to remove the block from its queue needs
   *     the lock for writing, and the check again
   */
  NeededBlock read(BlockInfo block, int level, Consumer<BlockInfo> needless) {
    if (isGone(block)) {
      needless.accept(block);
      return null;
    }
    BlockCollection file = blocks.getBlockCollection(block);
    if (file == null) {
      return null;
    }
    if (block.isStriped()) {
      return stockOnly(block, level);
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
    List<DatanodeStorageInfo> chosen = replicas.chosen();
    CopyTypes types = types(file.getStoragePolicyID(), chosen, copies, unavailable(block.getNumBytes()));
    if (types.count == 0 || replicas.inProvidedStorage()) {
      return stockOnly(block, level);
    }
    Racks racks = new Racks(chosen, copies);
    boolean inNodeGroups = blocks.getBlockPlacementPolicy() instanceof BlockPlacementPolicyWithNodeGroup;
    // Two copies planned at once might meet in a group or domain.
    int atOnce = inNodeGroups || racks.domains ? 1 : Math.min(copies, types.count);
    return new NeededBlock(keyOf(block), block.getNumBytes(), level, atOnce, replicas.sources(),
        inNodeGroups ? withNodeGroups(replicas.holders(), chosen) : replicas.holders(), racks.forbidden, racks.distinct,
        types.bit, false);
  }

  /**
   * As {@link #read}, but a type of storage gives way to the policy's fallback already if no node that may get the
   * block has room there. Looks at targets until one has room, at all of them for a type without room.
   */
  NeededBlock readByNode(BlockInfo block, int level, Consumer<BlockInfo> needless) {
    NeededBlock needed = read(block, level, needless);
    if (needed == null || needed.stockOnly() || maxRoomBytes == null) {
      return needed;
    }
    int wanted = Integer.numberOfTrailingZeros(needed.storageTypes());
    if (hasRoom(needed, wanted)) {
      return needed;
    }
    int unavailable = 1 << wanted;
    for (int type = 0; type < StorageType.values().length; type++) {
      unavailable |= type == wanted || hasRoom(needed, type) ? 0 : 1 << type;
    }
    BlockReplicas replicas = new BlockReplicas(blocks, block);
    CopyTypes types = types(blocks.getBlockCollection(block).getStoragePolicyID(), replicas.chosen(),
        replicas.copiesToIssue(), unavailable);
    return types.count == 0 ? needed
        : new NeededBlock(needed.key(), needed.numBytes(), level, Math.min(needed.copies(), types.count),
            needed.sources(), needed.holders(), needed.forbiddenFaultDomains(), needed.distinctRacks(), types.bit,
            false);
  }

  /** Whether a node that may get the block has room for it on this type of storage. */
  private boolean hasRoom(NeededBlock block, int type) {
    long bytes = Math.max(1, block.numBytes());
    if (maxRoomBytes[type] < bytes) {
      return false;
    }
    for (LiveNode node : targets) {
      if (node.maxVolumeFreeBytes()[type] >= bytes && !block.holders().contains(node.uuid())
          && !node.isForbidden(block)) {
        return true;
      }
    }
    return false;
  }

  /** Whether the block is deleted or was reopened. */
  static boolean isGone(BlockInfo block) {
    return block.isDeleted() || !block.isCompleteOrCommitted();
  }

  /** Whether a replicated block needs no copy besides those that are pending. */
  boolean hasEnough(BlockInfo block) {
    return blocks.getBlockCollection(block) != null && !block.isStriped()
        && new BlockReplicas(blocks, block).areEnough();
  }

  /** A node group, which fails as one, holds one replica of a block. */
  private List<String> withNodeGroups(List<String> holders, List<DatanodeStorageInfo> chosen) {
    Set<String> all = new LinkedHashSet<>(holders);
    NetworkTopology topology = blocks.getDatanodeManager().getNetworkTopology();
    for (DatanodeStorageInfo storage : chosen) {
      for (Node neighbour : topology.getLeaves(storage.getDatanodeDescriptor().getNetworkLocation())) {
        all.add(((DatanodeDescriptor) neighbour).getDatanodeUuid());
      }
    }
    return List.copyOf(all);
  }

  /** How a block stands, for people. */
  BlockDetails details(BlockInfo block) {
    NumberReplicas replicas = blocks.countNodes(block);
    int expected = blocks.getExpectedRedundancyNum(block);
    boolean queued = blocks.neededReconstruction.contains(block);
    List<String> pending =
        pendingTargets(block).stream().map(storage -> storage.getDatanodeDescriptor().getDatanodeUuid()).toList();
    NeededBlock needed = queued ? read(block, risk(replicas, expected), gone -> {}) : null;
    return new BlockDetails(keyOf(block), block.getNumBytes(), replicas.liveReplicas(), expected, pending, queued,
        needed);
  }

  /** The level of the queue that the block belongs to. */
  int risk(BlockInfo block) {
    return risk(blocks.countNodes(block), blocks.getExpectedRedundancyNum(block));
  }

  /** LowRedundancyBlocks.getPriorityContiguous. */
  private static int risk(NumberReplicas replicas, int expected) {
    int live = replicas.liveReplicas();
    if (live >= expected) {
      return LowRedundancyBlocks.QUEUE_REPLICAS_BADLY_DISTRIBUTED;
    }
    if (live <= 1) {
      return LowRedundancyBlocks.QUEUE_HIGHEST_PRIORITY;
    }
    return live * 3 < expected ? LowRedundancyBlocks.QUEUE_VERY_LOW_REDUNDANCY
        : LowRedundancyBlocks.QUEUE_LOW_REDUNDANCY;
  }

  /** What is left to stock HDFS. */
  static NeededBlock stockOnly(BlockInfo block, int level) {
    return new NeededBlock(keyOf(block), block.getNumBytes(), level, 1, List.of(), List.of(), List.of(), false, 0,
        true);
  }

  static BlockKey keyOf(BlockInfo block) {
    return new BlockKey(block.getBlockId(), block.getGenerationStamp());
  }

  List<DatanodeStorageInfo> pendingTargets(BlockInfo block) {
    List<DatanodeStorageInfo> targets = blocks.pendingReconstruction.getTargets(block);
    return targets == null ? List.of() : targets;
  }

  /** Bits of the storage types that have no room for {@code bytes} anywhere: a policy's fallbacks take their place. */
  private int unavailable(long bytes) {
    long[] max = maxRoomBytes;
    int types = 0;
    for (int type = 0; max != null && type < max.length; type++) {
      types |= max[type] < Math.max(1, bytes) ? 1 << type : 0;
    }
    return types;
  }

  /**
   * The storage types of further copies, which follow from the policy, the types of those chosen, how many are to come
   * and which types have no room.
   */
  private CopyTypes types(byte policyId, List<DatanodeStorageInfo> chosen, int copies, int unavailable) {
    if (chosen.size() > MAX_KEPT_COPIES || copies > MAX_KEPT_COPIES) {
      return chooseTypes(policyId, chosen, copies, unavailable);
    }
    // Four bits for the number of replicas of each type, above them what is unavailable, below them copies and policy.
    long key = policyId & 0xff | copies << 8 | (long) unavailable << 16 + 4 * StorageType.values().length;
    for (int i = 0; i < chosen.size(); i++) {
      key += 1L << 16 + 4 * chosen.get(i).getStorageType().ordinal();
    }
    CopyTypes types = typesByKey.get(key);
    if (types == null) {
      types = chooseTypes(policyId, chosen, copies, unavailable);
      typesByKey.put(key, types);
    }
    return types;
  }

  private CopyTypes chooseTypes(byte policyId, List<DatanodeStorageInfo> chosen, int copies, int unavailable) {
    EnumSet<StorageType> without = EnumSet.noneOf(StorageType.class);
    for (StorageType type : StorageType.values()) {
      if ((unavailable & 1 << type.ordinal()) != 0) {
        without.add(type);
      }
    }
    List<StorageType> present = chosen.stream().map(DatanodeStorageInfo::getStorageType).toList();
    List<StorageType> types =
        blocks.getStoragePolicy(policyId).chooseStorageTypes((short) (chosen.size() + copies), present, without, false);
    int ofFirst = types.isEmpty() ? 0 : (int) types.stream().takeWhile(types.get(0)::equals).count();
    return new CopyTypes(ofFirst, ofFirst == 0 ? 0 : 1 << types.get(0).ordinal());
  }

  /**
   * Most replicas that a rack may hold: getMaxNodesPerRack of BlockPlacementPolicyDefault and of
   * BlockPlacementPolicyRackFaultTolerant.
   */
  int maxNodesPerRack(int replicas, int racks) {
    if (racks <= 1 || replicas <= 1) {
      return replicas;
    }
    if (blocks.getBlockPlacementPolicy() instanceof BlockPlacementPolicyRackFaultTolerant) {
      return (replicas - 1) / racks + 1;
    }
    int max = (replicas - 1) / racks + 2;
    return max == replicas ? max - 1 : max;
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
      int max = maxNodesPerRack(nodes + copies, racks);
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

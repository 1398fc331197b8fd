/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.BlockDetails;
import io.dayu.blocks.NeededBlock;

import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;
import org.apache.hadoop.net.NetworkTopology;
import org.apache.hadoop.net.Node;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads one block's replicas by the BlockManager's own rules (its {@code chooseSourceDatanodes} and {@code scheduleReconstruction}, without
 * their side effects and their random choice). No state of its own; every method needs the namesystem lock.
 */
final class BlockReading {
  /** Racks begin with a slash. */
  private static final String UPGRADE_DOMAIN = "upgrade domain ";

  private final BlockManager blocks;
  private final VarHandle upgradeDomainFactor;

  /** @param upgradeDomainFactor private field of {@code BlockPlacementPolicyWithUpgradeDomain} */
  BlockReading(BlockManager blocks, VarHandle upgradeDomainFactor) {
    this.blocks = blocks;
    this.upgradeDomainFactor = upgradeDomainFactor;
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
   * What planning needs to know of {@code block}, or null if it needs no copy now. A block that is gone or has enough replicas is
   * removed from the queue and counted, as stock does.
   */
  NeededBlock read(BlockInfo block, int level) {
    if (block.isDeleted() || !block.isCompleteOrCommitted()) {
      blocks.neededReconstruction.remove(block, level);
      return null;
    }
    BlockCollection file = blocks.getBlockCollection(block);
    if (file == null) {
      return null;
    }
    if (block.isStriped()) {
      return stockOnly(block, level);
    }
    NumberReplicas replicas = blocks.countNodes(block);
    int pending = blocks.pendingReconstruction.getNumReplicas(block);
    if (blocks.hasEnoughEffectiveReplicas(block, replicas, pending)) {
      blocks.neededReconstruction.remove(block, level);
      NameNode.getNameNodeMetrics().incNumTimesReReplicationNotScheduled();
      return null;
    }
    int copies = copiesToIssue(block, replicas, pending);
    if (copies <= 0) {
      return null;
    }
    List<DatanodeStorageInfo> chosen = chosenStorages(block);
    List<StorageType> types = storageTypes(file, chosen, copies);
    if (types.isEmpty() || chosen.stream().anyMatch(s -> s.getStorageType() == StorageType.PROVIDED)) {
      return stockOnly(block, level);
    }
    StorageType type = types.get(0);
    int copiesOfType = (int) types.stream().takeWhile(type::equals).count();
    Racks racks = new Racks(chosen, copies);
    List<String> holders = holders(block);
    boolean inNodeGroups = blocks.getBlockPlacementPolicy() instanceof BlockPlacementPolicyWithNodeGroup;
    // Two copies planned at once might meet in a group or domain.
    int atOnce = inNodeGroups || racks.domains ? 1 : Math.min(copies, copiesOfType);
    return new NeededBlock(keyOf(block), block.getNumBytes(), level, atOnce, sources(block),
        inNodeGroups ? withNodeGroups(holders, chosen) : holders, racks.forbidden, racks.distinct, 1 << type.ordinal(), false);
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
    List<String> pending = pendingTargets(block).stream().map(storage -> storage.getDatanodeDescriptor().getDatanodeUuid()).toList();
    NeededBlock needed = queued ? read(block, risk(replicas, expected)) : null;
    return new BlockDetails(keyOf(block), block.getNumBytes(), replicas.liveReplicas(), expected, pending, queued, needed);
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
    return live * 3 < expected ? LowRedundancyBlocks.QUEUE_VERY_LOW_REDUNDANCY : LowRedundancyBlocks.QUEUE_LOW_REDUNDANCY;
  }

  private static NeededBlock stockOnly(BlockInfo block, int level) {
    return new NeededBlock(keyOf(block), block.getNumBytes(), level, 1, List.of(), List.of(), List.of(), false, 0, true);
  }

  static BlockKey keyOf(BlockInfo block) {
    return new BlockKey(block.getBlockId(), block.getGenerationStamp());
  }

  /** BlockManager.scheduleReconstruction's additionalReplRequired. */
  int copiesToIssue(BlockInfo block, NumberReplicas replicas, int pending) {
    int required = blocks.getExpectedLiveRedundancyNum(block, replicas);
    return replicas.liveReplicas() < required
        ? required - replicas.liveReplicas() - pending
        : blocks.getBlockPlacementStatus(block).getAdditionalReplicasRequired();
  }

  /**
   * DataNodes that can serve the block: live, decommissioning and readable entering-maintenance replicas; decommissioned ones only
   * if there is nothing else; never corrupt, excess or unreadable ones.
   */
  List<String> sources(BlockInfo block) {
    List<String> sources = new ArrayList<>(3);
    List<String> decommissioned = new ArrayList<>(0);
    for (DatanodeStorageInfo storage : blocks.getStorages(block)) {
      DatanodeDescriptor node = storage.getDatanodeDescriptor();
      boolean readable = storage.getState() != DatanodeStorage.State.FAILED && node.isAlive() && !node.isInMaintenance()
          && !blocks.isReplicaCorrupt(block, node) && !blocks.isExcess(node, block);
      if (readable) {
        (node.isDecommissioned() ? decommissioned : sources).add(node.getDatanodeUuid());
      }
    }
    return sources.isEmpty() ? decommissioned : sources;
  }

  private List<String> holders(BlockInfo block) {
    Set<String> holders = new LinkedHashSet<>();
    for (DatanodeStorageInfo storage : blocks.getStorages(block)) {
      holders.add(storage.getDatanodeDescriptor().getDatanodeUuid());
    }
    for (DatanodeStorageInfo storage : pendingTargets(block)) {
      holders.add(storage.getDatanodeDescriptor().getDatanodeUuid());
    }
    return List.copyOf(holders);
  }

  List<DatanodeStorageInfo> pendingTargets(BlockInfo block) {
    List<DatanodeStorageInfo> targets = blocks.pendingReconstruction.getTargets(block);
    return targets == null ? List.of() : targets;
  }

  /** Live replicas and pending targets: what the placement of further copies has to go together with. */
  List<DatanodeStorageInfo> chosenStorages(BlockInfo block) {
    List<DatanodeStorageInfo> chosen = new ArrayList<>(4);
    for (DatanodeStorageInfo storage : blocks.getStorages(block)) {
      DatanodeDescriptor node = storage.getDatanodeDescriptor();
      if (storage.getState() == DatanodeStorage.State.NORMAL && node.isInService() && node.isAlive()
          && !blocks.isReplicaCorrupt(block, node) && !blocks.isExcess(node, block)) {
        chosen.add(storage);
      }
    }
    chosen.addAll(pendingTargets(block));
    return chosen;
  }

  private List<StorageType> storageTypes(BlockCollection file, List<DatanodeStorageInfo> chosen, int copies) {
    BlockStoragePolicy policy = blocks.getStoragePolicy(file.getStoragePolicyID());
    List<StorageType> present = chosen.stream().map(DatanodeStorageInfo::getStorageType).toList();
    return policy.chooseStorageTypes((short) (chosen.size() + copies), present, EnumSet.noneOf(StorageType.class), false);
  }

  /** Most replicas that a rack may hold: getMaxNodesPerRack of BlockPlacementPolicyDefault and of BlockPlacementPolicyRackFaultTolerant. */
  int maxNodesPerRack(int replicas, int racks) {
    if (racks <= 1 || replicas <= 1) {
      return replicas;
    }
    if (blocks.getBlockPlacementPolicy() instanceof BlockPlacementPolicyRackFaultTolerant) {
      return (replicas - 1) / racks + 1;
    }
    int most = (replicas - 1) / racks + 2;
    return most == replicas ? most - 1 : most;
  }

  /** What the placement policies of HDFS say about racks, as constraints for the planner; the policy itself decides at commit. */
  private final class Racks {
    private final List<String> forbidden = new ArrayList<>(1);
    private final boolean distinct;
    /** Whether a further copy has to go to another upgrade domain. */
    private final boolean domains;

    Racks(List<DatanodeStorageInfo> chosen, int copies) {
      NetworkTopology topology = blocks.getDatanodeManager().getNetworkTopology();
      int racks = topology.getNumOfNonEmptyRacks();
      Map<String, Integer> used = new HashMap<>();
      for (DatanodeStorageInfo storage : chosen) {
        used.merge(topology.getRack(storage.getDatanodeDescriptor().getNetworkLocation()), 1, Integer::sum);
      }
      boolean spread = blocks.getBlockPlacementPolicy() instanceof BlockPlacementPolicyRackFaultTolerant;
      this.distinct = spread && used.size() + copies <= racks;
      int most = maxNodesPerRack(chosen.size() + copies, racks);
      boolean newRackNeeded = racks > 1 && (used.size() == 1 || spread && used.size() < racks);
      used.forEach((rack, count) -> {
        if (newRackNeeded || racks > 1 && count >= most) {
          forbidden.add(rack);
        }
      });
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

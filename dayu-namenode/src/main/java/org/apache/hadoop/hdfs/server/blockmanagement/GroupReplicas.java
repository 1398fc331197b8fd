/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.IndexedNode;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfoStriped.StorageAndBlockIndex;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The internal blocks and pending entries of one erasure-coded group, as one walk over its storages finds them by
 * BlockManager's own rules: what {@link BlockReplicas} is for a block. Made and used within one hold of the namesystem
 * lock, but for {@link #chosen} and {@link #total}.
 */
final class GroupReplicas {
  /** The best state that a holder of an index has; a later one is better. */
  enum State {
    /** Nobody has it, or nobody that may be read. */
    NONE,
    /** In maintenance: counted, but not to be read. */
    MAINTENANCE,
    /** Decommissioned: read if nothing else is left. */
    DECOMMISSIONED,
    /** Decommissioning or entering maintenance. */
    LEAVING,
    /** In service. */
    LIVE
  }

  private record Holder(DatanodeStorageInfo storage, int index, State state) {
    String node() {
      return storage.getDatanodeDescriptor().getDatanodeUuid();
    }
  }

  private final BlockManager blocks;
  private final BlockInfoStriped group;
  private final List<Holder> all = new ArrayList<>();
  private final State[] states;
  /** Pending entries of Dayu's that make an index. */
  private final int[] underWay;
  private final List<DatanodeStorageInfo> chosen = new ArrayList<>();
  private final List<DatanodeStorageInfo> pending;
  private final boolean awaitsStock;
  private final int total;
  private final int live;
  private final int expectedLive;

  GroupReplicas(BlockManager blocks, BlockInfoStriped group, GroupEntries entries) {
    this.blocks = blocks;
    this.group = group;
    this.states = new State[group.getTotalBlockNum()];
    this.underWay = new int[states.length];
    Arrays.fill(states, State.NONE);
    for (StorageAndBlockIndex one : group.getStorageAndIndexInfos()) {
      Holder holder = new Holder(one.getStorage(), one.getBlockIndex(), stateOf(one.getStorage()));
      all.add(holder);
      if (holder.state.compareTo(states[holder.index]) > 0) {
        states[holder.index] = holder.state;
      }
      if (holder.state == State.LIVE) {
        chosen.add(holder.storage);
      }
    }
    this.total = group.getRealTotalBlockNum();
    NumberReplicas counted = blocks.countNodes(group);
    this.live = counted.liveReplicas();
    this.expectedLive = blocks.getExpectedLiveRedundancyNum(group, counted);
    List<DatanodeStorageInfo> targets = blocks.pendingReconstruction.getTargets(group);
    this.pending = targets == null ? List.of() : targets;
    boolean others = false;
    for (DatanodeStorageInfo target : pending) {
      int index = entries.indexOf(group, target.getDatanodeDescriptor().getDatanodeUuid());
      if (index == GroupEntries.NONE) {
        others = true;
      } else {
        underWay[index]++;
      }
    }
    this.awaitsStock = others;
    chosen.addAll(pending);
  }

  private State stateOf(DatanodeStorageInfo storage) {
    DatanodeDescriptor node = storage.getDatanodeDescriptor();
    if (storage.getState() != DatanodeStorage.State.NORMAL || blocks.isReplicaCorrupt(group, node)
        || blocks.isExcess(node, group)) {
      return State.NONE;
    }
    if (node.isMaintenance()) {
      return node.isInMaintenance() || !node.isAlive() ? State.MAINTENANCE : State.LEAVING;
    }
    if (!node.isAlive()) {
      return State.NONE;
    }
    return node.isDecommissioned() ? State.DECOMMISSIONED
        : node.isDecommissionInProgress() ? State.LEAVING
        : State.LIVE;
  }

  BlockInfoStriped group() {
    return group;
  }

  /** Whether the group has an internal block of this index: one that is shorter than a stripe lacks some. */
  boolean isReal(int index) {
    return index >= 0 && index < states.length
        && (index < group.getRealDataBlockNum() || index >= group.getDataBlockNum());
  }

  /** How many internal blocks a group of its length has. */
  int total() {
    return total;
  }

  /** From how many internal blocks one is rebuilt. */
  int width() {
    return group.getRealDataBlockNum();
  }

  /** Length of an internal block. */
  long bytes(int index) {
    return StripedBlockUtil.getInternalBlockLength(group.getNumBytes(), group.getCellSize(), group.getDataBlockNum(),
        index);
  }

  State state(int index) {
    return states[index];
  }

  /** Whether a transfer of Dayu's makes this index. */
  boolean isUnderWay(int index) {
    return underWay[index] > 0;
  }

  /** Whether an entry is pending that is not Dayu's: nobody knows which index comes. */
  boolean awaitsStock() {
    return awaitsStock;
  }

  /** Internal blocks that nobody can read and nothing makes: first those that nobody has. */
  List<Integer> lost() {
    List<Integer> lost = indices(State.NONE);
    lost.addAll(indices(State.MAINTENANCE));
    return lost;
  }

  /** Internal blocks out of service that can be read, and that nothing makes: first those that may soon be gone. */
  List<Integer> leaving() {
    List<Integer> leaving = indices(State.DECOMMISSIONED);
    leaving.addAll(indices(State.LEAVING));
    return leaving;
  }

  private List<Integer> indices(State state) {
    List<Integer> found = new ArrayList<>();
    for (int index = 0; index < states.length; index++) {
      if (isReal(index) && states[index] == state && underWay[index] == 0) {
        found.add(index);
      }
    }
    return found;
  }

  /**
   * One node for each index that can be read but this one, in service if there is such a node; decommissioned ones only
   * if the others are too few.
   */
  List<IndexedNode> sourcesWithout(int index) {
    List<IndexedNode> sources = new ArrayList<>();
    addSources(sources, index, State.LIVE);
    addSources(sources, index, State.LEAVING);
    if (sources.size() < width()) {
      addSources(sources, index, State.DECOMMISSIONED);
    }
    return sources;
  }

  private void addSources(List<IndexedNode> sources, int without, State state) {
    for (Holder holder : all) {
      // A node may have two indices, of which one would be a source, the other not.
      boolean first = sources.stream()
          .noneMatch(source -> source.index() == holder.index || source.node().equals(holder.node()));
      if (first && holder.state == state && states[holder.index] == state && holder.index != without
          && isReal(holder.index)) {
        sources.add(new IndexedNode(holder.node(), holder.index));
      }
    }
  }

  /** The nodes in the best state that an index can be read from. */
  List<IndexedNode> copySources(int index) {
    return states[index].compareTo(State.DECOMMISSIONED) < 0 ? List.of()
        : all.stream().filter(holder -> holder.index == index && holder.state == states[index])
            .map(holder -> new IndexedNode(holder.node(), index)).toList();
  }

  /** The nodes in service whose internal blocks one further copy on another rack would relieve most. */
  List<IndexedNode> onRacks(Collection<String> racks) {
    return all.stream()
        .filter(holder -> holder.state == State.LIVE
            && racks.contains(RackRules.rackOf(blocks, holder.storage.getDatanodeDescriptor())))
        .map(holder -> new IndexedNode(holder.node(), holder.index)).toList();
  }

  /** Whether this node has this index, in any state. */
  boolean has(IndexedNode node) {
    return all.stream().anyMatch(holder -> holder.index == node.index() && holder.node().equals(node.node()));
  }

  /** Whether this index can be read at this node now. */
  boolean canServe(IndexedNode source) {
    return all.stream().anyMatch(holder -> holder.index == source.index() && holder.node().equals(source.node())
        && holder.state.compareTo(State.DECOMMISSIONED) >= 0);
  }

  /** Whether this node has an index of the group but this one, in any state. */
  boolean hasAnother(String node, int index) {
    return all.stream().anyMatch(holder -> holder.index != index && holder.node().equals(node));
  }

  /** Nodes that have an index in any state, or await one of anybody's. */
  Set<String> holders() {
    Set<String> holders = new LinkedHashSet<>();
    all.forEach(holder -> holders.add(holder.node()));
    pending.forEach(storage -> holders.add(storage.getDatanodeDescriptor().getDatanodeUuid()));
    return holders;
  }

  /**
   * Whether this node has yet to be told to delete an internal block of the group. HDFS no longer counts it as a
   * holder, and takes the report of the deletion for one of whatever internal block it has then. A corrupt internal
   * block with another generation stamp than the group's is not seen before the next heartbeat is to take it: until
   * then BlockManager finds it by the stamp that was reported only. The DataNode's agent refuses such a target.
   */
  boolean awaitsDeletionOn(DatanodeDescriptor node) {
    for (int index = 0; index < states.length; index++) {
      Block block = new Block(group.getBlockId() + index, 0, group.getGenerationStamp());
      if (isReal(index) && (blocks.containsInvalidateBlock(node, block) || node.containsInvalidateBlock(block))) {
        return true;
      }
    }
    return false;
  }

  /** Internal blocks in service and pending ones: what the placement of further ones has to go together with. */
  List<DatanodeStorageInfo> chosen() {
    return chosen;
  }

  List<DatanodeStorageInfo> pending() {
    return pending;
  }

  /** How many internal blocks are needed beside the pending ones, as stock counts. */
  int needed() {
    return expectedLive - live - pending.size();
  }

  /** Whether as many are live as should be, whatever is pending. */
  boolean areLiveAsExpected() {
    return live >= expectedLive;
  }

  /** Whether all are there, with nothing pending, but on too few racks. */
  boolean isBadlyPlaced() {
    return live >= expectedLive && pending.isEmpty()
        && !blocks.getBlockPlacementStatus(group).isPlacementPolicySatisfied();
  }

  /** BlockManager.hasEnoughEffectiveReplicas. */
  boolean areEnough() {
    return needed() <= 0 && !isBadlyPlaced();
  }

  /** Whether no further one is needed when {@code more} are pending. */
  boolean areEnoughWith(int more) {
    return needed() <= more;
  }
}

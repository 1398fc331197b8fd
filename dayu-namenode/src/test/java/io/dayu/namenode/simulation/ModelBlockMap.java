/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.TransferRequest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The block map, the low-redundancy queues and the pending copies of one modelled NameNode, by the rules of HDFS's
 * BlockManager for replicated blocks under the default placement policy; {@link ModelGroups} has those for
 * erasure-coded groups, all on disks. Not thread-safe.
 */
final class ModelBlockMap {
  /** Level of the queue of blocks that nobody can serve. */
  static final int WITHOUT_SOURCE = 4;
  /** Clusters of sequences have no more. */
  static final int MAX_RACKS = 3;

  /** Told of each copy that is about to be registered. */
  interface Observer extends ModelGroups.Observer {
    void registering(ModelBlockMap map, ModelBlock block, String target, String by);

    /**
     * Dayu has planned a copy.
     *
     * @param roomBytes what Dayu was last told of the room for it on the target, less what the same plan has put there
     */
    void planned(ModelBlockMap map, TransferRequest request, long roomBytes);

    void timedOut(ModelBlockMap map, ModelBlock block, Set<String> targets);

    /** Dayu has a corrupt replica deleted, after the agents of others have read theirs. */
    void removingCorrupt(ModelBlockMap map, ModelBlock block, String uuid, int goodNeeded);
  }

  final String name;
  final Map<Long, ModelBlock> blocks = new LinkedHashMap<>();
  final ModelGroups groups;
  final Map<String, ModelNode> nodes = new LinkedHashMap<>();
  /** Blocks and groups that need copies, with the levels of their queues. */
  final Map<Long, Integer> needed = new LinkedHashMap<>();
  private final ModelPendingCopies pending = new ModelPendingCopies();
  private final EventQueue events;
  final Observer observer;

  /** Whether this NameNode is active and so keeps the queues. */
  boolean active;
  /** How often this NameNode has become active. */
  int activations;
  boolean safeMode;
  int workMultiplier;

  ModelBlockMap(String name, EventQueue events, int workMultiplier, Observer observer) {
    this.name = name;
    this.events = events;
    this.workMultiplier = workMultiplier;
    this.observer = observer;
    this.groups = new ModelGroups(this, pending, observer);
  }

  long nowNs() {
    return events.nowNs();
  }

  /** The block in this version, complete; else null. */
  ModelBlock stored(BlockKey key) {
    ModelBlock block = blocks.get(key.blockId());
    return block != null && !block.underConstruction && block.generationStamp == key.generationStamp() ? block : null;
  }

  /** Replicas that count: in service, good as far as is known, and not too many. */
  List<String> live(ModelBlock block) {
    List<String> live = new ArrayList<>(block.replicas.size());
    for (String uuid : block.replicas) {
      if (nodes.get(uuid).inService() && isUseful(block, uuid)) {
        live.add(uuid);
      }
    }
    return live;
  }

  private static boolean isUseful(ModelBlock block, String uuid) {
    return !block.excess.contains(uuid) && !block.corrupt.contains(uuid);
  }

  List<String> sources(ModelBlock block) {
    List<String> sources = new ArrayList<>();
    List<String> decommissioned = new ArrayList<>();
    for (String uuid : block.replicas) {
      ModelNode node = nodes.get(uuid);
      if (node.alive && node.admin != ModelNode.Admin.IN_MAINTENANCE && isUseful(block, uuid)) {
        (node.admin == ModelNode.Admin.DECOMMISSIONED ? decommissioned : sources).add(uuid);
      }
    }
    return sources.isEmpty() ? decommissioned : sources;
  }

  List<String> pendingTargets(ModelBlock block) {
    return pending.targets(block.id);
  }

  /** Live replicas and pending targets. */
  List<String> chosen(ModelBlock block) {
    List<String> chosen = new ArrayList<>(live(block));
    chosen.addAll(pendingTargets(block));
    return chosen;
  }

  int racks() {
    List<String> racks = new ArrayList<>(MAX_RACKS);
    for (ModelNode node : nodes.values()) {
      if (node.inService() && !racks.contains(node.rack)) {
        racks.add(node.rack);
      }
    }
    return racks.size();
  }

  /**
   * How many further racks the placement policy wants these replicas on. Asked for each block after each step, so in
   * most cases it counts nothing that it need not.
   */
  int racksMissing(ModelBlock block, List<String> replicas) {
    Set<String> used = new HashSet<>();
    for (String uuid : replicas) {
      used.add(nodes.get(uuid).rack);
    }
    int missing = Math.min(2, block.expected) - used.size();
    return missing <= 0 || used.size() >= racks() ? 0 : missing;
  }

  /** How many live replicas are wanted: those in maintenance count as well, except for the last one. */
  int wanted(ModelBlock block) {
    return Math.max(Math.min(1, block.expected), block.expected - inMaintenance(block));
  }

  /** Replicas on nodes in maintenance, dead ones with them. */
  int inMaintenance(ModelBlock block) {
    int inMaintenance = 0;
    for (String uuid : block.replicas) {
      if (nodes.get(uuid).inMaintenance() && !block.corrupt.contains(uuid)) {
        inMaintenance++;
      }
    }
    return inMaintenance;
  }

  boolean hasEnough(ModelBlock block, int pendingCopies) {
    List<String> live = live(block);
    return live.size() + pendingCopies >= wanted(block) && (pendingCopies > 0 || racksMissing(block, live) == 0);
  }

  int copiesToIssue(ModelBlock block, int pendingCopies) {
    List<String> live = live(block);
    int wanted = wanted(block);
    return live.size() < wanted ? wanted - live.size() - pendingCopies : racksMissing(block, live);
  }

  /** BlockPlacementPolicyDefault.getMaxNodesPerRack. */
  static int maxOnRack(int replicas, int racks) {
    if (racks <= 1 || replicas <= 1) {
      return replicas;
    }
    int max = (replicas - 1) / racks + 2;
    return max == replicas ? max - 1 : max;
  }

  boolean refusesRack(ModelBlock block, ModelNode target, Predicate<ModelNode> isTarget) {
    List<String> before = chosen(block);
    List<String> after = new ArrayList<>(before);
    after.add(target.uuid);
    int missing = racksMissing(block, after);
    if (missing > 0 && missing >= racksMissing(block, before) && !mayStayInRack(block, isTarget)) {
      return true;
    }
    long onRack = after.stream().filter(uuid -> nodes.get(uuid).rack.equals(target.rack)).count();
    return onRack > maxOnRack(Math.max(after.size(), block.expected), racks());
  }

  /**
   * Whether a copy may go to the only rack that has replicas: the block lacks replicas, not only racks, and no target
   * elsewhere has room.
   */
  boolean mayStayInRack(ModelBlock block, Predicate<ModelNode> isTarget) {
    List<String> chosen = chosen(block);
    if (chosen.isEmpty() || chosen.size() >= wanted(block)
        || chosen.size() >= maxOnRack(Math.max(chosen.size() + 1, block.expected), racks())) {
      return false;
    }
    String rack = nodes.get(chosen.get(0)).rack;
    return chosen.stream().allMatch(uuid -> nodes.get(uuid).rack.equals(rack))
        && nodes.values().stream().noneMatch(node -> !node.rack.equals(rack) && isTarget.test(node)
            && node.couldHold(block) && !holdsOrAwaits(block, node.uuid));
  }

  /** Whether the DataNode has a replica in any state, or is to get one. */
  boolean holdsOrAwaits(ModelBlock block, String uuid) {
    return block.replicas.contains(uuid) || block.outdated.contains(uuid) || pendingTargets(block).contains(uuid);
  }

  /** Whether the block could go to any of these targets, by the placement policy and by their room. */
  boolean hasTarget(ModelBlock block, Predicate<ModelNode> isTarget) {
    return nodes.values().stream().anyMatch(node -> isTarget.test(node) && !holdsOrAwaits(block, node.uuid)
        && node.hasRoom(block.storageType, block.numBytes) && !refusesRack(block, node, isTarget));
  }

  /** Level of the queue that a block or a group belongs to. */
  int risk(long id) {
    return ModelGroup.isOfGroup(id) ? groups.risk(groups.all.get(id)) : risk(blocks.get(id));
  }

  private int risk(ModelBlock block) {
    int live = live(block).size();
    if (live >= block.expected) {
      return 3;
    }
    if (live == 0) {
      return sources(block).isEmpty() ? WITHOUT_SOURCE : 0;
    }
    return live == 1 ? 0 : live * 3 < block.expected ? 1 : 2;
  }

  /** Puts the block into its queue, or takes it out. */
  void updateNeeded(ModelBlock block) {
    if (!active || !blocks.containsKey(block.id)) {
      return;
    }
    if (block.underConstruction || hasEnough(block, pendingTargets(block).size())) {
      needed.remove(block.id);
    } else {
      needed.put(block.id, risk(block));
    }
  }

  void register(ModelBlock block, ModelNode target, String by) {
    observer.registering(this, block, target.uuid, by);
    pending.add(block.id, target.uuid, nowNs());
    target.scheduled[block.storageType.ordinal()]++;
    if (live(block).size() + pendingTargets(block).size() >= wanted(block)) {
      needed.remove(block.id);
    }
  }

  void refresh(ModelBlock block) {
    pending.refresh(block.id, nowNs());
  }

  void unregister(ModelBlock block, String target) {
    if (pending.remove(block.id, target)) {
      nodes.get(target).scheduled[block.storageType.ordinal()]--;
      nodes.get(target).endedBytes[block.storageType.ordinal()] += block.numBytes;
    }
  }

  void unregisterAll(ModelBlock block) {
    pendingTargets(block).forEach(target -> unregister(block, target));
  }

  int pendingCopies() {
    return pending.size();
  }

  int scheduledCopies() {
    return nodes.values().stream().mapToInt(ModelNode::scheduled).sum();
  }

  /** PendingReconstructionMonitor: gives up what took too long. */
  void timeOutPending(long timeoutMs) {
    for (long id : pending.overdue(timeoutMs * EventQueue.MS, nowNs())) {
      if (ModelGroup.isOfGroup(id)) {
        groups.timeOut(id);
        continue;
      }
      ModelBlock block = blocks.get(id);
      observer.timedOut(this, block, Set.copyOf(pendingTargets(block)));
      unregisterAll(block);
      updateNeeded(block);
    }
  }

  /** As stock HDFS schedules a block: a random source in HDFS, here the first, and targets by the placement policy. */
  boolean scheduleByStock(ModelBlock block, Predicate<ModelNode> isTarget) {
    List<String> sources = sources(block);
    if (!active || block.underConstruction || sources.isEmpty()) {
      return false;
    }
    if (hasEnough(block, pendingTargets(block).size())) {
      needed.remove(block.id);
      return false;
    }
    int copies = copiesToIssue(block, pendingTargets(block).size());
    boolean scheduled = false;
    List<ModelNode> candidates = new ArrayList<>(nodes.values());
    candidates.sort(Comparator.comparingInt(ModelNode::scheduled).thenComparing(node -> node.uuid));
    for (ModelNode target : candidates) {
      if (copies > 0 && isTarget.test(target) && !holdsOrAwaits(block, target.uuid)
          && target.hasRoom(block.storageType, block.numBytes) && !refusesRack(block, target, isTarget)) {
        register(block, target, "stock");
        nodes.get(sources.get(0)).toSend.add(new ModelNode.StockCopy(block.id, block.generationStamp, target.uuid));
        copies--;
        scheduled = true;
      }
    }
    return scheduled;
  }

  /** A replica was received and announced. */
  void received(String uuid, long blockId, long generationStamp) {
    if (ModelGroup.isOfGroup(blockId)) {
      groups.received(nodes.get(uuid), blockId);
      return;
    }
    ModelBlock block = blocks.get(blockId);
    if (block != null && block.generationStamp == generationStamp) {
      unregister(block, uuid);
    }
    addReplica(nodes.get(uuid), blockId, generationStamp);
  }

  void deleted(String uuid, long blockId) {
    if (ModelGroup.isOfGroup(blockId)) {
      groups.deleted(uuid, blockId);
      return;
    }
    ModelBlock block = blocks.get(blockId);
    if (block != null) {
      removeReplica(block, uuid);
    }
  }

  private void addReplica(ModelNode node, long blockId, long generationStamp) {
    ModelBlock block = blocks.get(blockId);
    if (block == null) {
      node.toDelete.add(blockId);
    } else if (block.generationStamp != generationStamp) {
      block.replicas.remove(node.uuid);
      block.excess.remove(node.uuid);
      block.corrupt.remove(node.uuid);
      block.outdated.add(node.uuid);
      node.toDelete.add(blockId);
      updateNeeded(block);
    } else if (!block.replicas.contains(node.uuid) && node.toDelete.contains(blockId)) {
      // As BlockManager.processReportedBlock: what is to be removed there is not reported.
      return;
    } else {
      block.outdated.remove(node.uuid);
      block.replicas.add(node.uuid);
      updateNeeded(block);
      removeExtra(block);
      if (active && usable(block) >= block.expected) {
        List.copyOf(block.corrupt).forEach(uuid -> invalidate(block, uuid));
      }
    }
  }

  /** Good replicas as far as is known: those that count, and those on nodes that are about to leave. */
  private int usable(ModelBlock block) {
    int usable = 0;
    for (String uuid : block.replicas) {
      ModelNode node = nodes.get(uuid);
      boolean leaves = node.admin == ModelNode.Admin.DECOMMISSIONING
          || node.admin == ModelNode.Admin.ENTERING_MAINTENANCE;
      usable += node.alive && (leaves || node.inService()) && isUseful(block, uuid) ? 1 : 0;
    }
    return usable;
  }

  /**
   * A DataNode has found its replica corrupt, or who has read it there. A standby refuses such reports. Where the block
   * has enough good replicas, or more than it should have with the corrupt ones, the corrupt one is deleted.
   */
  void markCorrupt(String uuid, long id) {
    if (ModelGroup.isOfGroup(id)) {
      groups.markCorrupt(uuid, id);
      return;
    }
    ModelBlock block = blocks.get(id);
    if (active && block != null && !block.underConstruction && block.replicas.contains(uuid)) {
      block.corrupt.add(uuid);
      int usable = usable(block);
      if (usable >= block.expected
          || usable >= 1 && live(block).size() + block.corrupt.size() > block.expected) {
        invalidate(block, uuid);
      }
      updateNeeded(block);
    }
  }

  /** The DataNode is to delete its replica, which no longer counts. */
  void invalidate(ModelBlock block, String uuid) {
    nodes.get(uuid).toDelete.add(block.id);
    removeReplica(block, uuid);
  }

  private void removeReplica(ModelBlock block, String uuid) {
    block.replicas.remove(uuid);
    block.outdated.remove(uuid);
    block.excess.remove(uuid);
    block.corrupt.remove(uuid);
    updateNeeded(block);
  }

  /** A full block report: all that the node has. */
  void report(String uuid, Map<Long, Long> replicas) {
    ModelNode node = nodes.get(uuid);
    node.reported = true;
    for (ModelBlock block : blocks.values()) {
      if (!replicas.containsKey(block.id) && (block.replicas.contains(uuid) || block.outdated.contains(uuid))) {
        removeReplica(block, uuid);
      }
    }
    replicas.forEach((id, generationStamp) -> {
      if (!ModelGroup.isOfGroup(id)) {
        addReplica(node, id, generationStamp);
      }
    });
    blocks.values().stream().filter(block -> block.replicas.contains(uuid)).forEach(this::removeExtra);
    groups.report(node, replicas.keySet());
  }

  /** Its replicas are gone, unless it is in maintenance: then HDFS goes on counting them as replicas in maintenance. */
  void died(ModelNode node) {
    node.alive = false;
    node.toDelete.clear();
    node.toSend.clear();
    node.toRebuild.clear();
    if (node.inMaintenance()) {
      groups.died(node);
      refreshAll();
    } else {
      forgetReplicas(node);
    }
  }

  /** An admin has ended its decommission or maintenance. What a dead node had in maintenance is lost only now. */
  void backInService(ModelNode node) {
    node.admin = ModelNode.Admin.IN_SERVICE;
    if (node.alive) {
      refreshAll();
    } else {
      forgetReplicas(node);
    }
  }

  private void forgetReplicas(ModelNode node) {
    node.reported = false;
    for (ModelBlock block : blocks.values()) {
      removeReplica(block, node.uuid);
    }
    groups.died(node);
    refreshAll();
  }

  /** The number of racks may have changed. */
  void refreshAll() {
    blocks.values().forEach(this::updateNeeded);
    groups.all.values().forEach(groups::updateNeeded);
  }

  /** Marks replicas as too many, unless a node that has one has not reported since this NameNode became active. */
  void removeExtra(ModelBlock block) {
    if (!active || block.underConstruction || block.replicas.stream().anyMatch(uuid -> !nodes.get(uuid).reported)) {
      return;
    }
    List<String> live = new ArrayList<>(live(block));
    while (live.size() > block.expected) {
      String extra = live.get(0);
      long crowd = -1;
      for (String uuid : live) {
        List<String> rest = new ArrayList<>(live);
        rest.remove(uuid);
        long onRack = live.stream().filter(other -> nodes.get(other).rack.equals(nodes.get(uuid).rack)).count();
        if (racksMissing(block, rest) == 0 && onRack > crowd) {
          extra = uuid;
          crowd = onRack;
        }
      }
      live.remove(extra);
      block.excess.add(extra);
      nodes.get(extra).toDelete.add(block.id);
    }
  }

  /** Marks those blocks and groups of which there are too many replicas: not all DataNodes had reported before. */
  void removeAllExtra() {
    blocks.values().forEach(this::removeExtra);
    groups.all.values().forEach(groups::removeExtra);
  }

  void delete(long id) {
    if (ModelGroup.isOfGroup(id)) {
      groups.delete(id);
      return;
    }
    ModelBlock block = blocks.get(id);
    unregisterAll(block);
    needed.remove(id);
    blocks.remove(id);
    Set<String> holders = new HashSet<>(block.replicas);
    holders.addAll(block.outdated);
    holders.forEach(uuid -> nodes.get(uuid).toDelete.add(id));
  }

  void setReplication(ModelBlock block, int expected) {
    block.expected = expected;
    updateNeeded(block);
    removeExtra(block);
  }

  /** A client appends: only these nodes take part, the replicas of all others are outdated from now on. */
  void reopen(ModelBlock block, long generationStamp, Set<String> pipeline) {
    unregisterAll(block);
    needed.remove(block.id);
    block.underConstruction = true;
    block.generationStamp = generationStamp;
    for (String uuid : List.copyOf(block.replicas)) {
      if (!pipeline.contains(uuid)) {
        block.replicas.remove(uuid);
        block.outdated.add(uuid);
        nodes.get(uuid).toDelete.add(block.id);
      }
    }
    block.excess.clear();
    block.corrupt.clear();
  }

  void close(ModelBlock block, long numBytes) {
    block.underConstruction = false;
    block.numBytes = numBytes;
    updateNeeded(block);
    removeExtra(block);
  }

  void startActive() {
    active = true;
    activations++;
    needed.clear();
    nodes.values().forEach(node -> node.reported = false);
    blocks.values().forEach(block -> block.excess.clear());
    groups.startActive();
    refreshAll();
  }

  void stopActive() {
    active = false;
    needed.clear();
    pending.clear();
    for (ModelNode node : nodes.values()) {
      Arrays.fill(node.scheduled, 0);
      node.toDelete.clear();
      node.toSend.clear();
      node.toRebuild.clear();
    }
  }
}

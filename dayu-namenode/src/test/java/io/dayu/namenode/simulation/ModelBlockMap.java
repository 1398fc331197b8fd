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
  final ModelPlacement placement;
  final ModelReplicas replicas;
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
    this.placement = new ModelPlacement(this);
    this.replicas = new ModelReplicas(this);
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

  static boolean isUseful(ModelBlock block, String uuid) {
    return (block.excess.isEmpty() || !block.excess.contains(uuid))
        && (block.corrupt.isEmpty() || !block.corrupt.contains(uuid));
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
    return live.size() + pendingCopies >= wanted(block)
        && (pendingCopies > 0 || placement.racksMissing(block, live) == 0);
  }

  int copiesToIssue(ModelBlock block, int pendingCopies) {
    List<String> live = live(block);
    int wanted = wanted(block);
    return live.size() < wanted ? wanted - live.size() - pendingCopies : placement.racksMissing(block, live);
  }

  /** Whether the DataNode has a replica in any state, or is to get one. */
  boolean holdsOrAwaits(ModelBlock block, String uuid) {
    return block.replicas.contains(uuid) || block.outdated.contains(uuid) || pendingTargets(block).contains(uuid);
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
          && target.hasRoom(block.storageType, block.numBytes) && !placement.refusesRack(block, target, isTarget)) {
        register(block, target, "stock");
        nodes.get(sources.get(0)).toSend.add(new ModelNode.StockCopy(block.id, block.generationStamp, target.uuid));
        copies--;
        scheduled = true;
      }
    }
    return scheduled;
  }

  /** The number of racks may have changed. */
  void refreshAll() {
    blocks.values().forEach(this::updateNeeded);
    groups.all.values().forEach(groups::updateNeeded);
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
    replicas.removeExtra(block);
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
    replicas.removeExtra(block);
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
      node.toDeleteBeside.clear();
      node.toSend.clear();
      node.toRebuild.clear();
    }
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The erasure-coded groups of one modelled NameNode, by the rules of HDFS's BlockManager under its placement policy for
 * groups. Nodes, queues and pending entries are those of {@link ModelBlockMap}. Not thread-safe.
 *
 * <p>Pending entries have a group's id, and say nothing of an index: a report of any internal block of the group ends
 * the entry of the DataNode that reports it. A second internal block on a DataNode is never known.
 */
final class ModelGroups {
  /** Of a pending entry that nobody knows the index of: stock HDFS made it. */
  static final int NO_INDEX = -1;

  /** The best state that a holder of an index has, as in the production adapter; a later one is better. */
  enum State {
    NONE, MAINTENANCE, DECOMMISSIONED, LEAVING, LIVE
  }

  /** Told of each internal block that is about to be registered. */
  interface Observer {
    /** @param index {@link #NO_INDEX} if stock HDFS registers it */
    void registering(ModelBlockMap map, ModelGroup group, int index, String target, String by);

    void timedOut(ModelBlockMap map, ModelGroup group, Set<String> targets);
  }

  final Map<Long, ModelGroup> all = new LinkedHashMap<>();
  private final ModelBlockMap map;
  private final ModelPendingCopies pending;
  private final Observer observer;

  ModelGroups(ModelBlockMap map, ModelPendingCopies pending, Observer observer) {
    this.map = map;
    this.pending = pending;
    this.observer = observer;
  }

  State state(ModelGroup group, String uuid) {
    ModelNode node = map.nodes.get(uuid);
    if (group.excess.contains(uuid) || group.corrupt.contains(uuid)) {
      return State.NONE;
    }
    if (node.inMaintenance()) {
      return node.admin == ModelNode.Admin.IN_MAINTENANCE || !node.alive ? State.MAINTENANCE : State.LEAVING;
    }
    if (!node.alive) {
      return State.NONE;
    }
    return switch (node.admin) {
      case DECOMMISSIONED -> State.DECOMMISSIONED;
      case DECOMMISSIONING -> State.LEAVING;
      default -> State.LIVE;
    };
  }

  /** The best state of each index, by index. */
  State[] states(ModelGroup group) {
    State[] states = new State[group.policy.dataUnits() + group.policy.parityUnits()];
    Arrays.fill(states, State.NONE);
    group.holders.forEach((uuid, index) -> {
      State state = state(group, uuid);
      if (state.compareTo(states[index]) > 0) {
        states[index] = state;
      }
    });
    return states;
  }

  /** How many indices are in service. */
  int live(ModelGroup group) {
    // Asked for each group after each step.
    int live = 0;
    for (Map.Entry<String, Integer> holder : group.holders.entrySet()) {
      if (state(group, holder.getKey()) == State.LIVE) {
        live |= 1 << holder.getValue();
      }
    }
    return Integer.bitCount(live);
  }

  /** How many have to be in service: those in maintenance count as well, as long as others can rebuild any. */
  int expectedLive(ModelGroup group) {
    int inMaintenance = 0;
    for (String uuid : group.holders.keySet()) {
      if (map.nodes.get(uuid).inMaintenance() && !group.excess.contains(uuid) && !group.corrupt.contains(uuid)) {
        inMaintenance++;
      }
    }
    return Math.max(group.total() - inMaintenance, group.width());
  }

  /** How many further racks the placement policy wants, once these nodes have internal blocks as well. */
  int racksMissing(ModelGroup group, List<String> more) {
    List<String> used = new ArrayList<>(ModelPlacement.MAX_RACKS);
    for (String uuid : group.holders.keySet()) {
      ModelNode node = map.nodes.get(uuid);
      if (node.admin != ModelNode.Admin.DECOMMISSIONING && node.admin != ModelNode.Admin.DECOMMISSIONED
          && !group.corrupt.contains(uuid) && !used.contains(node.rack)) {
        used.add(node.rack);
      }
    }
    for (String uuid : more) {
      if (!used.contains(map.nodes.get(uuid).rack)) {
        used.add(map.nodes.get(uuid).rack);
      }
    }
    int missing = group.total() - used.size();
    return missing <= 0 || used.size() >= map.placement.racks() ? 0 : missing;
  }

  boolean hasEnough(ModelGroup group, int pendingEntries) {
    return live(group) + pendingEntries >= expectedLive(group)
        && (pendingEntries > 0 || racksMissing(group, List.of()) == 0);
  }

  List<String> pendingTargets(ModelGroup group) {
    return pending.targets(group.id);
  }

  /** BlockPlacementPolicyRackFaultTolerant.getMaxNodesPerRack. */
  static int maxOnRack(int internalBlocks, int racks) {
    return racks <= 1 || internalBlocks <= 1 ? internalBlocks : (internalBlocks - 1) / racks + 1;
  }

  /** LowRedundancyBlocks.getPriorityStriped. */
  int risk(ModelGroup group) {
    int live = live(group);
    if (live >= expectedLive(group)) {
      return 3;
    }
    int spare = live - group.width();
    if (spare <= 0) {
      return spare == 0 || readable(group) >= group.width() ? 0 : ModelBlockMap.WITHOUT_SOURCE;
    }
    return spare * 3 < group.policy.parityUnits() + 1 ? 1 : 2;
  }

  /** How many indices can be read at all. */
  int readable(ModelGroup group) {
    int readable = 0;
    for (State state : states(group)) {
      readable += state.compareTo(State.DECOMMISSIONED) >= 0 ? 1 : 0;
    }
    return readable;
  }

  void updateNeeded(ModelGroup group) {
    if (!map.active || !all.containsKey(group.id)) {
      return;
    }
    if (hasEnough(group, pendingTargets(group).size())) {
      map.needed.remove(group.id);
    } else {
      map.needed.put(group.id, risk(group));
    }
  }

  void register(ModelGroup group, int index, ModelNode target, String by) {
    observer.registering(map, group, index, target.uuid, by);
    pending.add(group.id, target.uuid, map.nowNs());
    target.scheduled[ModelGroup.STORAGE_TYPE.ordinal()]++;
    if (live(group) + pendingTargets(group).size() >= expectedLive(group)) {
      map.needed.remove(group.id);
    }
  }

  void unregister(ModelGroup group, String target) {
    if (pending.remove(group.id, target)) {
      map.nodes.get(target).scheduled[ModelGroup.STORAGE_TYPE.ordinal()]--;
    }
  }

  private void unregisterAll(ModelGroup group) {
    pendingTargets(group).forEach(target -> unregister(group, target));
  }

  void refresh(ModelGroup group) {
    pending.refresh(group.id, map.nowNs());
  }

  void timeOut(long id) {
    ModelGroup group = all.get(id);
    observer.timedOut(map, group, Set.copyOf(pendingTargets(group)));
    unregisterAll(group);
    updateNeeded(group);
  }

  /** An internal block was received and announced. */
  void received(ModelNode node, long internalId) {
    ModelGroup group = all.get(GroupTransfer.groupId(internalId));
    if (group != null) {
      unregister(group, node.uuid);
    }
    add(node, internalId);
  }

  private void add(ModelNode node, long internalId) {
    ModelGroup group = all.get(GroupTransfer.groupId(internalId));
    if (group == null) {
      node.toDelete.add(internalId);
    } else if (node.toDelete.contains(internalId)) {
      // As BlockManager.processReportedBlock: what is to be removed there is not reported.
      return;
    } else if (group.holders.putIfAbsent(node.uuid, GroupTransfer.indexOf(internalId)) == null) {
      if (map.active && live(group) >= group.total()) {
        List.copyOf(group.corrupt).forEach(uuid -> invalidate(group, uuid));
      }
      updateNeeded(group);
      removeExtra(group);
    }
  }

  /** The DataNode is to delete its internal block, which no longer counts. */
  private void invalidate(ModelGroup group, String uuid) {
    map.nodes.get(uuid).toDelete.add(group.internalId(group.holders.get(uuid)));
    group.forget(uuid);
  }

  /** Whether a DataNode has still to be told to delete an internal block of the group. */
  boolean deletes(ModelGroup group, String uuid) {
    return map.nodes.get(uuid).toDelete.stream().anyMatch(id -> GroupTransfer.groupId(id) == group.id);
  }

  /** As HDFS does it: whichever internal block is deleted, the DataNode has none any more. */
  void deleted(String uuid, long internalId) {
    ModelGroup group = all.get(GroupTransfer.groupId(internalId));
    if (group != null) {
      group.forget(uuid);
      updateNeeded(group);
    }
  }

  /** A full block report. The first internal block of a group counts; one that is known stays known. */
  void report(ModelNode node, Set<Long> replicas) {
    Set<Long> reported = new HashSet<>();
    replicas.stream().filter(ModelGroup::isOfGroup).forEach(id -> reported.add(GroupTransfer.groupId(id)));
    for (ModelGroup group : all.values()) {
      if (group.holders.containsKey(node.uuid) && !reported.contains(group.id)) {
        group.forget(node.uuid);
        updateNeeded(group);
      }
    }
    replicas.stream().filter(ModelGroup::isOfGroup).forEach(id -> add(node, id));
    all.values().stream().filter(group -> group.holders.containsKey(node.uuid)).forEach(this::removeExtra);
  }

  /** A DataNode has found its internal block corrupt, or whoever has read it there. */
  void markCorrupt(String uuid, long internalId) {
    ModelGroup group = all.get(GroupTransfer.groupId(internalId));
    if (group != null && group.holders.getOrDefault(uuid, NO_INDEX) == GroupTransfer.indexOf(internalId)) {
      group.corrupt.add(uuid);
      int live = live(group);
      if (map.active && (live >= group.total()
          || live >= group.width() && live + group.corrupt.size() > group.total())) {
        invalidate(group, uuid);
      }
      updateNeeded(group);
    }
  }

  void died(ModelNode node) {
    all.values().forEach(group -> group.forget(node.uuid));
  }

  void startActive() {
    all.values().forEach(group -> group.excess.clear());
  }

  /** Marks duplicates as too many, unless a holder has not reported since this NameNode became active. */
  void removeExtra(ModelGroup group) {
    if (!map.active || group.holders.keySet().stream().anyMatch(uuid -> !map.nodes.get(uuid).reported)) {
      return;
    }
    for (int index : group.indices()) {
      List<String> same = liveHolders(group, index);
      while (same.size() > 1) {
        String extra = same.stream().max(Comparator.comparingLong(uuid -> onRackOf(group, uuid))).orElseThrow();
        same.remove(extra);
        group.excess.add(extra);
        ModelNode node = map.nodes.get(extra);
        node.toDelete.add(group.internalId(index));
        node.toDeleteBeside.put(group.internalId(index), Set.copyOf(same));
      }
    }
  }

  private List<String> liveHolders(ModelGroup group, int index) {
    List<String> same = new ArrayList<>(2);
    group.holders.forEach((uuid, its) -> {
      if (its == index && state(group, uuid) == State.LIVE) {
        same.add(uuid);
      }
    });
    return same;
  }

  private long onRackOf(ModelGroup group, String uuid) {
    return group.holders.keySet().stream().filter(other -> state(group, other) == State.LIVE
        && map.nodes.get(other).rack.equals(map.nodes.get(uuid).rack)).count();
  }

  void delete(long id) {
    ModelGroup group = all.get(id);
    unregisterAll(group);
    map.needed.remove(id);
    all.remove(id);
    group.holders.forEach((uuid, index) -> map.nodes.get(uuid).toDelete.add(group.internalId(index)));
  }

  /** Internal blocks in service, and pending ones. */
  List<String> chosen(ModelGroup group) {
    List<String> chosen =
        new ArrayList<>(group.holders.keySet().stream().filter(uuid -> state(group, uuid) == State.LIVE).toList());
    chosen.addAll(pendingTargets(group));
    return chosen;
  }

  /**
   * As stock HDFS schedules a group: the sources are those that it can read and that are not decommissioned; while
   * anything is pending, nothing more is scheduled.
   */
  boolean scheduleByStock(ModelGroup group, Predicate<ModelNode> isTarget) {
    List<IndexedNode> sources = stockSources(group);
    if (!map.active || sources.size() < group.width()) {
      return false;
    }
    int entries = pendingTargets(group).size();
    if (hasEnough(group, entries)) {
      map.needed.remove(group.id);
      return false;
    }
    if (entries > 0) {
      return false;
    }
    int live = live(group);
    boolean forPlacement = live >= expectedLive(group);
    int copies = forPlacement ? racksMissing(group, List.of()) : expectedLive(group) - live;
    List<String> targets = stockTargets(group, copies, isTarget);
    boolean useless = forPlacement && racksMissing(group, targets) >= copies;
    if (targets.isEmpty() || useless) {
      return false;
    }
    order(group, sources, targets, forPlacement);
    targets.forEach(uuid -> register(group, NO_INDEX, map.nodes.get(uuid), "stock"));
    return true;
  }

  /** What stock HDFS reads to make an internal block: no more than one holder of each index. */
  List<IndexedNode> stockSources(ModelGroup group) {
    Map<Integer, IndexedNode> sources = new LinkedHashMap<>();
    group.holders.forEach((uuid, index) -> {
      State state = state(group, uuid);
      if (state == State.LIVE || state == State.LEAVING) {
        sources.putIfAbsent(index, new IndexedNode(uuid, index));
      }
    });
    return List.copyOf(sources.values());
  }

  /** A rack with the fewest internal blocks first, as chooseEvenlyFromRemainingRacks does in the end. */
  private List<String> stockTargets(ModelGroup group, int copies, Predicate<ModelNode> isTarget) {
    Map<String, Integer> onRack = new HashMap<>();
    chosen(group).forEach(uuid -> onRack.merge(map.nodes.get(uuid).rack, 1, Integer::sum));
    List<ModelNode> candidates = new ArrayList<>(map.nodes.values().stream()
        .filter(node -> isTarget.test(node) && node.hasRoom(ModelGroup.STORAGE_TYPE, group.numBytes)
            && !group.holders.containsKey(node.uuid))
        .toList());
    List<String> targets = new ArrayList<>();
    while (targets.size() < copies && !candidates.isEmpty()) {
      ModelNode best = candidates.stream()
          .min(Comparator.<ModelNode>comparingInt(node -> onRack.getOrDefault(node.rack, 0))
              .thenComparingInt(ModelNode::scheduled).thenComparing(node -> node.uuid))
          .orElseThrow();
      candidates.remove(best);
      onRack.merge(best.rack, 1, Integer::sum);
      targets.add(best.uuid);
    }
    return targets;
  }

  /** ErasureCodingWork.addTaskToDatanode: a copy for placement, copies from leaving nodes, or a reconstruction. */
  private void order(ModelGroup group, List<IndexedNode> sources, List<String> targets, boolean forPlacement) {
    List<IndexedNode> copied = new ArrayList<>();
    if (forPlacement) {
      sources.stream().max(Comparator.comparingLong(source -> onRackOf(group, source.node()))).ifPresent(copied::add);
    } else if (sources.size() == group.total()) {
      State[] states = states(group);
      sources.stream().filter(source -> states[source.index()] == State.LEAVING).limit(targets.size())
          .forEach(copied::add);
    }
    for (int i = 0; i < copied.size(); i++) {
      IndexedNode source = copied.get(i);
      map.nodes.get(source.node()).toSend.add(new ModelNode.StockCopy(group.internalId(source.index()),
          group.generationStamp, targets.get(i)));
    }
    if (copied.isEmpty()) {
      map.nodes.get(targets.get(0)).toRebuild.add(new ModelNode.StockRebuild(group.id, sources, targets));
    }
  }
}

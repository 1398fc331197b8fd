/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.CommitResult.Verdict;
import io.dayu.blocks.GroupNeed;
import io.dayu.blocks.GroupNeed.Kind;
import io.dayu.blocks.GroupPolicy;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.InternalBlock;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.StockReconstruction;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import io.dayu.blocks.WaitingBlockBuilder;
import io.dayu.namenode.simulation.ModelGroups.State;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What Dayu sees of the groups of a modelled NameNode: {@link ModelGroups} by the rules of the production adapter, each
 * transfer exact to the index. Not thread-safe.
 */
final class ModelGroupManagement {
  /** A task of stock HDFS that makes less than this on average has failed. */
  private static final long MIN_STOCK_BYTES_PER_SEC = 1 << 20;

  /** Where stock HDFS may still make internal blocks of a group. */
  private record StockTask(Set<String> targets, long endNs) {
  }

  private final ModelBlockMap map;
  private final ModelGroups groups;
  private final Predicate<ModelNode> isTarget;
  private final long pendingTimeoutNs;
  /** By group and target, which index a pending entry of Dayu's stands for. Of one activation. */
  private final Map<Long, Map<String, Integer>> entries = new HashMap<>();
  private final Map<Long, StockTask> stockTasks = new HashMap<>();
  /** When stock was told to reconstruct a group that is still pending. */
  private final Map<Long, Long> reconstructedSinceNs = new LinkedHashMap<>();
  private int entriesOfActivation;
  boolean recoversGroups;
  /** Whether the pass of stock that ran when stock was suspended may go on. */
  private boolean passMayRun;

  ModelGroupManagement(ModelBlockMap map, Predicate<ModelNode> isTarget, long pendingTimeoutMs) {
    this.map = map;
    this.groups = map.groups;
    this.isTarget = isTarget;
    this.pendingTimeoutNs = pendingTimeoutMs * EventQueue.MS;
  }

  /** The multiplier of stock's work is set to this, and was that. */
  void stockMultiplierSet(int now, int before) {
    passMayRun = now == 0 && (before > 0 || passMayRun);
  }

  /** A pass of stock has ended; its targets are remembered if it was the last one. */
  void stockPassEnded() {
    if (passMayRun) {
      groups.all.values().forEach(this::rememberStockTargets);
      passMayRun = false;
    }
  }

  ModelGroup stored(BlockKey key) {
    ModelGroup group = groups.all.get(key.blockId());
    return group != null && group.generationStamp == key.generationStamp() ? group : null;
  }

  private int entry(ModelGroup group, String target) {
    return entries.getOrDefault(group.id, Map.of()).getOrDefault(target, ModelGroups.NO_INDEX);
  }

  private void forget(TransferRequest request) {
    Map<String, Integer> targets = entries.get(request.block().blockId());
    if (targets != null && targets.remove(request.target(), request.group().index()) && targets.isEmpty()) {
      entries.remove(request.block().blockId());
    }
  }

  /** How many internal blocks Dayu has registered in this activation and not ended. */
  int entries() {
    return entriesOfActivation != map.activations ? 0 : entries.values().stream().mapToInt(Map::size).sum();
  }

  /** HDFS forgets its pending entries when a NameNode becomes standby or active. */
  void forgetEarlierActivation() {
    if (entriesOfActivation != map.activations) {
      entriesOfActivation = map.activations;
      entries.clear();
    }
  }

  private boolean awaitsStock(ModelGroup group) {
    return groups.pendingTargets(group).stream().anyMatch(target -> entry(group, target) == ModelGroups.NO_INDEX);
  }

  private boolean isUnderWay(ModelGroup group, int index) {
    return groups.pendingTargets(group).stream().anyMatch(target -> entry(group, target) == index);
  }

  /** Indices in this state that nothing makes. */
  private List<Integer> open(ModelGroup group, State first, State second) {
    State[] states = groups.states(group);
    List<Integer> open = new ArrayList<>();
    for (State state : List.of(first, second)) {
      group.indices().stream().filter(index -> states[index] == state && !isUnderWay(group, index)).forEach(open::add);
    }
    return open;
  }

  private List<IndexedNode> sourcesWithout(ModelGroup group, int without) {
    Map<Integer, IndexedNode> sources = new LinkedHashMap<>();
    add(group, sources, without, State.LIVE);
    add(group, sources, without, State.LEAVING);
    if (sources.size() < group.width()) {
      add(group, sources, without, State.DECOMMISSIONED);
    }
    return List.copyOf(sources.values());
  }

  private void add(ModelGroup group, Map<Integer, IndexedNode> sources, int without, State state) {
    State[] states = groups.states(group);
    group.holders.forEach((uuid, index) -> {
      if (index != without && states[index] == state && groups.state(group, uuid) == state) {
        sources.putIfAbsent(index, new IndexedNode(uuid, index));
      }
    });
  }

  private List<IndexedNode> copySources(ModelGroup group, int index) {
    State state = groups.states(group)[index];
    return state.compareTo(State.DECOMMISSIONED) < 0 ? List.of() : group.holders.keySet().stream()
        .filter(uuid -> group.holders.get(uuid) == index && groups.state(group, uuid) == state)
        .map(uuid -> new IndexedNode(uuid, index)).toList();
  }

  private int needed(ModelGroup group) {
    return groups.expectedLive(group) - groups.live(group) - groups.pendingTargets(group).size();
  }

  private boolean isBadlyPlaced(ModelGroup group) {
    return groups.live(group) >= groups.expectedLive(group) && groups.pendingTargets(group).isEmpty()
        && groups.racksMissing(group, List.of()) > 0;
  }

  private boolean hasEnough(ModelGroup group) {
    return needed(group) <= 0 && !isBadlyPlaced(group);
  }

  private Set<String> holders(ModelGroup group) {
    Set<String> holders = new LinkedHashSet<>(group.holders.keySet());
    holders.addAll(groups.pendingTargets(group));
    return holders;
  }

  /** Nodes that get no internal block of the group, whatever their rack. */
  private Set<String> untouchable(ModelGroup group) {
    Set<String> nodes = holders(group);
    StockTask task = stockTasks.get(group.id);
    if (task != null && task.endNs - map.nowNs() >= 0) {
      nodes.addAll(task.targets);
    }
    return nodes;
  }

  /** What planning needs to know of a group; null if it needs nothing now, or waits. */
  WaitingBlock read(ModelGroup group, int level) {
    if (!recoversGroups) {
      return WaitingBlockBuilder.waitingBlock(key(group)).bytes(group.numBytes).risk(level).on(List.of())
          .storageTypes(0)
          .forStock(WaitReason.ERASURE_CODED).build();
    }
    if (hasEnough(group)) {
      map.needed.remove(group.id);
      return null;
    }
    if (awaitsStock(group) || passMayRun) {
      return null;
    }
    List<Integer> lost = open(group, State.NONE, State.MAINTENANCE);
    List<Integer> leaving = open(group, State.DECOMMISSIONED, State.LEAVING);
    List<IndexedNode> sources = sourcesWithout(group, ModelGroups.NO_INDEX);
    int needed = needed(group);
    if (needed > 0 && !lost.isEmpty() && (sources.size() >= group.width() || leaving.isEmpty())) {
      return waiting(group, level, Math.min(needed, lost.size()), Kind.REBUILD, lost, sources, List.of());
    }
    if (needed > 0 && !leaving.isEmpty()) {
      int index = leaving.get(0);
      return waiting(group, level, 1, Kind.LEAVING, List.of(index), copySources(group, index),
          sourcesWithout(group, index));
    }
    if (!isBadlyPlaced(group)) {
      return null;
    }
    List<IndexedNode> crowded = onFullestRacks(group);
    return waiting(group, level, 1, Kind.PLACEMENT, crowded.stream().map(IndexedNode::index).distinct().toList(),
        crowded, List.of());
  }

  private static BlockKey key(ModelGroup group) {
    return new BlockKey(group.id, group.generationStamp);
  }

  private WaitingBlock waiting(ModelGroup group, int level, int copies, Kind kind, List<Integer> indices,
      List<IndexedNode> sources, List<IndexedNode> others) {
    List<InternalBlock> wanted =
        indices.stream().map(index -> new InternalBlock(index, group.bytes(index))).toList();
    Set<String> holders = untouchable(group);
    GroupNeed need = new GroupNeed(group.policy, group.numBytes, group.width(), kind, wanted, sources, others);
    WaitingBlockBuilder waiting = WaitingBlockBuilder.waitingBlock(key(group))
        .bytes(wanted.stream().mapToLong(InternalBlock::bytes).max().orElse(0)).risk(level).copies(copies)
        .on(List.copyOf(holders)).forbiddenFaultDomains(forbiddenRacks(group, copies, holders))
        .storageTypes(1 << ModelGroup.STORAGE_TYPE.ordinal())
        .group(need);
    return (isDistinct(group, copies, holders) ? waiting.distinctRacks() : waiting).build();
  }

  private Map<String, Integer> used(ModelGroup group) {
    Map<String, Integer> used = new LinkedHashMap<>();
    groups.chosen(group).forEach(uuid -> used.merge(map.nodes.get(uuid).rack, 1, Integer::sum));
    return used;
  }

  /** The racks of nodes that could get an internal block. */
  private Set<String> freeRacks(Set<String> holders) {
    Set<String> free = new HashSet<>();
    map.nodes.values().stream().filter(node -> isTarget.test(node) && !holders.contains(node.uuid))
        .forEach(node -> free.add(node.rack));
    return free;
  }

  private List<String> forbiddenRacks(ModelGroup group, int copies, Set<String> holders) {
    Map<String, Integer> used = used(group);
    Set<String> free = freeRacks(holders);
    int racks = map.placement.racks();
    int total = Math.max(groups.chosen(group).size() + copies, group.total());
    int limit = racks > 1 && used.size() < racks ? 1 : ModelGroups.maxOnRack(total, racks);
    while (limit < total && !free.isEmpty() && !hasRoom(free, used, limit)) {
      limit++;
    }
    List<String> forbidden = new ArrayList<>();
    for (Map.Entry<String, Integer> rack : used.entrySet()) {
      if (racks > 1 && rack.getValue() >= limit) {
        forbidden.add(rack.getKey());
      }
    }
    return forbidden;
  }

  private static boolean hasRoom(Set<String> free, Map<String, Integer> used, int limit) {
    return free.stream().anyMatch(rack -> used.getOrDefault(rack, 0) < limit);
  }

  private boolean isDistinct(ModelGroup group, int copies, Set<String> holders) {
    Map<String, Integer> used = used(group);
    Set<String> free = freeRacks(holders);
    long unused = free.stream().filter(rack -> !used.containsKey(rack)).count();
    return used.size() + copies <= map.placement.racks() && (free.isEmpty() || copies <= unused);
  }

  private List<IndexedNode> onFullestRacks(ModelGroup group) {
    Map<String, Integer> used = used(group);
    int most = used.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    return group.holders.keySet().stream().filter(uuid -> groups.state(group, uuid) == State.LIVE
        && used.get(map.nodes.get(uuid).rack) == most).map(uuid -> new IndexedNode(uuid, group.holders.get(uuid)))
        .toList();
  }

  /** @param choosing whether the transfer was planned; else an agent is making it already */
  CommitResult commit(TransferRequest request, boolean choosing) {
    ModelGroup group = stored(request.block());
    if (!map.active || group == null || request.group() == null) {
      return CommitResult.rejected(Verdict.CHANGED, "the group was deleted, or the index is not named");
    }
    int index = request.group().index();
    if (!choosing && groups.pendingTargets(group).contains(request.target())
        && entry(group, request.target()) == index) {
      return committed(request);
    }
    if (choosing && (!recoversGroups || passMayRun)) {
      return CommitResult.rejected(Verdict.CHANGED, "groups are left to stock HDFS, or it still schedules some");
    }
    if (hasEnough(group)) {
      map.needed.remove(group.id);
    }
    CommitResult rejected = refusal(request, group, choosing);
    if (rejected != null) {
      return rejected;
    }
    ModelNode node = map.nodes.get(request.target());
    if (choosing && isMisplaced(request, group, node)) {
      return CommitResult.rejected(Verdict.TARGET_MISPLACED, "the placement policy of groups refuses the target");
    }
    // The observer is told of the entry that stands for the index.
    groups.register(group, index, node, choosing ? "Dayu" : "adoption");
    entries.computeIfAbsent(group.id, id -> new HashMap<>()).put(request.target(), index);
    return committed(request);
  }

  private static CommitResult committed(TransferRequest request) {
    return CommitResult.committed(ModelNode.storageId(request.target(), ModelGroup.STORAGE_TYPE),
        ModelGroup.STORAGE_TYPE.name());
  }

  private CommitResult refusal(TransferRequest request, ModelGroup group, boolean choosing) {
    GroupTransfer transfer = request.group();
    int index = transfer.index();
    if (!isOfThisGroup(request, group, choosing)) {
      return CommitResult.rejected(Verdict.CHANGED, "the group has another length or policy");
    }
    if (isUnderWay(group, index) || awaitsStock(group)) {
      return CommitResult.rejected(Verdict.NOT_NEEDED, "something is pending");
    }
    boolean live = groups.states(group)[index] == State.LIVE;
    if (!(live ? !transfer.rebuild() && isBadlyPlaced(group) : needed(group) > 0)) {
      return CommitResult.rejected(Verdict.NOT_NEEDED, "enough internal blocks are there or pending");
    }
    if (!areFit(transfer, group, choosing)) {
      return CommitResult.rejected(Verdict.CHANGED, "a source cannot serve its index");
    }
    ModelNode node = map.nodes.get(request.target());
    Set<String> others = choosing ? untouchable(group) : holders(group);
    if (node == null || !node.alive || others.contains(node.uuid)) {
      return CommitResult.rejected(Verdict.TARGET_REFUSED, "the target is dead, or has or awaits an internal block");
    }
    if (!node.hasRoom(ModelGroup.STORAGE_TYPE, request.numBytes())) {
      return CommitResult.rejected(Verdict.TARGET_FULL, "the target has no room");
    }
    return choosing && groups.deletes(group, node.uuid)
        ? CommitResult.rejected(Verdict.TARGET_DELETES, "the target is to delete an internal block first") : null;
  }

  private static boolean isOfThisGroup(TransferRequest request, ModelGroup group, boolean choosing) {
    GroupTransfer transfer = request.group();
    GroupPolicy policy = transfer.policy();
    boolean mayBeUnknown = !choosing && !transfer.rebuild();
    boolean samePolicy = policy == null ? mayBeUnknown
        : policy.codec().equals(group.policy.codec()) && policy.dataUnits() == group.policy.dataUnits()
            && policy.parityUnits() == group.policy.parityUnits() && policy.cellBytes() == group.policy.cellBytes();
    boolean sameLength = transfer.groupBytes() == group.numBytes || mayBeUnknown && transfer.groupBytes() == 0;
    return samePolicy && sameLength && group.isReal(transfer.index())
        && request.numBytes() == group.bytes(transfer.index());
  }

  private boolean areFit(GroupTransfer transfer, ModelGroup group, boolean choosing) {
    Set<Integer> indices = new HashSet<>();
    for (IndexedNode source : transfer.sources()) {
      boolean has = group.holders.getOrDefault(source.node(), ModelGroups.NO_INDEX) == source.index();
      boolean serves = has && groups.state(group, source.node()).compareTo(State.DECOMMISSIONED) >= 0;
      if (!indices.add(source.index()) || !(choosing ? serves : has)) {
        return false;
      }
    }
    return indices.size() == (transfer.rebuild() ? group.width() : 1);
  }

  private boolean isMisplaced(TransferRequest request, ModelGroup group, ModelNode node) {
    boolean forPlacement = groups.states(group)[request.group().index()] == State.LIVE;
    int missing = groups.racksMissing(group, List.of(node.uuid));
    return forPlacement && missing > 0 && missing >= groups.racksMissing(group, List.of())
        || forbiddenRacks(group, 1, untouchable(group)).contains(node.rack) || !isTarget.test(node);
  }

  PendingCheck check(TransferRequest request) {
    ModelGroup group = stored(request.block());
    if (group == null) {
      return new PendingCheck(PendingCheck.State.GONE, List.of());
    }
    if (request.group() == null || !group.isReal(request.group().index())) {
      return PendingCheck.ofGroup(PendingCheck.State.UNWANTED, List.of());
    }
    int index = request.group().index();
    int onTarget = group.holders.getOrDefault(request.target(), index);
    if (group.holders.containsKey(request.target()) && onTarget == index) {
      return PendingCheck.ofGroup(PendingCheck.State.COMPLETE, List.of());
    }
    boolean isPending =
        groups.pendingTargets(group).contains(request.target()) && entry(group, request.target()) == index;
    boolean live = groups.states(group)[index] == State.LIVE;
    boolean forPlacement = live && !request.group().rebuild() && groups.live(group) >= groups.expectedLive(group)
        && groups.racksMissing(group, List.of()) > 0;
    if (!isPending || onTarget != index || live && !forPlacement || groups.hasEnough(group, 0)) {
      return PendingCheck.ofGroup(PendingCheck.State.UNWANTED, List.of());
    }
    groups.refresh(group);
    return PendingCheck.ofGroup(PendingCheck.State.WANTED,
        request.group().rebuild() ? sourcesWithout(group, index) : copySources(group, index));
  }

  void unregister(TransferRequest request) {
    ModelGroup group = groups.all.get(request.block().blockId());
    if (group != null && map.active) {
      if (request.group() != null && entry(group, request.target()) == request.group().index()) {
        groups.unregister(group, request.target());
      }
      groups.updateNeeded(group);
    }
    if (request.group() != null) {
      forget(request);
    }
  }

  boolean scheduleByStock(ModelGroup group) {
    boolean scheduled = groups.scheduleByStock(group, isTarget);
    if (scheduled) {
      reconstructedSinceNs.put(group.id, map.nowNs());
      rememberStockTargets(group);
    }
    return scheduled;
  }

  private List<String> stockTargets(ModelGroup group) {
    return groups.pendingTargets(group).stream().filter(target -> entry(group, target) == ModelGroups.NO_INDEX)
        .toList();
  }

  private void rememberStockTargets(ModelGroup group) {
    List<String> targets = stockTargets(group);
    if (!targets.isEmpty()) {
      long movedBytes = (group.width() + targets.size() - 1L) * group.bytes(0);
      long takesNs = pendingTimeoutNs + (movedBytes / MIN_STOCK_BYTES_PER_SEC + 1) * 1_000 * EventQueue.MS;
      stockTasks.values().removeIf(task -> task.endNs - map.nowNs() < 0);
      Set<String> all = new LinkedHashSet<>(targets);
      StockTask before = stockTasks.get(group.id);
      if (before != null) {
        all.addAll(before.targets);
      }
      stockTasks.put(group.id, new StockTask(all, map.nowNs() + takesNs));
    }
  }

  List<StockReconstruction> stockReconstructions() {
    reconstructedSinceNs.keySet()
        .removeIf(id -> !groups.all.containsKey(id) || stockTargets(groups.all.get(id)).isEmpty());
    List<StockReconstruction> running = new ArrayList<>();
    reconstructedSinceNs.forEach((id, sinceNs) -> {
      ModelGroup group = groups.all.get(id);
      running.add(new StockReconstruction(sourcesWithout(group, ModelGroups.NO_INDEX).stream().map(IndexedNode::node)
          .toList(), group.width(), stockTargets(group), group.bytes(0), (map.nowNs() - sinceNs) / EventQueue.MS));
    });
    return running;
  }
}

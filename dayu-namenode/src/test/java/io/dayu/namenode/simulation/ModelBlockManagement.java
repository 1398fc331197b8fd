/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.CommitResult.Verdict;
import io.dayu.blocks.CorruptReplica;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.LiveNodeFixture;
import io.dayu.blocks.LockHolds;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.PendingCheck.State;
import io.dayu.blocks.StockReconstruction;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import org.apache.hadoop.fs.StorageType;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;

/**
 * What Dayu sees of a modelled NameNode: {@link ModelBlockMap} by the rules of the production adapter. Not thread-safe.
 */
final class ModelBlockManagement implements BlockManagement {
  private static final StorageType[] TYPES = StorageType.values();
  private static final int BATCH = 16;
  /** As many replicas have to be good before a corrupt one goes, or all but one of a smaller replication factor. */
  private static final int GOOD_NEEDED = 2;

  private final ModelBlockMap map;
  private final long staleNs;
  private final long pendingTimeoutMs;
  private final boolean hasStandby;
  private final boolean tight;
  /** Where {@link #readNext} goes on. */
  private int cursor;
  final ModelGroupManagement groups;
  /** The UUIDs of the nodes that the recovery was last told of. */
  List<String> lastLiveNodes = List.of();
  /** What it was told of their room, by ordinal of {@link StorageType}. */
  private Map<String, long[]> lastRoomBytes = Map.of();
  /** While true, whatever takes the lock fails. */
  boolean failing;

  ModelBlockManagement(ModelBlockMap map, SequenceSettings settings, boolean hasStandby) {
    this.map = map;
    this.staleNs = settings.staleMs() * EventQueue.MS;
    this.pendingTimeoutMs = settings.pendingTimeoutMs();
    this.hasStandby = hasStandby;
    this.tight = settings.tight();
    this.groups = new ModelGroupManagement(map, this::isTarget, pendingTimeoutMs);
  }

  @Override
  public boolean keepsQueues() {
    return map.active;
  }

  @Override
  public boolean inSafeMode() {
    return map.safeMode;
  }

  @Override
  public LockHolds lockHolds() {
    return new LockHolds();
  }

  @Override
  public int stockMultiplier() {
    return map.workMultiplier;
  }

  @Override
  public void setStockMultiplier(int multiplier) {
    groups.forgetEarlierActivation();
    groups.stockMultiplierSet(multiplier, map.workMultiplier);
    map.workMultiplier = multiplier;
  }

  @Override
  public boolean recoversGroups() {
    return groups.recoversGroups;
  }

  @Override
  public void setRecoversGroups(boolean byDayu) {
    groups.recoversGroups = byDayu;
  }

  @Override
  public long pendingTimeoutMs() {
    return pendingTimeoutMs;
  }

  @Override
  public boolean hasStandby() {
    return hasStandby;
  }

  @Override
  public long lastTransitionMs() {
    return map.activations;
  }

  @Override
  public long lastCompletedTransitionMs() {
    return lastTransitionMs();
  }

  @Override
  public String blockPoolId() {
    return "BP-1";
  }

  @Override
  public long waitingBlocks() {
    return map.needed.keySet().stream().filter(id -> map.risk(id) < ModelBlockMap.WITHOUT_SOURCE).count();
  }

  @Override
  public String ownUuid(String datanodeUuid) {
    return datanodeUuid;
  }

  @Override
  public String addressOf(String datanodeUuid) {
    return map.nodes.containsKey(datanodeUuid) ? address(datanodeUuid) : null;
  }

  @Override
  public boolean knowsStorages(String datanodeUuid) {
    ModelNode node = map.nodes.get(datanodeUuid);
    return node != null && node.hasStorages;
  }

  private static String address(String uuid) {
    return "10.0.0." + uuid.substring(2);
  }

  @Override
  public long silentMs(String datanodeUuid) {
    ModelNode node = map.nodes.get(datanodeUuid);
    return node == null ? 0 : (map.nowNs() - node.lastReportNs) / EventQueue.MS;
  }

  @Override
  public boolean isDead(String datanodeUuid) {
    ModelNode node = map.nodes.get(datanodeUuid);
    return node == null || !node.alive;
  }

  @Override
  public boolean isRoomChanging() {
    return tight;
  }

  @Override
  public int liveNodeCount() {
    return (int) map.nodes.values().stream().filter(node -> node.alive).count();
  }

  @Override
  public int nodesWithoutBlockReport() {
    return (int) map.nodes.values().stream().filter(node -> node.alive && !node.reported).count();
  }

  @Override
  public boolean hasBlocks() {
    return !map.blocks.isEmpty() || !map.groups.all.isEmpty();
  }

  @Override
  public List<LiveNode> liveNodes() {
    List<LiveNode> live = new ArrayList<>();
    lastRoomBytes = new HashMap<>();
    for (ModelNode node : map.nodes.values()) {
      if (node.alive) {
        long[] room = new long[TYPES.length];
        int[] volumes = new int[TYPES.length];
        for (int type = 0; type < TYPES.length && node.hasStorages; type++) {
          room[type] = Math.max(0, node.roomBytes[type] - node.endedBytes[type]);
          volumes[type] = node.volumes[type];
        }
        lastRoomBytes.put(node.uuid, room.clone());
        live.add(
            LiveNodeFixture.liveNode(node.uuid, address(node.uuid), node.uuid, 9866, node.rack, isTarget(node), room,
                volumes));
      }
    }
    lastLiveNodes = live.stream().map(LiveNode::uuid).sorted().toList();
    return live;
  }

  boolean isTarget(ModelNode node) {
    return node.inService() && node.hasStorages && map.nowNs() - node.lastReportNs <= staleNs;
  }

  @Override
  public List<WaitingBlock> readHighestRisk(int limit) {
    failIfAsked();
    List<WaitingBlock> read = new ArrayList<>();
    for (Long id : List.copyOf(map.needed.keySet())) {
      if (map.needed.get(id) == 0 && read.size() < limit) {
        readInto(read, id, 0);
      }
    }
    return read;
  }

  @Override
  public boolean readNext(List<WaitingBlock> read) {
    failIfAsked();
    List<Long> queue = new ArrayList<>();
    for (int level = 0; level < ModelBlockMap.WITHOUT_SOURCE; level++) {
      for (Map.Entry<Long, Integer> entry : map.needed.entrySet()) {
        if (entry.getValue() == level) {
          queue.add(entry.getKey());
        }
      }
    }
    int taken = 0;
    for (; taken < BATCH && cursor < queue.size(); taken++) {
      long id = queue.get(cursor++);
      readInto(read, id, map.needed.get(id));
    }
    if (taken < BATCH) {
      cursor = 0;
    }
    return taken < BATCH;
  }

  @Override
  public List<WaitingBlock> readAgain(List<BlockKey> keys) {
    failIfAsked();
    List<WaitingBlock> read = new ArrayList<>();
    for (BlockKey key : keys) {
      boolean stored = ModelGroup.isOfGroup(key.blockId()) ? groups.stored(key) != null : map.stored(key) != null;
      if (stored && map.needed.containsKey(key.blockId())) {
        List<WaitingBlock> one = new ArrayList<>(1);
        readInto(one, key.blockId(), map.needed.get(key.blockId()));
        one.forEach(waiting -> read.add(waiting.group() == null
            && map.mayStayInRack(map.blocks.get(key.blockId()), this::isTarget) ? waiting.withoutForbiddenFaultDomains()
                : waiting));
      }
    }
    return read;
  }

  private void readInto(List<WaitingBlock> read, long id, int level) {
    if (ModelGroup.isOfGroup(id)) {
      WaitingBlock waiting = groups.read(map.groups.all.get(id), level);
      if (waiting != null) {
        read.add(waiting);
      }
      return;
    }
    ModelBlock block = map.blocks.get(id);
    int pending = map.pendingTargets(block).size();
    if (block.underConstruction || map.hasEnough(block, pending)) {
      map.needed.remove(block.id);
      return;
    }
    int copies = map.copiesToIssue(block, pending);
    if (copies > 0) {
      read.add(needed(block, level, copies));
    }
  }

  private WaitingBlock needed(ModelBlock block, int level, int copies) {
    Set<String> holders = new LinkedHashSet<>(block.replicas);
    holders.addAll(block.outdated);
    holders.addAll(map.pendingTargets(block));
    List<String> chosen = map.chosen(block);
    int racks = map.racks();
    Map<String, Integer> used = new HashMap<>();
    chosen.forEach(uuid -> used.merge(map.nodes.get(uuid).rack, 1, Integer::sum));
    List<String> forbidden = new ArrayList<>();
    used.forEach((rack, count) -> {
      if (racks > 1 && (used.size() == 1 || count >= ModelBlockMap.maxOnRack(chosen.size() + copies, racks))) {
        forbidden.add(rack);
      }
    });
    return waitingBlock(new BlockKey(block.id, block.generationStamp)).bytes(block.numBytes).risk(level).copies(copies)
        .on(List.copyOf(holders)).sources(map.sources(block)).forbiddenFaultDomains(forbidden)
        .storageTypes(1 << block.storageType.ordinal()).build();
  }

  @Override
  public List<CommitResult> commit(List<TransferRequest> requests, BooleanSupplier allowed) {
    failIfAsked();
    groups.forgetEarlierActivation();
    List<CommitResult> results = new ArrayList<>();
    Map<String, Long> plannedBytes = new HashMap<>();
    for (TransferRequest request : requests) {
      StorageType type = storageType(request);
      long toldBytes = lastRoomBytes.getOrDefault(request.target(), new long[TYPES.length])[type.ordinal()];
      String storage = ModelNode.storageId(request.target(), type);
      map.observer.planned(map, request, toldBytes - plannedBytes.getOrDefault(storage, 0L));
      plannedBytes.merge(storage, request.numBytes(), Long::sum);
      results.add(allowed.getAsBoolean() ? commit(request, true)
          : CommitResult.rejected(Verdict.CHANGED, "stock has the queues"));
    }
    return results;
  }

  @Override
  public List<CommitResult> adopt(List<TransferRequest> requests) {
    failIfAsked();
    groups.forgetEarlierActivation();
    return requests.stream().map(request -> commit(request, false)).toList();
  }

  /** What the storage policy wants for it. */
  private StorageType storageType(TransferRequest request) {
    ModelBlock block = map.blocks.get(request.block().blockId());
    return block == null ? ModelGroup.STORAGE_TYPE : block.storageType;
  }

  private CommitResult commit(TransferRequest request, boolean choosing) {
    if (ModelGroup.isOfGroup(request.block().blockId())) {
      return groups.commit(request, choosing);
    }
    ModelBlock block = map.stored(request.block());
    if (!map.active || block == null || !choosing && block.numBytes != request.numBytes()) {
      return CommitResult.rejected(Verdict.CHANGED, "the block was deleted or reopened");
    }
    List<String> pending = map.pendingTargets(block);
    StorageType type = TYPES[Integer.numberOfTrailingZeros(request.storageTypes())];
    if (!choosing && pending.contains(request.target())) {
      return CommitResult.committed(ModelNode.storageId(request.target(), type), type.name());
    }
    if (map.hasEnough(block, pending.size())) {
      map.needed.remove(block.id);
      return CommitResult.rejected(Verdict.NOT_NEEDED, "it has enough replicas");
    }
    if (map.copiesToIssue(block, pending.size()) <= 0) {
      return CommitResult.rejected(Verdict.NOT_NEEDED, "enough copies are pending");
    }
    boolean holds = block.replicas.contains(request.source()) || block.outdated.contains(request.source());
    if (choosing ? !map.sources(block).contains(request.source()) : !holds) {
      return CommitResult.rejected(Verdict.CHANGED, "the source cannot serve it");
    }
    ModelNode node = map.nodes.get(request.target());
    if (node == null || !node.alive || block.replicas.contains(node.uuid) || block.outdated.contains(node.uuid)
        || pending.contains(node.uuid)) {
      return CommitResult.rejected(Verdict.TARGET_REFUSED, "the target is dead, or has or awaits a replica");
    }
    if (!node.hasRoom(type, block.numBytes)) {
      return CommitResult.rejected(Verdict.TARGET_FULL, "the target has no room");
    }
    if (choosing && (!isTarget(node) || map.refusesRack(block, node, this::isTarget))) {
      return CommitResult.rejected(Verdict.TARGET_MISPLACED, "the placement policy refuses the target");
    }
    map.register(block, node, choosing ? "Dayu" : "adoption");
    return CommitResult.committed(ModelNode.storageId(node.uuid, type), type.name());
  }

  @Override
  public BitSet refresh(List<TransferRequest> running) {
    failIfAsked();
    BitSet registered = new BitSet();
    for (int i = 0; i < running.size(); i++) {
      ModelBlock block =
          ModelGroup.isOfGroup(running.get(i).block().blockId()) ? null : map.stored(running.get(i).block());
      if (block != null && map.pendingTargets(block).contains(running.get(i).target())) {
        map.refresh(block);
        registered.set(i);
      }
    }
    return registered;
  }

  @Override
  public List<PendingCheck> check(List<TransferRequest> running) {
    failIfAsked();
    return running.stream().map(this::check).toList();
  }

  private PendingCheck check(TransferRequest request) {
    if (ModelGroup.isOfGroup(request.block().blockId())) {
      return groups.check(request);
    }
    ModelBlock block = map.stored(request.block());
    if (block == null) {
      return new PendingCheck(State.GONE, List.of());
    }
    if (block.replicas.contains(request.target())) {
      return PendingCheck.complete(!map.pendingTargets(block).contains(request.target())
          && !block.corrupt.contains(request.target()));
    }
    if (!map.pendingTargets(block).contains(request.target()) || map.hasEnough(block, 0)) {
      return new PendingCheck(State.UNWANTED, List.of());
    }
    map.refresh(block);
    return new PendingCheck(State.WANTED, map.sources(block));
  }

  @Override
  public void unregister(List<TransferRequest> ended) {
    failIfAsked();
    for (TransferRequest request : ended) {
      if (ModelGroup.isOfGroup(request.block().blockId())) {
        groups.unregister(request);
        continue;
      }
      ModelBlock block = map.blocks.get(request.block().blockId());
      if (block != null && map.active) {
        if (block.generationStamp == request.block().generationStamp()) {
          map.unregister(block, request.target());
        }
        map.updateNeeded(block);
      }
    }
  }

  @Override
  public CorruptReplica corruptReplica(BlockKey key) {
    failIfAsked();
    ModelBlock block = ModelGroup.isOfGroup(key.blockId()) ? null : map.stored(key);
    if (block == null || !map.active) {
      return null;
    }
    List<String> live = map.live(block);
    boolean isCopied = !map.pendingTargets(block).isEmpty();
    boolean otherTarget = map.nodes.values().stream()
        .anyMatch(node -> isTarget(node) && node.couldHold(block) && !map.holdsOrAwaits(block, node.uuid));
    boolean allReported = Stream.concat(block.replicas.stream(), block.outdated.stream())
        .allMatch(uuid -> map.nodes.get(uuid).reported);
    int goodNeeded = goodNeeded(block);
    if (isCopied || live.size() >= map.wanted(block) || otherTarget || !allReported || live.size() < goodNeeded) {
      return null;
    }
    return block.corrupt.stream().filter(uuid -> map.nodes.get(uuid).inService()).findFirst()
        .map(uuid -> new CorruptReplica(key, block.numBytes, uuid, live, goodNeeded)).orElse(null);
  }

  /** How many others have to be good before a corrupt replica may go. */
  static int goodNeeded(ModelBlock block) {
    return Math.max(1, Math.min(GOOD_NEEDED, block.expected - 1));
  }

  @Override
  public boolean removeCorruptReplica(CorruptReplica replica, Set<String> good) {
    CorruptReplica now = corruptReplica(replica.block());
    if (!replica.equals(now) || now.holders().stream().filter(good::contains).count() < now.goodNeeded()) {
      return false;
    }
    ModelBlock block = map.stored(replica.block());
    map.observer.removingCorrupt(map, block, replica.node(), replica.goodNeeded());
    map.invalidate(block, replica.node());
    return true;
  }

  @Override
  public void countTimedOut() {
    // Nobody reads the model's metrics.
  }

  @Override
  public int scheduleByStock(List<WaitingBlock> handed) {
    failIfAsked();
    int scheduled = 0;
    for (WaitingBlock needed : handed) {
      BlockKey key = needed.key();
      boolean stored = ModelGroup.isOfGroup(key.blockId()) ? groups.stored(key) != null : map.stored(key) != null;
      scheduled += stored && scheduleByStock(key.blockId()) ? 1 : 0;
    }
    return scheduled;
  }

  private boolean scheduleByStock(long id) {
    return ModelGroup.isOfGroup(id) ? groups.scheduleByStock(map.groups.all.get(id))
        : map.scheduleByStock(map.blocks.get(id), this::isTarget);
  }

  @Override
  public List<StockReconstruction> stockReconstructions() {
    return groups.stockReconstructions();
  }

  /** As RedundancyMonitor does in each of its rounds. */
  void stockRound() {
    if (map.safeMode || !map.active) {
      return;
    }
    int quota = map.workMultiplier * (int) map.nodes.values().stream().filter(node -> node.alive).count();
    for (Long id : List.copyOf(map.needed.keySet())) {
      if (quota > 0 && map.needed.containsKey(id)) {
        quota--;
        if (ModelGroup.isOfGroup(id)) {
          map.groups.scheduleByStock(map.groups.all.get(id), this::isTarget);
        } else {
          map.scheduleByStock(map.blocks.get(id), this::isTarget);
        }
      }
    }
    groups.stockPassEnded();
  }

  private void failIfAsked() {
    if (failing) {
      throw new IllegalStateException("the block manager fails, as the sequence wants");
    }
  }
}

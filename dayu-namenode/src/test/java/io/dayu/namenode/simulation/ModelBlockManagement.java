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
import io.dayu.blocks.StockReconstruction;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import org.apache.hadoop.fs.StorageType;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * What Dayu sees of a modelled NameNode: {@link ModelBlockMap} by the rules of the production adapter. Not thread-safe.
 */
final class ModelBlockManagement implements BlockManagement {
  private static final StorageType[] TYPES = StorageType.values();
  /** As many replicas have to be good before a corrupt one goes, or all but one of a smaller replication factor. */
  private static final int GOOD_NEEDED = 2;

  private final ModelBlockMap map;
  private final long staleNs;
  private final long pendingTimeoutMs;
  private final boolean hasStandby;
  private final boolean tight;
  final ModelGroupManagement groups;
  private final ModelQueueReading reading;
  private final ModelCommits commits;
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
    this.reading = new ModelQueueReading(map, groups, this::isTarget);
    this.commits = new ModelCommits(map, groups, this::isTarget);
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
  public String nameOf(String datanodeUuid) {
    return Objects.requireNonNullElse(addressOf(datanodeUuid), datanodeUuid);
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
    return mayBeTargetLater(node) && map.nowNs() - node.lastReportNs <= staleNs;
  }

  /** Also of a node that is silent now. */
  private static boolean mayBeTargetLater(ModelNode node) {
    return node.inService() && node.hasStorages;
  }

  @Override
  public List<WaitingBlock> readHighestRisk(int limit) {
    failIfAsked();
    return reading.readHighestRisk(limit);
  }

  @Override
  public boolean readNext(List<WaitingBlock> read) {
    failIfAsked();
    return reading.readNext(read);
  }

  @Override
  public List<WaitingBlock> readAgain(List<BlockKey> keys) {
    failIfAsked();
    return reading.readAgain(keys);
  }

  @Override
  public List<CommitResult> commit(List<TransferRequest> requests, BooleanSupplier allowed) {
    failIfAsked();
    groups.forgetEarlierActivation();
    List<CommitResult> results = new ArrayList<>();
    Map<String, Long> plannedBytes = new HashMap<>();
    for (TransferRequest request : requests) {
      StorageType type = commits.storageType(request);
      long toldBytes = lastRoomBytes.getOrDefault(request.target(), new long[TYPES.length])[type.ordinal()];
      String storage = ModelNode.storageId(request.target(), type);
      map.observer.planned(map, request, toldBytes - plannedBytes.getOrDefault(storage, 0L));
      plannedBytes.merge(storage, request.numBytes(), Long::sum);
      results.add(allowed.getAsBoolean() ? commits.commit(request, true)
          : CommitResult.rejected(Verdict.CHANGED, "stock has the queues"));
    }
    return results;
  }

  @Override
  public List<CommitResult> adopt(List<TransferRequest> requests) {
    failIfAsked();
    groups.forgetEarlierActivation();
    return requests.stream().map(request -> commits.commit(request, false)).toList();
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
    return running.stream().map(commits::check).toList();
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
        .anyMatch(node -> mayBeTargetLater(node) && node.couldHold(block) && !map.holdsOrAwaits(block, node.uuid)
            && !map.placement.refusesRack(block, node, this::isTarget));
    boolean allReported = Stream.concat(block.replicas.stream(), block.outdated.stream())
        .allMatch(uuid -> map.nodes.get(uuid).reported);
    int goodNeeded = goodNeeded(block);
    if (isCopied || live.size() >= map.wanted(block) || otherTarget || !allReported || live.size() < goodNeeded) {
      return null;
    }
    return block.corrupt.stream().map(map.nodes::get)
        .filter(node -> node.inService() && !map.placement.refusesRack(block, node, this::isTarget))
        .map(node -> node.uuid).findFirst()
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
    map.replicas.invalidate(block, replica.node());
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

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.TransferRequest;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.apache.hadoop.fs.StorageType;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What must hold in every sequence, after every step. The first violation ends the sequence. Not thread-safe. */
final class Invariants implements ModelBlockMap.Observer {
  /**
   * Once faults have stopped, every block that has a source gets as many replicas as it should have, in bounded time.
   */
  static final String REPLICATION_GOAL = "replication-goal";
  /**
   * The same of a block that has replicas on DataNodes in maintenance, dead or alive: it gets as many others as HDFS
   * wants beside those, and at least one.
   */
  static final String MAINTENANCE_GOAL = "maintenance-goal";
  /**
   * A block that lacks replicas is in a queue of the active NameNode, or each copy that is pending has someone who sees
   * to it.
   */
  static final String NO_BLOCK_FORGOTTEN = "no-block-forgotten";
  /**
   * No internal block of a group is made twice at once: Dayu begins none that is in service, unless the group is on too
   * few racks, and none that an agent may go on with, by its lease, without being registered. The exceptions are those
   * of {@link #LEASE_OVERLAP}.
   */
  static final String INDEX_MADE_ONCE = "index-made-once";
  /**
   * Dayu gives no DataNode a second internal block of a group: neither plans it, nor makes it there. One that the
   * DataNode is to delete counts, too.
   */
  static final String ONE_INDEX_ON_A_NODE = "one-index-on-a-node";
  /**
   * No DataNode is told to delete a good internal block that no other one has: only faults make a group lose any. One
   * that a storage had when it failed may have been the reason why another one was to be deleted.
   */
  static final String INDICES_KEPT = "indices-kept";
  /**
   * Dayu has a corrupt replica deleted to make room only after agents have read as many others of its generation as
   * that takes, and found them good, since it was decided to look at this block; and another good one is left.
   */
  static final String CORRUPT_MAKES_ROOM = "corrupt-makes-room";
  /**
   * Once faults have stopped, each group of which as many internal blocks can be read as a rebuild takes is whole in
   * bounded time, or has one on each DataNode in service.
   */
  static final String GROUPS_WHOLE = "groups-whole";
  /** Dayu plans no copy on a DataNode of which it was last told that its storages of the block's type have no room. */
  static final String ROOM_KEPT = "room-kept";
  /** What the NameNode of one namespace commands ends no transfer that another one has granted. */
  static final String POOLS_APART = "pools-apart";
  /** An agent runs no more transfers at once than its limit, whichever namespaces have granted them. */
  static final String TRANSFERS_AT_ONCE = "transfers-at-once";
  /** An agent that receives for two namespaces tells the NameNodes of each of no more than half of its bandwidth. */
  static final String BANDWIDTH_DIVIDED = "bandwidth-divided";
  /** An agent begins no transfer to a type of storage that the block's policy does not name, or that is not there. */
  static final String STORAGE_TYPE = "storage-type";
  /** In the end no copy is pending or scheduled on any NameNode, and Dayu has none registered. */
  static final String COUNTERS_ZERO = "counters-zero";
  /** In the end no DataNode that is up has a partial replica. */
  static final String NO_PARTIAL_STAYS = "no-partial-stays";
  /** No block has more targets at once than stock HDFS would use. */
  static final String TARGETS_AT_ONCE = "targets-at-once";
  /** What a node is granted, in each direction, is no more than its B_recover. */
  static final String NODE_BUDGET = "node-budget";
  /** For no longer than a lease is more granted to a node's transfers than its link carries: {@link GrantedRates}. */
  static final String NODE_LINK = "node-link";
  /**
   * While an agent may go on with a block that it does not hold, by its lease, that copy is registered wherever another
   * one is begun. Stock HDFS itself knows nothing of what was begun before a failover, so it is only held to what this
   * NameNode has begun; and so is Dayu where the DataNode has reached the other NameNode, and not this one, for longer
   * than a lease.
   */
  static final String LEASE_OVERLAP = "lease-overlap";
  /**
   * A NameNode that has become active begins no transfer while an agent may go on, by its lease, with one that was
   * granted before, unless it has obeyed the NameNode since. So what two NameNodes grant never adds up. The exception
   * is the same as for {@link #LEASE_OVERLAP}: a DataNode that this NameNode has not heard of for longer than a lease,
   * or had not until less than a lease ago.
   */
  static final String NOTHING_BEGUN_BEFORE_ADOPTION = "nothing-begun-before-adoption";
  /**
   * Once a NameNode that has become active has begun a transfer, no agent begins one that another NameNode grants which
   * became active before it and may still believe to be. The exception is that of {@link #LEASE_OVERLAP}.
   */
  static final String SUCCESSOR_ALONE = "successor-alone";
  /** An agent goes on with a transfer until its lease ends, and not after that. */
  static final String LEASE_KEPT = "lease-kept";
  /**
   * An agent obeys no commands that were issued before others that it has obeyed, and none of a NameNode that its
   * DataNode does not consider active.
   */
  static final String NO_STALE_COMMANDS = "no-stale-commands";
  /**
   * An agent that obeys commands goes on with no transfer that they do not name. It reports that it has obeyed them
   * when these are gone.
   */
  static final String UNNAMED_STOPS = "unnamed-stops";
  /** What Dayu has registered does not time out while its loop runs. */
  static final String REGISTRATION_KEPT_FRESH = "registration-kept-fresh";

  /**
   * Stock HDFS recovers, or Dayu does: stock is suspended only while the state says so, and not while the loop is
   * silent for long.
   */
  static final String SOMEBODY_RECOVERS = "somebody-recovers";

  /** While an admin has paused recovery, Dayu begins no transfer, on whichever NameNode. */
  static final String NOTHING_BEGUN_IN_A_PAUSE = "nothing-begun-in-a-pause";

  /** A sequence has violated an invariant. */
  static final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1L;
    final String invariant;

    Violation(String invariant, String message) {
      super(invariant + ": " + message, null, false, false);
      this.invariant = invariant;
    }
  }

  /** A copy that Dayu has registered in one activation of a NameNode. */
  private record Begun(ModelBlockMap map, int activation, long blockId, String target) {
  }

  private final SimulatedCluster cluster;
  private final Set<Begun> begun = new HashSet<>();
  private final GrantedRates rates;
  private Violation first;
  /** The last term in which the NameNode that had become active last has begun a transfer. */
  private long begunTerm;
  /** Copies that Dayu has registered or adopted, as block id and target, of the NameNode by name. */
  private final Set<String> byDayu = new HashSet<>();
  /** Of internal blocks, in the same form, which index is made. */
  private final Map<String, Integer> indices = new HashMap<>();
  /** Blocks that a storage had when it failed, and of which no replica was made since then. */
  private final Set<Long> lostWithStorage = new HashSet<>();
  /** Of replicas that agents have found good, and that commands still name, the generation, by block and DataNode. */
  private final Map<Long, Map<String, Long>> verifiedGood = new HashMap<>();

  Invariants(SimulatedCluster cluster) {
    this.cluster = cluster;
    this.rates = new GrantedRates(cluster);
  }

  /** Only noted here, since production code may be calling, which catches what is thrown; {@link #check} throws it. */
  void violated(String invariant, String message) {
    if (first == null) {
      first = new Violation(invariant, "at " + cluster.events.elapsedMs() + " ms " + message);
    }
  }

  private static String copy(ModelBlockMap map, long id, String target) {
    return map.name + " " + id + " " + target;
  }

  @Override
  public void registering(ModelBlockMap map, ModelBlock block, String target, String by) {
    List<String> registered = new ArrayList<>(map.pendingTargets(block));
    int wanted = map.wanted(block);
    int allowed = map.live(block).size() < wanted ? wanted - map.live(block).size()
        : map.racksMissing(block, map.live(block)) + registered.size();
    if (registered.size() + 1 > allowed) {
      violated(TARGETS_AT_ONCE, block + " gets target " + target + " by " + by + " beside " + registered);
    }
    if (!by.equals("stock")) {
      begun.add(new Begun(map, map.activations, block.id, target));
    }
    if (by.equals("adoption")) {
      noteDayu(map, block.id, target, by);
      return;
    }
    if (!cluster.isNewest(map)) {
      // What an earlier one grants is seen to where agents would begin it.
      noteDayu(map, block.id, target, by);
      return;
    }
    if (by.equals("Dayu")) {
      checkAdopted(map, block, target);
    }
    for (SimulatedDataNode node : cluster.dataNodes) {
      // One that holds the block already cannot add a replica.
      boolean mayContinue =
          !block.replicas.contains(node.uuid) && node.mayBeReceiving(block.id, block.generationStamp);
      boolean unreported = by.equals("stock") || isOrWasSilent(map, node);
      boolean known = !unreported || begun.contains(new Begun(map, map.activations, block.id, node.uuid));
      if (mayContinue && known && !registered.contains(node.uuid)) {
        violated(LEASE_OVERLAP, block + " gets target " + target + " by " + by + " of " + map.name + " while "
            + node.uuid
            + " may go on with it: " + node.describeTransfers());
      }
    }
    if (by.equals("Dayu")) {
      if (cluster.isPaused()) {
        violated(NOTHING_BEGUN_IN_A_PAUSE, block + " gets target " + target + " by " + map.name);
      }
    }
    noteDayu(map, block.id, target, by);
  }

  private void noteDayu(ModelBlockMap map, long id, String target, String by) {
    if (by.equals("stock")) {
      byDayu.remove(copy(map, id, target));
    } else {
      byDayu.add(copy(map, id, target));
    }
  }

  /** An agent begins a transfer that a NameNode has granted which became active in this term. */
  void beginning(SimulatedDataNode node, long term) {
    SimulatedNameNode active = cluster.active();
    if (active != null && active.term == begunTerm && term < begunTerm && !isOrWasSilent(active.map, node)) {
      violated(SUCCESSOR_ALONE, node.uuid + " begins what was granted in term " + term + ", after " + active
          + " has begun transfers in term " + begunTerm);
    }
  }

  private boolean isOrWasSilent(ModelBlockMap map, SimulatedDataNode node) {
    ModelNode modelled = map.nodes.get(node.uuid);
    return modelled == null || modelled.isOrWasSilent(cluster.settings.leaseMs() * EventQueue.MS, map.nowNs());
  }

  @Override
  public void registering(ModelBlockMap map, ModelGroup group, int index, String target, String by) {
    List<String> registered = map.groups.pendingTargets(group);
    int lacking = map.groups.expectedLive(group) - map.groups.live(group);
    int racks = map.groups.racksMissing(group, List.of());
    int allowed = lacking > 0 ? lacking : by.equals("stock") ? racks : Math.min(1, racks);
    if (registered.size() + 1 > allowed) {
      violated(TARGETS_AT_ONCE, group + " gets target " + target + " by " + by + " beside " + registered);
    }
    for (SimulatedDataNode node : cluster.dataNodes) {
      if (cluster.isNewest(map)) {
        checkMadeOnce(map, group, index, target, by, node);
      }
    }
    String copy = copy(map, group.id, target);
    if (by.equals("stock")) {
      byDayu.remove(copy);
      return;
    }
    begun.add(new Begun(map, map.activations, group.id, target));
    byDayu.add(copy);
    indices.put(copy, index);
    if (by.equals("adoption")) {
      if (cluster.dataNode(target).isRebuilding(group.internalId(index))) {
        cluster.situations.add(MetSituation.REBUILD_ADOPTED);
      }
      return;
    }
    if (map.groups.states(group)[index] == ModelGroups.State.LIVE && lacking > 0) {
      violated(INDEX_MADE_ONCE, group + " gets index " + index + " again, on " + target);
    }
    if (group.holders.containsKey(target) || registered.contains(target)) {
      violated(ONE_INDEX_ON_A_NODE, group + " gets index " + index + " on " + target + " beside another one");
    }
    if (map.groups.deletes(group, target)) {
      violated(ONE_INDEX_ON_A_NODE, group + " gets index " + index + " on " + target + ", which is to delete another");
    }
    checkAdopted(map, group, target);
    if (cluster.isPaused()) {
      violated(NOTHING_BEGUN_IN_A_PAUSE, group + " gets target " + target + " by " + map.name);
    }
  }

  /** Of stock HDFS it is not known which index comes. */
  private void checkMadeOnce(ModelBlockMap map, ModelGroup group, int index, String target, String by,
      SimulatedDataNode node) {
    boolean stock = by.equals("stock");
    // One that the block map has there already cannot be added.
    boolean mayContinue = !group.holders.containsKey(node.uuid)
        && (stock ? node.mayBeMakingOf(group.id)
            : node.mayBeReceiving(group.internalId(index), group.generationStamp));
    boolean unreported = stock || isOrWasSilent(map, node);
    boolean known = !unreported || begun.contains(new Begun(map, map.activations, group.id, node.uuid));
    boolean registered = map.groups.pendingTargets(group).contains(node.uuid)
        && (stock || Integer.valueOf(index).equals(indices.get(copy(map, group.id, node.uuid))));
    if (mayContinue && known && !registered && !by.equals("adoption")) {
      violated(INDEX_MADE_ONCE, group + " gets index " + index + " on " + target + " by " + by + " of " + map.name
          + " while " + node.uuid + " may go on with it: " + node.describeTransfers());
    }
  }

  @Override
  public void planned(ModelBlockMap map, TransferRequest request, long roomBytes) {
    if (roomBytes < request.numBytes()) {
      violated(ROOM_KEPT, map.name + " plans " + request + ", and was told of room for " + roomBytes + " bytes there");
    }
  }

  /** An agent has a transfer end, or not begin. */
  void stopping(SimulatedAgent agent, SimulatedTransfer transfer, Outcome outcome) {
    String obeyed = agent.obeyedPool();
    if (outcome == Outcome.CANCELLED && obeyed != null && !transfer.pool().equals(obeyed)) {
      violated(POOLS_APART, agent.node.uuid + " ends " + transfer + " of " + transfer.pool() + " by commands of "
          + obeyed);
    }
  }

  /** An agent is about to report while it has transfers of these block pools. */
  void reporting(SimulatedDataNode node, ReportProto report, Set<String> pools) {
    long toldBytesPerSec = report.getLoad().getCapacityInBytesPerSec();
    if (!node.lies() && pools.size() > 1 && toldBytesPerSec > node.bandwidthBytesPerSec / pools.size()) {
      violated(BANDWIDTH_DIVIDED, node.uuid + " receives for " + pools + ", and tells NameNodes of "
          + report.getBlockPoolId() + " of " + toldBytesPerSec + " bytes/s of " + node.bandwidthBytesPerSec);
    }
  }

  /** The transfers of an agent that have been started and have not ended. */
  void running(SimulatedDataNode node, List<SimulatedTransfer> running, int max) {
    if (running.size() > max) {
      violated(TRANSFERS_AT_ONCE, node.uuid + " runs " + running + ", more than " + max);
    }
  }

  /** An agent is about to create a partial replica on this type of storage. */
  void creating(SimulatedDataNode node, long id, StorageType type) {
    if (type != cluster.storageType(id) || !node.hadStorage(type)) {
      violated(STORAGE_TYPE, node.uuid + " creates blk_" + id + " on " + type + ", and its policy wants "
          + cluster.storageType(id));
    }
  }

  /** An agent is about to make an internal block final. */
  void making(SimulatedDataNode node, SimulatedTransfer transfer) {
    long groupId = GroupTransfer.groupId(transfer.blockId());
    List<Integer> others = node.indicesOf(groupId);
    if (!others.isEmpty()) {
      violated(ONE_INDEX_ON_A_NODE, node.uuid + " makes " + transfer + ", and has " + others + " of the group");
    }
  }

  /** An agent has read a replica of its DataNode as a whole. */
  void verified(SimulatedDataNode node, long id, long generationStamp, boolean good) {
    if (good) {
      verifiedGood.computeIfAbsent(id, any -> new HashMap<>()).put(node.uuid, generationStamp);
    } else {
      forgotten(node, id);
    }
  }

  /** Commands no longer name this replica, or an agent begins to read it anew. */
  void forgotten(SimulatedDataNode node, long id) {
    verifiedGood.getOrDefault(id, new HashMap<>()).remove(node.uuid);
  }

  /** A NameNode that another one has succeeded may go by what it was told before: its DataNodes do not obey it. */
  @Override
  public void removingCorrupt(ModelBlockMap map, ModelBlock block, String uuid, int goodNeeded) {
    Map<String, Long> verified = verifiedGood.getOrDefault(block.id, Map.of());
    long good = verified.entrySet().stream()
        .filter(one -> !one.getKey().equals(uuid) && one.getValue() == block.generationStamp).count();
    verifiedGood.remove(block.id);
    boolean goodIsLeft = cluster.dataNodes.stream()
        .anyMatch(node -> !node.uuid.equals(uuid) && node.hasGood(block.id, block.generationStamp));
    if (cluster.isNewest(map) && (good < goodNeeded || !goodIsLeft)) {
      violated(CORRUPT_MAKES_ROOM, "the replica of " + block + " on " + uuid + " is deleted, while agents have found "
          + good + " others good" + (goodIsLeft ? "" : ", and none is left"));
    }
    cluster.situations.add(MetSituation.CORRUPT_MADE_ROOM);
  }

  /** A storage that had this block has failed. */
  void lost(long id) {
    lostWithStorage.add(id);
  }

  /** A replica of this block is complete. */
  void made(long id) {
    lostWithStorage.remove(id);
  }

  /** A DataNode has deleted an internal block, as its NameNode has told it. */
  void deleted(SimulatedDataNode node, long internalId) {
    boolean exists = cluster.groups.containsKey(GroupTransfer.groupId(internalId))
        && !lostWithStorage.contains(internalId);
    if (exists && cluster.dataNodes.stream().noneMatch(other -> other.replicas.containsKey(internalId))) {
      violated(INDICES_KEPT, node.uuid + " has deleted index " + GroupTransfer.indexOf(internalId) + " of "
          + describe(GroupTransfer.groupId(internalId)) + ", which no other DataNode has");
    }
  }

  private String describe(long groupId) {
    return cluster.nameNodes.stream().map(nameNode -> nameNode.name + "'s " + nameNode.map.groups.all.get(groupId))
        .toList().toString();
  }

  private void checkAdopted(ModelBlockMap map, Object block, String target) {
    SimulatedNameNode active = cluster.active();
    if (!cluster.isNewest(map)) {
      return;
    }
    begunTerm = active.term;
    for (SimulatedDataNode node : cluster.dataNodes) {
      if (active != null && node.mayRunForPredecessorOf(active.term) && !isOrWasSilent(map, node)) {
        violated(NOTHING_BEGUN_BEFORE_ADOPTION, block + " gets target " + target + " by " + map.name + " while "
            + node.uuid + " may go on with what another activation granted: " + node.describeTransfers());
      }
    }
  }

  @Override
  public void timedOut(ModelBlockMap map, ModelBlock block, Set<String> targets) {
    timedOut(map, block.id, block, targets);
  }

  @Override
  public void timedOut(ModelBlockMap map, ModelGroup group, Set<String> targets) {
    timedOut(map, group.id, group, targets);
  }

  private void timedOut(ModelBlockMap map, long id, Object block, Set<String> targets) {
    for (String target : targets) {
      if (byDayu.contains(copy(map, id, target)) && cluster.isNewest(map) && !cluster.loopWasDisturbed()) {
        violated(REGISTRATION_KEPT_FRESH, "the copy of " + block + " to " + target + " has timed out");
      }
    }
  }

  /** Throws what has been violated. */
  void check() {
    SimulatedNameNode active = cluster.active();
    if (active != null) {
      checkQueues(active);
      checkSuspension(active);
    }
    rates.check();
    if (first != null) {
      throw first;
    }
  }

  private void checkQueues(SimulatedNameNode active) {
    ModelBlockMap map = active.map;
    Set<String> registered = active.recovery.registered();
    for (ModelBlock block : map.blocks.values()) {
      List<String> pending = map.pendingTargets(block);
      if (!block.underConstruction && !map.needed.containsKey(block.id) && !map.hasEnough(block, pending.size())) {
        violated(NO_BLOCK_FORGOTTEN, block + " is in no queue, and pending on " + pending);
      }
      for (String target : pending) {
        checkRegistered(map, block.id, block, target, registered);
      }
    }
    for (ModelGroup group : map.groups.all.values()) {
      List<String> pending = map.groups.pendingTargets(group);
      if (!map.needed.containsKey(group.id) && !map.groups.hasEnough(group, pending.size())) {
        violated(NO_BLOCK_FORGOTTEN, group + " is in no queue, and pending on " + pending);
      }
      for (String target : pending) {
        checkRegistered(map, group.id, group, target, registered);
      }
    }
  }

  private void checkRegistered(ModelBlockMap map, long id, Object block, String target, Set<String> registered) {
    if (byDayu.contains(copy(map, id, target)) && !registered.contains(id + " " + target)) {
      violated(NO_BLOCK_FORGOTTEN, block + " is pending on " + target + ", and Dayu knows nothing of it");
    }
  }

  private void checkSuspension(SimulatedNameNode active) {
    String state = active.recovery.status().getState();
    boolean suspended = active.map.workMultiplier == 0;
    if (suspended && state.equals("STOCK")) {
      violated(SOMEBODY_RECOVERS, "stock is suspended in state STOCK: " + active);
    }
    if (suspended && active.loopHangs && active.silentMs() > 2 * SequenceSettings.WATCHDOG_MS) {
      violated(SOMEBODY_RECOVERS, "stock is suspended while the loop is silent for " + active.silentMs() + " ms: "
          + active);
    }
  }

  /** The first thing that is not yet as it should be in the end, or null. */
  Violation unfinished() {
    SimulatedNameNode active = cluster.active();
    for (ModelBlock block : active.map.blocks.values()) {
      boolean hopeless = active.map.sources(block).isEmpty();
      boolean inMaintenance = active.map.inMaintenance(block) > 0;
      boolean isWhole =
          inMaintenance ? isWholeBesideMaintenance(active.map, block) : isWhole(active.map, block);
      if (!hopeless && !isWhole && !isHeldUp(active, block)) {
        return new Violation(inMaintenance ? MAINTENANCE_GOAL : REPLICATION_GOAL,
            block + ", pending on " + active.map.pendingTargets(block));
      }
    }
    for (ModelGroup group : active.map.groups.all.values()) {
      if (!isWhole(active, group)) {
        return new Violation(GROUPS_WHOLE, group + ", pending on " + active.map.groups.pendingTargets(group));
      }
    }
    for (SimulatedNameNode nameNode : cluster.nameNodes) {
      if (nameNode.map.pendingCopies() + nameNode.map.scheduledCopies() + nameNode.recovery.registrations() != 0
          || nameNode.recovery.status().getRunningTransfers() != 0) {
        return new Violation(COUNTERS_ZERO, nameNode.toString());
      }
    }
    if (active.management.groups.entries() != 0) {
      return new Violation(COUNTERS_ZERO, active + " knows the indices of " + active.management.groups.entries()
          + " pending entries");
    }
    for (SimulatedDataNode node : cluster.dataNodes) {
      if (node.up && node.hasPartials()) {
        return new Violation(NO_PARTIAL_STAYS, node.uuid + " has " + node.describeTransfers());
      }
    }
    return null;
  }

  /** Whether nobody can give the block what it lacks: no target has room, or a corrupt replica is in the way. */
  private boolean isHeldUp(SimulatedNameNode active, ModelBlock block) {
    boolean isLimited = cluster.settings.tight() || block.storageType != StorageType.DISK;
    boolean withoutRoom = isLimited && block.excess.isEmpty()
        && active.map.pendingTargets(block).isEmpty() && active.map.live(block).size() <= block.expected
        && !active.map.hasTarget(block, active.management::isTarget);
    return withoutRoom || isHeldUpByCorrupt(active, block);
  }

  /**
   * Whether the only DataNodes that could take a copy have a corrupt replica, and Dayu cannot have one of those deleted
   * either: too few others are good, or have agents that say so (HDFS-17798).
   */
  private boolean isHeldUpByCorrupt(SimulatedNameNode active, ModelBlock block) {
    ModelBlockMap map = active.map;
    if (block.corrupt.isEmpty() || map.nodes.values().stream().anyMatch(node -> node.inService()
        && node.volumes[block.storageType.ordinal()] > 0 && !block.replicas.contains(node.uuid)
        && !block.outdated.contains(node.uuid)
        && !map.refusesRack(block, node, active.management::isTarget))) {
      return false;
    }
    long good = map.live(block).stream().map(cluster::dataNode)
        .filter(node -> node.mayHaveAgent && node.hasGood(block.id, block.generationStamp)).count();
    return stockIsToRecover() || good < ModelBlockManagement.goodNeeded(block);
  }

  /**
   * Whether too few DataNodes have an agent for Dayu to recover. Where threads of agents only stand still it leaves the
   * work to stock HDFS for a while, and has to make up for that.
   */
  private boolean stockIsToRecover() {
    long up = cluster.dataNodes.stream().filter(node -> node.up).count();
    return 2 * cluster.dataNodes.stream().filter(node -> node.up && node.mayHaveAgent).count() <= up;
  }

  private static boolean isWhole(ModelBlockMap map, ModelBlock block) {
    return map.live(block).size() == block.expected && map.racksMissing(block, map.live(block)) == 0
        && block.excess.isEmpty();
  }

  /** While a dead node has not reported to this NameNode, HDFS removes no replica of what that had. */
  private static boolean isWholeBesideMaintenance(ModelBlockMap map, ModelBlock block) {
    boolean allReported = block.replicas.stream().allMatch(uuid -> map.nodes.get(uuid).reported);
    boolean tooMany = map.live(block).size() > block.expected
        || block.excess.stream().anyMatch(uuid -> map.nodes.get(uuid).alive);
    return map.hasEnough(block, 0) && !(tooMany && allReported);
  }

  /** Or cannot be: too few internal blocks can be read, or no DataNode in service is without one. */
  private static boolean isWhole(SimulatedNameNode active, ModelGroup group) {
    ModelGroups groups = active.map.groups;
    // Stock HDFS reads none on decommissioned DataNodes.
    int readable = active.management.recoversGroups() ? groups.readable(group) : groups.stockSources(group).size();
    if (readable < group.width()) {
      return true;
    }
    boolean hasTarget = active.map.nodes.values().stream()
        .anyMatch(node -> node.inService() && !group.holders.containsKey(node.uuid));
    boolean all = groups.live(group) == group.total() && groups.racksMissing(group, List.of()) == 0;
    return group.excess.isEmpty() && (all || !hasTarget);
  }
}

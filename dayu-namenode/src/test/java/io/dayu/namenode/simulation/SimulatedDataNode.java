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
import io.dayu.protocol.DayuProtos.GrantProto;
import org.apache.hadoop.fs.StorageType;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** A DataNode: its replicas, its heartbeats and block reports, stock HDFS's copies, and its agent. Not thread-safe. */
final class SimulatedDataNode {
  private static final long HEARTBEAT_MS = 1_000;
  private static final long BLOCK_RECEIVED_MS = 300;
  private static final long LEFT_BYTES = 5_000_000;
  private static final int DELETIONS_REPORTED_HEARTBEATS = 5;
  /** No sequence fills as much. */
  private static final long PLENTY_BYTES = 1L << 40;
  static final long STOCK_BYTES_PER_SEC = 10_000_000;

  final String uuid;
  final String rack;
  final long bandwidthBytesPerSec;
  final boolean mayHaveAgent;
  /** Whether its agent can rebuild internal blocks of groups. */
  final boolean canRebuild;
  /** Final replicas by block id, with their generation stamps. */
  final Map<Long, Long> replicas = new LinkedHashMap<>();
  /** Of {@link #replicas}, those whose bytes do not match their checksums. */
  private final Set<Long> corrupt = new HashSet<>();
  private final SimulatedCluster cluster;
  private final Set<Long> stockPartials = new HashSet<>();
  /** When it has deleted an internal block of a group. */
  private final Map<Long, Long> deletedNs = new HashMap<>();
  /** What each NameNode has still to be told: block received or deleted. */
  private final List<List<Runnable>> unsent = List.of(new ArrayList<>(), new ArrayList<>());

  boolean up = true;
  boolean hangs;
  boolean diskHangs;
  boolean servesNoReads;
  boolean createsNoReplicas;
  boolean sendsNothing;
  boolean disksFull;
  /** Whether something else than HDFS has filled its disks, but for {@link #LEFT_BYTES}. */
  private boolean disksFilled;
  /** What HDFS may use of its storages, by their type. */
  private final Map<StorageType, Long> capacityBytes = new EnumMap<>(StorageType.class);
  /** Of these, the types that have failed. */
  private final Set<StorageType> failed = EnumSet.noneOf(StorageType.class);
  /** What its agent lies about, or null. */
  private Lie lie;
  private boolean blamesDisks;
  private boolean hasLied;
  boolean cutFromPeers;
  final boolean[] cutFromNameNode = new boolean[2];
  /** Whether its agent's connection to a NameNode hangs. */
  final boolean[] connectionHangs = new boolean[2];
  /** Grows with each start. */
  private int session;
  /** The NameNode that this DataNode takes for the active one. */
  private SimulatedNameNode active;
  private long activeTerm;
  /** Null if it has none now. */
  private SimulatedAgent agent;

  SimulatedDataNode(String uuid, String rack, long bandwidthBytesPerSec, boolean mayHaveAgent, boolean canRebuild,
      SimulatedCluster cluster) {
    this.uuid = uuid;
    this.rack = rack;
    this.bandwidthBytesPerSec = bandwidthBytesPerSec;
    this.mayHaveAgent = mayHaveAgent;
    this.canRebuild = canRebuild;
    this.cluster = cluster;
    addStorage(StorageType.DISK);
  }

  /** From now on it has this type of storage, too, with room for whatever comes. */
  void addStorage(StorageType type) {
    capacityBytes.put(type, PLENTY_BYTES);
  }

  boolean hasStorage(StorageType type) {
    return hadStorage(type) && !failed.contains(type);
  }

  /** Whether it has storages of this type, or had some until they failed. */
  boolean hadStorage(StorageType type) {
    return capacityBytes.containsKey(type);
  }

  /** The types that it has, or had until they failed. */
  List<StorageType> storages() {
    return List.copyOf(capacityBytes.keySet());
  }

  /** Its storages of this type fail, with all that is on them. */
  void failStorage(StorageType type) {
    failed.add(type);
    for (long id : List.copyOf(replicas.keySet())) {
      if (cluster.storageType(id) == type) {
        replicas.remove(id);
        corrupt.remove(id);
        cluster.invariants.agents.lost(uuid, id);
        notifyNameNodes(map -> map.replicas.deleted(uuid, id));
      }
    }
    stockPartials.removeIf(id -> cluster.storageType(id) == type);
    if (agent != null) {
      agent.failStorage(type);
    }
  }

  /** New ones replace those that have failed. */
  void replaceStorages() {
    failed.clear();
  }

  void start() {
    up = true;
    hangs = false;
    int mine = ++session;
    active = null;
    activeTerm = 0;
    startAgent();
    cluster.events.after(cluster.random.nextInt((int) HEARTBEAT_MS), () -> heartbeat(mine));
  }

  int session() {
    return session;
  }

  /** Has its agent lie from now on; null = no longer. */
  void lie(Lie now) {
    lie = now;
    hasLied |= now != null;
  }

  /** Has its agent say, while it runs transfers, that its disks take next to nothing. */
  void blameDisks() {
    blamesDisks = true;
  }

  boolean blamesDisks() {
    return blamesDisks;
  }

  boolean lies(Lie what) {
    return lie == what;
  }

  boolean lies() {
    return lie != null;
  }

  /** Whether NameNodes may believe that its links carry more than they do. */
  boolean hasLied() {
    return hasLied;
  }

  void startAgent() {
    if (mayHaveAgent && up && agent == null) {
      agent = new SimulatedAgent(this, cluster);
      agent.start();
    }
  }

  /** Only the agent: as if the plugin had been taken out, with all that it was doing. */
  void stopAgent() {
    if (agent != null) {
      agent.stop();
      agent = null;
    }
  }

  void reconnectAgent(int nameNode) {
    if (agent != null) {
      agent.reconnect(nameNode);
    }
  }

  /** What is not final is lost. */
  void kill() {
    up = false;
    session++;
    stopAgent();
    stockPartials.clear();
    deletedNs.clear();
    unsent.forEach(List::clear);
  }

  private boolean reaches(int nameNode) {
    return up && !cutFromNameNode[nameNode] && cluster.nameNodes.get(nameNode).runs();
  }

  private void heartbeat(int mine) {
    if (mine != session) {
      return;
    }
    cluster.events.after(HEARTBEAT_MS, () -> heartbeat(mine));
    for (int i = 0; i < cluster.nameNodes.size() && !hangs; i++) {
      if (reaches(i)) {
        SimulatedNameNode nameNode = cluster.nameNodes.get(i);
        if (nameNode.heartbeat(this)) {
          unsent.get(i).clear();
        }
        sendBlockReports(i);
        if (nameNode.map.active && nameNode.term >= activeTerm) {
          active = nameNode;
          activeTerm = nameNode.term;
        }
        if (nameNode == active) {
          nameNode.takeDeletions(uuid).forEach(this::delete);
          nameNode.takeCopies(uuid).forEach(this::copy);
          nameNode.takeRebuilds(uuid).forEach(this::rebuild);
        }
      }
    }
  }

  /** Has every NameNode know this DataNode, and whatever it has, from now on. */
  void register() {
    cluster.nameNodes.forEach(nameNode -> nameNode.heartbeat(this));
  }

  boolean holdsForActive(SimulatedNameNode nameNode) {
    return nameNode == active;
  }

  private void sendBlockReports(int nameNode) {
    ModelNode known = cluster.nameNodes.get(nameNode).map.nodes.get(uuid);
    if (reaches(nameNode) && !hangs && known != null && known.hasStorages) {
      unsent.get(nameNode).forEach(Runnable::run);
      unsent.get(nameNode).clear();
    }
  }

  private void notifyNameNodes(Consumer<ModelBlockMap> what) {
    for (int i = 0; i < cluster.nameNodes.size(); i++) {
      int nameNode = i;
      unsent.get(i).add(() -> what.accept(cluster.nameNodes.get(nameNode).map));
      cluster.events.after(1 + cluster.random.nextInt((int) BLOCK_RECEIVED_MS), () -> sendBlockReports(nameNode));
    }
  }

  private void delete(long id) {
    if (replicas.remove(id) != null) {
      boolean good = !corrupt.remove(id);
      if (good && ModelGroup.isOfGroup(id)) {
        cluster.invariants.agents.deleted(this, id);
      }
      if (ModelGroup.isOfGroup(id)) {
        deletedNs.put(id, cluster.events.nowNs());
        int mine = session;
        cluster.events.after(1 + cluster.random.nextInt((int) (2 * HEARTBEAT_MS)), () -> reportDeleted(id, mine));
      } else {
        notifyNameNodes(map -> map.replicas.deleted(uuid, id));
      }
    }
  }

  /** A deletion is reported later, perhaps after what has been received since. */
  private void reportDeleted(long id, int mine) {
    if (mine == session && !replicas.containsKey(id)) {
      notifyNameNodes(map -> map.replicas.deleted(uuid, id));
    }
  }

  /** Its scanner has found a replica corrupt, or who has read it elsewhere: the NameNodes hear of it from this node. */
  void reportCorrupt(String holder, long id) {
    notifyNameNodes(map -> map.replicas.markCorrupt(holder, id));
  }

  /** From now on the bytes of this replica do not match its checksums. */
  void corrupt(long id) {
    corrupt.add(id);
  }

  boolean isCorrupt(long id) {
    return corrupt.contains(id);
  }

  /** Whether it has a whole replica whose bytes are good. */
  boolean hasGood(long id) {
    return replicas.containsKey(id) && !corrupt.contains(id);
  }

  /** The same, of this generation. */
  boolean hasGood(long id, long generationStamp) {
    return hasGood(id) && replicas.get(id) == generationStamp;
  }

  /** Indices of the internal blocks of this group that it has, also those that no NameNode knows. */
  List<Integer> indicesOf(long groupId) {
    return replicas.keySet().stream().filter(id -> GroupTransfer.groupId(id) == groupId).map(GroupTransfer::indexOf)
        .toList();
  }

  /** Whether it has another internal block of the group, or the NameNodes may not know that it has none. */
  boolean hasAnother(long internalId) {
    long groupId = GroupTransfer.groupId(internalId);
    long sinceNs = cluster.events.nowNs() - DELETIONS_REPORTED_HEARTBEATS * HEARTBEAT_MS * EventQueue.MS;
    return !indicesOf(groupId).isEmpty() || deletedNs.entrySet().stream().anyMatch(
        one -> one.getKey() != internalId && GroupTransfer.groupId(one.getKey()) == groupId
            && one.getValue() > sinceNs);
  }

  /** A replica is complete. */
  void finalizeReplica(long id, long generationStamp) {
    replicas.put(id, generationStamp);
    cluster.invariants.agents.made(uuid, id);
    notifyNameNodes(map -> map.replicas.received(uuid, id, generationStamp));
  }

  boolean canCreate(long id) {
    return !createsNoReplicas && !replicas.containsKey(id) && !stockPartials.contains(id)
        && hasStorage(cluster.storageType(id)) && freeBytes(cluster.storageType(id)) >= cluster.numBytes(id);
  }

  /** From now on each of its storages has room for so many bytes beside what it holds. */
  void limitRoom(long roomBytes) {
    capacityBytes.replaceAll((type, any) -> usedBytes(type) + roomBytes);
  }

  /** Something else than HDFS fills its disks, or is deleted again. */
  void fillDisks(boolean filled) {
    disksFilled = filled;
  }

  /** Beside replicas, and partial ones, whose room is reserved; 0 if it has no storage of this type. */
  long freeBytes(StorageType type) {
    if (!hasStorage(type)) {
      return 0;
    }
    long capacity = capacityBytes.get(type);
    long freeBytes = capacity == PLENTY_BYTES ? PLENTY_BYTES : Math.max(0, capacity - usedBytes(type));
    return disksFilled ? Math.min(LEFT_BYTES, freeBytes) : freeBytes;
  }

  private long usedBytes(StorageType type) {
    long usedBytes = agent == null ? 0 : agent.partialBytes(type);
    for (long id : replicas.keySet()) {
      usedBytes += cluster.storageType(id) == type ? cluster.numBytes(id) : 0;
    }
    for (long id : stockPartials) {
      usedBytes += cluster.storageType(id) == type ? cluster.numBytes(id) : 0;
    }
    return usedBytes;
  }

  boolean canServe(SimulatedDataNode reader, long id, long generationStamp) {
    Long mine = replicas.get(id);
    return serves(reader) && mine != null && mine >= generationStamp;
  }

  /** Whether it serves this reader what it has. */
  boolean serves(SimulatedDataNode reader) {
    return up && !hangs && !servesNoReads && !lies(Lie.SERVES_NOTHING) && !cutFromPeers && !reader.cutFromPeers;
  }

  /** Sends a block as stock HDFS has told it to. */
  private void copy(ModelNode.StockCopy copy) {
    SimulatedDataNode target = cluster.dataNode(copy.target());
    long numBytes = cluster.numBytes(copy.blockId());
    boolean begins = numBytes > 0 && !sendsNothing && !target.disksFull
        && canServe(target, copy.blockId(), copy.generationStamp()) && target.up
        && !target.hangs
        && target.canCreate(copy.blockId()) && (target.agent == null || !target.agent.hasPartial(copy.blockId()));
    if (begins) {
      target.stockPartials.add(copy.blockId());
      int theirs = target.session;
      cluster.events.after(numBytes * 1_000 / STOCK_BYTES_PER_SEC, () -> copied(copy, target, theirs, 0));
    }
  }

  /** The end of the block arrives at the target, if this node does not stop sending for too long. */
  private void copied(ModelNode.StockCopy copy, SimulatedDataNode target, int session, long silentMs) {
    if (session != target.session) {
      return;
    }
    if (sendsNothing && silentMs < SimulatedConnection.READ_TIMEOUT_MS) {
      cluster.events.after(HEARTBEAT_MS, () -> copied(copy, target, session, silentMs + HEARTBEAT_MS));
    } else if (target.stockPartials.remove(copy.blockId()) && !sendsNothing
        && canServeGood(target, copy.blockId(), copy.generationStamp())) {
      target.finalizeReplica(copy.blockId(), copy.generationStamp());
    }
  }

  private boolean canServeGood(SimulatedDataNode reader, long id, long generationStamp) {
    if (!canServe(reader, id, generationStamp)) {
      return false;
    }
    if (isCorrupt(id)) {
      reader.reportCorrupt(uuid, id);
      return false;
    }
    return true;
  }

  /**
   * As StockReconstruction's worker: reads as many sources as it takes, makes the lowest indices that are not among
   * them, and sends the others theirs.
   */
  private void rebuild(ModelNode.StockRebuild task) {
    ModelGroup group = cluster.groups.get(task.groupId());
    if (group == null || !canRead(task, group)) {
      return;
    }
    List<Integer> listed = task.sources().stream().map(IndexedNode::index).toList();
    List<Integer> missing = group.indices().stream().filter(index -> !listed.contains(index)).toList();
    for (int i = 0; i < Math.min(missing.size(), task.targets().size()); i++) {
      SimulatedDataNode target = cluster.dataNode(task.targets().get(i));
      long id = group.internalId(missing.get(i));
      boolean reaches = target == this || !cutFromPeers && !target.cutFromPeers;
      if (reaches && target.up && !target.hangs && !target.disksFull && target.canCreate(id)
          && (target.agent == null || !target.agent.hasPartial(id))) {
        target.stockPartials.add(id);
        int mine = session;
        int theirs = target.session;
        cluster.events.after(group.width() * group.bytes(missing.get(i)) * 1_000 / STOCK_BYTES_PER_SEC, () -> {
          if (theirs == target.session && target.stockPartials.remove(id) && mine == session
              && canRead(task, group)) {
            target.finalizeReplica(id, group.generationStamp);
            cluster.situations.add(MetSituation.MADE_BY_STOCK);
          }
        });
      }
    }
  }

  private boolean canRead(ModelNode.StockRebuild task, ModelGroup group) {
    long readable = task.sources().stream().filter(source -> {
      SimulatedDataNode node = cluster.dataNode(source.node());
      return !node.sendsNothing && node.canServeGood(this, group.internalId(source.index()), group.generationStamp);
    }).count();
    return up && !hangs && readable >= group.width();
  }

  /** Whether its agent makes this internal block from others. */
  boolean isRebuilding(long id) {
    return agent != null && agent.isRebuilding(id);
  }

  /** Whether its agent may make an internal block of this group from now on without hearing of it again. */
  boolean mayBeMakingOf(long groupId) {
    return up && agent != null && agent.mayBeMakingOf(groupId);
  }

  /** Whether its agent may receive this block from now on without hearing of it again. */
  boolean mayBeReceiving(long id, long generationStamp) {
    return up && agent != null && agent.mayBeReceiving(id, generationStamp);
  }

  /** Whether its agent may go on with a transfer that the active NameNode of this term knows nothing of. */
  boolean mayRunForPredecessorOf(long term) {
    return up && agent != null && agent.mayRunForPredecessorOf(term);
  }

  /** The transfers of its agent that receive something now. */
  List<SimulatedTransfer> receiving() {
    return up && !hangs && agent != null ? agent.receiving() : List.of();
  }

  /** Has its agent begin a transfer that no NameNode has granted. */
  void beginTransfer(String pool, GrantProto grant) {
    agent.begin(pool, grant);
  }

  boolean hasPartials() {
    return !stockPartials.isEmpty() || agent != null && agent.hasPartials();
  }

  String describeTransfers() {
    return (stockPartials.isEmpty() ? "" : "stock's " + stockPartials + ", ")
        + (agent == null ? "no agent" : agent.describeTransfers());
  }

  @Override
  public String toString() {
    return uuid + (up ? hangs ? " (hangs)" : "" : " (down)") + " on " + rack + ": " + replicas.size() + " replicas, "
        + describeTransfers();
  }
}

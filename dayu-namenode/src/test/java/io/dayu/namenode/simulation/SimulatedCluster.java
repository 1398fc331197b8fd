/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.blocks.GroupTransfer;
import org.apache.hadoop.fs.StorageType;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Two NameNodes, DataNodes, a network and a namespace, driven by one simulated clock. Not thread-safe. */
final class SimulatedCluster {
  private static final long MIN_BLOCK_BYTES = 1_000_000;
  private static final int MAX_MORE_BLOCK_BYTES = 60_000_000;
  private static final int MAX_INTERNAL_BYTES = 15_000_000;
  /** Where there are groups, one agent in so many is of a version that cannot rebuild. */
  private static final int CANNOT_REBUILD = 8;
  /** One group in so many leaves out a rack at first, if the others have enough DataNodes. */
  private static final int LEAVE_OUT_A_RACK = 8;
  /** Where room is tight, a DataNode has at most so many times what one holds on average. */
  private static final double MAX_ROOM = 0.8;
  /** Where blocks are cold, one in so many is, and of so many DataNodes one has no archive. */
  private static final int COLD = 3;
  private static final int WITHOUT_ARCHIVE = 3;
  private static final int MIN_NODE_BYTES_PER_SEC = 8_000_000;
  private static final int MAX_MORE_NODE_BYTES_PER_SEC = 40_000_000;
  private static final long FOREGROUND_PERIOD_MS = 4_000;
  private static final double MAX_FOREGROUND = 0.7;

  final EventQueue events;
  final Random random;
  final SequenceSettings settings;
  final SimulatedNetwork network;
  final Invariants invariants = new Invariants(this);
  /** Blocks as both NameNodes have them in their namespaces, without replicas. */
  final Map<Long, ModelBlock> namespace = new LinkedHashMap<>();
  final Map<Long, ModelGroup> groups = new LinkedHashMap<>();
  /** What sequences are to meet, and this one has met. */
  final Set<MetSituation> situations = EnumSet.noneOf(MetSituation.class);
  final List<SimulatedDataNode> dataNodes = new ArrayList<>();
  final List<SimulatedNameNode> nameNodes = new ArrayList<>();
  /** Null if there is none. */
  final OtherNamespace otherNamespace;
  private final Map<String, ModelNode.Admin> admins = new LinkedHashMap<>();
  private final long foregroundSeed;
  private long terms;
  private boolean paused;
  /** Whether threads of agents stand still now and then. */
  boolean threadsStandStill = true;
  private long lastDisturbedMs = Long.MIN_VALUE / 2;

  SimulatedCluster(SequenceSettings settings, Random random) {
    this.settings = settings;
    this.random = random;
    // A monotonic clock may be far from 0, negative, or pass zero.
    this.events = new EventQueue((random.nextInt(3) - 1) * 10_000_000_000_000_000L);
    this.network = new SimulatedNetwork(this, random);
    this.foregroundSeed = random.nextLong();
    this.otherNamespace = settings.federated() ? new OtherNamespace(this, random.nextLong()) : null;
    for (int i = 0; i < settings.nodes(); i++) {
      int rack = settings.inRows() ? i * settings.racks() / settings.nodes() : i % settings.racks();
      dataNodes.add(new SimulatedDataNode("dn" + i, "/rack" + rack,
          MIN_NODE_BYTES_PER_SEC + random.nextInt(MAX_MORE_NODE_BYTES_PER_SEC), i >= settings.withoutAgent(),
          settings.groups() > 0 && random.nextInt(CANNOT_REBUILD) != 0, this));
    }
    if (settings.cold()) {
      // The first and the last one are on two racks where there are two.
      dataNodes.stream().filter(node -> node == dataNodes.get(0) || node == dataNodes.get(settings.nodes() - 1)
          || random.nextInt(WITHOUT_ARCHIVE) != 0).forEach(node -> node.addStorage(StorageType.ARCHIVE));
    }
    for (long id = 1; id <= settings.blocks(); id++) {
      // The first one is wanted on all DataNodes in the end.
      StorageType type = settings.cold() && id % COLD == 0 ? StorageType.ARCHIVE : StorageType.DISK;
      ModelBlock block = new ModelBlock(id, 1_000, MIN_BLOCK_BYTES + random.nextInt(MAX_MORE_BLOCK_BYTES), 2
          + random.nextInt(2), type);
      namespace.put(id, block);
      place(block);
    }
    for (int i = 0; i < settings.groups(); i++) {
      ModelGroup group = new ModelGroup(ModelGroup.id(i), 1_000, settings.policy(),
          MIN_BLOCK_BYTES + random.nextInt(settings.policy().dataUnits() * MAX_INTERNAL_BYTES));
      groups.put(group.id, group);
      place(group);
    }
    if (settings.tight()) {
      long bytes = namespace.values().stream().mapToLong(block -> block.expected * block.numBytes).sum();
      dataNodes.forEach(node -> node.limitRoom(
          (long) (MAX_ROOM * random.nextDouble() * bytes / settings.nodes())));
    }
    for (int i = 0; i < 2; i++) {
      nameNodes.add(newNameNode(i));
    }
    dataNodes.forEach(SimulatedDataNode::register);
    activate(nameNodes.get(0));
    dataNodes.forEach(SimulatedDataNode::register);
    dataNodes.forEach(SimulatedDataNode::start);
  }

  /** Distinct nodes, the first and the last of them on two racks where there are two. */
  private void place(ModelBlock block) {
    List<SimulatedDataNode> nodes = dataNodes.stream().filter(node -> node.hasStorage(block.storageType)).toList();
    int first = random.nextInt(nodes.size());
    int apart = Math.max(1, nodes.size() / block.expected);
    for (int i = 0; i < block.expected; i++) {
      nodes.get((first + i * apart) % nodes.size()).replicas.put(block.id, block.generationStamp);
    }
  }

  /** Distinct nodes, on one rack after the other; some groups leave out a rack, as if it had been added later. */
  private void place(ModelGroup group) {
    List<SimulatedDataNode> shuffled = new ArrayList<>(dataNodes);
    Collections.shuffle(shuffled, random);
    List<SimulatedDataNode> byRacks = new ArrayList<>();
    while (!shuffled.isEmpty()) {
      Set<String> round = new HashSet<>();
      List<SimulatedDataNode> next = shuffled.stream().filter(node -> round.add(node.rack)).toList();
      byRacks.addAll(next);
      shuffled.removeAll(next);
    }
    if (random.nextInt(LEAVE_OUT_A_RACK) == 0) {
      String left = "/rack" + random.nextInt(settings.racks());
      byRacks.sort(Comparator.comparing(node -> node.rack.equals(left)));
    }
    for (int index : group.indices()) {
      byRacks.remove(0).replicas.put(group.internalId(index), group.generationStamp);
    }
  }

  /** Length of a block or of an internal block; 0 if it was deleted. */
  long numBytes(long id) {
    if (ModelGroup.isOfGroup(id)) {
      ModelGroup group = groups.get(GroupTransfer.groupId(id));
      return group == null ? 0 : group.bytes(GroupTransfer.indexOf(id));
    }
    ModelBlock block = namespace.get(id);
    return block == null ? 0 : block.numBytes;
  }

  /** The type of storage that a block or an internal block belongs on; disks if it was deleted. */
  StorageType storageType(long id) {
    ModelBlock block = namespace.get(id);
    return block == null ? StorageType.DISK : block.storageType;
  }

  private SimulatedNameNode newNameNode(int index) {
    return new SimulatedNameNode("nn" + index, this, settings, random.nextInt(600_000));
  }

  /** The active NameNode, of two the one that became so last, or null, also if it stands still. */
  SimulatedNameNode active() {
    SimulatedNameNode active = null;
    for (SimulatedNameNode nameNode : nameNodes) {
      if (nameNode.runs() && nameNode.map.active && (active == null || nameNode.term > active.term)) {
        active = nameNode;
      }
    }
    return active;
  }

  /** Whether this is the block map of the NameNode that has become active last. */
  boolean isNewest(ModelBlockMap map) {
    return nameNodes.stream().anyMatch(nameNode -> nameNode.map == map && nameNode.term == terms);
  }

  SimulatedDataNode dataNode(String uuid) {
    return dataNodes.get(Integer.parseInt(uuid.substring(2)));
  }

  /**
   * Makes a NameNode active. If the other one stands still as the active one, the failover controller's call to become
   * standby waits in its sockets: its namesystem is standby as soon as it goes on, but its loop has not seen that yet.
   */
  void activate(SimulatedNameNode nameNode) {
    nameNodes.stream().filter(other -> other.map.active).forEach(other -> other.map.stopActive());
    activateBeside(nameNode);
  }

  /** The same, but another one that is active does not hear of it. */
  void activateBeside(SimulatedNameNode nameNode) {
    nameNode.startActive(++terms);
  }

  void crash(SimulatedNameNode nameNode) {
    nameNode.up = false;
  }

  /** The NameNode is started anew, as a standby, and asks the other one whether recovery is paused. */
  void restart(SimulatedNameNode ended) {
    SimulatedNameNode started = newNameNode(nameNodes.indexOf(ended));
    started.recovery.pause(paused);
    nameNodes.set(nameNodes.indexOf(ended), started);
  }

  /** An admin pauses recovery on all NameNodes, or resumes it. */
  void pause(boolean now) {
    paused = now;
    nameNodes.forEach(nameNode -> nameNode.recovery.pause(now));
  }

  boolean isPaused() {
    return paused;
  }

  ModelNode.Admin admin(SimulatedDataNode node) {
    return admins.getOrDefault(node.uuid, ModelNode.Admin.IN_SERVICE);
  }

  void setAdmin(SimulatedDataNode node, ModelNode.Admin admin) {
    admins.put(node.uuid, admin);
    for (SimulatedNameNode nameNode : nameNodes) {
      ModelNode known = nameNode.map.nodes.get(node.uuid);
      if (known != null && admin == ModelNode.Admin.IN_SERVICE) {
        nameNode.map.replicas.backInService(known);
      } else if (known != null) {
        // A dead node has nothing to wait for.
        known.admin = admin == ModelNode.Admin.ENTERING_MAINTENANCE && !known.alive ? ModelNode.Admin.IN_MAINTENANCE
            : admin;
        nameNode.map.refreshAll();
      }
    }
  }

  /** What clients take of a node's links now: a function of the time, so that asking does not change it. */
  long foreground(SimulatedDataNode node) {
    long slot = events.elapsedMs() / FOREGROUND_PERIOD_MS;
    double share = new Random(foregroundSeed ^ slot * 31 ^ node.uuid.hashCode() * 131_071L)
        .nextDouble() * MAX_FOREGROUND;
    return (long) (share * node.bandwidthBytesPerSec);
  }

  /** The block pools of which others read blocks of this DataNode now. */
  Set<String> served(SimulatedDataNode source) {
    Set<String> pools = new HashSet<>();
    if (otherNamespace != null) {
      dataNodes.forEach(node -> node.receiving().stream().filter(transfer -> transfer.sources().contains(source))
          .forEach(transfer -> pools.add(transfer.pool())));
    }
    return pools;
  }

  /** Notes that the loop of a NameNode stood still or failed. */
  void disturbLoop(long durationMs) {
    lastDisturbedMs = Math.max(lastDisturbedMs, events.elapsedMs() + durationMs);
  }

  boolean loopWasDisturbed() {
    return events.elapsedMs() - lastDisturbedMs <= 2 * settings.pendingTimeoutMs();
  }
}

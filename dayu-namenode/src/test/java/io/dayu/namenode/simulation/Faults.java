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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Makes the steps of a sequence happen, and undoes them. Not thread-safe. */
final class Faults {
  private static final int MIN_NODES = 4;
  private static final long OPEN_MS = 2_000;
  /** The numbers of a step are less. */
  private static final int MAX_B = 1_000;
  private static final int APPENDED_BYTES = 1_000_000;

  private final SimulatedCluster cluster;
  private final StringBuilder log;
  /** DataNodes that are dead for good. */
  private final Set<SimulatedDataNode> gone = new HashSet<>();
  /** DataNodes that do not come back from maintenance, if nothing else starts them. */
  private final Set<SimulatedDataNode> away = new HashSet<>();
  /** Of the blocks that clients append to or truncate, what they are to have then. */
  private final Map<Long, Long> newLengthsBytes = new HashMap<>();
  private final List<FaultStep> applied = new ArrayList<>();
  private boolean over;

  /** @param log receives a line for each thing that is done */
  Faults(SimulatedCluster cluster, StringBuilder log) {
    this.cluster = cluster;
    this.log = log;
  }

  void apply(FaultStep step) {
    switch (step.kind()) {
      case KILL_DATANODE -> withNode(step, node -> node.up && spare(node, step.durationMs() == 0), node -> {
        node.kill();
        if (step.durationMs() == 0) {
          gone.add(node);
        } else {
          later(step, "starts again: " + node.uuid, () -> startAgain(node));
        }
      });
      case RESTART_DATANODE -> withNode(step, node -> node.up, node -> {
        node.kill();
        node.start();
      });
      case PARTITION_FROM_NAMENODES -> withNode(step, node -> true, node -> {
        boolean both = step.b() % 2 == 0;
        int one = step.b() / 2 % 2;
        set(node.cutFromNameNode, both, one, true);
        later(step, "reaches NameNodes again: " + node.uuid, () -> set(node.cutFromNameNode, both, one, false));
      });
      case PARTITION_FROM_PEERS -> withNode(step, node -> true, node -> {
        node.cutFromPeers = true;
        later(step, "reaches its peers again: " + node.uuid, () -> node.cutFromPeers = false);
      });
      case HANG_DATANODE -> withNode(step, node -> node.up, node -> {
        node.hangs = true;
        later(step, "goes on: " + node.uuid, () -> node.hangs = false);
      });
      case HANG_DISK -> withNode(step, node -> node.up, node -> {
        node.diskHangs = true;
        later(step, "writes again: " + node.uuid, () -> node.diskHangs = false);
      });
      case SOURCE_FAILS -> withNode(step, node -> true, node -> {
        node.servesNoReads = true;
        later(step, "serves again: " + node.uuid, () -> node.servesNoReads = false);
      });
      case TARGET_FAILS -> withNode(step, node -> true, node -> {
        node.createsNoReplicas = true;
        later(step, "creates replicas again: " + node.uuid, () -> node.createsNoReplicas = false);
      });
      case SOURCE_SENDS_NOTHING -> withNode(step, node -> node.up, node -> {
        node.sendsNothing = true;
        later(step, "sends again: " + node.uuid, () -> node.sendsNothing = false);
      });
      case HANG_CONNECTION -> withNode(step, node -> node.mayHaveAgent, node -> {
        boolean both = step.b() % 2 == 0;
        int one = step.b() / 2 % 2;
        set(node.connectionHangs, both, one, true);
        later(step, "its connections go on: " + node.uuid, () -> goOn(node, both, one));
      });
      case DISKS_FULL -> withNode(step, node -> true, node -> {
        node.disksFull = true;
        later(step, "has room again: " + node.uuid, () -> node.disksFull = false);
      });
      case FILL_DISKS -> withNode(step, node -> true, node -> {
        node.fillDisks(true);
        later(step, "has room as before: " + node.uuid, () -> node.fillDisks(false));
      });
      case FAIL_STORAGE -> withNode(step, node -> node.up && spare(node, true), node -> {
        StorageType type = node.storages().get(step.b() % node.storages().size());
        line(type.toString());
        node.failStorage(type);
        later(step, "has new storages: " + node.uuid, node::replaceStorages);
      });
      case AGENT_LIES -> withNode(step, node -> true, node -> {
        Lie lie = Lie.values()[step.b() % Lie.values().length];
        line(lie.toString());
        node.lie(lie);
        later(step, "tells the truth again: " + node.uuid, () -> node.lie(null));
      });
      case RECONNECT_AGENT -> withNode(step, node -> true, node -> node.reconnectAgent(step.b() % 2));
      case AGENTS_DOWN -> {
        List<SimulatedDataNode> some = cluster.dataNodes.stream()
            .filter(node -> node.uuid.hashCode() % 4 != step.b() % 4).toList();
        note(step, some.stream().map(node -> node.uuid).toList().toString());
        some.forEach(SimulatedDataNode::stopAgent);
        later(step, "agents start again", () -> some.forEach(SimulatedDataNode::startAgent));
      }
      case DELETE_BLOCK -> {
        // A group that is deleted is not recovered, and there are few.
        if (step.b() % 4 == 0 && !cluster.groups.isEmpty()) {
          withGroup(step, group -> {
            cluster.groups.remove(group.id);
            forEachMap(map -> map.delete(group.id));
          });
        } else {
          withBlock(step, block -> !block.underConstruction, block -> {
            cluster.namespace.remove(block.id);
            forEachMap(map -> map.delete(block.id));
          });
        }
      }
      case CORRUPT_REPLICA -> withBlock(step, block -> goodHolders(block).size() > 1,
          block -> corrupt(goodHolders(block), block.id, step.b()));
      case CORRUPT_INTERNAL_BLOCK -> withGroup(step, group -> corrupt(group, step.b()));
      case APPEND_BLOCK -> withBlock(step, this::canReopen, block -> reopen(block, block.numBytes + APPENDED_BYTES));
      case TRUNCATE_BLOCK -> withBlock(step, this::canReopen,
          block -> reopen(block, 1 + block.numBytes * step.b() / MAX_B));
      case SET_REPLICATION -> withBlock(step, block -> true, block -> {
        block.expected = 1 + step.b() % cluster.dataNodes.size();
        forEachMap(map -> map.setReplication(map.blocks.get(block.id), block.expected));
      });
      case DECOMMISSION -> withNode(step, node -> cluster.admin(node) == ModelNode.Admin.IN_SERVICE
          && spare(node, true), node -> {
            cluster.setAdmin(node, ModelNode.Admin.DECOMMISSIONING);
            if (step.durationMs() > 0) {
              later(step, "is in service again: " + node.uuid,
                  () -> cluster.setAdmin(node, ModelNode.Admin.IN_SERVICE));
            }
          });
      case MAINTENANCE -> withNode(step, node -> stays(node) && spare(node, true), node -> {
        cluster.setAdmin(node, ModelNode.Admin.ENTERING_MAINTENANCE);
        later(step, "maintenance ends: " + node.uuid, () -> cluster.setAdmin(node, ModelNode.Admin.IN_SERVICE));
      });
      case MAINTENANCE_OF_DEAD -> withNode(step, node -> node.up && stays(node) && spare(node, true),
          node -> maintainDead(step, node));
      case FAIL_OVER -> failOver(step);
      case TWO_ACTIVE -> activateBeside(step);
      case CRASH_NAMENODE -> crash(step);
      case HANG_LOOP -> withActive(step, active -> {
        active.loopHangs = true;
        cluster.disturbLoop(step.durationMs());
        later(step, "loop goes on: " + active.name, () -> active.loopHangs = false);
      });
      case HANG_NAMENODE -> hangNameNode(step);
      case BLOCK_MANAGER_FAILS -> withActive(step, active -> {
        active.management.failing = true;
        cluster.disturbLoop(step.durationMs());
        later(step, "block manager works again: " + active.name, () -> active.management.failing = false);
      });
      case SAFE_MODE -> withActive(step, active -> {
        active.map.safeMode = true;
        later(step, "out of safe mode: " + active.name, () -> active.map.safeMode = false);
      });
      case PAUSE -> {
        note(step, "");
        cluster.pause(true);
        later(step, "recovery is resumed", () -> cluster.pause(false));
      }
      case BAD_NETWORK -> {
        note(step, "");
        cluster.network.bad = true;
        later(step, "network is good again", () -> cluster.network.bad = false);
      }
    }
  }

  private void maintainDead(FaultStep step, SimulatedDataNode node) {
    boolean deadFirst = step.b() % 2 == 0;
    Runnable maintain = () -> cluster.setAdmin(node, ModelNode.Admin.ENTERING_MAINTENANCE);
    Runnable kill = () -> {
      if (node.up) {
        node.kill();
      }
    };
    (deadFirst ? kill : maintain).run();
    afterwards(cluster.settings.deadMs() * step.b() / MAX_B, (deadFirst ? "into maintenance: " : "dies: ") + node.uuid,
        deadFirst ? maintain : kill);
    if (step.durationMs() == 0 && cluster.groups.isEmpty()) {
      away.add(node);
    } else {
      long endMs = cluster.settings.deadMs() + step.durationMs();
      afterwards(endMs, "starts again: " + node.uuid, () -> startAgain(node));
      // Before or after that.
      afterwards(endMs + (step.b() / 2 % 2 == 0 ? 1 : -1) * cluster.settings.deadMs() / 2,
          "maintenance ends: " + node.uuid, () -> cluster.setAdmin(node, ModelNode.Admin.IN_SERVICE));
    }
  }

  /** No more faults: what was broken works again, but for what was broken for good. */
  void stop() {
    over = true;
    line("faults are over");
    cluster.network.bad = false;
    cluster.pause(false);
    if (cluster.otherNamespace != null) {
      cluster.otherNamespace.stop();
    }
    for (SimulatedDataNode node : cluster.dataNodes) {
      node.hangs = false;
      node.diskHangs = false;
      node.servesNoReads = false;
      node.createsNoReplicas = false;
      node.sendsNothing = false;
      node.disksFull = false;
      node.fillDisks(false);
      node.replaceStorages();
      node.lie(null);
      node.cutFromPeers = false;
      set(node.cutFromNameNode, true, 0, false);
      goOn(node, true, 0);
      node.startAgent();
      if (!staysAway(node)) {
        if (cluster.admin(node) == ModelNode.Admin.ENTERING_MAINTENANCE) {
          cluster.setAdmin(node, ModelNode.Admin.IN_SERVICE);
        }
        if (!node.up && !gone.contains(node)) {
          node.start();
        }
      }
    }
    for (SimulatedNameNode nameNode : List.copyOf(cluster.nameNodes)) {
      nameNode.loopHangs = false;
      nameNode.goOn();
      nameNode.management.failing = false;
      nameNode.map.safeMode = false;
      if (!nameNode.up) {
        cluster.restart(nameNode);
      }
    }
    if (cluster.active() == null) {
      cluster.activate(cluster.nameNodes.get(0));
    }
    cluster.nameNodes.stream().filter(nameNode -> nameNode != cluster.active() && nameNode.map.active)
        .forEach(nameNode -> nameNode.map.stopActive());
    for (ModelBlock block : cluster.namespace.values()) {
      if (block.underConstruction) {
        close(block);
      }
      int usable = maxReplication();
      boolean first = block == cluster.namespace.values().iterator().next();
      // One block is wanted everywhere, so that stock has to make the copies on nodes without agents.
      if (block.expected > usable || first) {
        block.expected = usable;
        forEachMap(map -> map.setReplication(map.blocks.get(block.id), usable));
      }
      // Then no DataNode is free to take a copy instead of a corrupt replica of that block.
      if (first && goodHolders(block).size() > 2 && cluster.random.nextBoolean()) {
        line("corrupt: blk_" + block.id);
        corrupt(goodHolders(block), block.id, 1 + cluster.random.nextInt(MAX_B));
      }
    }
  }

  /** Dead and in maintenance to the end. */
  private boolean staysAway(SimulatedDataNode node) {
    return away.contains(node) && !node.up && cluster.admin(node) == ModelNode.Admin.ENTERING_MAINTENANCE;
  }

  /** As many replicas as the placement policy finds nodes for, agents or not. */
  private int maxReplication() {
    Map<String, Long> perRack = cluster.dataNodes.stream().filter(this::stays)
        .collect(Collectors.groupingBy(node -> node.rack, Collectors.counting()));
    int usable = perRack.values().stream().mapToInt(Long::intValue).sum();
    while (room(perRack, usable) < usable) {
      usable--;
    }
    return usable;
  }

  private static long room(Map<String, Long> perRack, int replicas) {
    int maxOnRack = ModelBlockMap.maxOnRack(replicas, perRack.size());
    return perRack.values().stream().mapToLong(count -> Math.min(count, maxOnRack)).sum();
  }

  private boolean stays(SimulatedDataNode node) {
    return !gone.contains(node) && cluster.admin(node) == ModelNode.Admin.IN_SERVICE;
  }

  /** Whether the cluster can do without this node. */
  private boolean spare(SimulatedDataNode node, boolean forGood) {
    List<SimulatedDataNode> rest = cluster.dataNodes.stream().filter(other -> other != node && stays(other)).toList();
    int min = cluster.groups.isEmpty() ? MIN_NODES
        : cluster.settings.policy().dataUnits() + cluster.settings.policy().parityUnits();
    return !forGood || rest.size() >= min
        && rest.stream().filter(other -> other.mayHaveAgent).count() * 2 > rest.size();
  }

  private void startAgain(SimulatedDataNode node) {
    if (!node.up) {
      node.start();
    }
  }

  private void withNode(FaultStep step, Predicate<SimulatedDataNode> condition, Consumer<SimulatedDataNode> action) {
    SimulatedDataNode node = cluster.dataNodes.get(step.a() % cluster.dataNodes.size());
    if (condition.test(node)) {
      note(step, node.uuid);
      action.accept(node);
    }
  }

  private void withBlock(FaultStep step, Predicate<ModelBlock> condition, Consumer<ModelBlock> action) {
    List<ModelBlock> blocks = List.copyOf(cluster.namespace.values());
    ModelBlock block = blocks.isEmpty() ? null : blocks.get(step.a() % blocks.size());
    if (block != null && condition.test(block)) {
      note(step, "blk_" + block.id);
      action.accept(block);
    }
  }

  private void withGroup(FaultStep step, Consumer<ModelGroup> action) {
    List<ModelGroup> groups = List.copyOf(cluster.groups.values());
    if (!groups.isEmpty()) {
      ModelGroup group = groups.get(step.a() % groups.size());
      note(step, "blk_" + group.id);
      action.accept(group);
    }
  }

  /** If the group can do without it now. */
  private void corrupt(ModelGroup group, int b) {
    List<Integer> good = group.indices().stream().filter(index -> holder(group, index) != null).toList();
    if (good.size() > group.width()) {
      long id = group.internalId(good.get(b % good.size()));
      corrupt(List.of(holder(group, GroupTransfer.indexOf(id))), id, b);
    }
  }

  /** Most DataNodes find it themselves. */
  private static void corrupt(List<SimulatedDataNode> holders, long id, int b) {
    SimulatedDataNode node = holders.get(b % holders.size());
    node.corrupt(id);
    if (b % 4 != 0) {
      node.reportCorrupt(node.uuid, id);
    }
  }

  private List<SimulatedDataNode> goodHolders(ModelBlock block) {
    return cluster.dataNodes.stream().filter(node -> node.up && node.hasGood(block.id, block.generationStamp)).toList();
  }

  private SimulatedDataNode holder(ModelGroup group, int index) {
    return cluster.dataNodes.stream().filter(node -> node.up && node.hasGood(group.internalId(index))).findFirst()
        .orElse(null);
  }

  private void withActive(FaultStep step, Consumer<SimulatedNameNode> action) {
    SimulatedNameNode active = cluster.active();
    if (active != null) {
      note(step, active.name);
      action.accept(active);
    }
  }

  private void forEachMap(Consumer<ModelBlockMap> action) {
    cluster.nameNodes.stream().filter(nameNode -> nameNode.up).forEach(nameNode -> action.accept(nameNode.map));
  }

  /** The nodes that a client can append to: those that the active NameNode counts on and that have the replica. */
  private Set<String> pipeline(ModelBlock block) {
    Set<String> pipeline = new HashSet<>();
    SimulatedNameNode active = cluster.active();
    if (active != null && !active.map.safeMode) {
      for (String uuid : active.map.sources(active.map.blocks.get(block.id))) {
        SimulatedDataNode node = cluster.dataNode(uuid);
        if (node.up && !node.hangs && !node.cutFromPeers
            && node.replicas.getOrDefault(block.id, 0L) == block.generationStamp) {
          pipeline.add(uuid);
        }
      }
    }
    return pipeline;
  }

  private boolean canReopen(ModelBlock block) {
    return !block.underConstruction && !pipeline(block).isEmpty();
  }

  private void reopen(ModelBlock block, long newBytes) {
    newLengthsBytes.put(block.id, newBytes);
    Set<String> pipeline = pipeline(block);
    block.underConstruction = true;
    block.generationStamp++;
    pipeline.forEach(uuid -> cluster.dataNode(uuid).replicas.put(block.id, block.generationStamp));
    forEachMap(map -> map.reopen(map.blocks.get(block.id), block.generationStamp, pipeline));
    cluster.events.after(OPEN_MS, () -> {
      if (block.underConstruction && cluster.namespace.containsKey(block.id)) {
        line("closed: blk_" + block.id);
        close(block);
      }
    });
  }

  private void close(ModelBlock block) {
    block.underConstruction = false;
    block.numBytes = newLengthsBytes.remove(block.id);
    forEachMap(map -> map.close(map.blocks.get(block.id), block.numBytes));
  }

  private SimulatedNameNode otherThan(SimulatedNameNode nameNode) {
    return cluster.nameNodes.get(cluster.nameNodes.get(0) == nameNode ? 1 : 0);
  }

  /** Makes a NameNode active after a while, if it runs then and no other one is active. */
  private void activateAfter(long delayMs, SimulatedNameNode nameNode) {
    cluster.events.after(delayMs, () -> {
      if (cluster.active() == null && nameNode.runs()) {
        cluster.activate(nameNode);
      }
    });
  }

  private void failOver(FaultStep step) {
    SimulatedNameNode active = cluster.active();
    SimulatedNameNode other = otherThan(active);
    if (active != null && other.runs()) {
      note(step, active.name + " to " + other.name);
      other.map.stopActive();
      active.map.stopActive();
      activateAfter(step.b(), other);
    }
  }

  private void activateBeside(FaultStep step) {
    SimulatedNameNode active = cluster.active();
    SimulatedNameNode other = otherThan(active);
    if (active != null && other.runs() && !other.map.active) {
      note(step, other.name + " beside " + active.name);
      cluster.activateBeside(other);
      boolean ends = step.a() % 2 == 0;
      later(step, "is no longer active: " + active.name, () -> {
        if (active.up && active.map.active && cluster.nameNodes.contains(active) && active != cluster.active()) {
          active.map.stopActive();
          if (ends) {
            cluster.crash(active);
            afterwards(MAX_B + 3L * step.b(), "started again: " + active.name, () -> startAgain(active));
          }
        }
      });
    }
  }

  private void startAgain(SimulatedNameNode ended) {
    if (!ended.up && cluster.nameNodes.contains(ended)) {
      cluster.restart(ended);
    }
  }

  private void hangNameNode(FaultStep step) {
    SimulatedNameNode active = cluster.active();
    if (active != null) {
      SimulatedNameNode other = otherThan(active);
      SimulatedNameNode hangs = other.runs() && step.a() % 4 == 0 ? other : active;
      boolean failsOver = hangs == active && step.b() % 2 == 0;
      if (failsOver) {
        other.map.stopActive();
      }
      note(step, hangs.name + (failsOver ? ", " + other.name + " takes over" : ""));
      hangs.standStill();
      cluster.disturbLoop(step.durationMs());
      if (failsOver) {
        activateAfter(MAX_B + 3 * step.b(), other);
      }
      later(step, "goes on: " + hangs.name, () -> {
        hangs.goOn();
        // Of two NameNodes one is active, even if this was to take over while it stood still.
        activateAfter(0, hangs);
      });
    }
  }

  private void crash(FaultStep step) {
    SimulatedNameNode active = cluster.active();
    SimulatedNameNode other = otherThan(active);
    if (active != null && other.runs()) {
      note(step, active.name + ", " + other.name + " takes over");
      other.map.stopActive();
      cluster.crash(active);
      activateAfter(3 * step.b(), other);
      later(step, "started again: " + active.name, () -> startAgain(active));
    }
  }

  private void goOn(SimulatedDataNode node, boolean both, int one) {
    set(node.connectionHangs, both, one, false);
    cluster.network.deliverHeld(node);
  }

  private static void set(boolean[] cut, boolean both, int one, boolean value) {
    for (int i = 0; i < cut.length; i++) {
      cut[i] = both || i == one ? value : cut[i];
    }
  }

  private void later(FaultStep step, String what, Runnable action) {
    afterwards(step.durationMs(), what, action);
  }

  private void afterwards(long delayMs, String what, Runnable action) {
    cluster.events.after(delayMs, () -> {
      if (!over) {
        line(what);
        action.run();
      }
    });
  }

  /** The steps that happened: a fault finds nothing that it can be about now and then. */
  List<FaultStep> applied() {
    return List.copyOf(applied);
  }

  private void note(FaultStep step, String about) {
    applied.add(step);
    line(step.kind() + " " + about + (step.durationMs() == 0 ? ", for good" : ", for " + step.durationMs() + " ms"));
  }

  private void line(String what) {
    log.append(String.format("  %7d ms  %s%n", cluster.events.elapsedMs(), what));
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import org.apache.hadoop.fs.StorageType;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Makes the steps of a sequence happen, and undoes them; by itself those that are about DataNodes, the network or all.
 * Not thread-safe.
 */
final class Faults {
  private static final int MIN_NODES = 4;
  /** The numbers of a step are less. */
  private static final int MAX_B = 1_000;

  private final SimulatedCluster cluster;
  private final FaultTimeline timeline;
  private final NameNodeFaults nameNodes;
  private final BlockFaults blocks;
  /** DataNodes that are dead for good. */
  private final Set<SimulatedDataNode> gone = new HashSet<>();
  /** DataNodes that do not come back from maintenance, if nothing else starts them. */
  private final Set<SimulatedDataNode> away = new HashSet<>();

  /** @param log receives a line for each thing that is done */
  Faults(SimulatedCluster cluster, StringBuilder log) {
    this.cluster = cluster;
    this.timeline = new FaultTimeline(cluster.events, log);
    this.nameNodes = new NameNodeFaults(cluster, timeline);
    this.blocks = new BlockFaults(cluster, timeline);
  }

  void apply(FaultStep step) {
    switch (step.kind()) {
      case KILL_DATANODE -> withNode(step, node -> node.up && spare(node, step.durationMs() == 0), node -> {
        node.kill();
        if (step.durationMs() == 0) {
          gone.add(node);
        } else {
          timeline.later(step, "starts again: " + node.uuid, () -> startAgain(node));
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
        timeline.later(step, "reaches NameNodes again: " + node.uuid,
            () -> set(node.cutFromNameNode, both, one, false));
      });
      case PARTITION_FROM_PEERS -> withNode(step, node -> true, node -> {
        node.cutFromPeers = true;
        timeline.later(step, "reaches its peers again: " + node.uuid, () -> node.cutFromPeers = false);
      });
      case HANG_DATANODE -> withNode(step, node -> node.up, node -> {
        node.hangs = true;
        timeline.later(step, "goes on: " + node.uuid, () -> node.hangs = false);
      });
      case HANG_DISK -> withNode(step, node -> node.up, node -> {
        node.diskHangs = true;
        timeline.later(step, "writes again: " + node.uuid, () -> node.diskHangs = false);
      });
      case SOURCE_FAILS -> withNode(step, node -> true, node -> {
        node.servesNoReads = true;
        timeline.later(step, "serves again: " + node.uuid, () -> node.servesNoReads = false);
      });
      case TARGET_FAILS -> withNode(step, node -> true, node -> {
        node.createsNoReplicas = true;
        timeline.later(step, "creates replicas again: " + node.uuid, () -> node.createsNoReplicas = false);
      });
      case SOURCE_SENDS_NOTHING -> withNode(step, node -> node.up, node -> {
        node.sendsNothing = true;
        timeline.later(step, "sends again: " + node.uuid, () -> node.sendsNothing = false);
      });
      case HANG_CONNECTION -> withNode(step, node -> node.mayHaveAgent, node -> {
        boolean both = step.b() % 2 == 0;
        int one = step.b() / 2 % 2;
        set(node.connectionHangs, both, one, true);
        timeline.later(step, "its connections go on: " + node.uuid, () -> goOn(node, both, one));
      });
      case DISKS_FULL -> withNode(step, node -> true, node -> {
        node.disksFull = true;
        timeline.later(step, "has room again: " + node.uuid, () -> node.disksFull = false);
      });
      case FILL_DISKS -> withNode(step, node -> true, node -> {
        node.fillDisks(true);
        timeline.later(step, "has room as before: " + node.uuid, () -> node.fillDisks(false));
      });
      case FAIL_STORAGE -> withNode(step, node -> node.up && spare(node, true), node -> {
        StorageType type = node.storages().get(step.b() % node.storages().size());
        timeline.line(type.toString());
        node.failStorage(type);
        timeline.later(step, "has new storages: " + node.uuid, node::replaceStorages);
      });
      case AGENT_LIES -> withNode(step, node -> true, node -> {
        Lie lie = Lie.values()[step.b() % Lie.values().length];
        timeline.line(lie.toString());
        node.lie(lie);
        timeline.later(step, "tells the truth again: " + node.uuid, () -> node.lie(null));
      });
      case RECONNECT_AGENT -> withNode(step, node -> true, node -> node.reconnectAgent(step.b() % 2));
      case AGENTS_DOWN -> {
        List<SimulatedDataNode> some = cluster.dataNodes.stream()
            .filter(node -> node.uuid.hashCode() % 4 != step.b() % 4).toList();
        timeline.note(step, some.stream().map(node -> node.uuid).toList().toString());
        some.forEach(SimulatedDataNode::stopAgent);
        timeline.later(step, "agents start again", () -> some.forEach(SimulatedDataNode::startAgent));
      }
      case DECOMMISSION -> withNode(step, node -> cluster.admin(node) == ModelNode.Admin.IN_SERVICE
          && spare(node, true), node -> {
            cluster.setAdmin(node, ModelNode.Admin.DECOMMISSIONING);
            if (step.durationMs() > 0) {
              timeline.later(step, "is in service again: " + node.uuid,
                  () -> cluster.setAdmin(node, ModelNode.Admin.IN_SERVICE));
            }
          });
      case MAINTENANCE -> withNode(step, node -> stays(node) && spare(node, true), node -> {
        cluster.setAdmin(node, ModelNode.Admin.ENTERING_MAINTENANCE);
        timeline.later(step, "maintenance ends: " + node.uuid,
            () -> cluster.setAdmin(node, ModelNode.Admin.IN_SERVICE));
      });
      case MAINTENANCE_OF_DEAD -> withNode(step, node -> node.up && stays(node) && spare(node, true),
          node -> maintainDead(step, node));
      case PAUSE -> {
        timeline.note(step, "");
        cluster.pause(true);
        timeline.later(step, "recovery is resumed", () -> cluster.pause(false));
      }
      case BAD_NETWORK -> {
        timeline.note(step, "");
        cluster.network.bad = true;
        timeline.later(step, "network is good again", () -> cluster.network.bad = false);
      }
      case DELETE_BLOCK, CORRUPT_REPLICA, CORRUPT_INTERNAL_BLOCK, APPEND_BLOCK, TRUNCATE_BLOCK, SET_REPLICATION ->
          blocks.apply(step);
      case FAIL_OVER, TWO_ACTIVE, CRASH_NAMENODE, HANG_LOOP, HANG_NAMENODE, BLOCK_MANAGER_FAILS, SAFE_MODE ->
          nameNodes.apply(step);
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
    timeline.afterwards(cluster.settings.deadMs() * step.b() / MAX_B,
        (deadFirst ? "into maintenance: " : "dies: ") + node.uuid,
        deadFirst ? maintain : kill);
    if (step.durationMs() == 0 && cluster.groups.isEmpty()) {
      away.add(node);
    } else {
      long endMs = cluster.settings.deadMs() + step.durationMs();
      timeline.afterwards(endMs, "starts again: " + node.uuid, () -> startAgain(node));
      // Before or after that.
      timeline.afterwards(endMs + (step.b() / 2 % 2 == 0 ? 1 : -1) * cluster.settings.deadMs() / 2,
          "maintenance ends: " + node.uuid, () -> cluster.setAdmin(node, ModelNode.Admin.IN_SERVICE));
    }
  }

  /** No more faults: what was broken works again, but for what was broken for good. */
  void stop() {
    timeline.stop();
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
    nameNodes.stop();
    blocks.stop(maxReplication());
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
    int maxOnRack = ModelPlacement.maxOnRack(replicas, perRack.size());
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
      timeline.note(step, node.uuid);
      action.accept(node);
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

  /** The steps that happened: a fault finds nothing that it can be about now and then. */
  List<FaultStep> applied() {
    return timeline.applied();
  }
}

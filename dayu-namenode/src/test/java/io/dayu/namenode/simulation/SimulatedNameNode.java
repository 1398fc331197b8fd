/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.namenode.RecoveryDriver;
import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.apache.hadoop.fs.StorageType;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** One NameNode's process: a model of its block management, and the production recovery. Not thread-safe. */
final class SimulatedNameNode {
  private static final long TICK_MS = 100;
  private static final long WATCH_MS = SequenceSettings.WATCHDOG_MS / 10;
  private static final long HEARTBEAT_CHECK_MS = 1_000;
  private static final long STOCK_ROUND_MS = 3_000;
  /** Of each type of storage that a DataNode has. They fail together. */
  private static final int VOLUMES = 2;

  final String name;
  final ModelBlockMap map;
  final ModelBlockManagement management;
  final RecoveryDriver recovery;
  private final SimulatedCluster cluster;
  private final SequenceSettings settings;
  private final PlanObserver plans;

  boolean up = true;
  boolean loopHangs;
  /** No fault of a sequence: stock HDFS would recover nothing while the loop hangs. */
  boolean watchdogHangs;
  private boolean standsStill;
  /** What would have run while this NameNode stands still, in the order in which it was due. */
  private final List<Runnable> held = new ArrayList<>();
  private long wentOnMs;
  private long lastTickMs;
  private long lastHeartbeatCheckMs;
  /** Grows with each NameNode that becomes active. */
  long term;
  /** The term in which each activation of the production recovery was first heard of. */
  final Map<Long, Long> termsOfActivations = new HashMap<>();

  SimulatedNameNode(String name, SimulatedCluster cluster, SequenceSettings settings, long clockSkewMs) {
    this.name = name;
    this.cluster = cluster;
    this.settings = settings;
    EventQueue events = cluster.events;
    this.map = new ModelBlockMap(name, events, SequenceSettings.STOCK_MULTIPLIER, cluster.invariants.registrations);
    this.management = new ModelBlockManagement(map, settings, true);
    this.plans = new PlanObserver(cluster, management);
    this.recovery = new RecoveryDriver(management, settings.production(), plans::observe, name, events::nowNs,
        () -> 1_700_000_000_000L + clockSkewMs + events.elapsedMs(), new SimulatedExecutor(events, this::whenRunning));
    recovery.onWakeUp(() -> events.after(0, this::tick));
    cluster.namespace.values().forEach(block -> {
      ModelBlock copy =
          new ModelBlock(block.id, block.generationStamp, block.numBytes, block.expected, block.storageType);
      copy.underConstruction = block.underConstruction;
      map.blocks.put(copy.id, copy);
    });
    cluster.groups.values().forEach(group -> map.groups.all.put(group.id, group.withoutHolders()));
    every(TICK_MS, this::tick);
    every(WATCH_MS, this::watch);
    every(HEARTBEAT_CHECK_MS, this::checkHeartbeats);
    every(STOCK_ROUND_MS, this::stockRound);
  }

  private void every(long periodMs, Runnable action) {
    cluster.events.after(periodMs, () -> whenRunning(() -> {
      action.run();
      every(periodMs, action);
    }));
  }

  /** Whether it is up and does not stand still. */
  boolean runs() {
    return up && !standsStill;
  }

  /**
   * The whole process stands still from now on, as in a long collection of garbage or after SIGSTOP: RPC handlers,
   * loop, watchdog, monitors. Requests that arrive wait in its sockets. What clients and admins do meanwhile is in its
   * block map at once, as if it were the first thing that the process sees when it goes on.
   */
  void standStill() {
    standsStill = true;
  }

  /** Its threads go on, in no fixed order. */
  void goOn() {
    if (standsStill) {
      standsStill = false;
      wentOnMs = cluster.events.elapsedMs();
      List<Runnable> due = List.copyOf(held);
      held.clear();
      due.forEach(action -> cluster.events.after(cluster.random.nextInt((int) TICK_MS), () -> whenRunning(action)));
    }
  }

  /** Runs this now, or when this NameNode goes on if it stands still. A process that has ended runs nothing. */
  void whenRunning(Runnable action) {
    if (standsStill) {
      held.add(action);
    } else if (up) {
      action.run();
    }
  }

  private void tick() {
    if (runs() && !loopHangs) {
      lastTickMs = cluster.events.elapsedMs();
      recovery.tick(cluster.events.nowNs());
      plans.checkPublished(recovery);
    }
  }

  private void watch() {
    if (!watchdogHangs) {
      recovery.watch(cluster.events.nowNs());
    }
  }

  /** For how long the loop has stood still while other threads of the process ran, in milliseconds. */
  long silentMs() {
    return cluster.events.elapsedMs() - Math.max(lastTickMs, wentOnMs);
  }

  private void checkHeartbeats() {
    long sinceCheckMs = cluster.events.elapsedMs() - lastHeartbeatCheckMs;
    lastHeartbeatCheckMs = cluster.events.elapsedMs();
    if (sinceCheckMs > 2 * HEARTBEAT_CHECK_MS) {
      // As HeartbeatManager after a pause of the process: DataNodes can report before they count as dead.
      return;
    }
    for (ModelNode node : map.nodes.values()) {
      if (node.alive && cluster.events.nowNs() - node.lastReportNs > settings.deadMs() * EventQueue.MS) {
        map.replicas.died(node);
      }
      if (node.admin == ModelNode.Admin.DECOMMISSIONING && mayLeave(node)) {
        node.admin = ModelNode.Admin.DECOMMISSIONED;
      } else if (node.admin == ModelNode.Admin.ENTERING_MAINTENANCE && node.alive && mayLeave(node)) {
        node.admin = ModelNode.Admin.IN_MAINTENANCE;
      }
    }
    map.replicas.removeAllExtra();
  }

  /** Whether each of its blocks has as many replicas elsewhere as it has to have without this node. */
  private boolean mayLeave(ModelNode node) {
    return map.active && map.blocks.values().stream().filter(block -> block.replicas.contains(node.uuid))
        .allMatch(block -> map.live(block).size() >= map.wanted(block))
        && map.groups.all.values().stream().filter(group -> group.holders.containsKey(node.uuid))
            .allMatch(group -> map.groups.live(group) >= map.groups.expectedLive(group));
  }

  private void stockRound() {
    map.timeOutPending(settings.pendingTimeoutMs());
    management.stockRound();
  }

  void startActive(long newTerm) {
    term = newTerm;
    map.startActive();
  }

  /**
   * The term that commands of this activation belong to. While the loop stands still, they are still sent after this
   * NameNode was standby and has become active again.
   */
  long termOf(long activation) {
    return termsOfActivations.computeIfAbsent(activation, any -> term);
  }

  /** What a DataNode learns from a heartbeat: what to do, or that it has to send a full block report first. */
  boolean heartbeat(SimulatedDataNode dataNode) {
    ModelNode node = map.nodes.get(dataNode.uuid);
    if (node == null) {
      // It registers now, and its heartbeats begin with the next one.
      node = new ModelNode(dataNode.uuid, dataNode.rack);
      node.lastReportNs = cluster.events.nowNs();
      node.admin = cluster.admin(dataNode);
      node.alive = true;
      node.session = dataNode.session();
      map.nodes.put(dataNode.uuid, node);
      map.refreshAll();
      return false;
    }
    node.hasStorages = true;
    for (StorageType type : StorageType.values()) {
      node.roomBytes[type.ordinal()] = dataNode.freeBytes(type);
      node.volumes[type.ordinal()] = dataNode.hasStorage(type) ? VOLUMES : 0;
    }
    Arrays.fill(node.endedBytes, 0);
    if (!node.alive || !node.reported || node.session != dataNode.session()) {
      node.alive = true;
      node.session = dataNode.session();
      node.reported(settings.leaseMs() * EventQueue.MS, cluster.events.nowNs());
      map.replicas.report(dataNode.uuid, dataNode.replicas);
      map.refreshAll();
      return true;
    }
    node.reported(settings.leaseMs() * EventQueue.MS, cluster.events.nowNs());
    return false;
  }

  List<ModelNode.StockCopy> takeCopies(String uuid) {
    ModelNode node = map.nodes.get(uuid);
    List<ModelNode.StockCopy> copies = List.copyOf(node.toSend);
    node.toSend.clear();
    return copies;
  }

  List<ModelNode.StockRebuild> takeRebuilds(String uuid) {
    ModelNode node = map.nodes.get(uuid);
    List<ModelNode.StockRebuild> rebuilds = List.copyOf(node.toRebuild);
    node.toRebuild.clear();
    return rebuilds;
  }

  List<Long> takeDeletions(String uuid) {
    ModelNode node = map.nodes.get(uuid);
    List<Long> deletions = List.copyOf(node.toDelete);
    deletions.forEach(id -> cluster.invariants.agents.ordered(uuid, id,
        node.toDeleteBeside.getOrDefault(id, Set.of())));
    node.toDelete.clear();
    node.toDeleteBeside.clear();
    return deletions;
  }

  /** A report has arrived. */
  void receive(ReportProto report, Consumer<AgentCommandsProto> answer) {
    if (!management.knowsStorages(report.getDatanodeUuid())) {
      answer.accept(AgentCommandsProto.newBuilder().setProtocolVersion(DayuProtocolPB.REVISION).setNamenodeId(name)
          .setActivation(0)
          .setSequence(0).setAuthoritative(false).setNextReportMs(1_000).build());
    } else {
      recovery.receive(report, cluster.events.nowNs()).thenAccept(answer);
    }
  }

  @Override
  public String toString() {
    Map<Long, Integer> needed = map.needed;
    return name + (up ? map.active ? " (active" : " (standby" : " (down") + (standsStill ? ", stands still" : "") + ", "
        + recovery.status().getState() + ": "
        + recovery.status().getStateReason() + "), needed " + needed + ", pending " + map.pendingCopies()
        + ", scheduled "
        + map.scheduledCopies() + ", Dayu's registrations " + recovery.registrations();
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.blocks.TransferRequest;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What must hold of the copies that NameNodes plan and register, and of their queues. Not thread-safe. */
final class RegistrationInvariants implements ModelBlockMap.Observer {
  /** A copy that Dayu has registered in one activation of a NameNode. */
  private record Begun(ModelBlockMap map, int activation, long blockId, String target) {
  }

  private final SimulatedCluster cluster;
  private final Invariants invariants;
  private final Set<Begun> begun = new HashSet<>();
  /** The last term in which the NameNode that had become active last has begun a transfer. */
  private long begunTerm;
  /** Copies that Dayu has registered or adopted, as block id and target, of the NameNode by name. */
  private final Set<String> byDayu = new HashSet<>();
  /** Of internal blocks, in the same form, which index is made. */
  private final Map<String, Integer> indices = new HashMap<>();

  RegistrationInvariants(SimulatedCluster cluster, Invariants invariants) {
    this.cluster = cluster;
    this.invariants = invariants;
  }

  long begunTerm() {
    return begunTerm;
  }

  private static String copy(ModelBlockMap map, long id, String target) {
    return map.name + " " + id + " " + target;
  }

  @Override
  public void registering(ModelBlockMap map, ModelBlock block, String target, String by) {
    List<String> registered = new ArrayList<>(map.pendingTargets(block));
    int wanted = map.wanted(block);
    int allowed = map.live(block).size() < wanted ? wanted - map.live(block).size()
        : map.placement.racksMissing(block, map.live(block)) + registered.size();
    if (registered.size() + 1 > allowed) {
      invariants.violated(Invariants.TARGETS_AT_ONCE,
          block + " gets target " + target + " by " + by + " beside " + registered);
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
        invariants.violated(Invariants.LEASE_OVERLAP,
            block + " gets target " + target + " by " + by + " of " + map.name + " while "
                + node.uuid
                + " may go on with it: " + node.describeTransfers());
      }
    }
    if (by.equals("Dayu")) {
      if (cluster.isPaused()) {
        invariants.violated(Invariants.NOTHING_BEGUN_IN_A_PAUSE, block + " gets target " + target + " by " + map.name);
      }
    }
    noteDayu(map, block.id, target, by);
  }

  @Override
  public void registering(ModelBlockMap map, ModelGroup group, int index, String target, String by) {
    List<String> registered = map.groups.pendingTargets(group);
    int lacking = map.groups.expectedLive(group) - map.groups.live(group);
    int racks = map.groups.racksMissing(group, List.of());
    int allowed = lacking > 0 ? lacking : by.equals("stock") ? racks : Math.min(1, racks);
    if (registered.size() + 1 > allowed) {
      invariants.violated(Invariants.TARGETS_AT_ONCE,
          group + " gets target " + target + " by " + by + " beside " + registered);
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
      invariants.violated(Invariants.INDEX_MADE_ONCE, group + " gets index " + index + " again, on " + target);
    }
    if (group.holders.containsKey(target) || registered.contains(target)) {
      invariants.violated(Invariants.ONE_INDEX_ON_A_NODE,
          group + " gets index " + index + " on " + target + " beside another one");
    }
    if (map.groups.deletes(group, target)) {
      invariants.violated(Invariants.ONE_INDEX_ON_A_NODE,
          group + " gets index " + index + " on " + target + ", which is to delete another");
    }
    checkAdopted(map, group, target);
    if (cluster.isPaused()) {
      invariants.violated(Invariants.NOTHING_BEGUN_IN_A_PAUSE, group + " gets target " + target + " by " + map.name);
    }
  }

  private void noteDayu(ModelBlockMap map, long id, String target, String by) {
    if (by.equals("stock")) {
      byDayu.remove(copy(map, id, target));
    } else {
      byDayu.add(copy(map, id, target));
    }
  }

  boolean isOrWasSilent(ModelBlockMap map, SimulatedDataNode node) {
    ModelNode modelled = map.nodes.get(node.uuid);
    return modelled == null || modelled.isOrWasSilent(cluster.settings.leaseMs() * EventQueue.MS, map.nowNs());
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
      invariants.violated(Invariants.INDEX_MADE_ONCE,
          group + " gets index " + index + " on " + target + " by " + by + " of " + map.name
              + " while " + node.uuid + " may go on with it: " + node.describeTransfers());
    }
  }

  private void checkAdopted(ModelBlockMap map, Object block, String target) {
    SimulatedNameNode active = cluster.active();
    if (!cluster.isNewest(map)) {
      return;
    }
    begunTerm = active.term;
    for (SimulatedDataNode node : cluster.dataNodes) {
      if (active != null && node.mayRunForPredecessorOf(active.term) && !isOrWasSilent(map, node)) {
        invariants.violated(Invariants.NOTHING_BEGUN_BEFORE_ADOPTION,
            block + " gets target " + target + " by " + map.name + " while "
                + node.uuid + " may go on with what another activation granted: " + node.describeTransfers());
      }
    }
  }

  @Override
  public void planned(ModelBlockMap map, TransferRequest request, long roomBytes) {
    if (roomBytes < request.numBytes()) {
      invariants.violated(Invariants.ROOM_KEPT,
          map.name + " plans " + request + ", and was told of room for " + roomBytes + " bytes there");
    }
  }

  /** A NameNode that another one has succeeded may go by what it was told before: its DataNodes do not obey it. */
  @Override
  public void removingCorrupt(ModelBlockMap map, ModelBlock block, String uuid, int goodNeeded) {
    if (cluster.isNewest(map)) {
      long good = invariants.agents.verifiedGood(block, uuid);
      invariants.agents.forgetVerified(block);
      boolean goodIsLeft = cluster.dataNodes.stream()
          .anyMatch(node -> !node.uuid.equals(uuid) && node.hasGood(block.id, block.generationStamp));
      if (good < goodNeeded || !goodIsLeft) {
        invariants.violated(Invariants.CORRUPT_MAKES_ROOM,
            "the replica of " + block + " on " + uuid + " is deleted, while agents have found "
                + good + " others good" + (goodIsLeft ? "" : ", and none is left"));
      }
    }
    cluster.situations.add(MetSituation.CORRUPT_MADE_ROOM);
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
        invariants.violated(Invariants.REGISTRATION_KEPT_FRESH,
            "the copy of " + block + " to " + target + " has timed out");
      }
    }
  }

  /** Each step leaves the active NameNode's queues and registrations so. */
  void checkQueues(SimulatedNameNode active) {
    ModelBlockMap map = active.map;
    Set<String> registered = active.recovery.registered();
    for (ModelBlock block : map.blocks.values()) {
      List<String> pending = map.pendingTargets(block);
      if (!block.underConstruction && !map.needed.containsKey(block.id) && !map.hasEnough(block, pending.size())) {
        invariants.violated(Invariants.NO_BLOCK_FORGOTTEN, block + " is in no queue, and pending on " + pending);
      }
      for (String target : pending) {
        checkRegistered(map, block.id, block, target, registered);
      }
    }
    for (ModelGroup group : map.groups.all.values()) {
      List<String> pending = map.groups.pendingTargets(group);
      if (!map.needed.containsKey(group.id) && !map.groups.hasEnough(group, pending.size())) {
        invariants.violated(Invariants.NO_BLOCK_FORGOTTEN, group + " is in no queue, and pending on " + pending);
      }
      for (String target : pending) {
        checkRegistered(map, group.id, group, target, registered);
      }
    }
  }

  private void checkRegistered(ModelBlockMap map, long id, Object block, String target, Set<String> registered) {
    if (byDayu.contains(copy(map, id, target)) && !registered.contains(id + " " + target)) {
      invariants.violated(Invariants.NO_BLOCK_FORGOTTEN,
          block + " is pending on " + target + ", and Dayu knows nothing of it");
    }
  }
}

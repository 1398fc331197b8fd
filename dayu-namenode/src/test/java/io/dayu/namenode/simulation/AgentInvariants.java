/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.blocks.GroupTransfer;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.apache.hadoop.fs.StorageType;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What must hold of all that agents and their DataNodes do. Not thread-safe. */
final class AgentInvariants {
  private final SimulatedCluster cluster;
  private final Invariants invariants;
  private final RegistrationInvariants registrations;
  /** Blocks that a storage had when it failed, and of which no replica was made since then. */
  private final Set<Long> lostWithStorage = new HashSet<>();
  /** The DataNodes of those storages, by block, until they have another replica of it. */
  private final Map<Long, Set<String>> lostHolders = new HashMap<>();
  /** By block and DataNode that deletes it, who else had the same internal block, by the word of who ordered that. */
  private final Map<Long, Map<String, Set<String>>> orderedBeside = new HashMap<>();
  /** Of replicas that agents have found good, and that commands still name, the generation, by block and DataNode. */
  private final Map<Long, Map<String, Long>> verifiedGood = new HashMap<>();

  AgentInvariants(SimulatedCluster cluster, Invariants invariants, RegistrationInvariants registrations) {
    this.cluster = cluster;
    this.invariants = invariants;
    this.registrations = registrations;
  }

  /** An agent begins a transfer that a NameNode has granted which became active in this term. */
  void beginning(SimulatedDataNode node, long term) {
    SimulatedNameNode active = cluster.active();
    if (active != null && active.term == registrations.begunTerm() && term < registrations.begunTerm()
        && !registrations.isOrWasSilent(active.map, node)) {
      invariants.violated(Invariants.SUCCESSOR_ALONE,
          node.uuid + " begins what was granted in term " + term + ", after " + active
              + " has begun transfers in term " + registrations.begunTerm());
    }
  }

  /** An agent has a transfer end, or not begin. */
  void stopping(SimulatedAgent agent, SimulatedTransfer transfer, Outcome outcome) {
    String obeyed = agent.obeyedPool();
    if (outcome == Outcome.CANCELLED && obeyed != null && !transfer.pool().equals(obeyed)) {
      invariants.violated(Invariants.POOLS_APART,
          agent.node.uuid + " ends " + transfer + " of " + transfer.pool() + " by commands of "
              + obeyed);
    }
  }

  /** An agent is about to report while it has transfers of these block pools. */
  void reporting(SimulatedDataNode node, ReportProto report, Set<String> pools) {
    long toldBytesPerSec = report.getLoad().getCapacityInBytesPerSec();
    if (!node.lies() && pools.size() > 1 && toldBytesPerSec > node.bandwidthBytesPerSec / pools.size()) {
      invariants.violated(Invariants.BANDWIDTH_DIVIDED,
          node.uuid + " receives for " + pools + ", and tells NameNodes of "
              + report.getBlockPoolId() + " of " + toldBytesPerSec + " bytes/s of " + node.bandwidthBytesPerSec);
    }
  }

  /** The transfers of an agent that have been started and have not ended. */
  void running(SimulatedDataNode node, List<SimulatedTransfer> running, int max) {
    if (running.size() > max) {
      invariants.violated(Invariants.TRANSFERS_AT_ONCE, node.uuid + " runs " + running + ", more than " + max);
    }
  }

  /** An agent is about to create a partial replica on this type of storage; of a deleted block nothing is wanted. */
  void creating(SimulatedDataNode node, long id, StorageType type) {
    boolean deleted = !ModelGroup.isOfGroup(id) && !cluster.namespace.containsKey(id);
    if ((!deleted && type != cluster.storageType(id)) || !node.hadStorage(type)) {
      invariants.violated(Invariants.STORAGE_TYPE,
          node.uuid + " creates blk_" + id + " on " + type + ", and its policy wants "
              + cluster.storageType(id));
    }
  }

  /** An agent is about to make an internal block final. */
  void making(SimulatedDataNode node, SimulatedTransfer transfer) {
    long groupId = GroupTransfer.groupId(transfer.blockId());
    List<Integer> others = node.indicesOf(groupId);
    if (!others.isEmpty()) {
      invariants.violated(Invariants.ONE_INDEX_ON_A_NODE,
          node.uuid + " makes " + transfer + ", and has " + others + " of the group");
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

  /** How many agents of other DataNodes have found their replica of this generation good, as far as it still counts. */
  long verifiedGood(ModelBlock block, String exceptUuid) {
    return verifiedGood.getOrDefault(block.id, Map.of()).entrySet().stream()
        .filter(one -> !one.getKey().equals(exceptUuid) && one.getValue() == block.generationStamp).count();
  }

  /** What agents have read of this block no longer counts. */
  void forgetVerified(ModelBlock block) {
    verifiedGood.remove(block.id);
  }

  /** A DataNode has deleted an internal block, as its NameNode has told it. */
  void deleted(SimulatedDataNode node, long internalId) {
    boolean exists = cluster.groups.containsKey(GroupTransfer.groupId(internalId))
        && !lostWithStorage.contains(internalId) && !wasBelieved(node.uuid, internalId);
    if (exists && cluster.dataNodes.stream().noneMatch(other -> other.replicas.containsKey(internalId))) {
      invariants.violated(Invariants.INDICES_KEPT,
          node.uuid + " has deleted index " + GroupTransfer.indexOf(internalId) + " of "
              + describe(GroupTransfer.groupId(internalId)) + ", which no other DataNode has");
    }
  }

  private String describe(long groupId) {
    return cluster.nameNodes.stream().map(nameNode -> nameNode.name + "'s " + nameNode.map.groups.all.get(groupId))
        .toList().toString();
  }

  /**
   * A NameNode tells a DataNode to delete a replica.
   *
   * @param beside who had the same internal block, by what this NameNode knew when it decided so
   */
  void ordered(String uuid, long id, Set<String> beside) {
    orderedBeside.computeIfAbsent(id, any -> new HashMap<>()).put(uuid, beside);
  }

  /** Whether who ordered this deletion had not heard that another such internal block went with its storage. */
  private boolean wasBelieved(String uuid, long internalId) {
    Set<String> lost = lostHolders.getOrDefault(internalId, Set.of());
    return orderedBeside.getOrDefault(internalId, Map.of()).getOrDefault(uuid, Set.of()).stream()
        .anyMatch(lost::contains);
  }

  /** A storage that had this block has failed. */
  void lost(String uuid, long id) {
    lostWithStorage.add(id);
    lostHolders.computeIfAbsent(id, any -> new HashSet<>()).add(uuid);
  }

  /** A replica of this block is complete. */
  void made(String uuid, long id) {
    lostWithStorage.remove(id);
    lostHolders.getOrDefault(id, new HashSet<>()).remove(uuid);
  }
}

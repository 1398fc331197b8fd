/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import io.dayu.schedule.Snapshots;

import java.util.Arrays;

/** The small cluster with replicated blocks, what tests pick in it, and what a NameNode may grant there. */
abstract class BrokenBlockInvariants extends BrokenInvariants {
  static final SequenceSettings SETTINGS =
      new SequenceSettings(6, 2, false, 8, 0, LEASE_MS, 40_000, "dayu");

  final SimulatedNameNode standby = cluster.nameNodes.get(1);

  BrokenBlockInvariants() {
    super(SETTINGS);
  }

  final void runUntilFinished() {
    runUntil(() -> cluster.invariants.goals.unfinished() == null);
  }

  static ModelBlock anyBlock(SimulatedNameNode nameNode) {
    return nameNode.map.blocks.values().iterator().next();
  }

  /** A block of which this NameNode believes that a replica is gone. */
  static ModelBlock blockThatLacksAReplica(SimulatedNameNode nameNode) {
    ModelBlock block = anyBlock(nameNode);
    nameNode.map.replicas.deleted(block.replicas.iterator().next(), block.id);
    return block;
  }

  /** A node in service that has nothing to do with the block. */
  static ModelNode freeNode(SimulatedNameNode nameNode, ModelBlock block, String... others) {
    return nameNode.map.nodes.values().stream()
        .filter(node -> node.inService() && !block.replicas.contains(node.uuid)
            && !Arrays.asList(others).contains(node.uuid))
        .reduce((first, second) -> second).orElseThrow();
  }

  /** A DataNode that receives a block by Dayu, since another one has died. */
  final SimulatedDataNode receivingNode() {
    cluster.dataNodes.get(0).kill();
    runUntil(() -> cluster.dataNodes.stream().anyMatch(node -> !node.receiving().isEmpty()));
    return cluster.dataNodes.stream().filter(node -> !node.receiving().isEmpty()).findFirst().orElseThrow();
  }

  static GrantProto grant(ModelBlock block, long numBytes, long rateBytesPerSec, long leaseMs) {
    String source = block.replicas.iterator().next();
    return GrantProto.newBuilder().setAttempt(1)
        .setBlock(BlockSpecProto.newBuilder().setBlockId(block.id).setGenerationStamp(block.generationStamp)
            .setNumBytes(numBytes))
        .setSource(SourceProto.newBuilder().setDatanodeUuid(source).setIpAddress("10.0.0.1").setHostName(source)
            .setTransferPort(9866))
        .setStorageType("DISK").setRateBytesPerSec(rateBytesPerSec).setLeaseMs((int) leaseMs).build();
  }

  final SimulatedTransfer transfer(ModelBlock block, long leaseMs) {
    SimulatedAgent agent = new SimulatedAgent(cluster.dataNode(freeNode(active, block).uuid), cluster);
    return new SimulatedTransfer(agent, SimulatedAgent.POOL, grant(block, 1_000, Snapshots.MB, leaseMs),
        cluster.events.nowNs(), end -> {});
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.LiveNode;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.SourceProto;

import java.util.Comparator;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Predicate;

/**
 * Builds the commands for an agent: all of its live attempts, not only changes. No state: the tracker keeps where
 * sources are.
 */
public final class AgentCommands {
  /** The order of grants, in which agents start transfers: highest risk first, then as planned. */
  private static final Comparator<Attempt> START_ORDER = Comparator
      .<Attempt>comparingInt(attempt -> attempt.request().risk()).thenComparingLong(Attempt::id);

  /** Of three replicas two are left. */
  private static final int MAX_ALTERNATES = 2;

  private AgentCommands() {
  }

  /**
   * What {@code agent} should be doing.
   *
   * @param tracker has the transfers to it; it is told where their sources are
   * @param nodes the live nodes, by UUID: where sources are
   * @param agents which nodes have an agent, and what their links carry
   * @param isAvoided whether plans avoid a node, by UUID, as a source
   * @param peakUtilization up to which fraction of a link recovery may use moments without clients; empty if each
   *     transfer is to be held to its rate
   */
  public static AgentCommandsProto of(AgentState agent, TransferTracker tracker, long activation, long sequence,
      Map<String, LiveNode> nodes, AgentRegistry<AgentState> agents, Predicate<String> isAvoided,
      OptionalDouble peakUtilization, String namenodeId) {
    AgentCommandsProto.Builder commands = AgentCommandsProto.newBuilder()
        .setProtocolVersion(DayuProtocolPB.REVISION)
        .setNamenodeId(namenodeId)
        .setActivation(activation)
        .setSequence(sequence)
        .setAuthoritative(true)
        .setNextReportMs(0)
        .addAllAcknowledged(agent.acknowledged);
    if (agent.meterSharers > 1) {
      commands.setMeterSharers(agent.meterSharers);
    }
    tracker.of(agent.uuid).stream().filter(Attempt::live).sorted(START_ORDER).forEach(attempt -> {
      GrantProto.Builder grant = grant(attempt, tracker, nodes);
      addAlternates(grant, attempt, nodes, agents, isAvoided);
      maxBytesPerSec(agent, agents.get(attempt.source()), peakUtilization).ifPresent(grant::setMaxBytesPerSec);
      commands.addGrants(grant);
    });
    agent.suspects.forEach((block, numBytes) -> commands.addSuspects(spec(block, numBytes)));
    return commands.build();
  }

  private static BlockSpecProto spec(BlockKey block, long numBytes) {
    return BlockSpecProto.newBuilder().setBlockId(block.blockId()).setGenerationStamp(block.generationStamp())
        .setNumBytes(numBytes).build();
  }

  /** A source that is no longer alive is named where it last was: the agent waits for another one. */
  private static GrantProto.Builder grant(Attempt attempt, TransferTracker tracker, Map<String, LiveNode> nodes) {
    LiveNode source = nodes.get(attempt.source());
    if (source != null) {
      tracker.addressed(attempt, address(source));
    }
    return GrantProto.newBuilder()
        .setAttempt(attempt.id())
        .setBlock(spec(attempt.block(), attempt.request().numBytes()))
        .setSource(attempt.sourceAddress())
        .setStorageType(attempt.storageType())
        .setStorageId(attempt.storageId())
        .setRateBytesPerSec(attempt.rateBytesPerSec())
        .setOnlySource(attempt.candidateSources().size() == 1)
        .setLeaseMs(0);
  }

  /**
   * The maximum rate of a transfer while both its links have room; empty if that is its rate: the algorithm asks for
   * it, or its source has no agent, which would protect the clients there.
   */
  private static OptionalLong maxBytesPerSec(AgentState target, AgentState source, OptionalDouble peakUtilization) {
    if (peakUtilization.isEmpty() || source == null || source.reportedLoad == null || target.reportedLoad == null) {
      return OptionalLong.empty();
    }
    long linkBytesPerSec = Math.min(source.reportedLoad.out().capacityBytesPerSec(),
        target.reportedLoad.in().capacityBytesPerSec());
    return OptionalLong.of((long) (peakUtilization.getAsDouble() * linkBytesPerSec));
  }

  /**
   * Only nodes with an agent, which protects the clients there, whatever the rate; and none that is avoided as a
   * source.
   */
  private static void addAlternates(GrantProto.Builder grant, Attempt attempt, Map<String, LiveNode> nodes,
      AgentRegistry<AgentState> agents, Predicate<String> isAvoided) {
    attempt.usableSources().stream()
        .filter(uuid -> !uuid.equals(attempt.source()) && nodes.containsKey(uuid) && !isAvoided.test(uuid)
            && agents.get(uuid) != null && agents.get(uuid).reportedLoad != null)
        .limit(MAX_ALTERNATES).forEach(uuid -> grant.addAlternates(address(nodes.get(uuid))));
  }

  private static SourceProto address(LiveNode node) {
    return SourceProto.newBuilder().setDatanodeUuid(node.uuid()).setIpAddress(node.ipAddress())
        .setHostName(node.hostName()).setTransferPort(node.transferPort()).build();
  }
}

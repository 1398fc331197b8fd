/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.LiveNode;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.exchange.Commands;
import io.dayu.namenode.exchange.Grant;
import io.dayu.namenode.exchange.GroupSpec;
import io.dayu.namenode.exchange.SourceAddress;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
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
  private static final Comparator<Attempt> START_ORDER =
      Comparator.comparingInt(Attempt::risk).thenComparingLong(Attempt::id);

  /** Of three replicas two are left; of the sources of a rebuild seldom more fail at once. */
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
  public static Commands of(AgentState agent, TransferTracker tracker, long activation, long sequence,
      Map<String, LiveNode> nodes, AgentRegistry<AgentState> agents, Predicate<String> isAvoided,
      OptionalDouble peakUtilization) {
    List<Attempt> live = new ArrayList<>();
    for (Attempt attempt : tracker.of(agent.uuid)) {
      if (attempt.live()) {
        live.add(attempt);
      }
    }
    live.sort(START_ORDER);
    List<Grant> grants = new ArrayList<>(live.size());
    for (Attempt attempt : live) {
      grants.add(grant(attempt, tracker, nodes, alternates(attempt, nodes, agents, isAvoided),
          maxBytesPerSec(agent, attempt, agents, peakUtilization)));
    }
    List<Commands.Suspect> suspects = new ArrayList<>();
    agent.suspects.forEach((block, numBytes) -> suspects.add(new Commands.Suspect(block, numBytes)));
    List<Commands.Suspect> verifications = new ArrayList<>();
    agent.verifications.forEach((block, numBytes) -> verifications.add(new Commands.Suspect(block, numBytes)));
    return new Commands(activation, sequence, List.copyOf(agent.acknowledged), grants, suspects, verifications,
        agent.meterSharers);
  }

  /** A source that is no longer alive is named where it last was: the agent waits for another one. */
  private static Grant grant(Attempt attempt, TransferTracker tracker, Map<String, LiveNode> nodes,
      List<SourceAddress> alternates, OptionalLong maxBytesPerSec) {
    for (TransferSource source : attempt.sources()) {
      LiveNode node = nodes.get(source.node());
      if (node != null) {
        tracker.addressed(source, SourceAddress.of(node, source.index()));
      }
    }
    SourceAddress first = attempt.sources().get(0).address();
    List<SourceAddress> further = attempt.width() == 1 ? List.of()
        : attempt.sources().stream().skip(1).map(TransferSource::address).toList();
    GroupTransfer group = attempt.request().group();
    return new Grant(attempt.id(), attempt.replica(), attempt.request().numBytes(), first, alternates,
        attempt.candidateSources().size() <= attempt.width(), attempt.storageType(), attempt.storageId(),
        attempt.rateBytesPerSec(), maxBytesPerSec,
        attempt.rebuilds() ? new GroupSpec(group.policy(), group.groupBytes()) : null,
        further, attempt.isAtHighestRisk());
  }

  /**
   * The maximum rate of a transfer while all its links have room; empty if that is its rate: the algorithm asks for it,
   * or a source has no agent, which would protect the clients there.
   */
  private static OptionalLong maxBytesPerSec(AgentState target, Attempt attempt, AgentRegistry<AgentState> agents,
      OptionalDouble peakUtilization) {
    if (peakUtilization.isEmpty() || target.reportedLoad == null) {
      return OptionalLong.empty();
    }
    long linkBytesPerSec = Math.min(target.reportedLoad.in().capacityBytesPerSec(),
        target.reportedLoad.networkInBytesPerSec() / attempt.width());
    for (TransferSource one : attempt.sources()) {
      AgentState source = agents.get(one.node());
      if (source == null || source.reportedLoad == null) {
        return OptionalLong.empty();
      }
      linkBytesPerSec = Math.min(linkBytesPerSec, source.reportedLoad.out().capacityBytesPerSec());
    }
    return OptionalLong.of((long) (peakUtilization.getAsDouble() * linkBytesPerSec));
  }

  /**
   * Only nodes with an agent, which protects the clients there, whatever the rate; and none that is avoided as a
   * source.
   */
  private static List<SourceAddress> alternates(Attempt attempt, Map<String, LiveNode> nodes,
      AgentRegistry<AgentState> agents, Predicate<String> isAvoided) {
    List<SourceAddress> alternates = new ArrayList<>(MAX_ALTERNATES);
    for (String uuid : attempt.usableSources()) {
      LiveNode node = attempt.sourceOn(uuid) == null ? nodes.get(uuid) : null;
      AgentState agent = node == null || isAvoided.test(uuid) ? null : agents.get(uuid);
      if (agent != null && agent.reportedLoad != null) {
        alternates.add(SourceAddress.of(node, attempt.indexOn(uuid)));
        if (alternates.size() == MAX_ALTERNATES) {
          break;
        }
      }
    }
    return alternates;
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.blocks.LiveNode;
import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.DirectionsProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.SourceProto;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/** Puts into words for an agent what its live attempts are: the whole of them, not changes. No state. */
final class Directions {
  /** Each is some 80 bytes of every answer; more would hardly find a free source sooner. */
  private static final int MAX_ALTERNATES = 2;

  private Directions() {
  }

  /**
   * What {@code agent} should be doing.
   *
   * @param attempts the transfers to it
   * @param nodes the live nodes, by UUID: where sources are
   * @param hasAgent whether the node with this UUID has an agent, which can be asked for turns
   */
  static DirectionsProto of(AgentState agent, Collection<Attempt> attempts, long activation, long sequence,
      Map<String, LiveNode> nodes,
      Predicate<String> hasAgent, String namenodeId) {
    DirectionsProto.Builder directions = DirectionsProto.newBuilder()
        .setProtocolVersion(DayuProtocolPB.REVISION)
        .setNamenodeId(namenodeId)
        .setActivation(activation)
        .setSequence(sequence)
        .setAuthoritative(true)
        .setNextReportMs(0)
        .addAllAcknowledged(agent.acknowledged);
    for (Attempt attempt : attempts) {
      if (attempt.live()) {
        directions.addGrants(grant(attempt, nodes, hasAgent));
      }
    }
    return directions.build();
  }

  /** A source that is no longer alive is named where it last was: the agent waits for another one. */
  private static GrantProto grant(Attempt attempt, Map<String, LiveNode> nodes, Predicate<String> hasAgent) {
    LiveNode source = nodes.get(attempt.source);
    if (source != null) {
      attempt.sourceAddress = address(source);
    }
    return GrantProto.newBuilder()
        .setAttempt(attempt.id)
        .setBlock(BlockSpecProto.newBuilder().setBlockId(attempt.block().blockId())
            .setGenerationStamp(attempt.block().generationStamp()).setNumBytes(attempt.request.numBytes()))
        .setSource(attempt.sourceAddress)
        .setStorageType(attempt.storageType)
        .setStorageId(attempt.storageId)
        .setRateBytesPerSec(attempt.rateBytesPerSec)
        .setLeaseMs(0)
        .addAllAlternates(alternates(attempt, nodes, hasAgent))
        .build();
  }

  private static List<SourceProto> alternates(Attempt attempt, Map<String, LiveNode> nodes,
      Predicate<String> hasAgent) {
    return attempt.candidateSources.stream()
        .filter(uuid -> !uuid.equals(attempt.source) && !attempt.failedSources.contains(uuid) && hasAgent.test(uuid))
        .map(nodes::get).filter(Objects::nonNull).limit(MAX_ALTERNATES).map(Directions::address).toList();
  }

  private static SourceProto address(LiveNode node) {
    return SourceProto.newBuilder().setDatanodeUuid(node.uuid()).setIpAddress(node.ipAddress())
        .setHostName(node.hostName())
        .setTransferPort(node.transferPort()).setIpcPort(node.ipcPort()).build();
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.blocks.LiveNode;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.DirectionsProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.SourceProto;

import java.util.Map;

/** Puts into words for an agent what its live attempts are: the whole of them, not changes. No state. */
final class Directions {
  private Directions() {
  }

  /**
   * What {@code agent} should be doing.
   *
   * @param nodes the live nodes, by UUID: where sources are
   */
  static DirectionsProto of(AgentState agent, long activation, long sequence, Map<String, LiveNode> nodes, String namenodeId) {
    DirectionsProto.Builder directions = DirectionsProto.newBuilder()
        .setProtocolVersion(AgentDesk.REVISION)
        .setNamenodeId(namenodeId)
        .setActivation(activation)
        .setSequence(sequence)
        .setAuthoritative(true)
        .setNextReportMs(0)
        .addAllAcknowledged(agent.acknowledged);
    for (Attempt attempt : agent.attempts.values()) {
      LiveNode source = nodes.get(attempt.source);
      if (attempt.live()) {
        directions.addGrants(grant(attempt, source));
      }
    }
    return directions.build();
  }

  /** A source that is no longer alive is named where it last was: the agent waits for another one. */
  private static GrantProto grant(Attempt attempt, LiveNode source) {
    if (source != null) {
      attempt.sourceAddress = SourceProto.newBuilder().setDatanodeUuid(source.uuid()).setIpAddress(source.ipAddress())
          .setHostName(source.hostName()).setTransferPort(source.transferPort()).setIpcPort(source.ipcPort()).build();
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
        .build();
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.hosts.client.OperationKind;

import java.io.IOException;
import java.util.List;

/**
 * What was measured in one run, before anything is derived from it; written as one JSON object, whose keys are the
 * components of all parts. Immutable. Moments are milliseconds since 1970.
 */
record RunRecord(@JsonUnwrapped Identity identity, @JsonUnwrapped Moments moments, @JsonUnwrapped Loss loss,
    @JsonUnwrapped Recovery recovery, @JsonUnwrapped Foreground foreground) {
  static final int NO_NODE = -1;

  private static final ObjectMapper JSON =
      new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  /**
   * Which run it is.
   *
   * @param victim the number of the DataNode that was hit
   * @param other the number of the DataNode that a second step hits, if that hits another one
   */
  record Identity(HostFault fault, RecoveryMode mode, long seed, int victim, int other) {
  }

  /**
   * When what happened.
   *
   * @param beginAtMs when the foreground began
   * @param lossAtMs when the NameNode knew of the loss
   * @param endAtMs when all was over, such as the last lost block restored, or else when the run was ended
   * @param cutOff whether it was not over then although somebody recovers
   * @param secondStepAtMs when the second step of the fault was taken; not a number if none was
   * @param lastLossAtMs when the NameNode knew of the last loss; not a number if it never did
   */
  record Moments(long beginAtMs, double lossAtMs, double endAtMs, boolean cutOff, double secondStepAtMs,
      double lastLossAtMs) {
  }

  /**
   * What was lost.
   *
   * @param lostBlocks how many replicas of the data set were lost
   * @param needed what it takes to restore what the first step of the fault took; empty unless the data set has groups
   */
  record Loss(int lostBlocks, long lostBytes, List<NeededTransfer> needed) {
  }

  /**
   * What came back, and how.
   *
   * @param changesOfState how often Dayu changed its state in between, on all NameNodes
   * @param state what was found after the end
   * @param restored those of the lost replicas that were restored, in order of time
   * @param content how what was restored compares with the data set
   * @param deletedInternalBlocks how many finished ones DataNodes have deleted since the loss
   * @param deadline of the DataNode that leaves, if it was given one
   */
  record Recovery(long changesOfState, FinalState state, List<LostReplicaFiles.Restored> restored,
      RestoredFilesCheck content, long deletedInternalBlocks, LeavingDeadline deadline) {
    /** Files of earlier builds have no deadline. */
    Recovery {
      deadline = deadline == null ? LeavingDeadline.NONE : deadline;
    }
  }

  /**
   * What clients and links did.
   *
   * @param operations in the order in which they were planned
   * @param samples in order of time
   */
  record Foreground(List<EndedOperation> operations, List<HostSample> samples) {
  }

  /**
   * One operation of the foreground.
   *
   * @param plannedAtMs the planned moment
   * @param latencyMs from that moment; negative if there is none
   */
  record EndedOperation(OperationKind kind, double plannedAtMs, int bytes, double latencyMs, boolean failed) {
    boolean ended() {
      return latencyMs >= 0;
    }
  }

  /** From the JSON that Jackson makes of one. */
  static RunRecord read(JsonNode run) throws IOException {
    return new RunRecord(JSON.treeToValue(run, Identity.class), JSON.treeToValue(run, Moments.class),
        JSON.treeToValue(run, Loss.class), JSON.treeToValue(run, Recovery.class),
        JSON.treeToValue(run, Foreground.class));
  }

  HostFault fault() {
    return identity.fault;
  }

  RecoveryMode mode() {
    return identity.mode;
  }

  /** The number of the DataNode that cannot receive replicas while others recover, or that of none. */
  int notReceiving() {
    return identity.fault.victimReceives() ? NO_NODE : identity.victim;
  }

  /** The same of one that cannot send. */
  int notSending() {
    return identity.fault.victimSends() ? NO_NODE : identity.victim;
  }

  double seconds() {
    return (moments.endAtMs - moments.lossAtMs) / 1e3;
  }
}

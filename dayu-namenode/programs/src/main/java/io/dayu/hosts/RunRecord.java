/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.client.OperationKind;

import java.util.List;

/**
 * What was measured in one run, before anything is derived from it; written as JSON beside the run's logs. Immutable.
 * Moments are milliseconds since 1970.
 *
 * @param victim the number of the DataNode that was hit
 * @param other the number of the DataNode that a second step hits, if that hits another one
 * @param lossAtMs when the NameNode knew of it
 * @param endAtMs when all was over, such as the last lost block restored, or else when the run was ended
 * @param cutOff whether it was not over then although somebody recovers
 * @param secondStepAtMs when the second step of the fault was taken; not a number if none was
 * @param lastLossAtMs when the NameNode knew of the last loss; not a number if it never did
 * @param changesOfState how often Dayu changed its state in between, on all NameNodes
 * @param state what was found after the end
 * @param lostBlocks how many replicas of the data set were lost
 * @param restored those that were restored, in order of time
 * @param needed what it takes to restore what the first step of the fault took; empty unless the data set has groups
 * @param content how what was restored compares with the data set
 * @param deletedInternalBlocks how many finished ones DataNodes have deleted since the loss
 * @param operations of the foreground, in the order in which they were planned
 * @param samples in order of time
 */
record RunRecord(HostFault fault, RecoveryMode mode, long seed, int victim, int other, long beginAtMs, double lossAtMs,
    double endAtMs, boolean cutOff, double secondStepAtMs, double lastLossAtMs, long changesOfState,
    FinalState state, int lostBlocks, long lostBytes, List<LostReplicaFiles.Restored> restored,
    List<NeededTransfer> needed, RestoredContent content, long deletedInternalBlocks, List<EndedOperation> operations,
    List<HostSample> samples) {
  static final int NO_NODE = -1;

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

  /** The number of the DataNode that cannot receive replicas while others recover, or that of none. */
  int notReceiving() {
    return fault.victimReceives() ? NO_NODE : victim;
  }

  /** The same of one that cannot send. */
  int notSending() {
    return fault.victimSends() ? NO_NODE : victim;
  }

  double seconds() {
    return (endAtMs - lossAtMs) / 1e3;
  }
}

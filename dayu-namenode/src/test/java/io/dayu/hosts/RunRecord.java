/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.client.OperationKind;

import java.util.List;

/**
 * What was measured in one run, before anything is derived from it; written as JSON beside the run's logs. Immutable.
 * Moments are milliseconds since 1970.
 *
 * @param victim the number of the DataNode that was killed
 * @param lossAtMs when the NameNode declared it dead
 * @param endAtMs when the last lost block was restored, or else when the run was ended
 * @param cutOff whether blocks were still missing then although somebody recovers
 * @param lostBlocks how many blocks of the data set the victim held
 * @param restored those that were restored, in order of time
 * @param wastedBytes what Dayu's own counter says was received in vain; -1 if there is no such counter
 * @param operations of the foreground, in the order in which they were planned
 * @param samples in order of time
 */
record RunRecord(RecoveryMode mode, long seed, int victim, long beginAtMs, double lossAtMs, double endAtMs,
    boolean cutOff, int lostBlocks, long lostBytes, List<LostBlocks.Restored> restored, double wastedBytes,
    List<EndedOperation> operations, List<HostSample> samples) {

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

  double seconds() {
    return (endAtMs - lossAtMs) / 1e3;
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.exchange;

import java.util.List;

/**
 * What an agent reports.
 *
 * @param incarnation a restarted agent has another one, and has forgotten its transfers
 * @param sequence orders the reports of one incarnation
 * @param load null if it is not known
 * @param finished transfers that have ended, until they are acknowledged
 * @param obeyedActivation of the last authoritative commands that the agent has accepted; 0 before the first
 * @param obeyedSequence of the last ones whose cancelled transfers are all gone; 0 before the first
 * @param verified the replicas that commands name for it, as far as they have been read
 */
public record AgentReport(long incarnation, long sequence, NodeLoad load, List<RunningTransfer> running,
    List<FinishedTransfer> finished, long obeyedActivation, long obeyedSequence,
    List<VerifiedReplica> verified) {
}

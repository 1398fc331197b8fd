/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.status;

import java.util.List;
import java.util.Map;

/** The state of Dayu on this NameNode, under {@code /jmx} as {@code Hadoop:service=NameNode,name=DayuStatus}. */
public interface DayuStatusMXBean {
  /** STANDBY, DAYU or STOCK. */
  String getState();

  /** Why it is in this state. */
  String getStateReason();

  /** Start of this state, in milliseconds since the epoch. */
  long getStateSinceMillis();

  /** DataNodes with an agent that reports. */
  int getLiveAgents();

  /** Number of timeslots planned since this NameNode became active. */
  long getTimeslot();

  /** Transfers begun in the last timeslot. */
  long getLastPlanned();

  /** Planned transfers that the NameNode refused to register in the last timeslot. */
  long getLastRejected();

  /** Transfers completed in the timeslot before. */
  long getLastFinished();

  /** Transfers begun; planned ones that were rejected are not among them. */
  long getTotalPlanned();

  /** Planned transfers that the NameNode refused to register. */
  long getTotalRejected();

  /**
   * Transfers completed: the block map has the replica on the target, or the block was deleted or reopened when the
   * target said that it had it.
   */
  long getTotalFinished();

  /** Transfers that ended without a replica. */
  long getTotalFailed();

  /** Transfers that went on from another source, keeping what they had. */
  long getTotalResumed();

  /** Transfers taken over after a restart or failover. */
  long getTotalAdopted();

  /** Blocks handed to stock HDFS because Dayu could not place them. */
  long getTotalHandedToStock();

  /** Blocks in the low-redundancy queues. */
  long getWaitingBlocks();

  /** Transfers under way. */
  long getRunningTransfers();

  /** Bytes of the completed transfers. */
  long getRecoveredBytes();

  /** Bytes that targets received of transfers that made no replica. */
  long getWastedBytes();

  /** Bytes that transfers under way have received. */
  long getProgressBytes();

  /** Sum of the rates that transfers under way achieve, in bytes a second. */
  long getRecoveryBytesPerSec();

  /**
   * One line for each of up to a hundred transfers under way: block, source, target, bytes, rates achieved and
   * allocated.
   */
  List<String> getTransfers();

  /** Milliseconds that the last timeslot took to read what waits, to plan and to commit. */
  long getLastPlanMillis();

  /** Timeslots whose planning took longer than {@code dayu.timeslot.lead}, since the NameNode started. */
  long getPlanOverruns();

  /** How often Dayu has held the namesystem lock, by length of the hold, since the NameNode started. */
  Map<String, Long> getLockHolds();

  /** Time that 99.9 % of these holds did not exceed, in microseconds. */
  long getLockHoldP999Micros();

  /** The longest hold, in microseconds. */
  long getLockHoldMaxMicros();

  /** The longest hold by CPU time of the thread that held the lock, in microseconds. */
  long getLockHoldMaxCpuMicros();

  /** All holds together, in milliseconds. */
  long getLockHoldTotalMillis();
}

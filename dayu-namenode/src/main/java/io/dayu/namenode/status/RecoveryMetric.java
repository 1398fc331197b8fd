/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.status;

import io.dayu.metrics.Metric;

/**
 * The metrics of Dayu on a NameNode, in JMX {@code Hadoop:service=NameNode,name=Dayu}. A test compares
 * {@code docs/metrics.md} with this list.
 */
public enum RecoveryMetric implements Metric {
  STATE(Kind.GAUGE, "0 = STANDBY, 1 = DAYU, 2 = STOCK"), STATE_SECONDS(Kind.GAUGE, "Seconds in this state"),
  STATE_CHANGES(Kind.COUNTER, "Changes of state"), STATE_STANDBY_SECONDS(Kind.COUNTER, "Seconds in state STANDBY"),
  STATE_DAYU_SECONDS(Kind.COUNTER, "Seconds in state DAYU"),
  STATE_STOCK_SECONDS(Kind.COUNTER, "Seconds in state STOCK"),
  LOOP_SILENT_SECONDS(Kind.GAUGE, "Seconds since the recovery loop last began a tick; ten a second are usual"),
  PAUSED(Kind.GAUGE, "1 while an admin has paused recovery, else 0"),
  LEFT_TO_STOCK(Kind.GAUGE,
      "1 while recovery is left to stock HDFS by -stock, -shadow or dayu.namenode.startup.mode, else 0"),
  PROFILE(Kind.GAUGE, "The profile in force: 0 none, 1 gentle, 2 balanced, 3 fast"),
  LIVE_AGENTS(Kind.GAUGE, "DataNodes with an agent that reports"),
  AVOIDED_NODES(Kind.GAUGE,
      "DataNodes that plans avoid, as targets or as sources, since transfers there fail or complete nothing"),
  LIVE_DATA_NODES(Kind.GAUGE, "DataNodes that the NameNode considers alive; 0 on a standby"),
  WAITING_BLOCKS(Kind.GAUGE,
      "Blocks in the low-redundancy queues: they wait for a copy; a block with enough copies under way is in none"),
  HIGHEST_RISK_BLOCKS(Kind.GAUGE, "Blocks in the low-redundancy queue of the highest risk"),
  HIGHEST_RISK_SECONDS(Kind.GAUGE,
      "Seconds since the queue of the highest risk was last empty or the NameNode became active, 0 while it is empty"),
  VERY_LOW_REDUNDANCY_SECONDS(Kind.GAUGE,
      "Seconds since the queue of blocks with less than a third of their replicas was last empty, likewise"),
  LOW_REDUNDANCY_SECONDS(Kind.GAUGE,
      "Seconds since the queue of other blocks that lack replicas was last empty, likewise"),
  BADLY_DISTRIBUTED_SECONDS(Kind.GAUGE,
      "Seconds since the queue of blocks with enough replicas on too few racks was last empty, likewise"),
  WAITING_TURN(Kind.GAUGE, "Waiting blocks that later timeslots plan: others go first"),
  WAITING_NOTHING_PLANNED(Kind.GAUGE, "Waiting blocks of risks that no timeslot plans now, as after a start"),
  WAITING_HELD_BACK(Kind.GAUGE, "Waiting blocks that an admin's pause holds back"),
  WAITING_STOCK_RECOVERS(Kind.GAUGE, "Waiting blocks in state STOCK"),
  WAITING_NO_TARGET(Kind.GAUGE, "Waiting blocks that no DataNode can take, as timeslots found them; stock HDFS tries"),
  WAITING_NO_SOURCE(Kind.GAUGE, "Waiting blocks of which no replica can be read now"),
  WAITING_TOO_FEW_SOURCES(Kind.GAUGE,
      "Waiting erasure-coded groups of which fewer internal blocks can be read than a rebuild needs; without those "
          + "that HDFS counts as missing"),
  WAITING_TARGETS_REFUSED(Kind.GAUGE, "Waiting blocks left to stock HDFS after three targets were refused or failed"),
  WAITING_COPIES_FAILED(Kind.GAUGE, "Waiting blocks left to stock HDFS after three copies failed"),
  WAITING_PASSED_OVER(Kind.GAUGE, "Waiting blocks left to stock HDFS since plans passed them over"),
  WAITING_ERASURE_CODED(Kind.GAUGE, "Waiting erasure-coded groups, while stock HDFS recovers these"),
  WAITING_PROVIDED_STORAGE(Kind.GAUGE, "Waiting blocks in provided storage, which stock HDFS recovers"),
  WAITING_NO_STORAGE_TYPE(Kind.GAUGE,
      "Waiting blocks left to stock HDFS, whose storage policy has no storage type to be had"),
  WAITING_UNREADABLE(Kind.GAUGE, "Waiting blocks left to stock HDFS after an error when they were read"),
  RUNNING_TRANSFERS(Kind.GAUGE, "Transfers under way"),
  STOCK_PENDING_BLOCKS(Kind.GAUGE, "Blocks that stock HDFS is copying or reconstructing, erasure-coded ones included"),
  STOCK_RECONSTRUCTION_BYTES(Kind.GAUGE,
      "Bytes that these reconstructions of erasure-coded blocks move: recovery leaves them to it"),
  RECOVERY_BYTES_PER_SEC(Kind.GAUGE, "Sum of the rates that transfers under way achieve"),
  RECOVERIES(Kind.COUNTER,
      "Recoveries begun that had blocks to copy: from the first block that waits to the last copy"),
  RECOVERY_BYTES_LEFT(Kind.GAUGE, "Bytes left in the present recovery, estimated"),
  RECOVERY_SECONDS_LEFT(Kind.GAUGE, "Seconds left in the present recovery, estimated; -1 = not known or none"),
  ETA_ERROR_PERCENT(Kind.GAUGE,
      "By how much the first estimate of the present or last recovery's time was wrong, as seen now; -1 = not known"),
  LEAVING_NODES(Kind.GAUGE, "DataNodes that are decommissioning or entering maintenance"),
  LEAVING_BLOCKS_LEFT(Kind.GAUGE, "Blocks without which these cannot leave; one on two of them counts twice"),
  LEAVING_BYTES_LEFT(Kind.GAUGE, "Bytes of those of these blocks that recovery copies"),
  LEAVING_BLOCKED_BLOCKS(Kind.GAUGE,
      "Those of these blocks that recovery cannot copy: in files that are written, unreadable, excess, or without a "
          + "target"),
  LEAVING_SECONDS_LEFT(Kind.GAUGE,
      "Seconds until recovery has copied what it can of all of them, estimated; -1 = not known, 0 = none"),
  DEADLINES_AT_RISK(Kind.GAUGE,
      "Deadlines of DataNodes that leave (hdfs dayu -deadline) which will be missed, or were"),
  TIMESLOTS(Kind.COUNTER, "Timeslots planned"),
  PLAN_MILLIS(Kind.HISTOGRAM, "Milliseconds that planning a timeslot took, reading and commits included"),
  PLAN_OVERRUNS(Kind.COUNTER, "Timeslots whose planning took longer than dayu.timeslot.lead"),
  LOCK_HOLD_MICROS(Kind.HISTOGRAM, "Microseconds of one hold of the namesystem lock by Dayu, for reading or writing"),
  TRANSFERS_PLANNED(Kind.COUNTER,
      "Transfers planned, rejected ones included; DayuStatus leaves these out of TotalPlanned"),
  TRANSFERS_COMMITTED(Kind.COUNTER,
      "Planned transfers that the NameNode registered as pending: TotalPlanned of DayuStatus"),
  TRANSFERS_REJECTED_BY_TARGET(Kind.COUNTER,
      "Planned transfers rejected because the target was dead, had or awaited the block, or had one to delete first"),
  TRANSFERS_REJECTED_WITHOUT_ROOM(Kind.COUNTER,
      "Planned transfers rejected because the target had no room on a storage of an allowed type"),
  TRANSFERS_REJECTED_BY_PLACEMENT(Kind.COUNTER,
      "Planned transfers rejected because the block placement policy refused the target"),
  TRANSFERS_REJECTED_AS_CHANGED(Kind.COUNTER, "Planned transfers rejected because the block or its source had changed"),
  TRANSFERS_REJECTED_AS_NOT_NEEDED(Kind.COUNTER,
      "Planned transfers rejected because the block had enough replicas or pending copies"),
  TRANSFERS_FINISHED(Kind.COUNTER, "Transfers completed: the block map has the replica"),
  BLOCKS_REBUILT(Kind.COUNTER,
      "Those of them that rebuilt an internal block of an erasure-coded group; copies of internal blocks do not count"),
  TRANSFERS_FAILED(Kind.COUNTER, "Transfers that ended without a replica that was wanted"),
  TRANSFERS_FAILED_BY_SOURCE(Kind.COUNTER,
      "Failed transfers whose source refused, broke off or stalled, with no other source left"),
  TRANSFERS_FAILED_BY_CORRUPTION(Kind.COUNTER,
      "Failed transfers whose source sent bytes that do not match their checksums"),
  TRANSFERS_FAILED_BY_TARGET(Kind.COUNTER,
      "Failed transfers that the target could not write: disk full, volume failed, replica exists, or another"
          + " internal block of the group has to be deleted first"),
  TRANSFERS_FAILED_BY_AGENT(Kind.COUNTER,
      "Failed transfers whose agent was restarted, silent until the lease ended, or gave up"),
  TRANSFERS_FAILED_IN_BLOCK_MAP(Kind.COUNTER,
      "Failed transfers that were received but did not appear in the block map"),
  TRANSFERS_FAILED_AT_TARGET(Kind.COUNTER,
      "Failed transfers of any cause for which the target is left out for a while"),
  TRANSFERS_RESUMED(Kind.COUNTER, "Transfers that went on from another source, keeping what they had"),
  TRANSFERS_ADOPTED(Kind.COUNTER, "Transfers taken over after a restart or failover"),
  TRANSFERS_STRAGGLING(Kind.COUNTER,
      "Transfers of earlier timeslots that had not ended when a timeslot was planned, summed over timeslots"),
  TRANSFERS_EVICTED(Kind.COUNTER, "Stragglers that were moved from a saturated or slow target"),
  BLOCKS_LEFT_TO_STOCK(Kind.COUNTER, "Blocks that stock HDFS scheduled because Dayu could not place them"),
  RECOVERED_BYTES(Kind.COUNTER, "Bytes of completed transfers"),
  RECEIVED_BYTES(Kind.COUNTER,
      "Bytes that targets received for completed transfers: for a rebuild from all its sources"),
  WASTED_BYTES(Kind.COUNTER, "Bytes that targets received of transfers that made no replica"),
  NODE_SECONDS(Kind.COUNTER, "Seconds in recoveries, summed over the nodes whose agents report"),
  NODE_SECONDS_ABOVE_ALPHA(Kind.COUNTER,
      "Node-seconds in which clients and recovery together took more than alpha of a link as a "
          + "mean over 8 s, by over a twentieth of alpha: interference"),
  INTERFERENCE_PERCENT(Kind.GAUGE, "Share of node-seconds above alpha in the present or last recovery"),
  WORST_INTERFERENCE_PERCENT(Kind.GAUGE, "The largest such share of any 20 seconds of that recovery"),
  JOURNAL_BYTES(Kind.GAUGE, "Bytes written to the journal in this recording; 0 if nothing is recorded"),
  JOURNAL_ENTRIES_DROPPED(Kind.GAUGE,
      "Entries that this recording left out, since the disk was too slow or failed, or the journal's room too small");

  private final Kind kind;
  private final String description;

  RecoveryMetric(Kind kind, String description) {
    this.kind = kind;
    this.description = description;
  }

  @Override
  public Kind kind() {
    return kind;
  }

  @Override
  public String description() {
    return description;
  }
}

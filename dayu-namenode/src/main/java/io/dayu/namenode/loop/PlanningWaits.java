/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import io.dayu.namenode.planning.TimeslotPlanner;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.status.RecoveryState;

import java.util.Map;

/**
 * What waiting blocks wait for, as far as the state of the loop and of its plans says: for people, and for what follows
 * the recovery. Decides nothing. Methods are for the loop's thread unless they say otherwise.
 */
public final class PlanningWaits {
  private final BlockManagement blocks;
  private final DayuStatus status;
  private final AdminControl adminControl;
  private final TimeslotPlanner timeslots;
  private final BlockReportWait blockReports;
  private final NodeLossBrake lossBrake;

  PlanningWaits(BlockManagement blocks, DayuStatus status, AdminControl adminControl, TimeslotPlanner timeslots,
      BlockReportWait blockReports, NodeLossBrake lossBrake) {
    this.blocks = blocks;
    this.status = status;
    this.adminControl = adminControl;
    this.timeslots = timeslots;
    this.blockReports = blockReports;
    this.lossBrake = lossBrake;
  }

  /** Whether no DataNode can take this block, as far as timeslots have found. Safe for use by all threads. */
  public boolean isUnplaceable(long blockId) {
    return timeslots.isUnplaceable(blockId);
  }

  /** Waiting blocks that no DataNode can take, as far as timeslots have found them. */
  public int unplaceableBlocks() {
    return timeslots.unplaceableBlocks();
  }

  /** Whether DataNodes have reported their blocks since the start, so that those which lack replicas are known. */
  public boolean knowsWhatLacks() {
    return blockReports.isOver();
  }

  /** Whether an admin's pause or a large loss of DataNodes holds back all but, at most, blocks of the highest risk. */
  public boolean holdsLowerRisks() {
    return adminControl.paused() || lossBrake.isOn();
  }

  /** As {@link TimeslotPlanner#unplanned}. */
  public Map<WaitReason, long[]> unplanned() {
    return timeslots.unplanned();
  }

  /** Why no block of this risk is planned now, whichever it is; null if timeslots plan them. 0 is the highest risk. */
  public WaitReason waitReason(int risk) {
    return status.state() == RecoveryState.STOCK ? WaitReason.STOCK_RECOVERS
        : adminControl.holdsBack(risk) ? WaitReason.HELD_BACK
        : whatPlanningWaitsFor(risk) != null ? WaitReason.NOTHING_PLANNED
        : null;
  }

  /** What is to happen before a timeslot is planned with blocks of this risk, for people; null if one is planned. */
  public String whatPlanningWaitsFor(int risk) {
    if (blocks.inSafeMode()) {
      return "the NameNode is in safe mode";
    } else if (adminControl.isAskingPeers()) {
      return "the other NameNodes are asked whether an admin has paused recovery";
    } else if (risk == 0 && holdsLowerRisks()) {
      // The state's reason is then that of the other blocks.
      return null;
    }
    // After a start or a failover, until agents have said what they are transferring.
    DayuStatus.Explained state = status.explained();
    return state.reason().equals(state.enteredFor()) ? null : state.reason();
  }

  /** As {@link TimeslotPlanner#unplaceableReason}. */
  public WaitReason unplaceableReason(WaitingBlock block, long nowNs) {
    return timeslots.unplaceableReason(block, nowNs);
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.WaitReason;
import io.dayu.namenode.cluster.LiveCluster;
import io.dayu.namenode.planning.TimeslotDecision;
import io.dayu.namenode.planning.TimeslotPlanner;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.status.RecoveryState;

import java.util.List;
import java.util.function.LongSupplier;

/**
 * Blocks that plans leave out: they are offered to stock HDFS, and corrupt replicas that keep them from being copied
 * are found and deleted. For the loop's thread.
 */
final class BlocksForStock {
  /** Blocks of the highest risk that stock is offered in a second while block reports are waited for. */
  private static final int MAX_OFFERED = 1_000;

  private final BlockManagement blocks;
  private final DayuStatus status;
  private final StockSuspension suspension;
  private final TransferCoordinator coordinator;
  private final TimeslotPlanner timeslots;
  private final LiveCluster cluster;
  private final LongSupplier stopwatchNs;
  private final CorruptReplicas corruptReplicas;
  private final StockHandover handover = new StockHandover();
  private final TargetRoom targetRoom = new TargetRoom();
  private final MissingCodecs missingCodecs = new MissingCodecs();

  /** @param stopwatchNs bounds how long blocks are handed to stock in a tick */
  BlocksForStock(BlockManagement blocks, DayuStatus status, StockSuspension suspension,
      TransferCoordinator coordinator, TimeslotPlanner timeslots, LiveCluster cluster, CorruptReplicas corruptReplicas,
      LongSupplier stopwatchNs) {
    this.blocks = blocks;
    this.status = status;
    this.suspension = suspension;
    this.coordinator = coordinator;
    this.timeslots = timeslots;
    this.cluster = cluster;
    this.corruptReplicas = corruptReplicas;
    this.stopwatchNs = stopwatchNs;
  }

  /** A plan has left these out. */
  void offer(List<TimeslotDecision.ForStock> leftOut, long nowNs) {
    handover.offer(leftOut, nowNs);
    corruptReplicas.offer(leftOut, nowNs);
    missingCodecs.warnOnce(leftOut, () -> cluster.loads(nowNs).values());
  }

  /**
   * Looks at what was left out, and hands over what is due.
   *
   * @param limitedToHighestRisk whether blocks of lower risks are held back from stock, too
   * @param awaitsReports whether block reports are all that planning waits for: what is at the highest risk is offered
   *     meanwhile
   */
  void audit(boolean limitedToHighestRisk, boolean awaitsReports, long nowNs) {
    if (limitedToHighestRisk) {
      handover.retainHighestRisk();
    }
    if (status.state() == RecoveryState.DAYU) {
      List<BlockKey> freed = corruptReplicas.judge(nowNs);
      handover.keepBack(freed, nowNs);
      timeslots.returned(freed);
    }
    if (targetRoom.hasGrown(cluster.nodes().values())) {
      handover.targetsHaveImproved();
    }
    if (status.state() == RecoveryState.DAYU && awaitsReports) {
      handover.offer(blocks.readHighestRisk(MAX_OFFERED).stream()
          .map(block -> new TimeslotDecision.ForStock(block, WaitReason.NOTHING_PLANNED)).toList(), nowNs);
    }
    handover.begin(nowNs, cluster.nodes().size() * suspension.stockMultiplier());
    coordinator.handOver(handover, stopwatchNs, nowNs);
  }

  void clear() {
    handover.clear();
    corruptReplicas.clear();
    missingCodecs.clear();
  }
}

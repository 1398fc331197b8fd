/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import io.dayu.blocks.BlockInspection;
import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.WaitReason;
import io.dayu.conf.Settings;
import io.dayu.metrics.MetricSet;
import io.dayu.namenode.loop.RecoveryController;
import io.dayu.namenode.loop.RecoveryParts;
import io.dayu.namenode.loop.StockSuspension;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.status.RecoveryMetric;

import java.util.concurrent.TimeUnit;

/** Binds the gauges of the recovery to what the parts of this NameNode know, without a look at anything else. */
public final class RecoveryGauges {
  /** By risk, highest first. */
  private static final RecoveryMetric[] WAIT_SECONDS =
      {RecoveryMetric.HIGHEST_RISK_SECONDS, RecoveryMetric.VERY_LOW_REDUNDANCY_SECONDS,
          RecoveryMetric.LOW_REDUNDANCY_SECONDS, RecoveryMetric.BADLY_DISTRIBUTED_SECONDS};

  private final RecoveryMonitor monitor;
  private final RecoveryController controller;
  private final DayuStatus status;
  private final StockSuspension suspension;
  private final BlockManagement blocks;
  private final BlockInspection inspection;
  private final Settings settings;
  private final MetricSet<RecoveryMetric> metrics;

  public RecoveryGauges(RecoveryMonitor monitor, RecoveryParts recovery, BlockManagement blocks,
      BlockInspection inspection, Settings settings) {
    this.monitor = monitor;
    this.controller = recovery.controller();
    this.status = recovery.status();
    this.suspension = recovery.suspension();
    this.blocks = blocks;
    this.inspection = inspection;
    this.settings = settings;
    this.metrics = status.counters().metrics();
  }

  /** Called once, before the metrics are published. */
  public void bind() {
    metrics.bind(RecoveryMetric.STATE, () -> status.state().ordinal());
    metrics.bind(RecoveryMetric.STATE_SECONDS,
        () -> TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis() - status.getStateSinceMillis()));
    metrics.bind(RecoveryMetric.LOOP_SILENT_SECONDS,
        () -> TimeUnit.NANOSECONDS.toSeconds(Math.max(0, suspension.silentNs(System.nanoTime()))));
    metrics.bind(RecoveryMetric.PAUSED, () -> controller.adminControl().paused() ? 1 : 0);
    metrics.bind(RecoveryMetric.LEFT_TO_STOCK,
        () -> controller.adminControl().leftToStock() ? 1 : 0);
    metrics.bind(RecoveryMetric.PROFILE, () -> settings.profile().ordinal());
    metrics.bind(RecoveryMetric.LIVE_AGENTS, status::getLiveAgents);
    metrics.bind(RecoveryMetric.AVOIDED_NODES, monitor::avoidedNodes);
    for (WaitReason reason : WaitReason.values()) {
      if (reason.counted() == reason) {
        metrics.bind(RecoveryMetric.valueOf("WAITING_" + reason), () -> monitor.waiting(reason));
      }
    }
    metrics.bind(RecoveryMetric.LIVE_DATA_NODES, monitor::liveDataNodes);
    metrics.bind(RecoveryMetric.WAITING_BLOCKS, blocks::waitingBlocks);
    metrics.bind(RecoveryMetric.HIGHEST_RISK_BLOCKS, () -> inspection.waitingBlocks(0));
    for (int risk = 0; risk < WAIT_SECONDS.length; risk++) {
      int of = risk;
      metrics.bind(WAIT_SECONDS[risk], () -> monitor.secondsSinceEmpty(System.nanoTime())[of]);
    }
    metrics.bind(RecoveryMetric.STOCK_PENDING_BLOCKS, monitor::stockPendingBlocks);
    metrics.bind(RecoveryMetric.STOCK_RECONSTRUCTION_BYTES, controller.cluster()::reconstructionBytes);
    metrics.bind(RecoveryMetric.RUNNING_TRANSFERS, status::getRunningTransfers);
    metrics.bind(RecoveryMetric.RECOVERY_BYTES_PER_SEC, status::getRecoveryBytesPerSec);
    metrics.bind(RecoveryMetric.RECOVERY_BYTES_LEFT,
        () -> monitor.progress().active() ? monitor.progress().amounts().bytesLeft() : 0);
    metrics.bind(RecoveryMetric.RECOVERY_SECONDS_LEFT, () -> monitor.stockProgress().active()
        ? monitor.stockProgress().etaSeconds() : monitor.progress().estimate().etaSeconds());
    metrics.bind(RecoveryMetric.ETA_ERROR_PERCENT,
        () -> monitor.progress().estimate().etaError() < 0 ? -1
            : Math.round(100 * monitor.progress().estimate().etaError()));
    metrics.bind(RecoveryMetric.LEAVING_NODES, () -> monitor.leaving().latest().size());
    metrics.bind(RecoveryMetric.LEAVING_BLOCKS_LEFT, monitor.leaving()::blocksLeft);
    metrics.bind(RecoveryMetric.LEAVING_BYTES_LEFT, monitor.leaving()::bytesLeft);
    metrics.bind(RecoveryMetric.LEAVING_BLOCKED_BLOCKS, monitor.leaving()::blockedBlocks);
    metrics.bind(RecoveryMetric.LEAVING_SECONDS_LEFT, monitor.leaving()::secondsLeft);
    metrics.bind(RecoveryMetric.DEADLINES_AT_RISK, monitor.deadlines()::atRisk);
    metrics.bind(RecoveryMetric.RECOVERIES, monitor::recoveries);
    metrics.bind(RecoveryMetric.JOURNAL_BYTES, controller.journal()::writtenBytes);
    metrics.bind(RecoveryMetric.JOURNAL_ENTRIES_DROPPED, controller.journal()::droppedEntries);
    metrics.bind(RecoveryMetric.INTERFERENCE_PERCENT,
        () -> Math.round(100 * monitor.progress().linkUse().timeAboveAlpha()));
    metrics.bind(RecoveryMetric.WORST_INTERFERENCE_PERCENT,
        () -> Math.round(100 * monitor.progress().linkUse().worstTimeAboveAlpha()));
  }
}

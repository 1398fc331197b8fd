/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.status;

import io.dayu.blocks.CommitResult;
import io.dayu.metrics.MetricSet;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts what became of timeslots, transfers and blocks since this NameNode started. The recovery loop writes, anybody
 * reads. Thread-safe.
 */
public final class RecoveryCounters {
  private final MetricSet<RecoveryMetric> metrics = new MetricSet<>("Dayu", RecoveryMetric.values());
  private final AtomicLong earlierBytes = new AtomicLong();

  /** All metrics of the recovery, these counters among them. */
  public MetricSet<RecoveryMetric> metrics() {
    return metrics;
  }

  private void count(RecoveryMetric metric, long more) {
    metrics.counter(metric).inc(more);
  }

  /** What this counter has come to. */
  public long total(RecoveryMetric metric) {
    return metrics.counter(metric).getCount();
  }

  void countStateChange() {
    count(RecoveryMetric.STATE_CHANGES, 1);
  }

  public void countPlanOverrun() {
    count(RecoveryMetric.PLAN_OVERRUNS, 1);
  }

  /** Counts what became of one timeslot's plan. */
  public void countTimeslot(List<CommitResult> results, long stragglers, long evicted, long planMs) {
    count(RecoveryMetric.TIMESLOTS, 1);
    count(RecoveryMetric.TRANSFERS_PLANNED, results.size());
    count(RecoveryMetric.TRANSFERS_STRAGGLING, stragglers);
    count(RecoveryMetric.TRANSFERS_EVICTED, evicted);
    metrics.histogram(RecoveryMetric.PLAN_MILLIS).update(planMs);
    for (CommitResult result : results) {
      count(switch (result.verdict()) {
        case COMMITTED -> RecoveryMetric.TRANSFERS_COMMITTED;
        case TARGET_REFUSED, TARGET_DELETES -> RecoveryMetric.TRANSFERS_REJECTED_BY_TARGET;
        case TARGET_FULL -> RecoveryMetric.TRANSFERS_REJECTED_WITHOUT_ROOM;
        case TARGET_MISPLACED -> RecoveryMetric.TRANSFERS_REJECTED_BY_PLACEMENT;
        case CHANGED -> RecoveryMetric.TRANSFERS_REJECTED_AS_CHANGED;
        case NOT_NEEDED -> RecoveryMetric.TRANSFERS_REJECTED_AS_NOT_NEEDED;
      }, 1);
    }
  }

  /** Counts what a target had received of a transfer that made no replica. */
  public void countWasted(long bytes) {
    count(RecoveryMetric.WASTED_BYTES, bytes);
  }

  /**
   * Counts a transfer that has made its replica.
   *
   * @param bytes length of the replica
   * @param width how many sources its target has received as many bytes from
   * @param rebuilt whether it is an internal block that was made from others
   * @param earlierBytes what the target had received before this NameNode adopted the transfer
   */
  public void countFinished(long bytes, int width, boolean rebuilt, long earlierBytes) {
    count(RecoveryMetric.TRANSFERS_FINISHED, 1);
    count(RecoveryMetric.BLOCKS_REBUILT, rebuilt ? 1 : 0);
    count(RecoveryMetric.RECOVERED_BYTES, bytes);
    count(RecoveryMetric.RECEIVED_BYTES, width * bytes);
    this.earlierBytes.addAndGet(earlierBytes);
  }

  /** Those received bytes that targets had received before this NameNode adopted the transfers. */
  public long earlierBytes() {
    return earlierBytes.get();
  }

  public void countFailed(FailureCause cause, boolean atTarget) {
    count(RecoveryMetric.TRANSFERS_FAILED, 1);
    count(switch (cause) {
      case SOURCE -> RecoveryMetric.TRANSFERS_FAILED_BY_SOURCE;
      case CORRUPTION -> RecoveryMetric.TRANSFERS_FAILED_BY_CORRUPTION;
      case TARGET, DELETION -> RecoveryMetric.TRANSFERS_FAILED_BY_TARGET;
      case AGENT -> RecoveryMetric.TRANSFERS_FAILED_BY_AGENT;
      case BLOCK_MAP -> RecoveryMetric.TRANSFERS_FAILED_IN_BLOCK_MAP;
    }, 1);
    count(RecoveryMetric.TRANSFERS_FAILED_AT_TARGET, atTarget ? 1 : 0);
  }

  public void countResumed() {
    count(RecoveryMetric.TRANSFERS_RESUMED, 1);
  }

  public void countAdopted() {
    count(RecoveryMetric.TRANSFERS_ADOPTED, 1);
  }

  public void countHandedToStock(long blocks) {
    count(RecoveryMetric.BLOCKS_LEFT_TO_STOCK, blocks);
  }
}

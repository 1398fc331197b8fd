/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.status;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.dayu.blocks.LockHolds;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The state of Dayu on this NameNode, what the last timeslot came to, and the {@link RecoveryCounters}. The recovery
 * loop writes, anybody reads. Thread-safe: every field is volatile, thread-safe itself, or written under the lock of
 * this object.
 */
public final class DayuStatus implements DayuStatusMXBean {
  private static final Logger LOG = LoggerFactory.getLogger(DayuStatus.class);

  /**
   * One timeslot's summary.
   *
   * @param stragglers transfers of earlier timeslots that had not ended, evicted ones included
   * @param evicted those of them that were to leave their targets
   */
  @JsonPropertyOrder({"number", "planned", "rejected", "finished", "running", "waiting", "stragglers", "evicted",
      "planMillis"})
  public record Timeslot(long number, long planned, long rejected, long finished,
      @JsonProperty("planMillis") long planMs, long stragglers, long evicted, long running, long waiting) {
    public static final Timeslot NONE = new Timeslot(0, 0, 0, 0, 0, 0, 0, 0, 0);
  }

  /** What is under way. */
  public record TransferProgress(long waitingBlocks, long runningTransfers, long progressBytes, long bytesPerSec,
      int liveAgents, List<String> transfers) {
    public static final TransferProgress NONE = new TransferProgress(0, 0, 0, 0, 0, List.of());
  }

  /**
   * The state with what explains it, all of one moment; also as JSON.
   *
   * @param reason why it is this state now: what holds it up, or why it was entered
   * @param enteredFor why it was entered
   * @param sinceMs when, in milliseconds since the epoch
   */
  public record Explained(RecoveryState state, String reason, String enteredFor, long sinceMs) {
  }

  private RecoveryState state = RecoveryState.STANDBY;
  private String reason = "starting";
  private String waitReason;
  private long enteredMs = System.currentTimeMillis();
  private volatile Timeslot timeslot = Timeslot.NONE;
  private volatile TransferProgress progress = TransferProgress.NONE;
  private final RecoveryCounters counters = new RecoveryCounters();
  private volatile LockHolds lockHolds = new LockHolds();

  /** Enters a state; says so in one line if it is another one. */
  public synchronized void enter(RecoveryState next, String why) {
    if (next == state) {
      return;
    }
    String line = "Dayu: state " + state + " -> " + next + ": " + why;
    if (next == RecoveryState.STOCK) {
      LOG.warn(line);
    } else {
      LOG.info(line);
    }
    counters.countStateChange();
    state = next;
    reason = why;
    enteredMs = System.currentTimeMillis();
    waitReason = null;
  }

  /** Sets the present reason of the state, if it differs from the reason for which the state was entered. */
  public synchronized void explain(String why) {
    reason = why;
  }

  /** Sets what Dayu waits for in this state; null if it waits for nothing any more. */
  public synchronized void waitFor(String why) {
    waitReason = why;
  }

  public synchronized Explained explained() {
    return new Explained(state, getStateReason(), reason, enteredMs);
  }

  public synchronized RecoveryState state() {
    return state;
  }

  public void timeslot(Timeslot last) {
    timeslot = last;
  }

  public Timeslot lastTimeslot() {
    return timeslot;
  }

  /** Says where the holds of the namesystem lock are recorded. */
  public void lockHolds(LockHolds holds) {
    lockHolds = holds;
  }

  public void progress(TransferProgress now) {
    progress = now;
  }

  /** The counters, and what else is published as metrics. */
  public RecoveryCounters counters() {
    return counters;
  }

  @Override
  public synchronized String getState() {
    return state.name();
  }

  @Override
  public synchronized String getStateReason() {
    return waitReason == null ? reason : waitReason;
  }

  @Override
  public synchronized long getStateSinceMillis() {
    return enteredMs;
  }

  @Override
  public int getLiveAgents() {
    return progress.liveAgents();
  }

  @Override
  public long getTimeslot() {
    return timeslot.number();
  }

  @Override
  public long getLastPlanned() {
    return timeslot.planned();
  }

  @Override
  public long getLastRejected() {
    return timeslot.rejected();
  }

  @Override
  public long getLastFinished() {
    return timeslot.finished();
  }

  @Override
  public long getTotalPlanned() {
    return counters.total(RecoveryMetric.TRANSFERS_COMMITTED);
  }

  @Override
  public long getTotalRejected() {
    return counters.total(RecoveryMetric.TRANSFERS_PLANNED) - counters.total(RecoveryMetric.TRANSFERS_COMMITTED);
  }

  @Override
  public long getTotalFinished() {
    return counters.total(RecoveryMetric.TRANSFERS_FINISHED);
  }

  @Override
  public long getTotalFailed() {
    return counters.total(RecoveryMetric.TRANSFERS_FAILED);
  }

  @Override
  public long getTotalResumed() {
    return counters.total(RecoveryMetric.TRANSFERS_RESUMED);
  }

  @Override
  public long getTotalAdopted() {
    return counters.total(RecoveryMetric.TRANSFERS_ADOPTED);
  }

  @Override
  public long getTotalHandedToStock() {
    return counters.total(RecoveryMetric.BLOCKS_LEFT_TO_STOCK);
  }

  @Override
  public long getWaitingBlocks() {
    return progress.waitingBlocks();
  }

  @Override
  public long getRunningTransfers() {
    return progress.runningTransfers();
  }

  @Override
  public long getWastedBytes() {
    return counters.total(RecoveryMetric.WASTED_BYTES);
  }

  @Override
  public long getRecoveredBytes() {
    return counters.total(RecoveryMetric.RECOVERED_BYTES);
  }

  @Override
  public long getProgressBytes() {
    return progress.progressBytes();
  }

  @Override
  public long getRecoveryBytesPerSec() {
    return progress.bytesPerSec();
  }

  @Override
  public List<String> getTransfers() {
    return progress.transfers();
  }

  @Override
  public long getLastPlanMillis() {
    return timeslot.planMs();
  }

  @Override
  public long getPlanOverruns() {
    return counters.total(RecoveryMetric.PLAN_OVERRUNS);
  }

  @Override
  public Map<String, Long> getLockHolds() {
    return lockHolds.histogram();
  }

  @Override
  public long getLockHoldP999Micros() {
    return TimeUnit.NANOSECONDS.toMicros(lockHolds.percentileNs(0.999));
  }

  @Override
  public long getLockHoldMaxMicros() {
    return TimeUnit.NANOSECONDS.toMicros(lockHolds.maxNs());
  }

  @Override
  public long getLockHoldMaxCpuMicros() {
    return TimeUnit.NANOSECONDS.toMicros(lockHolds.maxCpuNs());
  }

  @Override
  public long getLockHoldTotalMillis() {
    return TimeUnit.NANOSECONDS.toMillis(lockHolds.totalNs());
  }
}

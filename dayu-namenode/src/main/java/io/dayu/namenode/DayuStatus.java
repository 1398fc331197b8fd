/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.namenode;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;

/**
 * The state and the counters of Dayu on this NameNode. The recovery loop writes, anybody reads. Thread-safe: every field is volatile or
 * written under the lock of this object.
 */
public final class DayuStatus implements DayuStatusMXBean {
  private static final Logger LOG = LoggerFactory.getLogger(DayuStatus.class);

  /** One timeslot's summary. */
  record Timeslot(long number, long planned, long rejected, long finished, long planMillis) {
  }

  /** What is under way. */
  record Progress(long waitingBlocks, long runningTransfers, long progressBytes, long bytesPerSec, int liveAgents, List<String> transfers) {
    static final Progress NONE = new Progress(0, 0, 0, 0, 0, List.of());
  }

  private RecoveryState state = RecoveryState.STANDBY;
  private String reason = "starting";
  private String heldUpBy;
  private volatile Timeslot timeslot = new Timeslot(0, 0, 0, 0, 0);
  private volatile Progress progress = Progress.NONE;
  private long planned;
  private long rejected;
  private long finished;
  private long failed;
  private long resumed;
  private long adopted;
  private long handedToStock;
  private long recoveredBytes;
  private long wastedBytes;

  /** Enters a state; says so in one line if it is another one. */
  synchronized void enter(RecoveryState next, String why) {
    if (next == state) {
      return;
    }
    String line = "Dayu: state " + state + " -> " + next + ": " + why;
    if (next == RecoveryState.STOCK) {
      LOG.warn(line);
    } else {
      LOG.info(line);
    }
    state = next;
    reason = why;
    heldUpBy = null;
  }

  /** Says what the state is held up by, or that nothing holds it up any more (null). */
  synchronized void holdUp(String why) {
    heldUpBy = why;
  }

  synchronized RecoveryState state() {
    return state;
  }

  void timeslot(Timeslot last) {
    timeslot = last;
  }

  void progress(Progress now) {
    progress = now;
  }

  synchronized void count(long plannedNow, long rejectedNow) {
    planned += plannedNow;
    rejected += rejectedNow;
  }

  /** Counts what a target had received of a transfer that made no replica. */
  synchronized void countWasted(long bytes) {
    wastedBytes += bytes;
  }

  synchronized void countFinished(long bytes) {
    finished++;
    recoveredBytes += bytes;
  }

  synchronized void countFailed() {
    failed++;
  }

  synchronized void countResumed() {
    resumed++;
  }

  synchronized void countAdopted() {
    adopted++;
  }

  synchronized void countHandedToStock(long blocks) {
    handedToStock += blocks;
  }

  @Override
  public synchronized String getState() {
    return state.name();
  }

  @Override
  public synchronized String getStateReason() {
    return heldUpBy == null ? reason : heldUpBy;
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
  public synchronized long getTotalPlanned() {
    return planned;
  }

  @Override
  public synchronized long getTotalRejected() {
    return rejected;
  }

  @Override
  public synchronized long getTotalFinished() {
    return finished;
  }

  @Override
  public synchronized long getTotalFailed() {
    return failed;
  }

  @Override
  public synchronized long getTotalResumed() {
    return resumed;
  }

  @Override
  public synchronized long getTotalAdopted() {
    return adopted;
  }

  @Override
  public synchronized long getTotalHandedToStock() {
    return handedToStock;
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
  public synchronized long getWastedBytes() {
    return wastedBytes;
  }

  @Override
  public synchronized long getRecoveredBytes() {
    return recoveredBytes;
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
    return timeslot.planMillis();
  }
}

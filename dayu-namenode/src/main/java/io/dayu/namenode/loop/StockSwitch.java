/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.namenode.planning.TimeslotPlanner;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.status.RecoveryState;

/** Who recovers: suspends and resumes stock re-replication together with the state. For the loop's thread. */
final class StockSwitch {
  private final StockSuspension suspension;
  private final DayuStatus status;
  private final TimeslotPlanner timeslots;
  private final BlocksForStock forStock;
  /** Whether we have suspended stock re-replication; only the watchdog may have resumed it since. */
  private boolean suspended;

  StockSwitch(StockSuspension suspension, DayuStatus status, TimeslotPlanner timeslots, BlocksForStock forStock) {
    this.suspension = suspension;
    this.status = status;
    this.timeslots = timeslots;
    this.forStock = forStock;
  }

  /** Whether we have suspended stock re-replication, and not resumed it since. */
  boolean isSuspended() {
    return suspended;
  }

  boolean wasResumedByTheWatchdog() {
    return suspended && !suspension.isSuspended();
  }

  void suspend(long nowNs) {
    suspension.suspend(nowNs);
    suspended = true;
  }

  void takeOver(long nowNs, String why) {
    suspend(nowNs);
    status.enter(RecoveryState.DAYU, why);
  }

  void resume(String why) {
    suspension.resume();
    status.enter(RecoveryState.STOCK, why);
    timeslots.clear();
    forStock.clear();
    // Last: if anything above fails, the next tick finds that stock has resumed, and does the rest.
    suspended = false;
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.rules.RecentProgress;
import io.dayu.rules.RecentProgress.Usage;
import io.dayu.rules.RecentProgress.Work;
import io.dayu.sim.placement.LostBlocks;

/**
 * Estimates the time of a recovery as the NameNode does, until it has the first estimate that the NameNode compares
 * with the actual time. The NameNode's figures are reports of agents, up to a second old; these are not. Not
 * thread-safe.
 */
final class FirstEstimate {
  private static final long SAMPLE_MS = 1000;
  private static final long NS_PER_MS = 1_000_000;

  private final LostBlocks lost;
  private final long fromMs;
  private final RecentProgress recent = new RecentProgress();
  private double seconds = Double.NaN;

  FirstEstimate(LostBlocks lost, long timeslotMs) {
    this.lost = lost;
    fromMs = RecentProgress.TIMESLOTS_UNTIL_ESTIMATE * timeslotMs;
  }

  /**
   * Looks, if it is time.
   *
   * @param transfers under way and ended
   * @param allowedBytes what equation 1 has let pass since the failure
   */
  void look(Transfers transfers, double allowedBytes, long nowMs) {
    if (!Double.isNaN(seconds) || nowMs % SAMPLE_MS != 0) {
      return;
    }
    Flows flows = transfers.flows();
    long runningBytes = 0;
    double leftBytes = 0;
    long plannedBytesPerSec = 0;
    for (int flow = 0; flow < flows.count(); flow++) {
      int width = lost.width(flows.block[flow]);
      runningBytes += width * lost.sizeBytes()[flows.block[flow]];
      leftBytes += width * flows.leftBytes[flow];
      plannedBytesPerSec += width * flows.grantBytesPerSec[flow];
    }
    recent.add(
        new Work(transfers.waitingCount(), transfers.copiedCount(), transfers.receivedBytes(),
            flows.count(), runningBytes, runningBytes - (long) Math.ceil(leftBytes), 0, plannedBytesPerSec),
        new Usage(allowedBytes, 0, 0), nowMs * NS_PER_MS);
    long left = recent.secondsLeft();
    if (nowMs >= fromMs && left >= 0) {
      seconds = nowMs / 1000.0 + left;
    }
  }

  /** Of the whole recovery; not a number if it ended before there was an estimate. */
  double seconds() {
    return seconds;
  }
}

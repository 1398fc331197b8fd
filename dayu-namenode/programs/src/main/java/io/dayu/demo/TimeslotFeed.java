/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import java.io.IOException;

/** Where the demo learns what Dayu is doing. An implementation need not be thread-safe. */
interface TimeslotFeed {

  /**
   * What the scheduler says of itself at one moment.
   *
   * @param state STANDBY, DAYU or STOCK
   * @param reason why it is in this state
   * @param progressBytes what the transfers under way have received
   */
  record Status(String state, String reason, Timeslot timeslot, Totals totals, long waitingBlocks,
      long runningTransfers, long progressBytes) {
  }

  /**
   * The last timeslot that was planned.
   *
   * @param planned transfers planned in it
   * @param rejected how many of them were rejected on commit
   * @param finished transfers that had finished since the timeslot before
   */
  record Timeslot(long number, long planned, long rejected, long finished) {
  }

  /** Transfers since the start, and what those that finished brought. */
  record Totals(long planned, long rejected, long finished, long failed, long recoveredBytes) {
  }

  /** @throws IOException if nothing answers, with the reason */
  Status read() throws IOException;
}

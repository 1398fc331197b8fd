/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.algorithm;

import io.dayu.schedule.RateAllocator;
import io.dayu.schedule.TransferLinks;

/**
 * Every transfer gets the rate at which it ends with the horizon, s/T (DA of ATC'19 §5), or less where a link cannot carry that. Not
 * thread-safe.
 */
public final class DeadlineRates implements RateAllocator {
  private final long horizonMs;

  public DeadlineRates(long horizonMs) {
    this.horizonMs = horizonMs;
  }

  @Override
  public String name() {
    return "deadline";
  }

  @Override
  public void allocate(TransferLinks transfers, long[] rateBytesPerSec) {
    LinkRoom room = new LinkRoom(transfers);
    for (int transfer = 0; transfer < transfers.count(); transfer++) {
      rateBytesPerSec[transfer] = room.take(transfer, (long) Math.ceil(transfers.weight(transfer) * 1000.0 / horizonMs));
    }
  }
}

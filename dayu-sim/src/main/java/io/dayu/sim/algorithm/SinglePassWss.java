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
 * Weighted shuffle scheduling in its original form (Chowdhury et al., SIGCOMM'11; WSS of ATC'19 §4.3): all rates in proportion to the bytes
 * to be moved, such that the tightest link is full and all transfers end together. Not thread-safe.
 */
public final class SinglePassWss implements RateAllocator {

  @Override
  public String name() {
    return "wss";
  }

  @Override
  public void allocate(TransferLinks transfers, long[] rateBytesPerSec) {
    double[] weight = new double[transfers.links()];
    for (int transfer = 0; transfer < transfers.count(); transfer++) {
      for (int hop = transfers.firstHop(transfer); hop < transfers.firstHop(transfer + 1); hop++) {
        weight[transfers.hop(hop)] += transfers.weight(transfer);
      }
    }
    double level = Double.POSITIVE_INFINITY;
    for (int link = 0; link < weight.length; link++) {
      if (weight[link] > 0 && transfers.capacity(link) > 0) {
        level = Math.min(level, transfers.capacity(link) / weight[link]);
      }
    }
    LinkRoom room = new LinkRoom(transfers);
    for (int transfer = 0; transfer < transfers.count(); transfer++) {
      rateBytesPerSec[transfer] = room.take(transfer, (long) (transfers.weight(transfer) * level));
    }
  }
}

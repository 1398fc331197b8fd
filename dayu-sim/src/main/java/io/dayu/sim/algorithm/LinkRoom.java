/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.algorithm;

import io.dayu.schedule.TransferLinks;

/**
 * What is left of each link while transfers get their rates one after another: never more than the capacity, and 1 byte/s is kept for each
 * transfer that is still to come. Not thread-safe.
 */
final class LinkRoom {
  private final TransferLinks transfers;
  private final long[] left;
  private final int[] waiting;

  LinkRoom(TransferLinks transfers) {
    this.transfers = transfers;
    left = new long[transfers.links()];
    waiting = new int[transfers.links()];
    for (int link = 0; link < left.length; link++) {
      left[link] = transfers.capacity(link);
    }
    for (int hop = 0; hop < transfers.firstHop(transfers.count()); hop++) {
      waiting[transfers.hop(hop)]++;
    }
  }

  /** Takes the rate wanted for the transfer, or as much of it as its links have; each transfer takes once. */
  long take(int transfer, long wantedBytesPerSec) {
    long rate = Math.max(1, wantedBytesPerSec);
    int end = transfers.firstHop(transfer + 1);
    for (int hop = transfers.firstHop(transfer); hop < end; hop++) {
      int link = transfers.hop(hop);
      long most = left[link] - (waiting[link] - 1);
      rate = Math.min(rate, most >= 1 ? most : Math.min(1, left[link]));
    }
    for (int hop = transfers.firstHop(transfer); hop < end; hop++) {
      left[transfers.hop(hop)] -= rate;
      waiting[transfers.hop(hop)]--;
    }
    return rate;
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.rates;

/**
 * Turns rates into whole bytes a second, one transfer after another, so that no link is exceeded and each transfer
 * leaves enough of its links for 1 byte a second of each that is still to come. Not thread-safe; arrays are sized once
 * and reused.
 */
public final class IntegerRates {
  private TransferLinks transfers;
  private long[] left = new long[0];
  private int[] waiting = new int[0];
  /** What the transfers that are not fixed need of a link, each at 1 byte a second. */
  private int[] reserved = new int[0];

  /** Begins a new question: nothing is fixed. */
  public void reset(TransferLinks question) {
    transfers = question;
    int links = transfers.links();
    if (left.length < links) {
      left = new long[links];
      waiting = new int[links];
      reserved = new int[links];
    }
    for (int link = 0; link < links; link++) {
      left[link] = transfers.capacity(link);
      waiting[link] = 0;
      reserved[link] = 0;
    }
    for (int hop = 0; hop < transfers.firstHop(transfers.count()); hop++) {
      waiting[transfers.hop(hop)]++;
      reserved[transfers.hop(hop)] += transfers.factor(hop);
    }
  }

  /** Bytes a second that are left of the link. */
  public long left(int link) {
    return left[link];
  }

  /** How many transfers of the link are not fixed. */
  public int waiting(int link) {
    return waiting[link];
  }

  /**
   * Fixes a transfer at the rate nearest to {@code wanted} that its links allow: at least 1, unless there are fewer
   * bytes a second than transfers; then those fixed last get 0.
   */
  public long fix(int transfer, long wanted) {
    long rate = Math.max(1, wanted);
    int end = transfers.firstHop(transfer + 1);
    for (int hop = transfers.firstHop(transfer); hop < end; hop++) {
      int link = transfers.hop(hop);
      int factor = transfers.factor(hop);
      long max = perFactor(left[link] - (reserved[link] - factor), factor);
      rate = Math.min(rate, max >= 1 ? max : Math.min(1, perFactor(left[link], factor)));
    }
    for (int hop = transfers.firstHop(transfer); hop < end; hop++) {
      int link = transfers.hop(hop);
      left[link] -= transfers.factor(hop) * rate;
      reserved[link] -= transfers.factor(hop);
      waiting[link]--;
    }
    return rate;
  }

  /** Avoids the division for a factor of 1, which most transfers have: it takes as long as everything else here. */
  private static long perFactor(long bytesPerSec, int factor) {
    return factor == 1 ? bytesPerSec : bytesPerSec / factor;
  }
}

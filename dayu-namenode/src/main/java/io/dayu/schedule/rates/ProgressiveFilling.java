/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.rates;

import io.dayu.model.IdHeap;

import java.util.Arrays;

/**
 * Weighted max-min fair rates: iterative WSS (ATC'19 §4.3) carried to its end, in one pass. Not thread-safe; arrays are
 * sized once and reused.
 *
 * <p><b>Goal.</b> No rate can grow except at the cost of a transfer that is already slower in proportion to its weight;
 * so transfers that share a bottleneck end together, and no capacity is left that a transfer could use.
 *
 * <p><b>Algorithm.</b> Let the rates of all transfers grow together, each in proportion to its weight. The first link
 * to fill is the one with the least capacity ÷ sum of weights (the 1/T* of the paper's iteration). Its transfers keep
 * the rate they have; they and their rates are taken off their other links; the rest grow on. A link's level only rises
 * when transfers are taken off, so a heap with stale keys finds the next one: a key that is too low is corrected when
 * it comes up. O(H log L) for H hops over L links.
 *
 * <p><b>Factors.</b> On a link that carries several bytes for each byte of a transfer, the transfer's weight counts
 * times that factor.
 *
 * <p><b>Transfers that go first</b> weigh {@link #FIRST_WEIGHT} times as much as by their bytes alone.
 *
 * <p><b>Whole numbers.</b> Rates are whole bytes a second. A link's transfers share what is really left of it one after
 * another, so the last gets the remainder of rounding; each reserves 1 byte a second for every later one.
 *
 * <p><b>Example.</b> Links A = 100 and B = 30. Transfers x over A alone with weight 10, y over A and B with weight 10,
 * z over B with weight
 * 5. Levels: A 100/20 = 5, B 30/15 = 2. B fills first: y = 20, z = 10. A then has 80 for x alone: x = 80.
 */
public final class ProgressiveFilling implements RateAllocator {
  /** The number that agents use for all transfers at the highest risk together. */
  static final int FIRST_WEIGHT = 64;
  /** If the weights of a link sum to more, none goes first: the sum must not overflow. */
  private static final long MAX_WEIGHT_SUM = 1L << 56;

  private final IdHeap byLevel = new IdHeap();
  private final IntegerRates integerRates = new IntegerRates();
  private long[] weightSum = new long[0];
  private int[] firstMember = new int[1];
  private int[] members = new int[0];
  private boolean[] fixed = new boolean[0];
  private int firstWeight;

  @Override
  public String name() {
    return "filling";
  }

  @Override
  public void allocate(TransferLinks transfers, long[] rateBytesPerSec) {
    integerRates.reset(transfers);
    prepare(transfers);
    while (byLevel.size() > 0) {
      int link = byLevel.first();
      if (integerRates.waiting(link) == 0) {
        byLevel.pop();
        continue;
      }
      long level = level(link);
      if (level > byLevel.firstKey()) {
        byLevel.raiseFirst(level);
        continue;
      }
      byLevel.pop();
      for (int i = firstMember[link]; i < firstMember[link + 1]; i++) {
        if (!fixed[members[i]]) {
          fix(transfers, members[i], link, rateBytesPerSec);
        }
      }
    }
  }

  /**
   * The rate for each unit of weight at which the link is full, as a sortable key: bits of positive doubles sort as
   * they do.
   */
  private long level(int link) {
    return Double.doubleToLongBits((double) integerRates.left(link) / weightSum[link]);
  }

  private void fix(TransferLinks transfers, int transfer, int bottleneck, long[] rateBytesPerSec) {
    long weight = weight(transfers, transfer);
    long share = (long) ((double) integerRates.left(bottleneck) * weight / weightSum[bottleneck]);
    rateBytesPerSec[transfer] = integerRates.fix(transfer, share);
    fixed[transfer] = true;
    for (int hop = transfers.firstHop(transfer); hop < transfers.firstHop(transfer + 1); hop++) {
      weightSum[transfers.hop(hop)] -= transfers.factor(hop) * weight;
    }
  }

  private void prepare(TransferLinks transfers) {
    int links = transfers.links();
    int count = transfers.count();
    int hops = transfers.firstHop(count);
    if (weightSum.length < links) {
      weightSum = new long[links];
      firstMember = new int[links + 1];
    }
    if (members.length < hops) {
      members = new int[hops];
    }
    if (fixed.length < count) {
      fixed = new boolean[count];
    }
    Arrays.fill(fixed, 0, count, false);
    firstWeight = 1;
    if (sumWeights(transfers)) {
      long max = 0;
      for (int link = 0; link < links; link++) {
        max = Math.max(max, weightSum[link]);
      }
      firstWeight = max <= MAX_WEIGHT_SUM ? FIRST_WEIGHT : 1;
      sumWeights(transfers);
    }
    byLevel.reset(links);
    firstMember[0] = 0;
    for (int link = 0; link < links; link++) {
      firstMember[link + 1] = firstMember[link] + integerRates.waiting(link);
      if (integerRates.waiting(link) > 0) {
        byLevel.append(link, level(link));
      }
    }
    for (int transfer = count - 1; transfer >= 0; transfer--) {
      for (int hop = transfers.firstHop(transfer); hop < transfers.firstHop(transfer + 1); hop++) {
        int link = transfers.hop(hop);
        members[firstMember[link + 1] - 1] = transfer;
        firstMember[link + 1]--;
      }
    }
    // Each firstMember[link + 1] has run down to where the link's own members begin: move them back by one place.
    System.arraycopy(firstMember, 1, firstMember, 0, links);
    firstMember[links] = hops;
    byLevel.heapify();
  }

  /** Sums the weights of each link, and tells whether any transfer goes first. */
  private boolean sumWeights(TransferLinks transfers) {
    boolean any = false;
    Arrays.fill(weightSum, 0, transfers.links(), 0);
    for (int transfer = 0; transfer < transfers.count(); transfer++) {
      any |= transfers.isFirst(transfer);
      for (int hop = transfers.firstHop(transfer); hop < transfers.firstHop(transfer + 1); hop++) {
        weightSum[transfers.hop(hop)] += transfers.factor(hop) * weight(transfers, transfer);
      }
    }
    return any;
  }

  private long weight(TransferLinks transfers, int transfer) {
    return transfers.isFirst(transfer) ? firstWeight * transfers.weight(transfer) : transfers.weight(transfer);
  }
}

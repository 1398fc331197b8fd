/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.rival;

import io.dayu.schedule.rates.IntegerRates;
import io.dayu.schedule.rates.RateAllocator;
import io.dayu.schedule.rates.TransferLinks;

import java.util.Arrays;

/**
 * Gives every transfer the rate at which it ends with the horizon, s / T ("DA" of ATC'19 §5). Not thread-safe; arrays
 * are sized once and reused.
 *
 * <p>The paper does not say what happens where the rates of a link add up to more than it has, as they do with a block
 * larger than B·T: here all transfers of that link are slowed in the same proportion, each by the worst of its links.
 * Bandwidth that is left over stays unused.
 */
public final class DeadlineRates implements RateAllocator {
  private final IntegerRates integerRates = new IntegerRates();
  private double[] wanted = new double[0];

  @Override
  public String name() {
    return "deadline";
  }

  @Override
  public void allocate(TransferLinks transfers, long[] rateBytesPerSec) {
    if (transfers.horizonMs() == 0) {
      throw new IllegalArgumentException("horizonMs = 0: rates for a deadline need one");
    }
    if (wanted.length < transfers.links()) {
      wanted = new double[transfers.links()];
    }
    Arrays.fill(wanted, 0, transfers.links(), 0);
    for (int transfer = 0; transfer < transfers.count(); transfer++) {
      for (int hop = transfers.firstHop(transfer); hop < transfers.firstHop(transfer + 1); hop++) {
        wanted[transfers.hop(hop)] += transfers.factor(hop) * inTime(transfers, transfer);
      }
    }
    integerRates.reset(transfers);
    for (int transfer = 0; transfer < transfers.count(); transfer++) {
      double share = 1;
      for (int hop = transfers.firstHop(transfer); hop < transfers.firstHop(transfer + 1); hop++) {
        int link = transfers.hop(hop);
        share = Math.min(share, transfers.capacity(link) / wanted[link]);
      }
      double rate = inTime(transfers, transfer) * share;
      // Rounded up, so that the transfer is in time, but not where that would take more than its share.
      rateBytesPerSec[transfer] = integerRates.fix(transfer, (long) (share < 1 ? rate : Math.ceil(rate)));
    }
  }

  private static double inTime(TransferLinks transfers, int transfer) {
    return transfers.weight(transfer) * 1000.0 / transfers.horizonMs();
  }
}

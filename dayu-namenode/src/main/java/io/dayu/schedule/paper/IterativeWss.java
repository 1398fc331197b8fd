/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.paper;

import io.dayu.schedule.rates.IntegerRates;
import io.dayu.schedule.rates.RateAllocator;
import io.dayu.schedule.rates.TransferLinks;

import java.util.Arrays;

/**
 * Iterative weighted shuffle scheduling as ATC'19 §4.3 has it, with a bounded number of iterations; with one iteration,
 * plain WSS. Not thread-safe; arrays are sized once and reused.
 *
 * <p><b>Algorithm.</b> In each iteration T* is the longest time, c ÷ what is left of its bandwidth, that any link needs
 * for its transfers. Each transfer gets s ÷ T* more; the links that are full now are the bottlenecks, and their
 * transfers take part no longer. {@link io.dayu.schedule.rates.ProgressiveFilling} is the limit of many iterations.
 *
 * <p><b>Stop rule.</b> The paper stops when the transfers that still take part can end within T. All of them have rates
 * in the same proportion to their weights, so all can as soon as one can. A plan that fits into the horizon meets that
 * after the first iteration, unless a block larger than B·T is in it: taken literally, the rule turns the paper's
 * algorithm into plain WSS, which contradicts what the paper says of it (about five iterations, bandwidth used up). So
 * both forms are here.
 */
public final class IterativeWss implements RateAllocator {
  /** "Usually finishes within five iterations" (§4.3). */
  public static final int PAPER_ITERATIONS = 5;
  /** A link whose T* differs from the bottleneck's by no more than this is full, too. */
  private static final double SAME = 1 + 1e-12;

  private final int iterations;
  private final boolean stopsInTime;
  private double[] left = new double[0];
  private long[] weightSum = new long[0];
  private boolean[] full = new boolean[0];
  private double[] rate = new double[0];
  private boolean[] stopped = new boolean[0];
  private final IntegerRates integerRates = new IntegerRates();

  public IterativeWss(int iterations) {
    this(iterations, false);
  }

  /**
   * With the paper's stop rule, too.
   *
   * @param stopsInTime whether to stop as soon as all transfers can end within the horizon, if one is said
   */
  public IterativeWss(int iterations, boolean stopsInTime) {
    this.iterations = iterations;
    this.stopsInTime = stopsInTime;
  }

  @Override
  public String name() {
    return iterations == 1 ? "wss" : stopsInTime ? "timelywss" : "iterativewss";
  }

  @Override
  public void allocate(TransferLinks transfers, long[] rateBytesPerSec) {
    prepare(transfers);
    double ratePerWeight = 0;
    for (int iteration = 0; iteration < iterations; iteration++) {
      if (stopsInTime && ratePerWeight * transfers.horizonMs() >= 1000) {
        break;
      }
      double level = Double.POSITIVE_INFINITY;
      for (int link = 0; link < transfers.links(); link++) {
        if (weightSum[link] > 0) {
          level = Math.min(level, left[link] / weightSum[link]);
        }
      }
      if (level == Double.POSITIVE_INFINITY) {
        break;
      }
      ratePerWeight += level;
      for (int link = 0; link < transfers.links(); link++) {
        full[link] = weightSum[link] > 0 && left[link] / weightSum[link] <= level * SAME;
        left[link] = Math.max(0, left[link] - level * weightSum[link]);
      }
      for (int transfer = 0; transfer < transfers.count(); transfer++) {
        if (!stopped[transfer]) {
          rate[transfer] += level * transfers.weight(transfer);
          stopIfFull(transfers, transfer);
        }
      }
    }
    integerRates.reset(transfers);
    for (int transfer = 0; transfer < transfers.count(); transfer++) {
      rateBytesPerSec[transfer] = integerRates.fix(transfer, (long) rate[transfer]);
    }
  }

  private void prepare(TransferLinks transfers) {
    if (left.length < transfers.links()) {
      left = new double[transfers.links()];
      weightSum = new long[transfers.links()];
      full = new boolean[transfers.links()];
    }
    if (rate.length < transfers.count()) {
      rate = new double[transfers.count()];
      stopped = new boolean[transfers.count()];
    }
    Arrays.fill(rate, 0, transfers.count(), 0);
    Arrays.fill(stopped, 0, transfers.count(), false);
    Arrays.fill(weightSum, 0, transfers.links(), 0);
    for (int link = 0; link < transfers.links(); link++) {
      left[link] = transfers.capacity(link);
    }
    for (int transfer = 0; transfer < transfers.count(); transfer++) {
      for (int hop = transfers.firstHop(transfer); hop < transfers.firstHop(transfer + 1); hop++) {
        weightSum[transfers.hop(hop)] += transfers.factor(hop) * transfers.weight(transfer);
      }
    }
  }

  private void stopIfFull(TransferLinks transfers, int transfer) {
    int end = transfers.firstHop(transfer + 1);
    for (int hop = transfers.firstHop(transfer); hop < end && !stopped[transfer]; hop++) {
      stopped[transfer] = full[transfers.hop(hop)];
    }
    for (int hop = transfers.firstHop(transfer); hop < end && stopped[transfer]; hop++) {
      weightSum[transfers.hop(hop)] -= transfers.factor(hop) * transfers.weight(transfer);
    }
  }
}

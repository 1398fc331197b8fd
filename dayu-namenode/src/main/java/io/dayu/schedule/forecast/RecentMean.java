/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.forecast;

/**
 * Expects the foreground to lie between its mean over the last few planning periods and what was reported last; how far
 * from the mean is learned from earlier reports. Not thread-safe.
 *
 * <p><b>Goal.</b> A plan looks several periods ahead. Where requests come in bursts of about a second, a report from
 * within a burst, or from between two, says little about the mean over that time. But targets must be chosen by the
 * mean: one that was thought too fast still has work when all others are done. Where traffic is constant until it
 * jumps, an average lags behind. Clusters differ in this, so the forecast learns it.
 *
 * <p><b>Algorithm.</b> With m the exponentially weighted mean over about {@link #PERIODS} periods, and x the value
 * reported last, b·(x − m) + m is expected. b is the least-squares slope over all links and past rounds, Σ(y − m)(x −
 * m) ÷ Σ(x − m)² with y the mean of the {@link #PERIODS} values that came after x, from 0 to 1. Deviations are
 * capped at {@link #MAX_DEVIATION}, so that one jump does not dominate; so b is not quite the slope where they are
 * large. Values are counted, not time: of a link that did not report for long, the mean
 * is an old one for the next few. Old rounds fade with a time constant of {@link #MEMORY_ROUNDS}. Until enough is
 * known, b is 1: the last report.
 *
 * <p><b>Example.</b> A link with m = 0.4 reports 0.6. Of traffic that jumps seldom, b = 0.9, 0.58 is expected; of
 * bursts, b = 0.1, 0.42.
 */
public final class RecentMean implements ForegroundForecast {
  /** About as many periods as a plan looks ahead, with the defaults. */
  static final int PERIODS = 4;
  /** One minute at a planning period of 2 s. */
  private static final int MEMORY_ROUNDS = 30;
  /** The maximum that a deviation counts, so that a single jump of a whole link does not outweigh all others. */
  private static final double MAX_DEVIATION = 0.15;
  /**
   * The number of deviations, of all links together, that suffices to tell how long deviations last, if they come from
   * more than a few rounds.
   */
  private static final int MIN_OBSERVATIONS = 64;
  private static final int MIN_ROUNDS = 3 * PERIODS;
  /** Below this sum of squares there is no traffic to learn from. */
  private static final double MIN_SQUARES = 1e-3;

  private double products;
  private double squares;
  private int observations;
  private int rounds;

  @Override
  public String name() {
    return "recent";
  }

  @Override
  public void beginRound() {
    products *= 1 - 1.0 / MEMORY_ROUNDS;
    squares *= 1 - 1.0 / MEMORY_ROUNDS;
    rounds = Math.min(rounds + 1, MIN_ROUNDS);
  }

  @Override
  public void observe(ObservedForeground link, double reported) {
    // More than the link is said to carry would weigh on the mean for long.
    double share = Math.min(1, reported);
    if (link.recent == null) {
      link.recent = new double[PERIODS];
      link.deviations = new double[PERIODS];
    }
    int oldest = link.observations % PERIODS;
    if (link.observations >= 2 * PERIODS) {
      double mean = link.recent[oldest] - link.deviations[oldest];
      double deviation = limited(link.deviations[oldest]);
      products += limited(meanSince(link, oldest, share) - mean) * deviation;
      squares += deviation * deviation;
      observations = Math.min(observations + 1, MIN_OBSERVATIONS);
    }
    link.mean += (share - link.mean) / Math.min(link.observations + 1, PERIODS);
    link.recent[oldest] = share;
    link.deviations[oldest] = share - link.mean;
    link.last = reported;
    link.observations++;
  }

  private static double limited(double deviation) {
    return Math.max(-MAX_DEVIATION, Math.min(MAX_DEVIATION, deviation));
  }

  /** Mean of the values after the oldest one. */
  private static double meanSince(ObservedForeground link, int oldest, double newest) {
    double sum = newest - link.recent[oldest];
    for (double share : link.recent) {
      sum += share;
    }
    return sum / PERIODS;
  }

  @Override
  public double forecast(ObservedForeground link, double share) {
    if (link.observations == 0) {
      return share;
    }
    // The last report may have been observed already.
    double mean = share == link.last ? link.mean
        : link.mean + (Math.min(1, share) - link.mean) / Math.min(link.observations + 1, PERIODS);
    return mean + slope() * (share - mean);
  }

  /** b: how much of a deviation from the recent mean is expected to last, 0 to 1. */
  double slope() {
    boolean hasLearned = rounds >= MIN_ROUNDS && observations >= MIN_OBSERVATIONS && squares >= MIN_SQUARES;
    return !hasLearned ? 1 : Math.max(0, Math.min(1, products / squares));
  }
}

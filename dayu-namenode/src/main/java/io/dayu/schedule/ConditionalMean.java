/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.schedule;

/**
 * Expects the foreground to come back towards the node's own longer mean: the conditional mean of the next value given the last one.
 * Not thread-safe.
 *
 * <p><b>Goal.</b> Traffic jumps (ATC'19 Observation 5), and what jumped up tends to fall again: a plan that takes a peak for the new
 * normal leaves the node idle in the next timeslot, one that takes a lull for it overloads it. How strong this is differs by
 * cluster, down to traffic that alternates, so it is learned.
 *
 * <p><b>Algorithm.</b> With m the mean of a link before its value x, the next value is forecast as m + b·(x − m). b is the least-squares
 * slope over all links and past rounds, Σ(x′ − m)(x − m) ÷ Σ(x − m)² with x′ the value that came after x: the autocorrelation of lag 1, but
 * for the error of m, which the slope takes into account. Old rounds and old values fade with a time constant of {@link #MEMORY_ROUNDS}. Until
 * enough is known, b is 1: the last report.
 *
 * <p><b>Example.</b> A link has a mean of 0.4 and reports 0.6. With b = 0.9 the forecast is 0.58; with b = -0.2, as in traffic that alternates,
 * 0.36.
 */
public final class ConditionalMean implements ForegroundForecast {
  /** Ten minutes at a planning period of 2 s. */
  private static final int MEMORY_ROUNDS = 300;
  /** A link's mean says nothing before so many observations. */
  private static final int LEAST_OBSERVATIONS = 16;
  /** Below this sum of squares there is no traffic to learn from. */
  private static final double LEAST_SQUARES = 1e-3;

  private double products;
  private double squares;

  @Override
  public String name() {
    return "mean";
  }

  @Override
  public void beginRound() {
    products *= 1 - 1.0 / MEMORY_ROUNDS;
    squares *= 1 - 1.0 / MEMORY_ROUNDS;
  }

  @Override
  public void observe(LinkHistory link, double share) {
    if (link.observations > LEAST_OBSERVATIONS) {
      // The mean as it was when the value before this one was forecast from: without that value.
      double deviation = link.last - link.mean;
      products += (share - link.mean) * deviation;
      squares += deviation * deviation;
    }
    if (link.observations > 0) {
      link.mean += (link.last - link.mean) / Math.min(link.observations, MEMORY_ROUNDS);
    }
    link.last = share;
    link.observations = Math.min(link.observations + 1, MEMORY_ROUNDS + 1);
  }

  @Override
  public double forecast(LinkHistory link, double share) {
    if (link.observations <= LEAST_OBSERVATIONS) {
      return share;
    }
    return Math.max(0, Math.min(Math.max(1, share), link.mean + slope() * (share - link.mean)));
  }

  /** b: how much of a deviation from the mean is expected to last, -1 to 1. */
  double slope() {
    return squares < LEAST_SQUARES ? 1 : Math.max(-1, Math.min(1, products / squares));
  }
}

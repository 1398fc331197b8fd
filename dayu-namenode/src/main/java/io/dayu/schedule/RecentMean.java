/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.schedule;

/**
 * Expects the foreground to be what it was on average over the last few planning periods. Stateless, but for what it keeps in each link's history.
 *
 * <p><b>Goal.</b> A plan looks a horizon ahead, several periods, and clients' requests come in bursts of a second or so: a report that is taken within
 * one, or between two, says little of the mean over the horizon, by which targets are to be chosen. A target that was thought too fast is left with
 * work when all others have done theirs.
 *
 * <p><b>Algorithm.</b> Exponentially weighted mean with a memory of {@link #MEMORY_ROUNDS} periods, the newest report included, whether it has been observed
 * already or not; over fewer reports than that the plain mean.
 *
 * <p><b>Example.</b> A link that was at 0.2 for long reports 0.6: 0.3 is expected, and if it stays there 0.375 next.
 */
public final class RecentMean implements ForegroundForecast {
  /** About as many periods as a plan looks ahead. */
  private static final int MEMORY_ROUNDS = 4;

  @Override
  public String name() {
    return "recent";
  }

  @Override
  public void beginRound() {
    // Links have nothing in common.
  }

  @Override
  public void observe(LinkHistory link, double share) {
    link.mean = with(link, share);
    link.last = share;
    link.observations = Math.min(link.observations + 1, MEMORY_ROUNDS);
  }

  @Override
  public double forecast(LinkHistory link, double share) {
    boolean isObserved = link.observations > 0 && share == link.last;
    return isObserved ? link.mean : with(link, share);
  }

  private static double with(LinkHistory link, double share) {
    return link.mean + (share - link.mean) / Math.min(link.observations + 1, MEMORY_ROUNDS);
  }
}

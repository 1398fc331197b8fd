/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.schedule.Algorithms;

/**
 * What may be added to the rhythm of snapshot and plan, each by itself. Immutable.
 *
 * @param forecast which foreground is planned with, by the names of {@link Algorithms#forecasts}
 * @param agentsYield whether agents slow transfers down when foreground grows within a timeslot, to not less than half of the rates granted
 * @param agentsUseSurplus whether agents speed transfers up while both ends have bandwidth left that no plan gave away
 * @param queueMs how far beyond the horizon transfers are planned that an agent begins as soon as both ends have bandwidth left; 0 = none
 * @param splitsLast whether a block's remaining range is pulled from two sources once no block waits any more
 * @param widensHorizon whether the horizon is widened where blocks are large, as the NameNode does ({@link io.dayu.schedule.HorizonForBlocks})
 */
public record Refinements(String forecast, boolean agentsYield, boolean agentsUseSurplus, long queueMs, boolean splitsLast,
    boolean widensHorizon) {
  /** Nothing of it: the paper. */
  public static final Refinements NONE = new Refinements("last", false, false, 0, false);
  /** What the product has of it; of the forecast, what its own comes to where traffic lasts for longer than a plan looks ahead. */
  public static final Refinements PRODUCT = new Refinements("last", false, false, 0, false, true);

  /** With the horizon as it is set. */
  public Refinements(String forecast, boolean agentsYield, boolean agentsUseSurplus, long queueMs, boolean splitsLast) {
    this(forecast, agentsYield, agentsUseSurplus, queueMs, splitsLast, false);
  }

  public Refinements {
    Algorithms.forecast(forecast);
    if (queueMs < 0) {
      throw new IllegalArgumentException("queue = " + queueMs + " ms, expected at least 0");
    }
  }
}

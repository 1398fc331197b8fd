/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.schedule.AlgorithmRegistry;
import io.dayu.schedule.choice.TieBreak;

/**
 * What an algorithm has beyond rates that are granted for a fixed timeslot. Immutable.
 *
 * @param forecast which foreground is planned with, by the names of {@link AlgorithmRegistry#forecasts}
 * @param widensHorizon whether the horizon is widened where blocks are large, as the NameNode does
 *     ({@link io.dayu.rules.HorizonForBlocks})
 * @param plansEarly whether timeslots end early, as the NameNode's do ({@link io.dayu.rules.PlanTiming})
 * @param shaping how agents share links; null = transfers go at the rates granted, all at once
 * @param tieBreak which of the equally loaded nodes of a bucket becomes the target
 */
public record Refinements(String forecast, boolean widensHorizon, boolean plansEarly, Shaping shaping,
    TieBreak tieBreak) {
  /** Nothing of it: the paper. */
  public static final Refinements NONE = new Refinements("last", false, false, null);

  public Refinements {
    AlgorithmRegistry.forecast(forecast);
  }

  /** By the product's default any of the equally loaded nodes becomes the target. */
  public Refinements(String forecast, boolean widensHorizon, boolean plansEarly, Shaping shaping) {
    this(forecast, widensHorizon, plansEarly, shaping, TieBreak.NONE);
  }

  public boolean shapes() {
    return shaping != null;
  }

  public Refinements with(Shaping other) {
    return new Refinements(forecast, widensHorizon, plansEarly, other, tieBreak);
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.schedule.choice.TieBreak;
import io.dayu.schedule.forecast.ForegroundForecast;
import io.dayu.schedule.forecast.RecentMean;
import io.dayu.schedule.paper.LastReport;

import java.util.function.Supplier;

/**
 * What an algorithm has beyond rates that are granted for a fixed timeslot. Immutable.
 *
 * @param forecast which foreground is planned with, made anew for each recovery
 * @param widensHorizon whether the horizon is widened where blocks are large, as the NameNode does
 *     ({@link io.dayu.rules.WidenedHorizon})
 * @param plansEarly whether timeslots end early, as the NameNode's do ({@link io.dayu.rules.PlanTiming})
 * @param shaping how agents share links; null = transfers go at the rates granted, all at once
 * @param tieBreak which of the equally loaded nodes of a bucket becomes the target
 */
public record Refinements(Supplier<? extends ForegroundForecast> forecast, boolean widensHorizon, boolean plansEarly,
    Shaping shaping,
    TieBreak tieBreak) {
  /** The product's forecast. */
  public static final Supplier<ForegroundForecast> RECENT = RecentMean::new;
  /** The paper's. */
  public static final Supplier<ForegroundForecast> LAST = LastReport::new;
  /** Nothing of it: the paper. */
  public static final Refinements NONE = new Refinements(LAST, false, false, null);

  /** By the product's default any of the equally loaded nodes becomes the target. */
  public Refinements(Supplier<? extends ForegroundForecast> forecast, boolean widensHorizon, boolean plansEarly,
      Shaping shaping) {
    this(forecast, widensHorizon, plansEarly, shaping, TieBreak.NONE);
  }

  public boolean shapes() {
    return shaping != null;
  }

  public Refinements with(Shaping other) {
    return new Refinements(forecast, widensHorizon, plansEarly, other, tieBreak);
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.schedule.forecast.ForegroundForecast;
import io.dayu.schedule.forecast.RecentMean;

import java.util.function.Supplier;

/**
 * All that {@code dayu.scheduler.algorithm} decides about plans. Immutable; what it makes is owned by one thread.
 *
 * @param schedulers makes the scheduler of a NameNode, which keeps no state that could change an answer
 * @param forecasts makes what predicts the foreground of the next timeslot
 * @param holdsRates whether each transfer is held to the rate of the plan, as in the paper. Otherwise rates only divide
 *     a link that is full: a transfer may exceed its rate where its links have room
 * @param pressedSourcesFirst which of the blocks of equal risk are tried first: those whose sources have the most to
 *     send for their bandwidth, or else in HDFS's order
 */
public record PlanningAlgorithm(Supplier<? extends TimeslotScheduler> schedulers,
    Supplier<? extends ForegroundForecast> forecasts, boolean holdsRates, boolean pressedSourcesFirst) {

  /** Another scheduler, and all else as Dayu has it. */
  public PlanningAlgorithm(Supplier<? extends TimeslotScheduler> schedulers) {
    this(schedulers, RecentMean::new, false, true);
  }

  public TimeslotScheduler newScheduler() {
    return schedulers.get();
  }

  public ForegroundForecast newForecast() {
    return forecasts.get();
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.algorithm;

import io.dayu.schedule.TimeslotScheduler;
import io.dayu.sim.engine.LoadReports;
import io.dayu.sim.engine.Refinements;

/**
 * Something that can be compared: a scheduler, and the rhythm in which it is used unless the user says otherwise.
 * Immutable and thread-safe.
 *
 * @param name by which commands and reports call it
 * @param description one line
 * @param rhythm its defaults
 * @param factory makes an instance
 * @param evictionFactor that of {@link io.dayu.model.PlanningParameters}
 * @param minTimeslotMs likewise
 * @param paperThreads threads on which the paper lets it plan
 * @param keepsRhythm whether its rhythm is a part of it, so that it is never planned when another one is
 */
public record Algorithm(String name, String description, Rhythm rhythm, Factory factory, double evictionFactor,
    long minTimeslotMs, int paperThreads, boolean keepsRhythm) {

  /** As in the paper: stragglers are evicted by the horizon only, and all timeslots are alike. Plans on one thread. */
  public Algorithm(String name, String description, Rhythm rhythm, Factory factory) {
    this(name, description, rhythm, factory, 0, Long.MAX_VALUE, 1, false);
  }

  /** The same, with its rhythm as a part of it. */
  public Algorithm keepingRhythm() {
    return new Algorithm(name, description, rhythm, factory, evictionFactor, minTimeslotMs, paperThreads, true);
  }

  /** This choice of nodes and rates, planned when another one is planned; transfers go as this one's do. */
  Algorithm inRhythmOf(Algorithm other) {
    Refinements rules = other.rhythm.refinements().with(rhythm.refinements().shaping());
    Rhythm its = new Rhythm(other.rhythm.timeslotMs(), other.rhythm.horizonMs(), other.rhythm.reports(),
        other.rhythm.leadMs(), rules);
    return new Algorithm(name, description, its, factory, other.evictionFactor, other.minTimeslotMs, paperThreads,
        false);
  }

  /** Makes a scheduler that plans transfers to end within the horizon. Random schedulers use the seed. */
  @FunctionalInterface
  public interface Factory {
    TimeslotScheduler create(long horizonMs, long seed);
  }

  /**
   * The times of planning and reporting.
   *
   * @param timeslotMs planning period
   * @param horizonMs work planned
   * @param reports how the foreground becomes known
   * @param leadMs from a snapshot until its plan takes effect
   * @param refinements what is added to snapshot and plan
   */
  public record Rhythm(long timeslotMs, long horizonMs, LoadReports reports, long leadMs, Refinements refinements) {

    /** Reports arrive at once, all at the same moment, and nothing is refined. */
    public Rhythm(long timeslotMs, long horizonMs, long reportIntervalMs, long leadMs) {
      this(timeslotMs, horizonMs, LoadReports.every(reportIntervalMs), leadMs, Refinements.NONE);
    }

    public long reportIntervalMs() {
      return reports.intervalMs();
    }
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.algorithm;

import io.dayu.schedule.TimeslotScheduler;

/**
 * Something that can be compared: a scheduler, and the rhythm in which it is used unless the user says otherwise. Immutable and thread-safe.
 *
 * @param name by which commands and reports call it
 * @param description one line
 * @param rhythm its defaults
 * @param factory makes an instance
 */
public record Algorithm(String name, String description, Rhythm rhythm, Factory factory) {

  /** Makes a scheduler for transfers that shall end within the horizon; the seed is for those that draw lots. */
  @FunctionalInterface
  public interface Factory {
    TimeslotScheduler create(long horizonMs, long seed);
  }

  /**
   * When what happens.
   *
   * @param timeslotMs planning period
   * @param horizonMs work planned
   * @param reportIntervalMs foreground reported every so often
   * @param leadMs from a snapshot until its plan takes effect
   */
  public record Rhythm(long timeslotMs, long horizonMs, long reportIntervalMs, long leadMs) {
  }
}

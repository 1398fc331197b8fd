/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.experiment;

import io.dayu.sim.foreground.ForegroundModel;

/**
 * The times at which failures may happen: begins of slots of the foreground. Immutable.
 *
 * @param hour of the day, 0 to 23, or -1 for any
 * @param startMs time of day at which slot 0 of the foreground begins
 */
public record FailureTimes(int hour, long startMs) {
  public static final FailureTimes ANY = new FailureTimes(-1, 0);
  private static final long HOUR_MS = 3_600_000;
  private static final long DAY_MS = 24 * HOUR_MS;

  public FailureTimes {
    if (hour < -1 || hour > 23) {
      throw new IllegalArgumentException("hour = " + hour + ", expected 0 to 23");
    }
  }

  /**
   * Chooses a slot.
   *
   * @param uniform a number from 0 to below 1 at random
   * @throws IllegalArgumentException if the foreground has none in that hour
   */
  long slot(double uniform, ForegroundModel foreground) {
    if (hour < 0) {
      return (long) (uniform * foreground.slots());
    }
    long count = 0;
    for (long slot = 0; slot < foreground.slots(); slot++) {
      count += fits(slot, foreground) ? 1 : 0;
    }
    if (count == 0) {
      throw new IllegalArgumentException("hour = " + hour + ": no slot of the foreground begins in it");
    }
    long skip = (long) (uniform * count);
    long slot = 0;
    while (!fits(slot, foreground) || skip-- > 0) {
      slot++;
    }
    return slot;
  }

  private boolean fits(long slot, ForegroundModel foreground) {
    return Math.floorMod(startMs + slot * foreground.slotMs(), DAY_MS) / HOUR_MS == hour;
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import java.util.Collection;
import java.util.Locale;

/**
 * Where a recovery lost time against the ideal, in seconds of all of B_recover. Immutable. Parts but the first and the
 * last may be below 0, where more was moved than counted on.
 *
 * @param leadSec until the first plan took effect
 * @param forecastSec bandwidth that the plan did not know of: B_recover of the moment less that of the plan
 * @param granularitySec bandwidth that the plan knew and had granted to nobody, or to transfers that ended before the
 *     next plan
 * @param physicsSec granted and not moved: links that foreground filled, transfers that were queued or slowed down
 * @param tailSec whatever was lost once no block waited to be planned
 */
public record LostTime(double leadSec, double forecastSec, double granularitySec, double physicsSec, double tailSec) {
  static final LostTime NONE = new LostTime(0, 0, 0, 0, 0);

  /** Mean of several. */
  public static LostTime mean(Collection<LostTime> all) {
    LostTime sum = all.stream().reduce(NONE, LostTime::plus);
    int count = all.size();
    return new LostTime(sum.leadSec / count, sum.forecastSec / count, sum.granularitySec / count,
        sum.physicsSec / count, sum.tailSec / count);
  }

  /** For people. */
  public String words() {
    return String.format(Locale.ROOT, "lead %.2f, forecast %.2f, granularity %.2f, physics %.2f, tail %.2f", leadSec,
        forecastSec, granularitySec, physicsSec, tailSec);
  }

  LostTime plus(LostTime other) {
    return new LostTime(leadSec + other.leadSec, forecastSec + other.forecastSec, granularitySec + other.granularitySec,
        physicsSec + other.physicsSec, tailSec + other.tailSec);
  }
}

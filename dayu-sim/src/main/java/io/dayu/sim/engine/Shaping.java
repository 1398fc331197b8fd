/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.conf.Settings;

/**
 * How agents keep recovery's share of a link, as the product's do (docs/architecture.md, "How transfers share links
 * with clients"). Immutable.
 *
 * @param peak share of a link up to which clients and recovery may fill it at a moment
 * @param creditSec for how long what was not used of α is kept, as seconds of α
 * @param minRunning transfers that a target begins with, if it has as many; one more whenever they do not fill its link
 */
public record Shaping(double peak, double creditSec, int minRunning) {

  public Shaping {
    if (!(peak > 0 && peak <= 1) || !(creditSec >= 0) || minRunning < 1) {
      throw new IllegalArgumentException("peak = " + peak + ", credit = " + creditSec + " s, running = " + minRunning
          + ", expected a peak above 0 and at most 1, at least 0 s, and at least 1");
    }
  }

  /** By the product's defaults. */
  public static Shaping product() {
    return new Shaping(Settings.defaults().peakUtilization(), Settings.CREDIT_SEC, Settings.MIN_RUNNING);
  }

  /** The same, but α holds at every moment rather than on average. */
  public static Shaping withinAlpha() {
    return product().with(1, 0);
  }

  public Shaping with(double otherPeak, double otherCreditSec) {
    return new Shaping(otherPeak, otherCreditSec, minRunning);
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

/**
 * How the foreground becomes known. Immutable.
 *
 * @param intervalMs time between two reports of a node
 * @param windowMs a report is the mean over this time
 * @param delayMs time that a report takes to arrive
 * @param spread whether nodes report at different moments of the interval rather than all at once
 */
public record LoadReports(long intervalMs, long windowMs, long delayMs, boolean spread) {
  public LoadReports {
    if (intervalMs < 1 || windowMs < 1 || delayMs < 0) {
      throw new IllegalArgumentException("report interval = " + intervalMs + " ms, window = " + windowMs
          + " ms and delay = " + delayMs + " ms, expected at least 1, 1 and 0");
    }
  }

  /** Reports of the mean since the last report, which arrive at once. */
  public static LoadReports every(long intervalMs) {
    return new LoadReports(intervalMs, intervalMs, 0, false);
  }
}

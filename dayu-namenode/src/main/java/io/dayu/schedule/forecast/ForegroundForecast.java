/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.forecast;

/**
 * Foresees the foreground that a link will carry while the plan being made is in effect, from what was reported of it
 * so far (equation 1 of ATC'19 §2.1 leaves open which foreground it means). One instance for a cluster, which may learn
 * from all links together. Not thread-safe; no clock: the same reports in the same order always give the same forecast.
 *
 * <p>Foreground is given as a share of the link's bandwidth, so that links of different speed can be compared.
 */
public interface ForegroundForecast {

  /** The name by which settings and reports call this forecast. */
  String name();

  /** Begins a round of observations, one for each planning period. */
  void beginRound();

  /**
   * Takes what a link carried over the last planning period; at most once in a round.
   *
   * @param share foreground by bandwidth, at least 0
   */
  void observe(ObservedForeground link, double share);

  /**
   * The foreground to expect while the plan is in effect, as a share of the bandwidth, 0 to 1 or to {@code share} if
   * that is more.
   *
   * @param share what was reported last
   */
  double forecast(ObservedForeground link, double share);
}

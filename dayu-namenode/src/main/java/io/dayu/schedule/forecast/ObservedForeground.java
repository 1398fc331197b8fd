/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.forecast;

/**
 * What a {@link ForegroundForecast} remembers of one direction of one node; made and kept by the caller. Not
 * thread-safe.
 */
public final class ObservedForeground {
  /** Mean of the shares observed, with more weight for newer ones. */
  double mean;
  double last;
  /**
   * The shares observed last, and by how much each was above the mean that includes it, in a ring; null if the forecast
   * needs none.
   */
  double[] recent;
  double[] deviations;
  int observations;
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.paper;

import io.dayu.schedule.forecast.ForegroundForecast;
import io.dayu.schedule.forecast.ObservedForeground;

/** Expects the foreground to stay what it was. Stateless. */
public final class LastReport implements ForegroundForecast {

  @Override
  public String name() {
    return "last";
  }

  @Override
  public void beginRound() {
    // Nothing is learned.
  }

  @Override
  public void observe(ObservedForeground link, double share) {
    // Nothing is learned.
  }

  @Override
  public double forecast(ObservedForeground link, double share) {
    return share;
  }
}

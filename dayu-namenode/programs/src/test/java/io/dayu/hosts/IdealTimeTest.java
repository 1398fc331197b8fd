/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

class IdealTimeTest {
  private static final double LINK = 100;

  private static double[] steady(double foreground) {
    return new double[] {foreground, foreground, foreground, foreground};
  }

  @Test
  void seconds_isLostBytesByIdleBandwidthBelowAlpha() {
    // Two survivors, each with 75 - 25 = 50 bytes a second.
    List<double[]> both = List.of(steady(25), steady(25));
    assertEquals(2.5, IdealTime.seconds(both, both, LINK, 250), 1e-9);
  }

  @Test
  void seconds_isThatOfTheScarcerDirection() {
    assertEquals(4, IdealTime.seconds(List.of(steady(25)), List.of(steady(50)), LINK, 100), 1e-9);
  }

  @Test
  void seconds_goesOnAtTheMean_whereTheSeriesEnd() {
    List<double[]> one = List.of(steady(25));
    assertEquals(10, IdealTime.seconds(one, one, LINK, 500), 1e-9);
  }

  @Test
  void seconds_usesTheMinimum_onABusyLink_butNoMoreThanIsLeft() {
    List<double[]> busy = List.of(steady(80));
    assertEquals(2, IdealTime.seconds(busy, busy, LINK, 24), 1e-9);
    List<double[]> fuller = List.of(steady(94));
    assertEquals(3, IdealTime.seconds(fuller, fuller, LINK, 18), 1e-9);
  }

  @Test
  void recoveryBytes_areWhatTheIdealTimeTakes() {
    double[] series = {25e6, 50e6, 80e6, 94e6};
    List<double[]> one = List.of(series);
    for (double seconds : new double[] {0.5, 1, 2.25, 4, 9}) {
      long bytes = Math.round(IdealTime.recoveryBytes(series, 1e6 * LINK, seconds));
      assertEquals(seconds, IdealTime.seconds(one, one, (long) (1e6 * LINK), bytes), 1e-4);
    }
  }
}

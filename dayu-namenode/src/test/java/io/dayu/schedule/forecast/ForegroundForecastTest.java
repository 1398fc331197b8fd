/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.forecast;

import io.dayu.schedule.paper.LastReport;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Random;
import java.util.function.DoubleSupplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ForegroundForecastTest {
  private static final long SEED = 11;
  private static final String WITH_SEED = "seed " + SEED;
  private static final int LINKS = 200;

  private static RecentMean taught(ObservedForeground[] links, DoubleSupplier noise, double jumps, Random random) {
    RecentMean forecast = new RecentMean();
    double[] level = new double[links.length];
    for (int link = 0; link < links.length; link++) {
      links[link] = new ObservedForeground();
      level[link] = 0.2 + 0.4 * random.nextDouble();
    }
    for (int round = 0; round < 200; round++) {
      forecast.beginRound();
      for (int link = 0; link < links.length; link++) {
        level[link] = random.nextDouble() < jumps ? 0.2 + 0.4 * random.nextDouble() : level[link];
        forecast.observe(links[link], level[link] + noise.getAsDouble());
      }
    }
    return forecast;
  }

  /** Requests come and go within a period: what is left of a report over the next periods is next to nothing. */
  @Test
  void recentMean_ofBursts_isTheMeanOfTheLastPeriods() {
    Random random = new Random(SEED);
    ObservedForeground[] links = new ObservedForeground[LINKS];
    RecentMean forecast = taught(links, () -> 0.1 * random.nextGaussian(), 0, random);
    assertEquals(0, forecast.slope(), 0.05, WITH_SEED);
    double mean = links[0].mean;
    assertEquals(mean + forecast.slope() * (links[0].last - mean), forecast.forecast(links[0], links[0].last), 1e-9,
        "no report counts twice; " + WITH_SEED);
    assertEquals(mean + (0.9 - mean) / RecentMean.PERIODS, forecast.forecast(links[0], 0.9), 0.03,
        "a new report is one of the last ones; " + WITH_SEED);
  }

  /** Traffic that stays what it is until it jumps: the mean lags behind. */
  @Test
  void recentMean_ofJumps_isTheLastReport() {
    Random random = new Random(SEED);
    ObservedForeground[] links = new ObservedForeground[LINKS];
    RecentMean forecast = taught(links, () -> 0, 0.05, random);
    assertTrue(forecast.slope() > 0.8, "slope " + forecast.slope() + ", " + WITH_SEED);
  }

  /** A load of data before, at many times what is normal, must not pass for the way of all traffic. */
  @Test
  void recentMean_unlearnsOneLargeJump() {
    Random random = new Random(SEED);
    RecentMean forecast = new RecentMean();
    ObservedForeground[] links = new ObservedForeground[LINKS];
    Arrays.setAll(links, link -> new ObservedForeground());
    for (int round = 0; round < 60; round++) {
      forecast.beginRound();
      for (ObservedForeground link : links) {
        forecast.observe(link, round < 20 ? 60 : 0.3 + 0.1 * random.nextGaussian());
      }
    }
    assertTrue(forecast.slope() < 0.3, "slope " + forecast.slope() + ", " + WITH_SEED);
  }

  @Test
  void recentMean_countsNoReport_forMoreThanTheLink() {
    Random random = new Random(SEED);
    ObservedForeground[] links = new ObservedForeground[LINKS];
    RecentMean forecast = taught(links, () -> 0.1 * random.nextGaussian(), 0, random);
    double before = forecast.forecast(links[0], 60);
    forecast.observe(links[0], 60);
    assertEquals(before, forecast.forecast(links[0], 60), 0.1, WITH_SEED);
  }

  @Test
  void recentMean_isTheLastReport_untilItHasLearned() {
    RecentMean forecast = new RecentMean();
    ObservedForeground link = new ObservedForeground();
    assertEquals(0.7, forecast.forecast(link, 0.7));
    for (int round = 0; round < 20; round++) {
      forecast.beginRound();
      forecast.observe(link, round % 2);
      assertEquals(0.7, forecast.forecast(link, 0.7), 1e-9);
    }
  }

  @Test
  void recentMean_ofConstantTraffic_isThatTraffic() {
    RecentMean forecast = new RecentMean();
    ObservedForeground link = new ObservedForeground();
    for (int round = 0; round < 200; round++) {
      forecast.beginRound();
      forecast.observe(link, 0.4);
    }
    assertEquals(0.4, forecast.forecast(link, 0.4), 1e-9);
  }

  @Test
  void lastReport_isWhatWasReported() {
    assertEquals(0.3, new LastReport().forecast(new ObservedForeground(), 0.3));
  }
}

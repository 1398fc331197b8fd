/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.schedule;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ForegroundForecastTest {
  private static final int LINKS = 200;

  /** Lets a forecast see AR(1) traffic with autocorrelation rho, each link about a mean of its own. */
  private static ConditionalMean learned(double rho, LinkHistory[] links, double[] mean, double[] last, Random random) {
    ConditionalMean forecast = new ConditionalMean();
    double[] deviation = new double[LINKS];
    for (int link = 0; link < LINKS; link++) {
      links[link] = new LinkHistory();
      mean[link] = 0.2 + 0.6 * random.nextDouble();
    }
    for (int round = 0; round < 400; round++) {
      forecast.beginRound();
      for (int link = 0; link < LINKS; link++) {
        deviation[link] = rho * deviation[link] + Math.sqrt(1 - rho * rho) * 0.04 * random.nextGaussian();
        last[link] = Math.max(0, mean[link] + deviation[link]);
        forecast.observe(links[link], last[link]);
      }
    }
    return forecast;
  }

  @ParameterizedTest
  @CsvSource({"0.9", "0.3", "0", "-0.2", "-0.6"})
  void conditionalMean_learnsTheAutocorrelation(double rho) {
    LinkHistory[] links = new LinkHistory[LINKS];
    double[] mean = new double[LINKS];
    double[] last = new double[LINKS];
    ConditionalMean forecast = learned(rho, links, mean, last, new Random(7));
    assertEquals(rho, forecast.slope(), 0.03);
    double error = 0;
    for (int link = 0; link < LINKS; link++) {
      double best = mean[link] + rho * (last[link] - mean[link]);
      error += Math.abs(forecast.forecast(links[link], last[link]) - best) / LINKS;
    }
    assertTrue(error < 0.015, "mean distance from the best forecast " + error);
  }

  @Test
  void conditionalMean_isTheLastReport_untilItHasLearned() {
    ConditionalMean forecast = new ConditionalMean();
    LinkHistory link = new LinkHistory();
    assertEquals(0.7, forecast.forecast(link, 0.7));
    forecast.beginRound();
    forecast.observe(link, 0.1);
    assertEquals(0.7, forecast.forecast(link, 0.7));
  }

  @Test
  void conditionalMean_ofConstantTraffic_isThatTraffic() {
    ConditionalMean forecast = new ConditionalMean();
    LinkHistory link = new LinkHistory();
    for (int round = 0; round < 100; round++) {
      forecast.beginRound();
      forecast.observe(link, 0.4);
    }
    assertEquals(0.4, forecast.forecast(link, 0.4), 1e-9);
  }

  @Test
  void conditionalMean_staysWithinTheLink() {
    LinkHistory[] links = new LinkHistory[LINKS];
    ConditionalMean forecast = learned(-0.9, links, new double[LINKS], new double[LINKS], new Random(3));
    for (LinkHistory link : links) {
      assertEquals(0, forecast.forecast(link, 5), "traffic that alternates is low after a peak, and never below nothing");
      double afterALull = forecast.forecast(link, 0);
      assertTrue(afterALull > 0 && afterALull <= 1, afterALull + "");
    }
  }

  @Test
  void recentMean_followsSlowly() {
    ForegroundForecast forecast = Algorithms.forecast("recent");
    LinkHistory link = new LinkHistory();
    assertEquals(0.7, forecast.forecast(link, 0.7), 1e-9, "of a new link only the report is known");
    for (int round = 0; round < 10; round++) {
      forecast.observe(link, 0.2);
    }
    assertEquals(0.3, forecast.forecast(link, 0.6), 1e-9);
    forecast.observe(link, 0.6);
    assertEquals(0.3, forecast.forecast(link, 0.6), 1e-9, "the same report");
    forecast.observe(link, 0.6);
    assertEquals(0.375, forecast.forecast(link, 0.6), 1e-9);
  }

  @Test
  void recentMean_ofFewReports_isTheirMean() {
    ForegroundForecast forecast = Algorithms.forecast("recent");
    LinkHistory link = new LinkHistory();
    forecast.observe(link, 0.2);
    forecast.observe(link, 0.6);
    assertEquals(0.3, forecast.forecast(link, 0.1), 1e-9);
  }

  /** Requests come and go within a period; what a plan needs is the mean over its horizon. */
  @Test
  void recentMean_ofBurstyTraffic_isNearerToTheNextRounds_thanTheLastReport() {
    Random random = new Random(11);
    ForegroundForecast recent = Algorithms.forecast("recent");
    ForegroundForecast last = Algorithms.forecast("last");
    double recentError = 0;
    double lastError = 0;
    for (int i = 0; i < LINKS; i++) {
      LinkHistory link = new LinkHistory();
      double mean = 0.1 + 0.4 * random.nextDouble();
      double report = 0;
      for (int round = 0; round < 20; round++) {
        report = Math.max(0, Math.min(1, mean + 0.15 * random.nextGaussian()));
        recent.observe(link, report);
      }
      recentError += Math.abs(recent.forecast(link, report) - mean) / LINKS;
      lastError += Math.abs(last.forecast(link, report) - mean) / LINKS;
    }
    assertTrue(recentError < 0.6 * lastError, "mean distance " + recentError + ", of the last report " + lastError);
  }

  @Test
  void lastReport_isWhatWasReported() {
    ForegroundForecast forecast = Algorithms.forecast("last");
    assertEquals(0.3, forecast.forecast(new LinkHistory(), 0.3));
    for (String name : Algorithms.forecasts()) {
      assertEquals(name, Algorithms.forecast(name).name());
    }
    assertThrows(IllegalArgumentException.class, () -> Algorithms.forecast("best"));
  }
}

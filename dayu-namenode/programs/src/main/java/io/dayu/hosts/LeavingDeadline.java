/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import com.fasterxml.jackson.databind.JsonNode;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * A deadline that an admin gave to the DataNode that leaves, and what the NameNode said to it. Immutable. Moments are
 * milliseconds since 1970.
 *
 * @param givenAtMs when it was given
 * @param forecastSec what was left then took so long by the forecast, without a deadline that needs more
 * @param untilMs until when the DataNode is to have left; not a number if there is no deadline
 * @param state what becomes of it by the answer, as in the JSON of {@code -leaving}
 * @param utilization α in the answer
 * @param text the answer for people
 */
record LeavingDeadline(double givenAtMs, double forecastSec, double untilMs, String state, double utilization,
    String text) {
  static final LeavingDeadline NONE =
      new LeavingDeadline(Double.NaN, Double.NaN, Double.NaN, "", Double.NaN, "");
  /** The state of a deadline that is kept by the forecast. */
  static final String KEPT = "kept";
  /** With it the NameNode says how long it takes; no DataNode here needs as long. */
  private static final String DISTANT = "1d";
  private static final int FORECAST_LIMIT_SEC = 30;
  private static final int POLL_MS = 200;

  /**
   * Gives it as soon as there is a forecast.
   *
   * @param node the DataNode, which has begun to leave
   * @param factor the time from now on as a multiple of the forecast
   */
  static LeavingDeadline give(HostCluster cluster, String node, double factor)
      throws IOException, InterruptedException {
    long limitNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(FORECAST_LIMIT_SEC);
    JsonNode forecast = deadline(cluster, node, DISTANT).path("forecast").path(0);
    while (forecast.path("seconds").asLong() == 0) {
      if (System.nanoTime() > limitNs) {
        throw new IOException("no forecast within " + FORECAST_LIMIT_SEC + " s: " + forecast);
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
      forecast = deadline(cluster, node, DISTANT).path("forecast").path(0);
    }
    double forecastSec = forecast.path("seconds").asDouble();
    JsonNode answer = deadline(cluster, node, Math.max(1, Math.round(factor * forecastSec)) + "s");
    JsonNode given = answer.path("forecast").path(0);
    return new LeavingDeadline(given.path("fromMs").asDouble(), forecastSec, answer.path("untilMs").asDouble(),
        given.path("state").asText(), given.path("utilization").asDouble(), given.path("text").asText());
  }

  private static JsonNode deadline(HostCluster cluster, String node, String time)
      throws IOException, InterruptedException {
    return cluster.hdfsDayu("-deadline", node, time).path(0);
  }

  boolean isGiven() {
    return !Double.isNaN(untilMs);
  }

  /** Whether the answer was that it can be kept. */
  boolean canBeKept() {
    return state.equals(KEPT);
  }
}

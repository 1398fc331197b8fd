/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.monitoring;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.math.Quantiles;
import io.dayu.sim.TextFile;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * Reads answers of Prometheus's {@code /api/v1/query_range}, one of what nodes sent and one of what they received: a
 * series for each node, in bytes/s or bits/s, or of a counter. Static methods only.
 */
public final class PrometheusSamples {
  private static final ObjectMapper JSON = new ObjectMapper();
  /** A value this much later than the step after the one before comes after a gap. */
  private static final double STEPS_APART = 1.5;

  private PrometheusSamples() {
  }

  /**
   * Adds a file to samples.
   *
   * @param label of a series that names its node; a port is left out
   * @param factor bytes for a value of 1
   * @param counters whether values are those of counters rather than rates
   * @param sent whether it tells what nodes sent
   */
  public static void read(Path file, String label, double factor, boolean counters, boolean sent, Samples samples)
      throws IOException {
    JsonNode root;
    try (Reader reader = TextFile.open(file, bytes -> {})) {
      root = JSON.readTree(reader);
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new SamplesFormatException(file + ": line " + (e.getLocation() == null ? 1 : e.getLocation().getLineNr())
          + ": it is no JSON: " + e.getOriginalMessage());
    }
    JsonNode data = root == null ? null : root.path("data");
    if (data == null || !data.path("resultType").asText().equals("matrix")) {
      throw new SamplesFormatException(
          file + ": expected the answer of /api/v1/query_range, with data.resultType = matrix"
              + (root != null && root.has("error") ? ", found the error " + root.get("error").asText() : ""));
    }
    Set<String> seen = new HashSet<>();
    for (JsonNode series : data.path("result")) {
      String name = series.path("metric").path(label).asText();
      if (name.isEmpty()) {
        throw new SamplesFormatException(
            file + ": a series without the label " + label + ", by which nodes are told apart (--label)");
      }
      String node = name.replaceFirst(":\\d+$", "");
      if (!seen.add(node)) {
        throw new SamplesFormatException(file + ": two series of node " + node
            + ", expected one: let the query sum them, sum by (" + label + ") (…)");
      }
      add(file + ", series of " + node, series.path("values"), factor, counters,
          sent ? samples.sent(node) : samples.received(node));
    }
    if (seen.isEmpty()) {
      throw new SamplesFormatException(file + ": no series in data.result: the query found nothing");
    }
  }

  private static void add(String where, JsonNode values, double factor, boolean counters, Samples.Series series)
      throws SamplesFormatException {
    double step = stepSec(values);
    double before = Double.NEGATIVE_INFINITY;
    for (JsonNode pair : values) {
      double at = pair.path(0).asDouble();
      if (!(at > before)) {
        throw new SamplesFormatException(where + ": times are not in order at " + Samples.time(at));
      }
      String text = pair.path(1).asText();
      if (!text.equals("NaN")) { // What Prometheus says where nothing was scraped.
        double value = factor * Samples.number(text, where + " at " + Samples.time(at));
        if (counters) {
          series.addCounter(at, value);
        } else {
          series.addRate(at - before > STEPS_APART * step ? at - step : before, at, value);
        }
      }
      before = at;
    }
  }

  /** The usual distance of two values. */
  private static double stepSec(JsonNode values) throws SamplesFormatException {
    double[] steps = new double[Math.max(0, values.size() - 1)];
    for (int i = 0; i < steps.length; i++) {
      steps[i] = values.get(i + 1).path(0).asDouble() - values.get(i).path(0).asDouble();
    }
    return steps.length == 0 ? 0 : Quantiles.median().compute(steps);
  }
}

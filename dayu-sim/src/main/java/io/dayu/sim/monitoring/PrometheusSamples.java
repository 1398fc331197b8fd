/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.monitoring;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.dayu.sim.FormatException;
import io.dayu.sim.TextFile;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * Reads answers of Prometheus's {@code /api/v1/query_range}, of what nodes sent or of what they received: a series for
 * each node, in bytes/s or bits/s, or of a counter. A longer time than one answer takes comes in several, in any order.
 * An answer is read piece by piece, so that it may be larger than the memory. Used once for a file; not thread-safe.
 */
public final class PrometheusSamples {
  private static final JsonFactory JSON = new JsonFactory();
  /** Prometheus itself has a limit of 11,000. */
  private static final int MAX_VALUES = 1 << 22;

  private final Path file;
  private final String label;
  private final double factor;
  private final boolean counters;
  private final boolean sent;
  private final Samples samples;
  private final Set<String> seen = new HashSet<>();
  private double[] times = new double[1024];
  private double[] values = new double[1024];
  private int count;
  private boolean matrix;
  private String error;

  private PrometheusSamples(Path file, String label, double factor, boolean counters, boolean sent, Samples samples) {
    this.file = file;
    this.label = label;
    this.factor = factor;
    this.counters = counters;
    this.sent = sent;
    this.samples = samples;
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
    try (Reader reader = TextFile.openStream(file); JsonParser parser = JSON.createParser(reader)) {
      new PrometheusSamples(file, label, factor, counters, sent, samples).read(parser);
    } catch (JsonProcessingException e) {
      throw new FormatException(file + ": line " + (e.getLocation() == null ? 1 : e.getLocation().getLineNr())
          + ": it is no JSON: " + e.getOriginalMessage());
    }
  }

  private void read(JsonParser parser) throws IOException {
    if (parser.nextToken() == JsonToken.START_OBJECT) {
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String field = parser.currentName();
        JsonToken value = parser.nextToken();
        switch (field) {
          case "error" -> error = parser.getText();
          case "warnings", "infos" -> readNotes(parser, value, field);
          case "data" -> readData(parser, value);
          default -> parser.skipChildren();
        }
      }
    }
    if (!matrix) {
      throw new FormatException(
          file + ": expected the answer of /api/v1/query_range, with data.resultType = matrix"
              + (error == null ? "" : ", found the error " + error));
    }
    if (seen.isEmpty()) {
      throw new FormatException(file + ": no series in data.result: the query found nothing");
    }
  }

  private void readNotes(JsonParser parser, JsonToken begin, String kind) throws IOException {
    while (begin == JsonToken.START_ARRAY && parser.nextToken() != JsonToken.END_ARRAY) {
      if (kind.equals("warnings")) {
        samples.warn(file + ": Prometheus warns: " + parser.getText());
      } else {
        samples.remark("%s: Prometheus says: %s", file, parser.getText());
      }
    }
  }

  private void readData(JsonParser parser, JsonToken begin) throws IOException {
    while (begin == JsonToken.START_OBJECT && parser.nextToken() == JsonToken.FIELD_NAME) {
      String field = parser.currentName();
      JsonToken value = parser.nextToken();
      if (field.equals("resultType")) {
        matrix = parser.getText().equals("matrix");
      } else if (field.equals("result") && value == JsonToken.START_ARRAY) {
        while (parser.nextToken() == JsonToken.START_OBJECT) {
          readSeries(parser);
        }
      } else {
        parser.skipChildren();
      }
    }
  }

  private void readSeries(JsonParser parser) throws IOException {
    String name = "";
    count = 0;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String field = parser.currentName();
      JsonToken value = parser.nextToken();
      if (field.equals("metric") && value == JsonToken.START_OBJECT) {
        name = readName(parser);
      } else if (field.equals("values") && value == JsonToken.START_ARRAY) {
        while (parser.nextToken() == JsonToken.START_ARRAY) {
          readValue(parser);
        }
      } else {
        parser.skipChildren();
      }
    }
    if (name.isEmpty()) {
      throw new FormatException(
          file + ": a series without the label " + label + ", by which nodes are told apart (--label)");
    }
    String node = name.replaceFirst(":\\d+$", "");
    if (!seen.add(node)) {
      throw new FormatException(file + ": two series of node " + node
          + ", expected one: let the query sum them, sum by (" + label + ") (…)");
    }
    if (samples.leavesOut(node)) {
      return;
    }
    Series series = sent ? samples.sent(node) : samples.received(node);
    for (int i = 0; i < count; i++) {
      if (i > 0 && !(times[i] > times[i - 1])) {
        throw new FormatException(
            file + ", series of " + node + ": times are not in order at " + Samples.time(times[i]));
      }
      if (!counters) {
        series.addRate(times[i], values[i]);
      } else if (!Double.isNaN(values[i])) {
        series.addCounter(times[i], values[i]);
      }
    }
  }

  private String readName(JsonParser parser) throws IOException {
    String name = "";
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      boolean wanted = parser.currentName().equals(label);
      parser.nextToken();
      name = wanted ? parser.getText() : name;
      parser.skipChildren();
    }
    return name;
  }

  /** A time and a value; NaN is what Prometheus says where nothing was scraped. */
  private void readValue(JsonParser parser) throws IOException {
    if (count == MAX_VALUES) {
      throw new FormatException(file + ": a series of more than " + MAX_VALUES + " values");
    }
    if (count == times.length) {
      times = Arrays.copyOf(times, 2 * count);
      values = Arrays.copyOf(values, 2 * count);
    }
    parser.nextToken();
    times[count] = Samples.number(parser.getText(), file.toString());
    parser.nextToken();
    String text = parser.getText();
    values[count] = text.equals("NaN") ? Double.NaN
        : factor * Samples.number(text, file + " at " + Samples.time(times[count]));
    if (parser.nextToken() != JsonToken.END_ARRAY) {
      throw new FormatException(file + ": expected pairs of time and value at " + Samples.time(times[count]));
    }
    count++;
  }
}

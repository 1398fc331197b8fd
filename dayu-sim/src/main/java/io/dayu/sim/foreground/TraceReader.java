/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.foreground;

import io.dayu.sim.CsvRows;
import io.dayu.sim.FormatException;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a trace: CSV, gzip or not, with the header {@code node,dir,s0,s1,…} and for each node a row {@code tx} (sent)
 * and a row {@code rx} (received) of non-negative numbers, in any order. A comment that {@link TraceWriter} writes says
 * how long its slots are. Single-threaded; used once.
 */
public final class TraceReader {
  private static final Pattern SLOT = Pattern.compile("\\bslot=([1-9]\\d{0,11})ms\\b");
  private static final Pattern START = Pattern.compile("\\bstart=(\\S+)");

  private final String file;
  private final CsvRows csv;
  private final Map<String, float[][]> rows = new LinkedHashMap<>();
  private int columns;

  private TraceReader(String file, CsvRows csv) {
    this.file = file;
    this.csv = csv;
  }

  /** @throws FormatException naming line and column of what cannot be understood */
  public static Trace read(Path path) throws IOException {
    try (CsvRows csv = new CsvRows(path)) {
      return new TraceReader(path.toString(), csv).read();
    }
  }

  private Trace read() throws IOException {
    String[] header = csv.next();
    readHeader(header == null ? new String[] {""} : header);
    for (String[] row = csv.next(); row != null; row = csv.next()) {
      readRow(row);
    }
    return trace();
  }

  private void readHeader(String[] names) throws FormatException {
    columns = names.length;
    for (int column = 0; column < Math.max(3, columns); column++) {
      String expected = column == 0 ? "node" : column == 1 ? "dir" : "s" + (column - 2);
      String found = column < columns ? names[column] : "nothing";
      if (!found.equals(expected)) {
        throw error("column " + (column + 1), "expected the header node,dir,s0,s1,… with " + expected + " here, found "
            + quoted(found));
      }
    }
  }

  private void readRow(String[] fields) throws FormatException {
    if (fields.length != columns) {
      throw error("column " + Math.min(fields.length, columns), "the row ends after " + fields.length
          + " columns, expected " + columns + " as in the header");
    }
    String node = fields[0];
    String direction = fields[1];
    if (node.isEmpty()) {
      throw error("column 1 (node)", "the name of the node is empty");
    }
    if (!direction.equals("tx") && !direction.equals("rx")) {
      throw error("column 2 (dir)", "expected tx or rx, found " + quoted(direction));
    }
    float[][] both = rows.computeIfAbsent(node, name -> new float[2][]);
    int index = direction.equals("rx") ? 0 : 1;
    if (both[index] != null) {
      throw error("column 2 (dir)", "a second row " + direction + " of node " + node);
    }
    both[index] = new float[columns - 2];
    for (int column = 2; column < columns; column++) {
      both[index][column - 2] = value(csv.decimal(fields[column]), column);
    }
  }

  private float value(String field, int column) throws FormatException {
    float value = Float.NaN;
    try {
      // Java would take 1d and 1f for numbers too.
      boolean suffixed = !field.isEmpty() && Character.isLetter(field.charAt(field.length() - 1));
      value = suffixed ? Float.NaN : Float.parseFloat(field);
    } catch (NumberFormatException e) {
      // Refused below, as what parses and is not a finite number at least 0.
    }
    if (!(value >= 0 && value < Float.POSITIVE_INFINITY)) {
      throw error("column " + (column + 1) + " (s" + (column - 2) + ")",
          "expected a number at least 0, found " + quoted(field));
    }
    return value;
  }

  private Trace trace() throws FormatException {
    List<String> nodes = new ArrayList<>(rows.keySet());
    float[][] in = new float[nodes.size()][];
    float[][] out = new float[nodes.size()][];
    for (int node = 0; node < nodes.size(); node++) {
      float[][] both = rows.get(nodes.get(node));
      if (both[0] == null || both[1] == null) {
        throw error("",
            "the file ends without a row " + (both[0] == null ? "rx" : "tx") + " of node " + nodes.get(node));
      }
      in[node] = both[0];
      out[node] = both[1];
    }
    if (nodes.isEmpty()) {
      throw error("", "the file ends without a row of any node");
    }
    return new Trace(nodes, in, out, slotMs(), start());
  }

  private long slotMs() {
    return csv.comments().stream().map(SLOT::matcher).filter(Matcher::find).map(found -> Long.valueOf(found.group(1)))
        .findFirst().orElse(0L);
  }

  private Instant start() throws FormatException {
    for (String comment : csv.comments()) {
      Matcher found = START.matcher(comment);
      if (found.find()) {
        try {
          return Instant.parse(found.group(1));
        } catch (DateTimeParseException e) {
          throw error("", "expected a comment like start=2026-11-23T10:00:00Z, found " + quoted(found.group()));
        }
      }
    }
    return null;
  }

  private FormatException error(String where, String what) {
    return new FormatException(file, csv.line(), where, what);
  }

  private static String quoted(String text) {
    return "'" + (text.length() > 40 ? text.substring(0, 40) + "…" : text) + "'";
  }
}

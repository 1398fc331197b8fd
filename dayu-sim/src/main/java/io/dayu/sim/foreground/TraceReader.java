/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.foreground;

import io.dayu.sim.TextFile;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a trace: CSV, gzip or not, with the header {@code node,dir,s0,s1,…} and for each node a row {@code tx} (sent)
 * and a row {@code rx} (received) of non-negative numbers, in any order. Single-threaded; used once.
 */
public final class TraceReader {
  private final String file;
  private final Map<String, float[][]> rows = new LinkedHashMap<>();
  private int columns;
  private long line;

  private TraceReader(String file) {
    this.file = file;
  }

  /** @throws TraceFormatException naming line and column of what cannot be understood */
  public static Trace read(Path path) throws IOException {
    try (BufferedReader reader = TextFile.open(path, bytes -> {})) {
      return new TraceReader(path.toString()).read(reader);
    }
  }

  private Trace read(BufferedReader reader) throws IOException {
    String text = next(reader);
    readHeader(text == null ? "" : text);
    for (text = next(reader); text != null; text = next(reader)) {
      if (!text.isBlank()) {
        readRow(text);
      }
    }
    return trace();
  }

  private String next(BufferedReader reader) throws IOException {
    line++;
    return reader.readLine();
  }

  private void readHeader(String text) throws TraceFormatException {
    String[] names = text.split(",", -1);
    columns = names.length;
    for (int column = 0; column < Math.max(3, columns); column++) {
      String expected = column == 0 ? "node" : column == 1 ? "dir" : "s" + (column - 2);
      String found = column < columns ? names[column].trim() : "nothing";
      if (!found.equals(expected)) {
        throw error("column " + (column + 1), "expected the header node,dir,s0,s1,… with " + expected + " here, found "
            + quoted(found));
      }
    }
  }

  private void readRow(String text) throws TraceFormatException {
    String[] fields = text.split(",", -1);
    if (fields.length != columns) {
      throw error("column " + Math.min(fields.length, columns), "the row ends after " + fields.length
          + " columns, expected " + columns + " as in the header");
    }
    String node = fields[0].trim();
    String direction = fields[1].trim();
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
      both[index][column - 2] = value(fields[column].trim(), column);
    }
  }

  private float value(String field, int column) throws TraceFormatException {
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

  private Trace trace() throws TraceFormatException {
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
    return new Trace(nodes, in, out);
  }

  private TraceFormatException error(String where, String what) {
    return new TraceFormatException(file, line, where, what);
  }

  private static String quoted(String text) {
    return "'" + (text.length() > 40 ? text.substring(0, 40) + "…" : text) + "'";
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.monitoring;

import io.dayu.sim.CsvRows;
import io.dayu.sim.FormatException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reads one long CSV, into which exports of dashboards, dool and cloud monitors fit: a row for each time and node, with
 * the columns time, node, sent, received and unit in any order. A value is the mean since the node's row before, or the
 * state of a counter of bytes; one that is empty is not known. Static methods only.
 */
public final class CsvSamples {
  private static final List<String> COLUMNS = List.of("time", "node", "sent", "received", "unit");
  private static final double BITS = 0.125;
  /** Bytes of a 1; as in these names, B is bytes and b bits. */
  private static final Map<String, Double> UNITS = new HashMap<>();

  static {
    long decimal = 1;
    long binary = 1;
    for (String prefix : List.of("", "k", "M", "G")) {
      UNITS.put(prefix + "B/s", (double) decimal);
      UNITS.put(prefix + "bit/s", BITS * decimal);
      UNITS.put(prefix + "b/s", BITS * decimal);
      UNITS.put(prefix + "bps", BITS * decimal);
      UNITS.put(prefix + "B", (double) decimal);
      if (binary > 1) {
        UNITS.put(prefix.toUpperCase(Locale.ROOT) + "iB/s", (double) binary);
        UNITS.put(prefix.toUpperCase(Locale.ROOT) + "iB", (double) binary);
      }
      decimal *= 1000;
      binary *= 1024;
    }
  }

  private CsvSamples() {
  }

  /**
   * Adds a file to samples.
   *
   * @param unit of values without a column unit; null if the user gave none
   */
  public static void read(Path file, String unit, Times times, Samples samples) throws IOException {
    try (CsvRows csv = new CsvRows(file)) {
      String[] header = csv.next();
      int[] at = CsvRows.columns(header == null ? new String[0] : header, COLUMNS);
      for (int column = 0; column < COLUMNS.size(); column++) {
        if (at[column] < 0 && (column < COLUMNS.size() - 1 || unit == null)) {
          throw new FormatException(
              csv.where() + ": no column " + COLUMNS.get(column) + " in the header, expected "
                  + String.join(",", COLUMNS) + (column == COLUMNS.size() - 1 ? " (or --unit)" : ""));
        }
      }
      for (String[] row = csv.next(); row != null; row = csv.next()) {
        if (row.length != header.length) {
          throw new FormatException(csv.where() + ": " + row.length + " columns, expected " + header.length);
        }
        String own = at[4] < 0 ? unit : row[at[4]];
        Double factor = UNITS.get(own);
        if (factor == null || row[at[1]].isEmpty()) {
          throw new FormatException(csv.where() + (factor == null
              ? ": expected a unit such as B/s, MiB/s, kbit/s, Mbps, or B of a counter, found '" + own + "'"
              : ": the name of the node is empty"));
        }
        if (samples.leavesOut(row[at[1]])) {
          continue;
        }
        double time = times.seconds(row[at[0]], csv.where());
        add(samples.sent(row[at[1]]), time, csv.decimal(row[at[2]]), factor, own, csv.where());
        add(samples.received(row[at[1]]), time, csv.decimal(row[at[3]]), factor, own, csv.where());
      }
    }
  }

  private static void add(Series series, double time, String value, double factor, String unit, String where)
      throws FormatException {
    if (value.isEmpty()) {
      return;
    }
    if (unit.endsWith("B")) {
      series.addCounter(time, factor * Samples.number(value, where));
    } else {
      series.addRate(time, factor * Samples.number(value, where));
    }
  }
}

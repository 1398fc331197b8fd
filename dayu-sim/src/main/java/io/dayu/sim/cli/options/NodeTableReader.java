/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.options;

import io.dayu.sim.Capacities;
import io.dayu.sim.CsvRows;
import picocli.CommandLine.TypeConversionException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads what nodes carry and hold: CSV with a row for each node that is not like the others. Static methods only. */
final class NodeTableReader {
  private static final List<String> COLUMNS = List.of("node", "bandwidth", "disks", "free");

  private NodeTableReader() {
  }

  /**
   * Reads a table.
   *
   * @param names of the nodes
   * @param usual what nodes and values that are not named have
   */
  static Capacities read(Path file, NodeNames names, Capacities usual) {
    long[] bandwidth = usual.bytesPerSec().clone();
    long[] free = usual.freeBytes().clone();
    Set<Integer> seen = new HashSet<>();
    try (CsvRows csv = new CsvRows(file)) {
      String[] first = csv.next();
      List<String> header = first == null ? List.of() : List.of(first);
      if (header.isEmpty() || !header.get(0).equals("node") || !COLUMNS.containsAll(header)
          || new HashSet<>(header).size() < header.size()) {
        throw new BadInputException(
            csv.where() + ": expected the header node, then any of bandwidth, disks and free, found '"
                + String.join(",", header) + "'");
      }
      for (String[] fields = csv.next(); fields != null; fields = csv.next()) {
        String where = csv.where();
        List<String> row = Arrays.stream(fields).map(csv::decimal).toList();
        int node = names.require(where + ": " + fields[0], fields[0]);
        if (!seen.add(node)) {
          throw new BadInputException(where + ": a second row of " + fields[0]);
        }
        if (row.size() != header.size()) {
          throw new BadInputException(
              where + ": " + row.size() + " columns, expected " + header.size() + " as in the header");
        }
        bandwidth[node] = Math.min(value(header, row, "bandwidth", where, bandwidth[node]),
            value(header, row, "disks", where, Long.MAX_VALUE));
        free[node] = value(header, row, "free", where, free[node]);
        if (bandwidth[node] < 1) {
          throw new BadInputException(where + ": bandwidth or disks = 0, expected at least 1 byte/s");
        }
      }
    } catch (IOException e) {
      throw new BadInputException("cannot read " + file + ": " + BadInputException.reason(e));
    }
    return new Capacities(bandwidth, free);
  }

  private static long value(List<String> header, List<String> row, String column, String where, long usual) {
    int at = header.indexOf(column);
    if (at < 0 || row.get(at).isEmpty()) {
      return usual;
    }
    try {
      return new ByteCount().convert(row.get(at));
    } catch (TypeConversionException e) {
      throw new BadInputException(where + ", " + column + ": " + e.getMessage());
    }
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli;

import io.dayu.sim.Capacities;
import io.dayu.sim.TextFile;
import picocli.CommandLine.TypeConversionException;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads what nodes carry and hold: CSV with a row for each node that is not like the others. Static methods only. */
final class NodeTableReader {
  private static final List<String> COLUMNS = List.of("node", "bandwidth", "disks", "free");

  private NodeTableReader() {
  }

  /**
   * Reads a table.
   *
   * @param names of the nodes; one of a listing, ip:port, is also found without its port
   * @param usual what nodes and values that are not named have
   */
  static Capacities read(Path file, List<String> names, Capacities usual) {
    Map<String, Integer> ids = new HashMap<>();
    for (int node = 0; node < names.size(); node++) {
      ids.putIfAbsent(names.get(node).replaceFirst(":\\d+$", ""), node);
    }
    for (int node = 0; node < names.size(); node++) {
      ids.put(names.get(node), node);
    }
    long[] bandwidth = usual.bytesPerSec().clone();
    long[] free = usual.freeBytes().clone();
    Set<Integer> seen = new HashSet<>();
    try (BufferedReader reader = TextFile.open(file, bytes -> {})) {
      List<String> header = fields(reader.readLine());
      if (header.isEmpty() || !header.get(0).equals("node") || !COLUMNS.containsAll(header)
          || new HashSet<>(header).size() < header.size()) {
        throw new BadInputException(
            file + ": line 1: expected the header node, then any of bandwidth, disks and free, found '"
                + String.join(",", header) + "'");
      }
      int line = 1;
      for (String text = reader.readLine(); text != null; text = reader.readLine()) {
        String where = file + ": line " + ++line;
        List<String> row = fields(text);
        if (text.isBlank()) {
          continue;
        }
        Integer node = ids.get(row.get(0));
        if (node == null || !seen.add(node)) {
          throw new BadInputException(
              where + ": " + (node == null ? "no node is called " : "a second row of ") + row.get(0));
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

  private static List<String> fields(String text) {
    return text == null ? List.of() : Arrays.stream(text.split(",", -1)).map(String::trim).toList();
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

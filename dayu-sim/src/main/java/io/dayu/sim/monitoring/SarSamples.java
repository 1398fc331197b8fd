/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.monitoring;

import io.dayu.sim.TextFile;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;

/**
 * Reads what {@code sadf -d -- -n DEV} prints of sar's files, those of all nodes one after another: a line for each
 * interval and interface. kB are 1024 bytes there. Static methods only.
 */
public final class SarSamples {
  private static final double BYTES_PER_KB = 1024;
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");
  private static final List<String> COLUMNS = List.of("hostname", "interval", "timestamp", "IFACE", "rxkB/s", "txkB/s");

  private SarSamples() {
  }

  /**
   * Adds a file to samples.
   *
   * @param device the interface that counts
   */
  public static void read(Path file, String device, Samples samples) throws IOException {
    int[] at = null;
    boolean found = false;
    try (BufferedReader reader = TextFile.open(file, bytes -> {})) {
      int line = 0;
      for (String text = reader.readLine(); text != null; text = reader.readLine()) {
        String where = file + ": line " + ++line;
        if (text.startsWith("#")) {
          at = columns(text.substring(1).trim(), where);
        } else if (!text.isBlank()) {
          if (at == null) {
            throw new SamplesFormatException(
                where + ": expected the header of 'sadf -d -- -n DEV', which begins with # hostname;interval");
          }
          found |= add(text.split(";", -1), at, device, where, samples);
        }
      }
    }
    if (!found) {
      throw new SamplesFormatException(file + ": no line of interface " + device + " (--device)");
    }
  }

  private static int[] columns(String header, String where) throws SamplesFormatException {
    List<String> names = Arrays.asList(header.split(";", -1));
    int[] at = COLUMNS.stream().mapToInt(names::indexOf).toArray();
    for (int i = 0; i < at.length; i++) {
      if (at[i] < 0) {
        throw new SamplesFormatException(
            where + ": no column " + COLUMNS.get(i) + " in the header, expected that of 'sadf -d -- -n DEV'");
      }
    }
    return at;
  }

  private static boolean add(String[] fields, int[] at, String device, String where, Samples samples)
      throws SamplesFormatException {
    if (fields.length == 4 && fields[3].startsWith("LINUX-RESTART")) {
      return false;
    }
    if (fields.length <= Arrays.stream(at).max().orElse(0)) {
      throw new SamplesFormatException(where + ": the row ends after " + fields.length + " columns");
    }
    if (!fields[at[3]].equals(device)) {
      return false;
    }
    double end = seconds(fields[at[2]], where);
    double interval = Samples.number(fields[at[1]], where);
    if (!samples.received(fields[at[0]]).endsBefore(end)) {
      throw new SamplesFormatException(where + ": times of node " + fields[at[0]] + " are not in order at "
          + Samples.time(end) + ", or another file has them already");
    }
    samples.received(fields[at[0]]).addRate(end - interval, end, BYTES_PER_KB * Samples.number(fields[at[4]], where));
    samples.sent(fields[at[0]]).addRate(end - interval, end, BYTES_PER_KB * Samples.number(fields[at[5]], where));
    return true;
  }

  /** sadf writes UTC unless told otherwise, or seconds since 1970 with -U. */
  private static double seconds(String text, String where) throws SamplesFormatException {
    if (text.chars().allMatch(Character::isDigit)) {
      return Samples.number(text, where);
    }
    try {
      return LocalDateTime.parse(text.replaceFirst(" [A-Z]+$", ""), TIME).toEpochSecond(ZoneOffset.UTC);
    } catch (DateTimeParseException e) {
      throw new SamplesFormatException(where + ": expected a time like 2026-11-23 10:00:01 UTC, found '" + text + "'");
    }
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import com.fasterxml.jackson.databind.JsonNode;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Writes rows, names, times and bytes, for all reports. No state. */
final class ReportText {
  private static final String[] UNITS = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
  private static final int MAX_NAMES = 10;

  private ReportText() {
  }

  static String names(JsonNode list) {
    List<String> names = new ArrayList<>();
    list.forEach(name -> names.add(name.asText()));
    return names(names);
  }

  static String names(List<String> names) {
    return String.join(", ", names.subList(0, Math.min(MAX_NAMES, names.size())))
        + (names.size() > MAX_NAMES ? " and " + (names.size() - MAX_NAMES) + " more" : "");
  }

  static void row(StringBuilder out, String name, String text) {
    out.append(String.format("  %-13s %s%n", name, text));
  }

  /** A number with its noun: {@code 1 block}, {@code 2 blocks}. */
  static String count(long number, String noun) {
    return count(number, noun, noun + "s");
  }

  /** A number with the words for one and those for several, such as a noun with its verb. */
  static String count(long number, String one, String several) {
    return number + " " + (number == 1 ? one : several);
  }

  static String time(long millis) {
    return Instant.ofEpochMilli(millis).truncatedTo(ChronoUnit.SECONDS).toString();
  }

  static String duration(long seconds) {
    return seconds < 120 ? seconds + " s" : seconds < 7_200 ? seconds / 60 + " min " + seconds % 60 + " s"
        : seconds / 3_600 + " h " + seconds % 3_600 / 60 + " min";
  }

  /** Binary units, as HDFS's own commands use. */
  static String bytes(long bytes) {
    int unit = 0;
    double value = bytes;
    while (value >= 1024 && unit < UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", value, UNITS[unit]);
  }
}

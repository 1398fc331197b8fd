/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import io.dayu.programs.MarkdownTable;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The comparison as a table, one row a mode: in Markdown, aligned so that it can be read on a screen, and in HTML.
 * Immutable.
 */
final class ComparisonTable {
  private static final List<String> HEADER = List.of("mode", "recovery", "ideal", "ratio", "p50 ms", "p90 ms",
      "p90 ratio", "p99 ms", "read p90 ratio", "write p90 ratio", "peak NIC", "blocks");

  /** What the columns mean, one line each. */
  static final List<String> LEGEND = List.of(
      "recovery: from when the node is declared dead until the last of its blocks has all replicas again; > if it was "
          + "cut off",
      String.format(Locale.ROOT,
          "ideal: what the same bytes would have taken with all that this run's foreground left of %.0f %% of every NIC"
              + " (network interface)",
          100 * ModeRun.ALPHA),
      "ratio: recovery divided by ideal",
      "p50, p90, p99 ms: percentiles of all foreground latencies in milliseconds, before the failure > during recovery",
      "p90 ratio: p90 during recovery divided by p90 before; read p90 ratio, write p90 ratio: that of reads and of "
          + "writes alone",
      String.format(Locale.ROOT,
          "peak NIC: the largest share of any NIC, in one direction, that foreground and recovery together used in "
              + "%.0f s of recovery",
          ModeRun.PEAK_WINDOW_SEC),
      "blocks: recovered/lost; those of files that clients deleted meanwhile are not counted, so it may be fewer than "
          + "when the node died");

  private final List<ModeSummary> modes;

  ComparisonTable(List<ModeSummary> modes) {
    this.modes = List.copyOf(modes);
  }

  List<List<String>> rows() {
    return modes.stream().map(ComparisonTable::row).toList();
  }

  private static List<String> row(ModeSummary mode) {
    String bound = mode.cutOff() ? ">" : "";
    return List.of(name(mode),
        bound + number("%.1f s", mode.value("recoveryTimeSec")),
        number("%.1f s", mode.value("idealTimeSec")),
        bound + number("%.2f", mode.value("ratioToIdeal")),
        beforeAndDuring(mode, "P50"), beforeAndDuring(mode, "P90"),
        number("%.2f", mode.value("foregroundP90Growth")), beforeAndDuring(mode, "P99"),
        number("%.2f", mode.value("foregroundReadP90Growth")), number("%.2f", mode.value("foregroundWriteP90Growth")),
        number("%.0f %%", 100 * mode.value("peakNicShare")),
        number("%.0f", mode.value("blocksRecovered")) + "/" + number("%.0f", mode.value("blocksLost")));
  }

  private static String name(ModeSummary mode) {
    String failed = mode.failedRuns() == 0 ? "" : mode.runs() == 1 ? " (failed)"
        : " (" + mode.failedRuns() + " of " + mode.runs() + " failed)";
    return mode.mode().id() + (mode.cutOff() ? " (cut off)" : "") + failed;
  }

  private static String beforeAndDuring(ModeSummary mode, String percentile) {
    return number("%.0f", mode.value("foreground" + percentile + "BeforeMs")) + " > "
        + number("%.0f", mode.value("foreground" + percentile + "DuringMs"));
  }

  private static String number(String format, double value) {
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, format, value);
  }

  /** Lines of Markdown. */
  List<String> markdown() {
    return MarkdownTable.lines(HEADER, rows());
  }

  String html() {
    return rows().stream().map(row -> cells("td", row))
        .collect(Collectors.joining("\n", "<table>\n" + cells("th", HEADER) + "\n", "\n</table>"));
  }

  static List<String> markdownLegend() {
    return LEGEND.stream().map(line -> "- " + line).toList();
  }

  static String htmlLegend() {
    return LEGEND.stream().map(line -> "<li>" + escaped(line) + "</li>")
        .collect(Collectors.joining("\n", "<ul>\n", "\n</ul>"));
  }

  private static String cells(String tag, List<String> texts) {
    return texts.stream().map(text -> "<" + tag + ">" + escaped(text) + "</" + tag + ">")
        .collect(Collectors.joining("", "<tr>", "</tr>"));
  }

  /** As text of a page. */
  static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import io.dayu.harness.nic.Direction;
import io.dayu.programs.Screen;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * One page with the table and the plots, in one file that needs no network, no script and no font of its own.
 * Stateless.
 */
final class HtmlReport {
  private static final String STYLE = """
      body { font: 15px/1.5 sans-serif; max-width: 1000px; margin: 2em auto; padding: 0 1em; color: #222 }
      table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px }
      th, td { border-bottom: 1px solid #ccc; padding: .3em .6em; text-align: right }
      ul { font-size: 13px; padding-left: 1.2em }
      th:first-child, td:first-child { text-align: left }
      svg { display: block; margin: 1.5em 0; max-width: 100% }
      """;

  private HtmlReport() {
  }

  /**
   * @param demo of every mode and seed; the plots show the first seed that has figures
   * @param alpha what part of a NIC recovery may fill
   */
  static void write(Path file, DemoOptions options, DemoResult demo, double alpha) throws IOException {
    List<ModeSummary> summaries = ModeSummary.medianOfEachMode(demo.outcomes());
    ComparisonTable table = new ComparisonTable(summaries);
    List<ModeResult> results = demo.outcomes().stream().flatMap(outcome -> outcome.result().stream()).toList();
    List<ModeResult> shown = results.stream().filter(result -> result.seed() == results.get(0).seed()).toList();
    StringBuilder page = new StringBuilder();
    page.append("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Dayu against stock "
        + "HDFS</title>\n<style>\n").append(STYLE).append("</style></head>\n<body>\n<h1>Dayu against stock HDFS</h1>\n")
        .append(paragraph(settings(options)));
    if (!options.conf().isEmpty()) {
      page.append(paragraph("Settings of all daemons beside those of the modes: " + options.conf().entrySet().stream()
          .map(setting -> ComparisonTable.escaped(setting.getKey() + "=" + setting.getValue()))
          .collect(Collectors.joining(", ")) + "."));
    }
    page.append(paragraph(options.seeds().size() == 1 ? "Seed " + options.seeds().get(0) + "."
        : "Medians of the seeds " + options.seeds()
            + (shown.isEmpty() ? "." : "; the plots show seed " + shown.get(0).seed() + ".")))
        .append(table.html()).append('\n').append(ComparisonTable.htmlLegend()).append('\n');
    demo.failures()
        .forEach(failure -> page.append(paragraph("<strong>Failed:</strong> " + ComparisonTable.escaped(failure))));
    Conclusion.lines(summaries).forEach(line -> page.append(paragraph(ComparisonTable.escaped(line))));
    page.append(paragraph(ComparisonTable.escaped(Conclusion.inShort(summaries))));
    if (!shown.isEmpty()) {
      plots(page, options, shown, alpha);
    }
    Files.writeString(file, page.append("</body></html>\n"));
  }

  private static void plots(StringBuilder page, DemoOptions options, List<ModeResult> shown, double alpha) {
    page.append(Plots.recovered(shown)).append('\n').append(Plots.percentiles(shown)).append('\n')
        .append(Plots.latencyOverTime(shown)).append('\n');
    double bandwidth = options.bandwidthBytesPerSec();
    for (ModeResult result : shown) {
      page.append("<h2>").append(result.mode().title()).append("</h2>\n");
      for (Direction direction : Direction.values()) {
        page.append(Plots.bandwidth(result, direction, alpha * bandwidth, bandwidth)).append('\n');
      }
    }
  }

  private static String settings(DemoOptions options) {
    return String.format(
        "%d DataNodes in %d racks, each with an emulated NIC of %s/s in each direction; %s of data in blocks of %s, %d"
            + " replicas; foreground load of %.0f %% of the NICs; one DataNode dies. Timeslots of %.1f s with %.1f s "
            + "of work.",
        options.nodes(), options.racks(), Screen.exactly(options.bandwidthBytesPerSec()),
        Screen.exactly(options.data().bytes()), Screen.exactly(options.data().blockBytes()),
        options.data().replication(),
        100 * options.utilization(), options.timeslots().intervalMs() / 1e3, options.timeslots().horizonMs() / 1e3);
  }

  private static String paragraph(String text) {
    return "<p>" + text + "</p>\n";
  }
}

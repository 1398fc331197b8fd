/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.conf.Settings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * One page with the tables and the plots, in one file that needs no network and no script. The plots are also files of
 * their own, in the folder {@code plots} beside it. Stateless.
 */
final class HostsReport {
  private static final String STYLE = """
      body { font: 15px/1.5 sans-serif; max-width: 1200px; margin: 2em auto; padding: 0 1em; color: #222 }
      table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 12px; margin: 1em 0 }
      th, td { border-bottom: 1px solid #ccc; padding: .3em .5em; text-align: right }
      li { font-size: 13px }
      svg { display: block; margin: 1.5em 0; max-width: 100% }
      """;

  private HostsReport() {
  }

  /** The plots show the first seed that has runs. */
  static void write(Path file, HostsResult result) throws IOException {
    HostsOptions options = result.hostsOptions();
    StringBuilder page = new StringBuilder("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
        .append("<title>Recovery on emulated hosts</title>\n<style>\n").append(STYLE)
        .append("</style></head>\n<body>\n<h1>Recovery on emulated hosts</h1>\n<p>").append(escaped(settings(options)))
        .append("</p>\n").append(ResultTable.html(result.summaries()));
    if (!result.medians().isEmpty()) {
      page.append(ResultTable.html(result.medians()));
    }
    if (options.deadlineFactor().isPresent()) {
      page.append("<p>").append(escaped(result.deadlines())).append("</p>\n");
    }
    page.append("<ul>\n");
    ResultTable.legend(options.fault()).forEach(line -> page.append("<li>").append(escaped(line)).append("</li>\n"));
    page.append("</ul>\n");
    result.failures().forEach(failure -> page.append("<p><strong>Failed:</strong> ").append(escaped(failure))
        .append("</p>\n"));
    if (!result.runs().isEmpty()) {
      long seed = result.runs().get(0).identity().seed();
      page.append("<h2>Seed ").append(seed).append("</h2>\n");
      Path plots = Files.createDirectories(file.toAbsolutePath().resolveSibling("plots"));
      for (Map.Entry<String, String> plot : plots(options,
          result.runs().stream().filter(run -> run.identity().seed() == seed).toList()).entrySet()) {
        page.append(plot.getValue()).append('\n');
        Files.writeString(plots.resolve(plot.getKey() + ".svg"), plot.getValue());
      }
    }
    Files.writeString(file, page.append("</body></html>\n"));
  }

  /** The plots by name, in the order of the page. */
  private static Map<String, String> plots(HostsOptions options, List<RunRecord> runs) {
    double linkBytesPerSec = options.links().rateBytesPerSec();
    Optional<RunRecord> none = runs.stream().filter(run -> run.mode() == RecoveryMode.NONE).findFirst();
    Map<String, String> plots = new LinkedHashMap<>();
    plots.put("restored",
        HostsPlots.restored(runs,
            none.map(run -> RunFigures.idealSec(run, options.links().rateBytesPerSec())).filter(Double::isFinite)));
    plots.put("latencies", HostsPlots.latencies(runs));
    plots.put("windows", HostsPlots.windows(runs, linkBytesPerSec, Settings.CREDIT_SEC));
    plots.put("cpu", HostsPlots.cpu(runs));
    for (RunRecord run : runs) {
      String mode = run.mode().id();
      if (run.mode() != RecoveryMode.NONE) {
        plots.put("into-" + mode, HostsPlots.links("Into each DataNode, " + mode, run, none,
            HostSample::receivedBytes, linkBytesPerSec));
        plots.put("out-of-" + mode, HostsPlots.links("Out of each DataNode, " + mode, run, none,
            HostSample::sentBytes, linkBytesPerSec));
      }
    }
    return plots;
  }

  private static String settings(HostsOptions options) {
    String text = String.format(Locale.ROOT,
        "Hadoop %s; %d DataNodes in %d racks, links of %.0f Mbit/s in each direction"
            + " with %s; blocks of %d bytes%s; foreground at %.0f %% of the links; %s.",
        options.jars().hadoop(), options.topology().nodes(), options.topology().racks(),
        options.links().rateBitsPerSec() / 1e6,
        options.links().queue(), options.data().blockBytes(),
        options.data().erasureCoding()
            .map(coding -> String.format(Locale.ROOT, ", %d groups of %s beside %d replicated files",
                options.groups().count(), coding.policyName(), options.files()))
            .orElse(""),
        100 * options.utilization(), options.fault().text());
    return options.conf().isEmpty() ? text : text + " Further settings of all daemons: " + options.conf() + ".";
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.sim.engine.LostTime;
import io.dayu.sim.engine.RecoveryOutcome;
import io.dayu.sim.experiment.Experiment;
import io.dayu.sim.plot.CsvTable;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * What {@code recover} has found so far, as a table for people and as JSON for machines; the fields are described in
 * docs/simulator-model.md. Single-threaded.
 *
 * @param failuresWanted cases of each algorithm when all is done
 * @param options what the command was given, or its default, by the names of its options
 */
public record RecoverReport(int failuresWanted, Experiment experiment, long seed, Map<String, String> options,
    List<RecoverResult> results) {
  private static final ObjectMapper JSON = new ObjectMapper().disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);

  public boolean allFinished() {
    return results.stream().allMatch(result -> result.unfinished() == 0);
  }

  public void writeJson(OutputStream out) throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("complete", results.stream().allMatch(result -> result.cases().size() == failuresWanted));
    fields.put("nodes", experiment.cluster().nodes());
    fields.put("chunks", experiment.chunks());
    fields.put("chunkBytes", experiment.chunkBytes());
    fields.put("bandwidthBytesPerSec", experiment.cluster().bandwidthBytesPerSec());
    fields.put("seed", seed);
    fields.put("options", options);
    fields.put("results", results.stream().map(RecoverResult::json).toList());
    JSON.writerWithDefaultPrettyPrinter().writeValue(out, fields);
    out.write('\n');
  }

  public void writeCsv(OutputStream out) throws IOException {
    out.write(cases().csv().getBytes(StandardCharsets.UTF_8));
  }

  /** A row for each case, with all options that are needed to run it again. */
  CsvTable cases() {
    List<String> columns =
        new ArrayList<>(List.of("algorithm", "seed", "failedNode", "failedNodeName", "firstSlot", "finished"));
    columns.addAll(RecoverResult.NUMBERS.keySet());
    columns.addAll(results.get(0).settingsJson().keySet());
    Map<String, String> others = new LinkedHashMap<>(options);
    others.keySet().removeAll(columns);
    columns.addAll(others.keySet());
    CsvTable table = new CsvTable(columns.toArray(String[]::new));
    for (RecoverResult result : results) {
      for (RecoverResult.Case one : result.cases()) {
        List<Object> row = new ArrayList<>(List.of(result.algorithm(), seed, one.failedNode(), one.name(),
            one.firstSlot(), one.outcome().finished()));
        RecoverResult.NUMBERS.values().forEach(number -> row.add(number.applyAsDouble(one)));
        result.settingsJson().values().forEach(value -> row.add(value == null ? "" : value));
        row.addAll(others.values());
        table.row(row.toArray());
      }
    }
    return table;
  }

  public void writePlot(OutputStream out) throws IOException {
    out.write(plot().getBytes(StandardCharsets.UTF_8));
  }

  /** The recovered share over time, as SVG. */
  String plot() {
    RecoverPlot plot = new RecoverPlot();
    results.forEach(result -> plot.add(result.algorithm(),
        result.cases().stream().map(RecoverResult.Case::outcome).toList()));
    return plot.svg(String.format(Locale.ROOT, "Recovery of %,d chunks on %,d nodes%s", experiment.chunks(),
        experiment.cluster().nodes(), results.get(0).cases().size() == 1 ? ""
            : ", mean of " + results.get(0).cases().size()),
        results.get(0).mean("idealTimeSec"));
  }

  public String table() {
    StringBuilder table = new StringBuilder();
    line(table, "%-18s %9s %9s %7s %6s %7s %7s %7s %9s %8s", "algorithm", "time", "ideal", "ratio", "±", "95 %",
        "99 %", "99.9 %", "interfer.", "caused");
    for (RecoverResult result : results) {
      line(table, "%-18s %9s %7.1f s %7s %6s %7s %7s %7s %7.2f %% %8s%s", result.algorithm(),
          orDash("%.1f s", result.mean("recoveryTimeSec")), result.mean("idealTimeSec"),
          orDash("%.3f", result.mean("ratioToIdeal")), orDash("%.3f", result.deviation("ratioToIdeal")),
          ratio(result, c -> c.outcome().times().timeTo95PercentSec()),
          ratio(result, c -> c.outcome().times().timeTo99PercentSec()),
          ratio(result, c -> c.outcome().times().timeTo999PermilleSec()), result.mean("interferencePercent"),
          orDash("%.1f %%", 100 * result.mean("causedAboveAlphaBytes") / result.mean("copiedBytes")),
          result.unfinished() == 0 ? ""
              : "  " + result.unfinished() + " of " + result.cases().size() + " not finished");
    }
    line(table,
        "%s of %d chunks on %d nodes, seed %d; ±: standard deviation; 95 %% to 99.9 %% as multiples of the ideal%n"
            + "time; foreground alone makes %.2f %% interference. Caused: bytes above 75 %% of a link that recovery "
            + "caused, by the bytes copied.",
        failuresWanted == 1 ? "One failure" : "Means over " + failuresWanted + " failures", experiment.chunks(),
        experiment.cluster().nodes(), seed,
        results.get(0).mean("foregroundAlonePercent"));
    results.stream().filter(result -> result.mean("blocksBehindFullLinks") > 0).forEach(result -> line(table,
        "%s: %.0f blocks of a failure were left whose every source is on a link that foreground fills.",
        result.algorithm(),
        result.mean("blocksBehindFullLinks")));
    line(table,
        "For where the replicas are, no recovery that keeps alpha is shorter than %.3f of the ideal time. Time lost "
            + "against the ideal, s:",
        results.get(0).mean("placementBoundSec") / results.get(0).mean("idealTimeSec"));
    results.forEach(result -> line(table, "%-18s %s", result.algorithm(), lost(result)));
    if (results.get(0).mean("blocksWithoutTarget") > 0) {
      line(table,
          "%.1f blocks of a failure are left out: no node that is left may take them, by replicas, racks and room.",
          results.get(0).mean("blocksWithoutTarget"));
    }
    results.stream().filter(result -> result.mean("lostBlocks") + result.mean("exposedNodeSec") > 0)
        .forEach(result -> line(table,
            "%s: %.1f %s for %.4g s in sum, and the loss of a node would "
                + "have lost one for %.4g node-seconds. Data is lost in one of %.4g such incidents; mean time to data "
                + "loss, if each failure of a node is one: %.4g years.",
            result.algorithm(), result.mean("lostBlocks"),
            hasGroups() ? what() + " lost for good; they had nothing to spare"
                : "blocks lost for good; blocks had one replica",
            result.mean("oneReplicaBlockSec"),
            result.mean("exposedNodeSec"), 1 / result.mean("dataLossProbability"), result.yearsToDataLoss()));
    if (hasGroups() && !experiment.events().isEmpty()) {
      results.forEach(result -> line(table,
          "%s: time of %s that lacked one internal block, in sum: %.4g s; two: %.4g s; three: %.4g s; four or more: "
              + "%.4g s.",
          Stream.concat(Stream.of(result.algorithm(), what()), RecoverResult.LACKING.stream().map(result::mean))
              .toArray()));
    }
    results.stream().map(RecoverResult::firstEstimates).filter(text -> !text.isEmpty())
        .forEach(text -> line(table, "%s", text));
    if (experiment.eachNode()) {
      results.forEach(result -> line(table, "%s: worst is %s.", result.algorithm(), result.worst()));
    }
    if (!allFinished()) {
      line(table, "Times and ratios are those of the recoveries that finished (- = none did).");
    }
    return table.toString();
  }

  private boolean hasGroups() {
    return !options.getOrDefault("code", "").isEmpty();
  }

  private String what() {
    return options.get("code").equals("all") ? "blocks and groups" : "groups";
  }

  /** A recovery that did not finish waited for its limit, whatever it lost before. */
  private static String lost(RecoverResult result) {
    List<LostTime> ofFinished = result.cases().stream().map(RecoverResult.Case::outcome)
        .filter(RecoveryOutcome::finished).map(RecoveryOutcome::lost).toList();
    return ofFinished.isEmpty() ? "-" : LostTime.mean(ofFinished).words();
  }

  private static String ratio(RecoverResult result, ToDoubleFunction<RecoverResult.Case> seconds) {
    return orDash("%.3f", result.cases().stream().filter(c -> c.outcome().finished())
        .mapToDouble(c -> seconds.applyAsDouble(c) / c.idealSec()).average().orElse(Double.NaN));
  }

  private static String orDash(String format, double value) {
    return Double.isFinite(value) ? String.format(Locale.ROOT, format, value) : "-";
  }

  private static void line(StringBuilder table, String format, Object... values) {
    table.append(String.format(Locale.ROOT, format, values)).append(System.lineSeparator());
  }
}

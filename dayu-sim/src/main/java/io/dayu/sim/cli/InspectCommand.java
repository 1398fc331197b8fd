/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dayu.conf.Settings;
import io.dayu.model.PlanningParameters;
import io.dayu.sim.cli.options.BadInputException;
import io.dayu.sim.cli.options.InputOptions;
import io.dayu.sim.cli.options.ProgressLine;
import io.dayu.sim.cli.report.JournalSummary;
import io.dayu.sim.cli.report.OutputFile;
import io.dayu.sim.cli.report.OutputFiles;
import io.dayu.sim.engine.Knowledge;
import io.dayu.sim.engine.LoadReports;
import io.dayu.sim.engine.SimulationSettings;
import io.dayu.sim.experiment.Experiment;
import io.dayu.sim.experiment.PlacementStatistics;
import io.dayu.sim.foreground.ForegroundStatistics;
import io.dayu.sim.replay.RecordedJournal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * {@code inspect}: compares the statistics of an input with those that the paper publishes, or summarises the journal
 * of a NameNode. Filled by picocli; single-threaded.
 */
@Command(name = "inspect", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Prints the statistics of a cluster's traffic and placement beside those that the paper publishes; "
        + "or summarises a NameNode's journal.")
final class InspectCommand implements Callable<Integer> {
  private static final int DAY_SLOTS = 5760;
  private static final ObjectMapper JSON = new ObjectMapper();

  @Spec
  private CommandSpec spec;

  @Parameters(paramLabel = "FILE", arity = "0..*",
      description = "The files of a NameNode's journal: what it has is summarised instead.")
  private List<Path> journal;

  @Mixin
  private InputOptions input;

  @Option(names = "--slots", paramLabel = "N",
      description = "Slots of traffic to read (default: the whole trace, or a day of synthetic traffic).")
  private Integer slots;

  @Option(names = "--failures", paramLabel = "N", defaultValue = "50",
      description = "Failures to look at (default: ${DEFAULT-VALUE}).")
  private int failures;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the statistics to a file as JSON.")
  private Path json;

  @Override
  public Integer call() {
    if (journal != null) {
      inspectJournal();
      return Main.SUCCESS;
    }
    if (failures < 1 || slots != null && slots < 2) {
      throw new BadInputException(
          "--failures = " + failures + " and --slots = " + slots + ", expected at least 1 and 2");
    }
    Experiment experiment = BadInputException.check(input::experiment);
    if (json == null) {
      inspect(experiment);
    } else {
      try (OutputFile file = new OutputFile(json)) {
        Map<String, Object> found = inspect(experiment);
        file.replace(out -> JSON.writerWithDefaultPrettyPrinter().writeValue(out, found));
      }
    }
    return Main.SUCCESS;
  }

  private void inspectJournal() {
    for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
      if (!option.longestName().equals("--json")) {
        throw new BadInputException(option.longestName() + " cannot be given with a journal");
      }
    }
    RecordedJournal recorded = JournalSummary.read(journal);
    try (OutputFiles files = new OutputFiles()) {
      files.add(json, out -> JSON.writerWithDefaultPrettyPrinter().writeValue(out, JournalSummary.json(recorded)));
      files.replaceAll();
    }
    JournalSummary.lines(recorded).forEach(spec.commandLine().getOut()::println);
    spec.commandLine().getOut().flush();
  }

  private Map<String, Object> inspect(Experiment experiment) {
    long bandwidth = input.bandwidthBytesPerSec();
    int read = slots != null ? slots : (int) Math.min(DAY_SLOTS, experiment.foreground().slots());
    ForegroundStatistics traffic = ForegroundStatistics.of(experiment.foreground(), 0, read, bandwidth);
    SimulationSettings settings = new SimulationSettings(new PlanningParameters(1, 1, 0, 0),
        new SimulationSettings.Limits(0.75, Math.round(Settings.DEFAULT_MIN_RATIO * bandwidth), false),
        Knowledge.LAST_REPORT, LoadReports.every(1), new SimulationSettings.Execution(0, 0, 1, 1));
    PlacementStatistics placement;
    try (ProgressLine progress = ProgressLine.onTerminal("failures", failures)) {
      placement = BadInputException.check(() -> PlacementStatistics.of(experiment, settings, failures, progress::done));
    }
    PrintWriter out = spec.commandLine().getOut();
    input.remarks().forEach(out::println);
    row(out, "statistic", "paper", "here");
    row(out, "foreground, mean", "below 50 %", percent(traffic.meanShare()));
    row(out, "CoV across nodes in a slot, p5/50/95", "mostly 0.4-0.6", three(traffic.slotCov()));
    row(out, "CoV of means over an hour", "much smaller", "%.3f", traffic.hourCov());
    row(out, "CoV of means over a day", "much smaller", "%.3f", traffic.dayCov());
    row(out, "changes within 14.4 % of the bandwidth", "over 95 %", percent(traffic.smallChanges()));
    row(out, "largest change", "66.7 %", percent(traffic.largestChange()));
    row(out, "correlation with the slot before", "not told", "%.3f", traffic.lagOneCorrelation());
    row(out, "ideal recovery, mean", "51 s", "%.1f s", placement.idealTimeSec());
    row(out, "ideal recovery, standard deviation", "plot only", "%.1f s", placement.idealDeviationSec());
    row(out, "blocks recovered by each node", "about 70", "%.1f", placement.blocksPerNode());
    row(out, "CoV of common sizes SC, p5/50/95", "plot only", three(placement.commonCov()));
    row(out, "correlation of SC with traffic sent", "strong", "%.3f", placement.trafficCorrelation());
    row(out, "blocks that fit into a slot", "60,000-150,000", "%.0f", placement.tasksPerSlot());
    row(out, "these as a share of all", "about a third", percent(placement.shareOfTasks()));
    out.flush();
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("foreground", known(traffic));
    found.put("placement", placement);
    return found;
  }

  /** As JSON without what a short trace does not tell. */
  private static ObjectNode known(ForegroundStatistics traffic) {
    ObjectNode fields = JSON.valueToTree(traffic);
    List<String> names = new ArrayList<>();
    fields.fieldNames().forEachRemaining(names::add);
    names.removeIf(name -> !Double.isNaN(fields.get(name).asDouble()));
    return fields.remove(names);
  }

  private static void row(PrintWriter out, String statistic, String paper, String format, Object... values) {
    out.printf(Locale.ROOT, "%-40s %-16s ", statistic, paper);
    boolean unknown = values.length > 0 && Double.valueOf(Double.NaN).equals(values[0]);
    out.println(
        values.length == 0 ? format : unknown ? "too short to tell" : String.format(Locale.ROOT, format, values));
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * share);
  }

  private static String three(double[] values) {
    return String.format(Locale.ROOT, "%.2f/%.2f/%.2f", values[0], values[1], values[2]);
  }
}

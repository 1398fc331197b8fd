/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli;

import io.dayu.conf.Settings;
import io.dayu.model.PlanningParameters;
import io.dayu.schedule.TimeslotScheduler;
import io.dayu.sim.algorithm.Algorithm;
import io.dayu.sim.algorithm.Algorithms;
import io.dayu.sim.algorithm.DecentralizedScheduler;
import io.dayu.sim.cli.options.BadInputException;
import io.dayu.sim.cli.options.ByteCount;
import io.dayu.sim.cli.options.InputOptions;
import io.dayu.sim.cli.options.KnowledgeOption;
import io.dayu.sim.cli.options.LoadReportOptions;
import io.dayu.sim.cli.options.ProgressLine;
import io.dayu.sim.cli.options.RefinementOptions;
import io.dayu.sim.cli.options.TimeSpan;
import io.dayu.sim.cli.report.OutputFiles;
import io.dayu.sim.cli.report.RecoverPage;
import io.dayu.sim.cli.report.RecoverReport;
import io.dayu.sim.cli.report.RecoverResult;
import io.dayu.sim.engine.RecoveryOutcome;
import io.dayu.sim.engine.SimulationSettings;
import io.dayu.sim.experiment.Experiment;
import io.dayu.sim.experiment.ParallelCases;
import io.dayu.sim.experiment.SharedFailures;
import io.dayu.sim.incident.EventPattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.DoubleConsumer;

/** {@code recover}: lets nodes fail and algorithms recover them. Filled by picocli; single-threaded. */
@Command(name = "recover", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Simulates the recovery of failed nodes, one at a time, and holds it against the ideal.")
final class RecoverCommand implements Callable<Integer> {
  /** Options that say what is run and written, not what comes out. */
  private static final Set<String> NO_INPUTS = Set.of("--algorithm", "--failures", "--seed", "--threads", "--json",
      "--csv", "--html", "--plot", "--help", "--version");

  @Spec
  private CommandSpec spec;

  @Mixin
  private InputOptions input;

  @Option(names = "--algorithm", paramLabel = "A[,B...]", defaultValue = "dayu", split = ",",
      description = "Algorithms to run, on the same failures (default: ${DEFAULT-VALUE}); 'algorithms' lists them.")
  private List<String> algorithms;

  @Option(names = "--failures", paramLabel = "N", defaultValue = "1",
      description = "Failures: random nodes at random moments (default: ${DEFAULT-VALUE}).")
  private int failures;

  @Option(names = "--rhythm", paramLabel = "WHOSE", defaultValue = "own",
      description = "When all algorithms plan, and what is reported to them when: own (each as listed), product or "
          + "paper; stock HDFS and choosy keep their own (default: ${DEFAULT-VALUE}).")
  private String rhythm;

  @Option(names = "--timeslot", paramLabel = "TIME", converter = TimeSpan.Converter.class,
      description = "Planning period (default: the algorithm's own).")
  private TimeSpan timeslot;

  @Option(names = "--horizon", paramLabel = "TIME", converter = TimeSpan.Converter.class,
      description = "How much work is planned (default: the algorithm's own, or the timeslot if that is given).")
  private TimeSpan horizon;

  @Mixin
  private LoadReportOptions reports;

  @Option(names = "--lead", paramLabel = "TIME", converter = TimeSpan.Converter.class,
      description = "From a snapshot until its plan takes effect: planning, commit, the way to the agents (default: "
          + "the algorithm's own).")
  private TimeSpan lead;

  @Option(names = "--count-planning",
      description = "A plan that takes longer than the lead on this machine is late by the rest. Results then depend "
          + "on the machine.")
  private boolean countPlanning;

  @Option(names = "--paper-threads",
      description = "With --count-planning: algorithms that choose at random plan on 16 threads, as in the paper.")
  private boolean paperThreads;

  @Option(names = "--knowledge", paramLabel = "WHAT", defaultValue = "last-report",
      converter = KnowledgeOption.Converter.class,
      description = "Foreground that the scheduler knows: last-report or current (default: ${DEFAULT-VALUE}).")
  private KnowledgeOption knowledge;

  @Option(names = "--alpha", paramLabel = "X", defaultValue = "0.75",
      description = "Share of a link up to which recovery may fill it (default: ${DEFAULT-VALUE}).")
  private double alpha;

  @Option(names = "--min-bandwidth", paramLabel = "BYTES", converter = ByteCount.class,
      description = "B_min: what recovery may always use, a second (default: 12 %% of the bandwidth).")
  private Long minBandwidth;

  @Option(names = "--min-yields", negatable = true, defaultValue = "true", fallbackValue = "true",
      description = "B_min is never more than the foreground leaves of the link, but at least 4 %% of it (default; "
          + "equation 1 has no such bound).")
  private boolean minYields;

  @Option(names = "--order", paramLabel = "WHAT", defaultValue = "pressure",
      description = "Order of the blocks within a queue: pressure (those first whose sources have most to send for "
          + "their bandwidth) or snapshot (default: ${DEFAULT-VALUE}).")
  private String order;

  @Option(names = "--min-timeslot", paramLabel = "TIME", converter = TimeSpan.Converter.class,
      description = "Near the end timeslots become shorter, but not shorter than this (default: the algorithm's own).")
  private TimeSpan minTimeslot;

  @Option(names = "--eviction-factor", paramLabel = "X",
      description = "Near the end stragglers leave nodes on which they would end later than X times the time that all "
          + "work left needs; 0 = only those that would not end within the horizon (default: the algorithm's own).")
  private Double evictionFactor;

  @Option(names = "--beta", paramLabel = "X", defaultValue = "0.05",
      description = "Share of nodes among which the underemployed are sought; 0 = no priority for them (default: "
          + "${DEFAULT-VALUE}).")
  private double beta;

  @Option(names = "--bucket", paramLabel = "BYTES", defaultValue = "1MB", converter = ByteCount.class,
      description = "Width of the buckets of bandwidth, a second; 0 = exact (default: ${DEFAULT-VALUE}).")
  private long bucket;

  @Option(names = "--max-streams", paramLabel = "N", defaultValue = "0",
      description = "Transfers that a node sends at once, and receives at once; 0 = any number, as in the paper "
          + "(default: ${DEFAULT-VALUE}).")
  private int maxStreams;

  @Mixin
  private RefinementOptions refinements;

  @Option(names = "--limit", paramLabel = "TIME", defaultValue = "6h", converter = TimeSpan.Converter.class,
      description = "Give a recovery up after this simulated time (default: ${DEFAULT-VALUE}).")
  private TimeSpan limit;

  @Option(names = "--threads", paramLabel = "N", defaultValue = "0",
      description = "Recoveries that are simulated at the same time; results do not depend on it, but for the time "
          + "that planning takes (default: 0 = all cores, 1 with --count-planning).")
  private int threads;

  @Option(names = "--json", paramLabel = "FILE",
      description = "Write everything to a file as JSON; rewritten after each failure.")
  private Path json;

  @Option(names = "--csv", paramLabel = "FILE",
      description = "Write the numbers of each failure to a file as CSV, likewise.")
  private Path csv;

  @Option(names = "--html", paramLabel = "FILE",
      description = "Write a page with plot, table and the command, likewise; it needs no other file.")
  private Path html;

  @Option(names = "--plot", paramLabel = "FILE",
      description = "Write the recovered share over time as a plot (SVG), likewise.")
  private Path plot;

  @Override
  public Integer call() {
    if (failures < 1) {
      throw new BadInputException("--failures = " + failures + ", expected at least 1");
    }
    if (threads < 0) {
      throw new BadInputException("--threads = " + threads + ", expected at least 0 (0 = all cores)");
    }
    if (plot != null && !plot.toString().endsWith(".svg")) {
      throw new BadInputException("--plot = " + plot + ", expected a name that ends in .svg: the plot is SVG");
    }
    BadInputException.checkEachOnce("--algorithm", algorithms.stream().map(String::trim).toList());
    Map<Algorithm, SimulationSettings> runs = new LinkedHashMap<>();
    for (String name : algorithms) {
      Algorithm algorithm = algorithm(name.trim());
      if (input.hasGroups() && !algorithm.factory().create(1, input.seed()).plansRebuilds()) {
        throw new BadInputException("--algorithm = " + algorithm.name() + " plans copies only, expected one that also "
            + "plans the rebuilds of --code, such as dayu, C+W or G1+W");
      }
      runs.put(algorithm, BadInputException.check(() -> settings(algorithm)));
    }
    Experiment experiment = BadInputException.check(input::experiment);
    runs.values().forEach(settings -> BadInputException.check(() -> settings.forSlotsOf(experiment.foreground())));
    List<RecoverResult> results = new ArrayList<>();
    runs.forEach(
        (algorithm, settings) -> results.add(new RecoverResult(algorithm.name(), experiment, settings)));
    if (input.losesEach()) {
      if (spec.commandLine().getParseResult().hasMatchedOption("--failures")) {
        throw new BadInputException("--failures cannot be given with --lost all: each node fails once");
      }
      failures = experiment.placement().candidates().length;
    }
    long lastEventMs = experiment.events().stream().mapToLong(EventPattern::atMs).max().orElse(0);
    if (lastEventMs > limit.millis()) {
      throw new BadInputException("--limit = " + limit + ", expected at least " + new TimeSpan(lastEventMs)
          + ", when the last event happens");
    }
    checkTargets(BadInputException.check(() -> experiment.failure(0))); // Before work begins.
    RecoverReport report = new RecoverReport(failures, experiment, input.seed(), options(), results);
    try (OutputFiles files = new OutputFiles()) {
      files.add(json, report::writeJson);
      files.add(csv, report::writeCsv);
      files.add(plot, report::writePlot);
      files.add(html, bytes -> bytes.write(page(report).getBytes(StandardCharsets.UTF_8)));
      run(experiment, runs, report, files);
    }
    input.remarks().forEach(spec.commandLine().getOut()::println);
    spec.commandLine().getOut().print(report.table());
    spec.commandLine().getOut().flush();
    return report.allFinished() ? Main.SUCCESS : Main.UNFINISHED;
  }

  /** The options that decide the results, as given or by default. */
  private Map<String, String> options() {
    Map<String, String> values = new LinkedHashMap<>();
    for (OptionSpec option : spec.options()) {
      if (!NO_INPUTS.contains(option.longestName())) {
        List<String> given = option.originalStringValues();
        String text = given.isEmpty() ? option.defaultValue() : String.join(",", given);
        values.put(option.longestName().replaceFirst("^--", ""), text == null ? "" : text);
      }
    }
    return values;
  }

  private String page(RecoverReport report) {
    return RecoverPage.of(report, input.remarks(),
        "dayu-sim " + String.join(" ", spec.commandLine().getParent().getParseResult().originalArgs()));
  }

  /** One recovery, and the bounds that it is compared with. */
  private record Case(double idealSec, double boundSec, RecoveryOutcome outcome, double messages) {
  }

  private void run(Experiment experiment, Map<Algorithm, SimulationSettings> runs, RecoverReport report,
      OutputFiles files) {
    List<Map.Entry<Algorithm, SimulationSettings>> kinds = List.copyOf(runs.entrySet());
    SharedFailures shared = new SharedFailures(experiment);
    int count = failures * kinds.size();
    try (ProgressLine progress = ProgressLine.onTerminal("recoveries", count);
        ParallelCases cases = BadInputException.check(() -> new ParallelCases(threadsToUse()))) {
      cases.run(count, index -> {
        Map.Entry<Algorithm, SimulationSettings> kind = kinds.get(index % kinds.size());
        Experiment.Failure failure = shared.get(index / kinds.size());
        checkTargets(failure);
        return recover(experiment, failure, kind.getKey(), kind.getValue(), share -> progress.within(index, share));
      }, (index, done) -> {
        int failure = index / kinds.size();
        int kind = index % kinds.size();
        report.results().get(kind).add(shared.get(failure), done.idealSec, done.boundSec, done.outcome, done.messages);
        progress.done(index + 1);
        if (kind == kinds.size() - 1) {
          shared.drop(failure);
          files.replaceAll();
        }
      });
    }
  }

  private static void checkTargets(Experiment.Failure failure) {
    BadInputException.check(() -> {
      failure.checkTargets();
      return failure;
    });
  }

  private Case recover(Experiment experiment, Experiment.Failure failure, Algorithm algorithm,
      SimulationSettings settings, DoubleConsumer progress) {
    double idealSec = BadInputException.check(() -> experiment.idealSeconds(failure, settings));
    TimeslotScheduler scheduler = algorithm.factory().create(settings.planning().horizonMs(), input.seed());
    RecoveryOutcome outcome = experiment.recover(failure, settings, scheduler, progress);
    double reports = Math.ceil(outcome.recoveryTimeSec() * 1000 / settings.reports().intervalMs());
    double messages =
        scheduler instanceof DecentralizedScheduler counter ? counter.messages()
            : 2 * reports * experiment.cluster().nodes();
    return new Case(idealSec, experiment.boundSeconds(failure, settings, idealSec), outcome, messages);
  }

  private int planningThreads(Algorithm algorithm) {
    if (paperThreads && !countPlanning) {
      throw new BadInputException("--paper-threads needs --count-planning");
    }
    return !countPlanning ? 0 : paperThreads ? algorithm.paperThreads() : 1;
  }

  private int threadsToUse() {
    return threads != 0 ? threads : countPlanning ? 1 : Runtime.getRuntime().availableProcessors();
  }

  private Algorithm algorithm(String name) {
    Algorithm algorithm = BadInputException.check(() -> Algorithms.named(name));
    return switch (rhythm) {
      case "own" -> algorithm;
      case "product" -> Algorithms.inRhythmOf(Algorithms.named("dayu"), algorithm);
      case "paper" -> Algorithms.inRhythmOf(Algorithms.named("dayu-paper"), algorithm);
      default -> throw new BadInputException("--rhythm = " + rhythm + ", expected own, product or paper");
    };
  }

  private SimulationSettings settings(Algorithm algorithm) {
    Algorithm.Rhythm own = algorithm.rhythm();
    if (!order.equals("pressure") && !order.equals("snapshot")) {
      throw new BadInputException("--order = " + order + ", expected pressure or snapshot");
    }
    long timeslotMs = timeslot == null ? own.timeslotMs() : timeslot.millis();
    long horizonMs = horizon != null ? horizon.millis() : timeslot != null ? timeslotMs : own.horizonMs();
    long minBytes =
        minBandwidth != null ? minBandwidth : Math.round(Settings.DEFAULT_MIN_RATIO * input.bandwidthBytesPerSec());
    return new SimulationSettings(
        new PlanningParameters(timeslotMs, horizonMs, bucket, beta, order.equals("pressure"),
            evictionFactor == null ? algorithm.evictionFactor() : evictionFactor,
            minTimeslot == null ? algorithm.minTimeslotMs() : minTimeslot.millis()),
        new SimulationSettings.Limits(alpha, minBytes, minYields), knowledge.knowledge(),
        reports.reports(own.reports(), timeslot),
        new SimulationSettings.Execution(lead == null ? own.leadMs() : lead.millis(), planningThreads(algorithm),
            maxStreams == 0 ? Integer.MAX_VALUE : maxStreams, limit.millis()),
        refinements.refinements(own.refinements()), refinements.physics());
  }
}

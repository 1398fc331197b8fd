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
import io.dayu.sim.algorithm.Algorithm;
import io.dayu.sim.algorithm.Algorithms;
import io.dayu.sim.cli.options.BadInputException;
import io.dayu.sim.cli.options.InputOptions;
import io.dayu.sim.cli.options.Percent;
import io.dayu.sim.cli.options.ProgressLine;
import io.dayu.sim.cli.options.TimeSpan;
import io.dayu.sim.cli.report.OutputFile;
import io.dayu.sim.cli.report.OutputFiles;
import io.dayu.sim.cli.report.TuneReport;
import io.dayu.sim.engine.Knowledge;
import io.dayu.sim.engine.LinkPhysics;
import io.dayu.sim.engine.RecoveryOutcome;
import io.dayu.sim.engine.SimulationSettings;
import io.dayu.sim.experiment.Experiment;
import io.dayu.sim.experiment.ParallelCases;
import io.dayu.sim.tune.Criterion;
import io.dayu.sim.tune.Measured;
import io.dayu.sim.tune.Sweep;
import io.dayu.sim.tune.TunedSettings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/**
 * {@code tune}: looks for the settings that suit a cluster. Filled by picocli; single-threaded but for the simulations.
 */
@Command(name = "tune", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Tries settings of the scheduler on a cluster's traffic and placement and recommends the fastest "
        + "that interfere little.")
final class TuneCommand implements Callable<Integer> {
  @Spec
  private CommandSpec spec;

  @Mixin
  private InputOptions input;

  @Option(names = "--failures", paramLabel = "N", defaultValue = "3",
      description = "Failures that each settings are tried on, and as many others to check the best (default: "
          + "${DEFAULT-VALUE}).")
  private int failures;

  @Option(names = "--budget", paramLabel = "N", defaultValue = "40",
      description = "Settings that are tried at most (default: ${DEFAULT-VALUE}).")
  private int budget;

  @Option(names = "--max-interference", paramLabel = "X", defaultValue = "2%", converter = Percent.class,
      description = "Bound on the interference factor, foreground's own included (default: ${DEFAULT-VALUE}).")
  private double maxInterferencePercent;

  @Option(names = "--tie", paramLabel = "X", defaultValue = "1%", converter = Percent.class,
      description = "Settings that are slower by so little count as equally fast, and those nearest to the defaults "
          + "win (default: ${DEFAULT-VALUE}).")
  private double tiePercent;

  @Option(names = "--max-streams", paramLabel = "N", defaultValue = "32",
      description = "Transfers that a node sends at once, and receives at once (default: ${DEFAULT-VALUE}, as "
          + "dayu.source.max-streams).")
  private int maxStreams;

  @Option(names = "--limit", paramLabel = "TIME", defaultValue = "1h", converter = TimeSpan.Converter.class,
      description = "Give a recovery up after this simulated time (default: ${DEFAULT-VALUE}).")
  private TimeSpan limit;

  @Option(names = "--threads", paramLabel = "N", description = "Simulations at once (default: all cores).")
  private Integer threads;

  @Option(names = "--out", paramLabel = "FILE", description = "Write the recommended settings to a file, too.")
  private Path out;

  @Option(names = "--json", paramLabel = "FILE",
      description = "Write everything to a file as JSON; rewritten as settings are measured.")
  private Path json;

  private final Algorithm algorithm = Algorithms.named("dayu-alpha");

  @Override
  public Integer call() {
    if (failures < 1 || budget < 1) {
      throw new BadInputException(
          "--failures = " + failures + " and --budget = " + budget + ", expected at least 1 each");
    }
    OutputFiles.checkApart(out, json);
    Criterion criterion = BadInputException.check(() -> new Criterion(maxInterferencePercent, tiePercent / 100));
    BadInputException.check(() -> settings(TunedSettings.DEFAULTS));
    Experiment experiment = BadInputException.check(input::experiment);
    BadInputException.check(() -> settings(TunedSettings.DEFAULTS).forSlotsOf(experiment.foreground()));
    BadInputException.check(() -> {
      Experiment.Failure first = experiment.failure(0);
      first.checkTargets();
      return experiment.idealSeconds(first, settings(TunedSettings.DEFAULTS));
    });
    try (OutputFile snippet = out == null ? null : new OutputFile(out);
        OutputFile record = json == null ? null : new OutputFile(json)) {
      return tune(experiment, criterion,
          new TuneReport(criterion, failures, input.seed(), snippet, record, spec.commandLine().getOut()));
    }
  }

  private int tune(Experiment experiment, Criterion criterion, TuneReport report) {
    input.remarks().forEach(spec.commandLine().getOut()::println);
    try (ProgressLine progress = ProgressLine.onTerminal("recoveries, at most", (budget + 2) * failures);
        ParallelCases cases = BadInputException.check(
            () -> new ParallelCases(threads == null ? Runtime.getRuntime().availableProcessors() : threads))) {
      int[] done = new int[1];
      Sweep sweep = new Sweep(criterion, budget, (settings, taker) -> measure(experiment, cases, settings, 0, one -> {
        taker.accept(one);
        report.measured(one);
      }, () -> progress.done(++done[0])));
      Thread interrupted = new Thread(report::interrupted, "interrupted");
      Runtime.getRuntime().addShutdownHook(interrupted);
      try {
        sweep.run();
        Measured best = sweep.best();
        // Other failures than those that they were chosen by: the best of many is the luckiest, too.
        List<TunedSettings> checked = best.settings().equals(TunedSettings.DEFAULTS) ? List.of(TunedSettings.DEFAULTS)
            : List.of(TunedSettings.DEFAULTS, best.settings());
        measure(experiment, cases, checked, failures, report::checked, () -> progress.done(++done[0]));
      } finally {
        Runtime.getRuntime().removeShutdownHook(interrupted);
      }
      progress.done((budget + 2) * failures);
    }
    return report.finish() ? Main.SUCCESS : Main.UNFINISHED;
  }

  private record Case(double idealSec, RecoveryOutcome outcome) {
  }

  /** Measures settings on {@code failures} failures from {@code firstFailure} on. */
  private void measure(Experiment experiment, ParallelCases cases, List<TunedSettings> wanted, int firstFailure,
      Consumer<Measured> taker, Runnable progress) {
    Case[] ofOne = new Case[failures];
    cases.run(wanted.size() * failures, index -> {
      SimulationSettings settings = settings(wanted.get(index / failures));
      Experiment.Failure failure = experiment.failure(firstFailure + index % failures);
      return new Case(experiment.idealSeconds(failure, settings), experiment.recover(failure, settings,
          algorithm.factory().create(settings.planning().horizonMs(), input.seed())));
    }, (index, result) -> {
      ofOne[index % failures] = result;
      progress.run();
      if (index % failures == failures - 1) {
        taker.accept(mean(wanted.get(index / failures), ofOne));
      }
    });
  }

  private static Measured mean(TunedSettings settings, Case[] cases) {
    double time = 0;
    double ratio = 0;
    double interference = 0;
    double alone = 0;
    int unfinished = 0;
    for (Case one : cases) {
      time += one.outcome.recoveryTimeSec() / cases.length;
      ratio += one.outcome.recoveryTimeSec() / one.idealSec / cases.length;
      interference += one.outcome.interference().percent() / cases.length;
      alone += one.outcome.interference().foregroundAlonePercent() / cases.length;
      unfinished += one.outcome.finished() ? 0 : 1;
    }
    return new Measured(settings, time, ratio, interference, alone, unfinished);
  }

  private SimulationSettings settings(TunedSettings tuned) {
    Algorithm.Rhythm rhythm = algorithm.rhythm();
    PlanningParameters planning =
        new PlanningParameters(tuned.timeslotMs(), tuned.horizonMs(), tuned.bucketBytesPerSec(), tuned.beta(),
            true, algorithm.evictionFactor(), Math.min(algorithm.minTimeslotMs(), tuned.timeslotMs()));
    return new SimulationSettings(planning,
        new SimulationSettings.Limits(tuned.alpha(),
            Math.round(Settings.DEFAULT_MIN_RATIO * input.bandwidthBytesPerSec()), true),
        Knowledge.LAST_REPORT, rhythm.reports(),
        new SimulationSettings.Execution(rhythm.leadMs(), 0, maxStreams, limit.millis()), rhythm.refinements(),
        LinkPhysics.PRIORITY);
  }
}

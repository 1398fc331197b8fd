/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli;

import io.dayu.conf.BadSettingException;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.sim.algorithm.Algorithm;
import io.dayu.sim.algorithm.Algorithms;
import io.dayu.sim.cli.options.BadInputException;
import io.dayu.sim.cli.options.ProgressLine;
import io.dayu.sim.cli.options.SharingOption;
import io.dayu.sim.cli.report.JournalSummary;
import io.dayu.sim.cli.report.OutputFiles;
import io.dayu.sim.cli.report.ReplayReport;
import io.dayu.sim.engine.LinkPhysics;
import io.dayu.sim.engine.RecoveryOutcome;
import io.dayu.sim.replay.RecordedJournal;
import io.dayu.sim.replay.RecordedRecovery;
import io.dayu.sim.replay.Replay;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.DoubleConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * {@code replay}: simulates a recorded recovery with its own settings and with others. Filled by picocli;
 * single-threaded.
 */
@Command(name = "replay", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Simulates a recovery of a NameNode's journal again: as it was, with other settings, and by other "
        + "algorithms; says what would have changed.")
final class ReplayCommand implements Callable<Integer> {

  @Spec
  private CommandSpec spec;

  @Parameters(paramLabel = "FILE", arity = "1..*",
      description = "The journal's files, dayu-journal-HOST-PORT.0 and .1, or one of them; gzip is read too.")
  private List<Path> files;

  @Option(names = "--recovery", paramLabel = "N",
      description = "Which of the journal's recoveries, from 1 as 'inspect' counts them (default: the largest).")
  private Integer number;

  @Option(names = "--set", paramLabel = "KEY=VALUE",
      description = "Another value of a setting of the NameNode, as in hdfs-site.xml; several times for several.")
  private Map<String, String> changes = new LinkedHashMap<>();

  @Option(names = "--algorithm", paramLabel = "A[,B...]", defaultValue = "hdfs", split = ",",
      description = "Other algorithms (default: ${DEFAULT-VALUE}); 'algorithms' lists them.")
  private List<String> algorithms;

  @Option(names = "--sharing", paramLabel = "WHAT", defaultValue = "priority",
      converter = SharingOption.Converter.class,
      description = "Who gets a full link: priority (clients first) or fair (as TCP flows share it; default: "
          + "${DEFAULT-VALUE}).")
  private SharingOption sharing;

  @Option(names = "--headers", negatable = true, defaultValue = "true", fallbackValue = "true",
      description = "Blocks are 5 %% larger on the wire, by checksums and headers (default; --no-headers for links "
          + "that carry data only, as the demo's).")
  private boolean headers;

  @Option(names = "--seed", paramLabel = "N", defaultValue = "1",
      description = "Of what algorithms draw by chance (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(names = "--json", paramLabel = "FILE", description = "Write everything to a file as JSON.")
  private Path json;

  @Option(names = "--html", paramLabel = "FILE",
      description = "Write a page with plot, table and the command; it needs no other file.")
  private Path html;

  @Override
  public Integer call() {
    BadInputException.checkEachOnce("--algorithm", algorithms.stream().map(String::trim).toList());
    List<Algorithm> others =
        algorithms.stream().map(name -> BadInputException.check(() -> Algorithms.named(name.trim()))).toList();
    RecordedJournal journal = JournalSummary.read(files);
    RecordedRecovery recovery = choose(journal);
    Map<String, String> texts = simulated(recovery.settings());
    Settings recorded = settings(texts);
    changes.keySet().forEach(ReplayCommand::checkKey);
    texts.putAll(changes);
    Settings changed = settings(texts);
    Replay replay = BadInputException.check(() -> Replay.of(journal, recovery, recovery.span().endMs(), headers));
    LinkPhysics physics = sharing.physics(LinkPhysics.PRIORITY.foregroundFlows());
    double recordedIdeal = BadInputException.check(() -> replay.idealSeconds(recorded));
    double changedIdeal =
        changes.isEmpty() ? recordedIdeal : BadInputException.check(() -> replay.idealSeconds(changed));
    ReplayReport report = new ReplayReport(journal, recovery, replay.nodes(), recordedIdeal, inputs(recorded));
    try (OutputFiles out = new OutputFiles()) {
      out.add(json, report::writeJson);
      out.add(html, bytes -> bytes.write(report.page("dayu-sim " + String.join(" ",
          spec.commandLine().getParent().getParseResult().originalArgs())).getBytes(StandardCharsets.UTF_8)));
      Map<String, Simulation> runs = new LinkedHashMap<>();
      runs.put("dayu", new Simulation(recordedIdeal, share -> replay.byProduct(recorded, physics, share)));
      if (!changes.isEmpty()) {
        runs.put("dayu, changed", new Simulation(changedIdeal, share -> replay.byProduct(changed, physics, share)));
      }
      others.forEach(other -> runs.putIfAbsent(other.name(),
          new Simulation(changedIdeal, share -> replay.by(other, changed, physics, seed, share))));
      simulate(runs, report);
      out.replaceAll();
    }
    spec.commandLine().getOut().print(report.text());
    spec.commandLine().getOut().flush();
    return report.outcomes().stream().allMatch(RecoveryOutcome::finished) ? Main.SUCCESS : Main.UNFINISHED;
  }

  /**
   * A simulation that has not run yet.
   *
   * @param idealSec with its settings
   * @param outcome simulates; tells the consumer the share that is done
   */
  private record Simulation(double idealSec, Function<DoubleConsumer, RecoveryOutcome> outcome) {
  }

  private static void simulate(Map<String, Simulation> runs, ReplayReport report) {
    try (ProgressLine progress = ProgressLine.onTerminal("simulations", runs.size())) {
      for (Map.Entry<String, Simulation> run : runs.entrySet()) {
        int index = report.outcomes().size();
        report.add(run.getKey(), run.getValue().idealSec,
            BadInputException.check(() -> run.getValue().outcome.apply(share -> progress.within(index, share))));
        progress.done(index + 1);
      }
    }
  }

  /** What decides the results besides the journal: the recorded settings, changed settings, and options. */
  private Map<String, Object> inputs(Settings recorded) {
    Map<String, Object> inputs = new LinkedHashMap<>();
    inputs.put("settings", ReplayReport.SIMULATED.stream()
        .collect(Collectors.toMap(Setting::key, recorded::text, (one, other) -> one, LinkedHashMap::new)));
    inputs.put("set", changes);
    inputs.put("sharing", sharing.toString());
    inputs.put("headers", headers);
    inputs.put("seed", seed);
    return inputs;
  }

  private RecordedRecovery choose(RecordedJournal journal) {
    List<RecordedRecovery> all = journal.recoveries();
    if (all.isEmpty()) {
      throw new BadInputException("the journal has no recovery by Dayu" + journal.losses().entrySet().stream()
          .map(loss -> "; " + loss.getKey() + ": " + loss.getValue()).collect(Collectors.joining()));
    }
    if (number == null) {
      return new ArrayList<>(all).stream().max(Comparator.comparingLong(RecordedRecovery::bytes)).orElseThrow();
    }
    if (number < 1 || number > all.size()) {
      throw new BadInputException("--recovery = " + number + ", expected 1 to " + all.size());
    }
    return all.get(number - 1);
  }

  private static void checkKey(String key) {
    Setting setting = Setting.ofKey(key);
    if (setting == null) {
      throw new BadInputException("--set: there is no setting " + key
          + Settings.suggestion(key).map(near -> "; the nearest is " + near.key())
              .orElseGet(() -> "; expected one of " + simulatedKeys()));
    }
    if (!ReplayReport.SIMULATED.contains(setting)) {
      throw new BadInputException("--set: the simulation does not depend on " + key + "; expected one of "
          + simulatedKeys());
    }
  }

  private static String simulatedKeys() {
    return ReplayReport.SIMULATED.stream().map(Setting::key).collect(Collectors.joining(", "));
  }

  /** The recorded settings without those that may not fit what is changed. */
  static Map<String, String> simulated(Map<String, String> recorded) {
    Map<String, String> texts = new HashMap<>(recorded);
    // A NameNode of another version may know other settings.
    texts.keySet().removeIf(key -> Setting.ofKey(key) == null
        || !ReplayReport.SIMULATED.contains(Setting.ofKey(key)));
    String interval = texts.get(Setting.TIMESLOT_INTERVAL.key());
    Settings derived = settings(interval == null ? Map.of() : Map.of(Setting.TIMESLOT_INTERVAL.key(), interval));
    // If it is what follows from the interval, it follows from the changed interval, too.
    texts.remove(Setting.TIMESLOT_HORIZON.key(), derived.text(Setting.TIMESLOT_HORIZON));
    return texts;
  }

  private static Settings settings(Map<String, String> texts) {
    try {
      return Settings.defaults().with(texts);
    } catch (BadSettingException e) {
      throw new BadInputException(e.getMessage());
    }
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import io.dayu.demo.ModeRun.Durations;
import io.dayu.harness.DayuCluster;
import io.dayu.harness.MachineCheck;
import io.dayu.harness.TestDirectory;
import io.dayu.programs.Screen;
import io.dayu.programs.options.BadOptionException;
import org.apache.log4j.FileAppender;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.logging.LogManager;
import java.util.stream.Collectors;

/**
 * Entry of {@code mvn -Pdemo}: the same failure under every mode, one after the other, each on a cluster of its own,
 * then the comparison. Files with an earlier result are deleted first, so that they are not taken for this run's. A
 * mode that fails does not keep the others from being run. Exit code 0 if everything was proven, 1 with the reasons if
 * not, 2 for a property that is not possible. Owns the demo's directory and its log; whatever the end, Ctrl-C included,
 * the directory goes, and the log stays on failure only.
 */
public final class Demo {
  private static final int EXIT_INTERRUPTED = 130;
  private static final int MAX_DELETIONS = 500;
  private static final int QUIET_ROUNDS = 15;
  private static final int DELETION_PAUSE_MS = 20;

  private final Screen screen;
  private final Path work;
  private final Path log;
  private DayuCluster cluster;
  private volatile boolean interrupted;

  private Demo(Screen screen, Path work, Path log) {
    this.screen = screen;
    this.work = work;
    this.log = log;
  }

  public static void main(String[] args) throws IOException {
    Path parent =
        Files.createDirectories(Path.of(System.getProperty("test.build.data", System.getProperty("java.io.tmpdir"))))
            .toAbsolutePath();
    DemoOptions options;
    try {
      options = DemoOptions.read(properties(), parent.resolve("report.html"));
    } catch (BadOptionException e) {
      System.err.println("demo: " + e.getMessage());
      System.exit(2);
      return;
    }
    long neededBytes = options.storedBytes();
    Path clusters = MachineCheck.canHoldDataNodes(parent) ? parent : Path.of(System.getProperty("java.io.tmpdir"));
    if (Files.getFileStore(clusters).getUsableSpace() < neededBytes) {
      System.err.println(
          "demo: needs " + Screen.mib(neededBytes) + " of room in " + clusters + "; ask for less with -Ddemo.data=");
      System.exit(1);
      return;
    }
    Files.deleteIfExists(options.report());
    if (options.json().isPresent()) {
      Files.deleteIfExists(options.json().get());
    }
    Screen screen = new Screen(System.out, System.console() != null);
    Demo demo = new Demo(screen, Files.createTempDirectory(clusters, "dayu-demo-"),
        Files.createTempFile(parent, "dayu-demo-", ".log"));
    Thread onInterrupt = new Thread(demo::interrupt, "demo-cleanup");
    Runtime.getRuntime().addShutdownHook(onInterrupt);
    // Where HDFS's web servers unpack themselves: what they leave behind goes with the rest.
    System.setProperty("java.io.tmpdir", demo.work.toString());
    demo.sendOtherOutputToLog();
    int exitCode = demo.run(options);
    try {
      Runtime.getRuntime().removeShutdownHook(onInterrupt);
    } catch (IllegalStateException interrupted) {
      return;
    }
    System.exit(exitCode);
  }

  private static Map<String, String> properties() {
    return System.getProperties().stringPropertyNames().stream()
        .collect(Collectors.toMap(Function.identity(), System::getProperty));
  }

  private int run(DemoOptions options) {
    DemoResult result = new DemoResult(options);
    attempt(result, () -> runAll(options, result));
    screen.progress("");
    attempt(result, this::clean);
    attempt(result, () -> show(options, result));
    if (options.json().isPresent()) {
      attempt(result, () -> {
        result.write(options.json().get());
        screen.say("Result written to %s.", options.json().get());
      });
    }
    if (result.failures().isEmpty()) {
      attempt(result, () -> Files.delete(log));
    }
    List<ModeSummary> summaries = ModeSummary.medianOfEachMode(result.outcomes());
    if (result.failures().isEmpty()) {
      screen.say("DONE: all runs finished and passed their checks.");
      screen.block(Conclusion.lines(summaries));
    } else {
      String indent = "%n           ";
      screen.say("FAILED: %s" + indent + "Hadoop's log: %s", String.join(String.format(indent), result.failures()),
          log);
    }
    if (!summaries.isEmpty()) {
      screen.block(List.of(Conclusion.inShort(summaries)));
    }
    return result.failures().isEmpty() ? 0 : 1;
  }

  private interface Step {
    void run() throws Exception;
  }

  /** Any exception is a failure of the demo. Otherwise the JVM would end as if interrupted, without the log. */
  private void attempt(DemoResult result, Step step) {
    try {
      if (!interrupted) {
        step.run();
      }
    } catch (Throwable e) {
      Logger.getLogger(Demo.class).error("demo failed", e);
      result.failed(e.toString());
    }
  }

  private void runAll(DemoOptions options, DemoResult result) throws IOException {
    for (long seed : options.seeds()) {
      for (Mode mode : options.modes()) {
        if (!interrupted) {
          run(options, mode, seed, result);
        }
      }
    }
  }

  private void run(DemoOptions options, Mode mode, long seed, DemoResult result) throws IOException {
    screen.say("---- %s, seed %d ----", mode.title(), seed);
    screen.say("Starting an embedded HDFS: 1 NameNode, %d DataNodes in %d racks, in %s.", options.nodes(),
        options.racks(), work);
    Outcome outcome;
    try {
      cluster = ModeRun.cluster(options, mode, seed).directory(work).start();
      Optional<DayuWatcher> watcher =
          mode == Mode.DAYU ? Optional.of(new DayuWatcher(screen, new JmxTimeslotFeed())) : Optional.empty();
      outcome = new ModeRun(options, mode, seed, screen, watcher, Durations.DEFAULT).run(cluster);
    } catch (DemoFailure e) {
      outcome = Outcome.notMeasured(mode, seed, e.getMessage());
    } catch (Exception | AssertionError e) {
      Logger.getLogger(Demo.class).error(mode.id() + ", seed " + seed + ": nothing was measured", e);
      outcome = Outcome.notMeasured(mode, seed, e.toString());
    }
    outcome.failures().forEach(failure -> screen.say("FAILED: %s", failure));
    result.add(outcome);
    if (cluster != null) {
      close(mode, seed);
    }
  }

  /** The demo does not go on if a cluster cannot be closed: its remains would disturb the next one. */
  private void close(Mode mode, long seed) throws IOException {
    screen.progress("Stopping the cluster and deleting its directory.");
    try {
      cluster.close();
    } catch (IOException | RuntimeException | AssertionError e) {
      throw new IOException(
          "nothing was run after " + mode.id() + ", seed " + seed + ", since its cluster could not be closed: " + e, e);
    }
    screen.progress("");
  }

  private void show(DemoOptions options, DemoResult result) throws IOException {
    if (!result.outcomes().isEmpty()) {
      ComparisonTable table = new ComparisonTable(ModeSummary.medianOfEachMode(result.outcomes()));
      screen.say("Result%s; of latencies before > after the failure:",
          options.seeds().size() > 1 ? ", medians of " + options.seeds().size() + " seeds" : "");
      screen.block(table.markdown());
      screen.block(List.of(""));
      screen.block(ComparisonTable.markdownLegend());
      HtmlReport.write(options.report(), options, result, ModeRun.ALPHA);
      screen.say("Report with plots: %s", options.report());
    }
  }

  private void clean() throws IOException {
    try {
      if (cluster != null) {
        cluster.close();
      }
    } finally {
      TestDirectory.delete(work);
    }
  }

  /**
   * Runs when the JVM is ending before its time. HDFS cannot be stopped in good order then (it would remove shutdown
   * hooks of its own), so its files are deleted under it until none comes back, and the JVM is halted before another
   * thread writes again.
   */
  private void interrupt() {
    interrupted = true;
    screen.progress("");
    screen.say("Interrupted: deleting the cluster's directory.");
    screen.end();
    try {
      int quietRounds = 0;
      for (int round = 0; round < MAX_DELETIONS && quietRounds < QUIET_ROUNDS; round++) {
        quietRounds = Files.exists(work) ? 0 : quietRounds + 1;
        try {
          TestDirectory.delete(work);
        } catch (IOException | UncheckedIOException stillWritten) {
          // Another round.
        }
        TimeUnit.MILLISECONDS.sleep(DELETION_PAUSE_MS);
      }
      Files.deleteIfExists(log);
    } catch (IOException | InterruptedException e) {
      // The JVM is ending; there is nobody left to tell.
    } finally {
      Runtime.getRuntime().halt(EXIT_INTERRUPTED);
    }
  }

  /** The screen shows the demo's lines only; what Hadoop logs or prints goes to the log. */
  private void sendOtherOutputToLog() throws IOException {
    Logger root = Logger.getRootLogger();
    root.removeAllAppenders();
    root.setLevel(Level.INFO);
    root.addAppender(new FileAppender(new PatternLayout("%d{ISO8601} %-5p %c{1} [%t] %m%n"), log.toString()));
    LogManager.getLogManager().reset();
    PrintStream toLog = new PrintStream(Files.newOutputStream(log, StandardOpenOption.APPEND), true,
        StandardCharsets.UTF_8);
    System.setOut(toLog);
    System.setErr(toLog);
  }
}

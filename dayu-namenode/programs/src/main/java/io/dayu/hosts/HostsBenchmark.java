/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.programs.Screen;
import io.dayu.programs.options.BadOptionException;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Entry of {@code mvn -Phosts}: the same fault happens under every mode and with every seed, each on a cluster of its
 * own, then the comparison. A run that fails does not keep the others from being run. Exit code 0 if all were measured,
 * 1 with the reasons if not, 2 with one line for what is not possible here. Whatever the end, Ctrl-C included, only the
 * data set, the result and the logs stay.
 */
public final class HostsBenchmark {
  private static final int EXIT_INTERRUPTED = 130;

  private static final Duration LOCK_LIMIT = Duration.ofMinutes(30);

  private final HostsOptions options;
  private final HostJars jars;
  private final Path work;
  private final RunScope scope;
  private final HostsResult result;
  private final RunCache runCache;

  private HostsBenchmark(HostsOptions options, HostJars jars, Path work, RunScope scope) {
    this.options = options;
    this.jars = jars;
    this.work = work;
    this.scope = scope;
    this.result = new HostsResult(options);
    this.runCache = new RunCache(work.resolve("runs"), jars);
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    Path work = Path.of(System.getProperty("test.build.data", "target/hosts")).toAbsolutePath();
    try {
      Optional<RandomFaultsOptions> faults = RandomFaultsOptions.ID.equals(System.getProperty("hosts.fault"))
          ? Optional.of(RandomFaultsOptions.read(properties(), work)) : Optional.empty();
      HostsOptions options = faults.isPresent() ? faults.get().common()
          : HostsOptions.read(properties(), work.resolve("result.json"), work.resolve("report.html"));
      Requirements.checkSystem();
      Requirements.checkDirectory(work);
      if (options.shortForm() || faults.isPresent()) {
        // What they say does not depend on what has run before.
        BenchmarkLock.await(LOCK_LIMIT);
      } else {
        BenchmarkLock.take();
      }
      HostNetwork.removeLeftovers();
      Requirements.checkNetwork(options.links().queue());
      Path project = Path.of(System.getProperty("maven.multiModuleProjectDirectory", "."));
      HostJars jars = HostJars.find(options, HadoopClassPath.resolve(options.jars().hadoop(), work), project)
          .copiedTo(work.resolve("jars"));
      System.exit(runOnce(scope -> faults.isPresent() ? new RandomFaultsTrial(faults.get(), jars, work, scope).run()
          : options.shortForm() ? new InstallationTrial(options, jars, work, scope).run()
          : new HostsBenchmark(options, jars, work, scope).run()));
    } catch (BadOptionException | CannotRunException e) {
      System.err.println("hosts: " + e.getMessage());
      System.exit(2);
    }
  }

  private static Map<String, String> properties() {
    return System.getProperties().stringPropertyNames().stream().filter(name -> !name.equals(HostConf.LOG_PROPERTY))
        .collect(Collectors.toMap(Function.identity(), System::getProperty));
  }

  /** What is run once, and returns the exit code. */
  private interface Program {
    int run(RunScope scope) throws IOException;
  }

  private static int runOnce(Program program) throws IOException {
    Screen screen = new Screen(System.out, System.console() != null);
    RunScope scope = new RunScope(screen);
    Thread onInterrupt = new Thread(() -> interrupt(scope), "hosts-cleanup");
    Runtime.getRuntime().addShutdownHook(onInterrupt);
    int exitCode = program.run(scope);
    try {
      Runtime.getRuntime().removeShutdownHook(onInterrupt);
    } catch (IllegalStateException interrupted) {
      return EXIT_INTERRUPTED;
    }
    return exitCode;
  }

  /** Ends the JVM too, before the thread that is interrupted says what it could not do. */
  private static void interrupt(RunScope scope) {
    scope.screen().end();
    try {
      scope.close();
    } catch (IOException e) {
      System.err.println("hosts: not everything could be removed: " + e.getMessage());
    }
    Runtime.getRuntime().halt(EXIT_INTERRUPTED);
  }

  private int run() throws IOException {
    for (long seed : options.runs().seeds()) {
      Optional<RunRecord> none = run(RecoveryMode.NONE, seed, Optional.empty());
      for (RecoveryMode mode : options.runs().modes()) {
        if (mode != RecoveryMode.NONE) {
          run(mode, seed, none);
        }
      }
    }
    Screen screen = scope.screen();
    screen.block(ResultTable.lines(result.summaries()));
    if (!result.medians().isEmpty()) {
      screen.block(List.of(""));
      screen.block(ResultTable.lines(result.medians()));
    }
    if (options.deadlineFactor().isPresent()) {
      screen.block(List.of("", result.deadlines()));
    }
    screen.block(ResultTable.legend(options.fault()));
    result.write(options.json());
    HostsReport.write(options.report(), result);
    screen.say("Result written to %s, page to %s, logs in %s.", options.json(), options.report(),
        work.resolve("logs"));
    result.failures().forEach(failure -> screen.say("FAILED: %s", failure));
    return result.failures().isEmpty() ? 0 : 1;
  }

  /** Takes an earlier run if that is wanted, else measures if the mode is. */
  private Optional<RunRecord> run(RecoveryMode mode, long seed, Optional<RunRecord> none) throws IOException {
    Optional<RunRecord> earlier = reuses(mode) ? runCache.find(options, mode, seed) : Optional.empty();
    Optional<RunRecord> run = earlier;
    if (earlier.isPresent()) {
      scope.screen().say("%s, seed %d: an earlier run with the same parameters is reused.", mode.id(), seed);
    } else if (options.runs().modes().contains(mode)) {
      run = measure(mode, seed);
    }
    if (run.isPresent()) {
      result.add(run.get(), mode == RecoveryMode.NONE ? run : none, earlier.isPresent());
    }
    return run;
  }

  private boolean reuses(RecoveryMode mode) {
    return mode == RecoveryMode.NONE ? options.runs().reuseNone() && options.mayHaveNone() : options.runs().resume();
  }

  private Optional<RunRecord> measure(RecoveryMode mode, long seed) throws IOException {
    try {
      DataSetCache data = DataSetCache.provide(options, seed, jars, work, scope);
      RunRecord run = new HostsRun(options, mode, seed, jars, scope).run(data, work);
      scope.screen().say("%s, seed %d: %d of %d replicas after %.1f s.", mode.id(), seed,
          run.recovery().restored().size(),
          run.loss().lostBlocks(), run.seconds());
      if (!run.recovery().content().different().isEmpty()) {
        result.failed(mode.id() + ", seed " + seed + ": " + run.recovery().content().text() + ": "
            + run.recovery().content().different());
      }
      runCache.keep(options, run);
      return Optional.of(run);
    } catch (IOException | RuntimeException e) {
      result.failed(mode.id() + ", seed " + seed + ": " + e.getMessage());
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } finally {
      scope.close();
    }
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli;

import io.dayu.sim.FormatException;
import io.dayu.sim.cli.options.BadInputException;
import io.dayu.sim.hosts.HostsPrediction;
import io.dayu.sim.hosts.HostsResultFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;

/** {@code hosts}: holds the simulator against recoveries on emulated hosts. Filled by picocli; single-threaded. */
@Command(name = "hosts", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Reads results of the benchmark on emulated hosts (mvn -Phosts) and predicts how long each of their "
        + "recoveries takes.")
final class HostsCommand implements Callable<Integer> {

  @Spec
  private CommandSpec spec;

  @Parameters(paramLabel = "FILE", arity = "1..*", description = "JSON that the benchmark wrote, gzip or not.")
  private List<Path> files;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    out.println(String.format(Locale.ROOT, "%-24s %-14s %5s %10s %10s %10s %10s  %s", "file", "mode", "seed",
        "measured", "predicted", "deviation", "difference", "time lost against the ideal, s"));
    for (Path file : files) {
      HostsResultFile hosts = read(file);
      for (HostsResultFile.Run run : hosts.recoveries()) {
        out.println(line(file, run, BadInputException.check(() -> HostsPrediction.of(hosts, run))));
      }
    }
    out.flush();
    return Main.SUCCESS;
  }

  private static HostsResultFile read(Path file) {
    BadInputException.checkReadable(file);
    try {
      return HostsResultFile.read(file);
    } catch (IOException e) {
      throw new BadInputException(e instanceof FormatException ? e.getMessage()
          : "cannot read " + file + ": " + BadInputException.reason(e));
    }
  }

  private static String line(Path file, HostsResultFile.Run run, Optional<HostsPrediction> predicted) {
    String measured = Double.isNaN(run.recoverySec()) ? "-" : String.format(Locale.ROOT, "%.1f s", run.recoverySec());
    String start =
        String.format(Locale.ROOT, "%-24s %-14s %5d %10s", file.getFileName(), run.mode(), run.seed(), measured);
    if (predicted.isEmpty()) {
      return start + "  not predicted: no such mode, or no run 'none' of its seed";
    }
    HostsPrediction prediction = predicted.get();
    if (prediction.unfinished() > 0) {
      return start + "  " + prediction.unfinished() + " of " + HostsPrediction.DRAWS + " simulations not finished";
    }
    double seconds = prediction.recoverySec();
    return start + String.format(Locale.ROOT, " %8.1f s %8.1f s %+8.0f %%  %s", seconds, prediction.deviationSec(),
        100 * (seconds / run.recoverySec() - 1), prediction.lost().words());
  }
}

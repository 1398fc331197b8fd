/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli;

import io.dayu.sim.cli.options.BadInputException;
import io.dayu.sim.cli.options.ProgressLine;
import io.dayu.sim.cli.options.TrafficOptions;
import io.dayu.sim.cli.report.OutputFile;
import io.dayu.sim.foreground.SyntheticForeground;
import io.dayu.sim.foreground.TraceWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.concurrent.Callable;

/** {@code generate}: writes synthetic traffic as a trace. Filled by picocli; single-threaded. */
@Command(name = "generate", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Writes synthetic foreground traffic as a CSV trace, in MB/s, 15 s a slot.")
final class GenerateCommand implements Callable<Integer> {

  @Mixin
  private TrafficOptions input;

  @Option(names = "--slots", paramLabel = "N", defaultValue = "240",
      description = "Slots of 15 s (default: ${DEFAULT-VALUE}).")
  private int slots;

  @Option(names = "--out", paramLabel = "FILE", required = true,
      description = "The file; gzip if its name ends in .gz.")
  private Path out;

  @Override
  public Integer call() {
    if (slots < 1 || slots > SyntheticForeground.SLOTS) {
      throw new BadInputException("--slots = " + slots + ", expected 1 to " + SyntheticForeground.SLOTS + " (a week)");
    }
    SyntheticForeground model = BadInputException.check(input::synthetic);
    try (OutputFile file = new OutputFile(out);
        ProgressLine progress = ProgressLine.onTerminal("nodes", model.nodes())) {
      file.replaceText(writer -> TraceWriter.write(model, slots, writer, progress::done));
    }
    return Main.SUCCESS;
  }
}

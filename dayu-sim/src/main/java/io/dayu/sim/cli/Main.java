/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli;

import io.dayu.sim.cli.options.BadInputException;
import io.dayu.sim.cli.report.Version;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

import java.io.PrintWriter;
import java.util.ServiceLoader;
import java.util.regex.Pattern;

/** The simulator's command line, with the commands of each {@link CommandProvider}. Static; single-threaded. */
@Command(name = "dayu-sim", mixinStandardHelpOptions = true, versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    description = "Simulates the recovery of failed nodes by the production scheduler.",
    subcommands = {RecoverCommand.class, TuneCommand.class, GenerateCommand.class, TraceCommand.class,
        InspectCommand.class, HostsCommand.class, ReplayCommand.class,
        AlgorithmsCommand.class},
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {"0:done",
        "1:a recovery did not end within its limit, there is nothing to recommend, the source of an import warns that "
            + "it lacks data, or a fault of the simulator",
        "2:bad input"})
public final class Main implements Runnable {
  /** Characters that only files without text contain, and those that could steer a terminal. */
  private static final Pattern CONTROL = Pattern.compile("\\p{Cc}");
  public static final int SUCCESS = 0;
  static final int UNFINISHED = 1;
  static final int BAD_INPUT = 2;

  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec;

  private Main() {
  }

  public static void main(String[] args) {
    System.exit(run(args, new PrintWriter(System.out, true), new PrintWriter(System.err, true)));
  }

  /** Runs a command; what it prints goes to {@code out}, the one line about bad input to {@code err}. */
  public static int run(String[] args, PrintWriter out, PrintWriter err) {
    CommandLine line = new CommandLine(new Main());
    ServiceLoader.load(CommandProvider.class).forEach(more -> more.commands().forEach(line::addSubcommand));
    line.setOut(out).setErr(err).setUsageHelpAutoWidth(true);
    line.setParameterExceptionHandler((ParameterException e, String[] given) -> refuse(err, e));
    line.setExecutionExceptionHandler((Exception e, CommandLine command, CommandLine.ParseResult parsed) -> {
      if (e instanceof BadInputException) {
        return refuse(err, e);
      }
      throw e;
    });
    return line.execute(args);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "no command given; try dayu-sim --help");
  }

  private static int refuse(PrintWriter err, Exception e) {
    err.println("dayu-sim: " + CONTROL.matcher(e.getMessage().lines().findFirst().orElse("bad input"))
        .replaceAll(found -> String.format("\\\\u%04x", (int) found.group().charAt(0))));
    return BAD_INPUT;
  }
}

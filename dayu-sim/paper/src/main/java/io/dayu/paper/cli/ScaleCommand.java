/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.cli;

import io.dayu.paper.figures.Figure;
import io.dayu.paper.figures.ScaleFigure;
import io.dayu.paper.study.BuildId;
import io.dayu.paper.study.ResultStore;
import io.dayu.paper.study.ScaleStudy;
import io.dayu.paper.study.Throughput;
import io.dayu.sim.algorithm.Algorithms;
import io.dayu.sim.cli.Main;
import io.dayu.sim.cli.options.BadInputException;
import io.dayu.sim.cli.options.KnowledgeOption;
import io.dayu.sim.cli.options.ProgressLine;
import io.dayu.sim.cli.options.TimeSpan;
import io.dayu.sim.cli.options.TrafficOptions;
import io.dayu.sim.cli.report.OutputFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;

/** {@code scale}: Fig. 7 for any sizes and algorithms. Filled by picocli; single-threaded. */
@Command(name = "scale", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Simulates how much data clusters of several sizes recover with unlimited tasks, the time of "
        + "planning counted (Fig. 7). Results depend on this machine, so nothing else should run on it.",
    footer = "With --out an interrupted run is gone on with by the same command.")
final class ScaleCommand implements Callable<Integer> {
  private static final String DEFAULT_ALGORITHMS = "dayu-paper,C+W,G1+W,G2+W,B2R+W,WR+W,R+W";
  static final List<String> ALGORITHMS = List.of(DEFAULT_ALGORITHMS.split(","));
  /** 20 timeslots of 15 s. */
  static final long SPAN_MS = 300_000;
  private static final int MIN_NODES = 120;

  @Spec
  private CommandSpec spec;

  @Option(names = "--nodes", paramLabel = "N[,M...]", split = ",",
      defaultValue = "1000,2000,3500,5000,10000,15000,25000",
      description = "Sizes, up to 100000 (default: ${DEFAULT-VALUE}).")
  private List<Integer> nodes;

  @Option(names = "--algorithm", paramLabel = "A[,B...]", split = ",",
      defaultValue = DEFAULT_ALGORITHMS,
      description = "Algorithms (default: ${DEFAULT-VALUE}); 'algorithms' lists them.")
  private List<String> algorithms;

  @Option(names = "--time", paramLabel = "TIME", defaultValue = "300s", converter = TimeSpan.Converter.class,
      description = "Simulated time (default: ${DEFAULT-VALUE}, 20 timeslots of the paper).")
  private TimeSpan time;

  @Option(names = "--seeds", paramLabel = "N[,M...]", split = ",", defaultValue = "1",
      description = "Seeds (default: ${DEFAULT-VALUE}).")
  private List<Long> seeds;

  @Option(names = "--knowledge", paramLabel = "WHAT", defaultValue = "last-report",
      converter = KnowledgeOption.Converter.class,
      description = "Foreground that the scheduler knows: last-report or current (default: ${DEFAULT-VALUE}).")
  private KnowledgeOption knowledge;

  @Option(names = "--paper-threads",
      description = "Algorithms that choose at random plan on 16 threads, as in the paper: their time of planning is "
          + "divided by 16. Else all plan on one.")
  private boolean paperThreads;

  @Option(names = "--out", paramLabel = "DIR",
      description = "Write numbers (fig7.csv) and plots to a folder, and keep results there.")
  private Path out;

  @Option(names = "--json", paramLabel = "FILE", description = "Write everything to a file as JSON.")
  private Path json;

  @Override
  public Integer call() throws IOException {
    if (time.millis() < 1000) {
      throw new BadInputException("--time = " + time + ", expected at least 1s");
    }
    BadInputException.checkEachOnce("--algorithm", algorithms);
    BadInputException.checkEachOnce("--seeds", seeds);
    algorithms.forEach(name -> BadInputException.check(() -> Algorithms.named(name)));
    List<Integer> sizes = ascending(nodes);
    if (json == null) {
      run(sizes, null);
    } else {
      try (OutputFile file = new OutputFile(json)) {
        run(sizes, file);
      }
    }
    return Main.SUCCESS;
  }

  private void run(List<Integer> sizes, OutputFile jsonFile) throws IOException {
    OutputFolder folder = out == null ? null : new OutputFolder(out);
    try (ResultStore store = folder == null ? ResultStore.inMemory()
        : folder.resultStore("scale-cases.csv", BuildId.current(), Throughput.COLUMNS)) {
      ScaleStudy scale = new ScaleStudy(store, sizes, algorithms,
          knowledge.knowledge(), seeds, time.millis(),
          paperThreads);
      try (ProgressLine progress = ProgressLine.onTerminal("measurements", scale.count())) {
        scale.run(progress::done);
      }
      Figure figure = new ScaleFigure(scale).make();
      if (folder != null) {
        folder.write(figure);
      }
      if (jsonFile != null) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("spanMs", time.millis());
        fields.put("seeds", seeds);
        jsonFile.replace(bytes -> FigureJson.write(bytes, fields, List.of(figure)));
      }
      print(figure);
    }
  }

  /** Sizes of clusters, each once. */
  static List<Integer> ascending(List<Integer> nodes) {
    BadInputException.checkNotEmpty("--nodes", nodes);
    for (int size : nodes) {
      if (size < MIN_NODES || size > TrafficOptions.MAX_NODES) {
        throw new BadInputException(
            "--nodes = " + size + ", expected " + MIN_NODES + " to " + TrafficOptions.MAX_NODES);
      }
    }
    return List.copyOf(new TreeSet<>(nodes));
  }

  private void print(Figure figure) {
    PrintWriter terminal = spec.commandLine().getOut();
    figure.table().columns().forEach(column -> terminal.printf("%-23s", column));
    terminal.println();
    figure.table().rows().forEach(row -> {
      row.forEach(value -> terminal.printf("%-23s", value));
      terminal.println();
    });
    figure.claims().forEach(claim -> terminal.printf("%s (paper: %s): %s; reproduced: %s%n", claim.what(),
        claim.paper(), claim.ours(), claim.verdict().words()));
    terminal.flush();
  }
}

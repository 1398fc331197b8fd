/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.cli;

import io.dayu.paper.figures.AblationFigure;
import io.dayu.paper.figures.AlgorithmsFigure;
import io.dayu.paper.figures.Figure;
import io.dayu.paper.figures.FigureSource;
import io.dayu.paper.figures.FiguresPage;
import io.dayu.paper.figures.PlacementFigures;
import io.dayu.paper.figures.ResultsPage;
import io.dayu.paper.figures.ScaleFigure;
import io.dayu.paper.figures.SweepFigures;
import io.dayu.paper.figures.TestbedFigure;
import io.dayu.paper.figures.TrafficFigures;
import io.dayu.paper.study.BuildId;
import io.dayu.paper.study.CaseSpec;
import io.dayu.paper.study.ResultStore;
import io.dayu.paper.study.ScaleStudy;
import io.dayu.paper.study.Study;
import io.dayu.paper.study.Throughput;
import io.dayu.sim.cli.Main;
import io.dayu.sim.cli.options.BadInputException;
import io.dayu.sim.cli.options.ProgressLine;
import io.dayu.sim.cli.report.OutputFile;
import io.dayu.sim.cli.report.Version;
import io.dayu.sim.engine.Knowledge;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;

/**
 * {@code figures}: repeats the paper's evaluation and compares it with the paper's values. Filled by picocli;
 * single-threaded but for the cases.
 */
@Command(name = "figures", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Simulates all figures of the paper's evaluation into a folder: numbers (CSV), plots (SVG), a page "
        + "with the paper's values beside them (index.html) and the same as text (results.md).",
    footer = "Results are kept case by case in the folder, so that an interrupted run is gone on with by the same "
        + "command.")
final class FiguresCommand implements Callable<Integer> {
  private static final int FULL_FAILURES = 17;
  private static final int QUICK_FAILURES = 4;
  private static final List<Long> FULL_SEEDS = List.of(1L, 2L, 3L);
  private static final List<Long> QUICK_SEEDS = List.of(1L);
  private static final List<Integer> FULL_NODES = List.of(1000, 2000, 3500, 5000, 10_000, 15_000, 25_000);
  private static final List<Integer> QUICK_NODES = List.of(1000, 3500, 5000);
  private static final int DAY_SLOTS = 5760;
  private static final int FULL_DAYS = 7;
  private static final int QUICK_EVERY_NODE = 50;
  private static final int FULL_EVERY_NODE = 5;
  private static final long QUICK_SPAN_MS = 150_000;
  private static final int MAX_FAILURES = 1000;

  @Spec
  private CommandSpec spec;

  @Option(names = "--out", paramLabel = "DIR", required = true, description = "The folder; made if it is not there.")
  private Path out;

  @Option(names = "--quick", description = "For a look: 4 failures, less traffic, smaller clusters in Fig. 7; minutes.")
  private boolean quick;

  @Option(names = "--failures", paramLabel = "N", description = "Failures for each seed (default: 17, with --quick 4).")
  private Integer failures;

  @Option(names = "--seeds", paramLabel = "N[,M...]", split = ",",
      description = "Seeds (default: 1,2,3, with --quick 1).")
  private List<Long> seeds;

  @Option(names = "--only", paramLabel = "FIG[,...]", split = ",",
      description = "These figures only, such as fig6 or fig1c; fig1 and fig9 stand for all of their parts.")
  private List<String> only;

  @Option(names = "--nodes", paramLabel = "N[,M...]", split = ",",
      description = "Sizes of the clusters of Fig. 7 (default: 1000 to 25000, with --quick to 5000).")
  private List<Integer> nodes;
  private boolean defaultNodes;

  @Option(names = "--threads", paramLabel = "N", defaultValue = "0",
      description = "Recoveries that are simulated at the same time; does not change results (default: 0 = all cores).")
  private int threads;

  @Option(names = "--json", paramLabel = "FILE", description = "Write everything to a file as JSON too.")
  private Path json;

  @Override
  public Integer call() throws IOException {
    check();
    if (json == null) {
      run(null);
    } else {
      try (OutputFile file = new OutputFile(json)) {
        run(file);
      }
    }
    return Main.SUCCESS;
  }

  private void run(OutputFile jsonFile) throws IOException {
    OutputFolder folder = new OutputFolder(out);
    OutputFolder files = folder.in("figures");
    String build = BuildId.current();
    try (ResultStore cases = folder.resultStore("cases.csv", build, Study.columns());
        ResultStore scales = folder.resultStore("scale-cases.csv", build, Throughput.COLUMNS)) {
      Study study =
          new Study(cases, seeds, failures, threads == 0 ? Runtime.getRuntime().availableProcessors() : threads);
      ScaleStudy scale = new ScaleStudy(scales, nodes, ScaleCommand.ALGORITHMS, Knowledge.LAST_REPORT,
          seeds.subList(0, 1), quick ? QUICK_SPAN_MS : ScaleCommand.SPAN_MS, false);
      List<FigureSource> sources =
          sources(scale).stream().filter(source -> source.ids().stream().anyMatch(this::isWanted)).toList();
      simulate(study, sources);
      finish(make(study, scale, sources, files), folder, jsonFile, build);
    }
  }

  private void check() {
    failures = failures != null ? failures : quick ? QUICK_FAILURES : FULL_FAILURES;
    seeds = seeds != null ? seeds : quick ? QUICK_SEEDS : FULL_SEEDS;
    defaultNodes = nodes == null;
    nodes = ScaleCommand.ascending(nodes != null ? nodes : quick ? QUICK_NODES : FULL_NODES);
    if (failures < 1 || failures > MAX_FAILURES) {
      throw new BadInputException("--failures = " + failures + ", expected 1 to " + MAX_FAILURES);
    }
    BadInputException.checkEachOnce("--seeds", seeds);
    BadInputException.checkNotEmpty("--only", only);
    if (threads < 0) {
      throw new BadInputException("--threads = " + threads + ", expected at least 0");
    }
    List<String> known = sources(null).stream().flatMap(source -> source.ids().stream()).sorted().toList();
    for (String wanted : only == null ? List.<String>of() : only) {
      if (known.stream().noneMatch(id -> isPartOf(id, wanted))) {
        throw new BadInputException("--only = " + wanted + ", expected some of " + String.join(", ", known));
      }
    }
  }

  private List<FigureSource> sources(ScaleStudy scale) {
    return List.of(new PlacementFigures(quick ? QUICK_EVERY_NODE : FULL_EVERY_NODE),
        new TrafficFigures(quick ? DAY_SLOTS : FULL_DAYS * DAY_SLOTS), new TestbedFigure(), new AlgorithmsFigure(),
        new ScaleFigure(scale), new AblationFigure(), new SweepFigures());
  }

  private boolean isWanted(String id) {
    return only == null || only.stream().anyMatch(wanted -> isPartOf(id, wanted));
  }

  /** Whether a figure is the one that is named, or a part of it: fig9a of fig9. */
  private static boolean isPartOf(String id, String name) {
    return id.equals(name) || id.matches(Pattern.quote(name) + "[a-h]");
  }

  private void simulate(Study study, List<FigureSource> sources) throws IOException {
    Set<CaseSpec> wanted = new LinkedHashSet<>();
    sources.forEach(source -> wanted.addAll(source.cases(study)));
    List<CaseSpec> missing = study.missing(wanted);
    if (!missing.isEmpty()) {
      try (ProgressLine progress = ProgressLine.onTerminal("recoveries", missing.size())) {
        study.run(missing, progress::done);
      }
    }
  }

  private List<Figure> make(Study study, ScaleStudy scale, List<FigureSource> sources, OutputFolder files)
      throws IOException {
    List<Figure> figures = new ArrayList<>();
    for (FigureSource source : sources) {
      if (source instanceof ScaleFigure) {
        try (ProgressLine progress = ProgressLine.onTerminal("measurements of Fig. 7", scale.count())) {
          scale.run(progress::done);
        }
      }
      for (Figure figure : source.make(study)) {
        if (isWanted(figure.id())) {
          files.write(figure);
          figures.add(figure);
        }
      }
    }
    figures.sort(Comparator.comparing(Figure::id));
    return figures;
  }

  private void finish(List<Figure> figures, OutputFolder folder, OutputFile jsonFile, String build) throws IOException {
    String head =
        "Made by " + new Version().getVersion()[0] + ", build " + build + ", with " + failures
            + " failures for each of the seeds " + seeds.toString().replaceAll("[\\[\\]]", "") + (quick
                ? " (--quick: less traffic, smaller clusters)" : "")
            + ".";
    folder.write("index.html", FiguresPage.of(figures, head, command()));
    folder.write("results.md", ResultsPage.of(figures, head, command(), "figures"));
    if (jsonFile != null) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("build", build);
      fields.put("quick", quick);
      fields.put("failures", failures);
      fields.put("seeds", seeds);
      jsonFile.replace(bytes -> FigureJson.write(bytes, fields, figures));
    }
    PrintWriter terminal = spec.commandLine().getOut();
    for (Figure figure : figures) {
      figure.claims().forEach(claim -> terminal.printf("%-6s %-70s paper: %-30s here: %-40s %s%n", figure.id(),
          claim.what(), claim.paper(), claim.ours(), claim.verdict().words()));
    }
    terminal.println("See " + folder.file("index.html"));
    terminal.flush();
  }

  private String command() {
    return "java -jar dayu-sim/target/dayu-sim.jar figures --out DIR" + (quick ? " --quick" : "") + " --failures "
        + failures + " --seeds "
        + seeds.toString().replaceAll("[\\[\\] ]", "") + (only == null ? "" : " --only " + String.join(",", only))
        + (defaultNodes ? "" : " --nodes " + nodes.toString().replaceAll("[\\[\\] ]", ""));
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.figures;

import io.dayu.paper.study.CaseSpec;
import io.dayu.paper.study.Sample;
import io.dayu.paper.study.Study;
import io.dayu.paper.study.SyntheticCluster;
import io.dayu.paper.study.Variant;
import io.dayu.sim.SeedMix;
import io.dayu.sim.algorithm.Algorithms;
import io.dayu.sim.engine.Knowledge;
import io.dayu.sim.engine.SimulationSettings;
import io.dayu.sim.experiment.Experiment;
import io.dayu.sim.incident.Incident;
import io.dayu.sim.placement.LostBlocks;
import io.dayu.sim.plot.CsvTable;
import io.dayu.sim.plot.Points;
import io.dayu.sim.plot.SvgPlot;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Figures 1a, 1b, 1e, 1f and 1g (ATC'19 §2.2): how much is lost, how fast it could be recovered, and where the other
 * replicas are. Immutable.
 *
 * @param everyNode Fig. 1f looks at each so-many-th node
 */
public record PlacementFigures(int everyNode) implements FigureSource {
  private static final int PAPER_NODE = 100;
  private static final double PAPER_IDEAL_SEC = 51;
  private static final double STRONG = 0.7;
  private static final double GIGABYTE = 1e9;
  private static final int HISTOGRAM_BARS = 40;
  private static final int CLOUD_DOTS = 1000;

  @Override
  public List<String> ids() {
    return List.of("fig1a", "fig1b", "fig1e", "fig1f", "fig1g");
  }

  @Override
  public List<CaseSpec> cases(Study study) {
    return List.of();
  }

  @Override
  public List<Figure> make(Study study) {
    Experiment experiment = SyntheticCluster.PAPER.experiment(study.seeds().get(0));
    LostBlocks lost = lost(experiment, PAPER_NODE);
    Sample common = gigabytes(lost.commonBytes(experiment.cluster().nodes()));
    return List.of(chunks(experiment), ideal(study), histogram(experiment, common), imbalance(experiment),
        correlation(experiment, lost));
  }

  private static LostBlocks lost(Experiment experiment, int node) {
    return experiment.placement().lose(node, experiment.chunks(), experiment.chunkBytes(),
        SeedMix.seed(experiment.seed(), node));
  }

  /** Without the nodes that share nothing: the failed one and its rack. */
  private static Sample gigabytes(long[] bytes) {
    return new Sample(Arrays.stream(bytes).filter(b -> b > 0).mapToDouble(b -> b / GIGABYTE).toArray());
  }

  private static String inputs(Experiment experiment) {
    return Numbers.format("%,d nodes with %,d chunks each, synthetic placement, seed %d", experiment.cluster().nodes(),
        experiment.chunks(), experiment.seed());
  }

  private static Figure chunks(Experiment experiment) {
    CsvTable table = new CsvTable("series", "chunks", "share of nodes at most");
    Points points = new Points().add("nodes", 0.0, 0);
    double[] held = new double[experiment.cluster().nodes()];
    Arrays.fill(held, experiment.chunks());
    Cdf.of(new Sample(held)).addTo(points, table, "nodes");
    return new Figure("fig1a", "Chunks on each node", inputs(experiment), table, Map.of("fig1a", new SvgPlot(
        "Fig. 1a: chunks on each node", "chunks", "share of nodes").lines(points)
        .paperVertical("paper, most nodes", 250_000).svg()),
        List.of(
            new Claim("chunks on most nodes", "about 250,000", Numbers.format("%,d on every node", experiment.chunks()),
                Verdict.FITTED,
                "each node gets the same number of chunks; how many a failed node has lost is an input")));
  }

  private static Figure ideal(Study study) {
    List<Double> seconds = new ArrayList<>();
    SimulationSettings settings = Variant.of("dayu-paper", Knowledge.LAST_REPORT).settings(
        SyntheticCluster.PAPER.bandwidthBytesPerSec());
    for (long seed : study.seeds()) {
      Experiment experiment = SyntheticCluster.PAPER.experiment(seed);
      IntStream.range(0, study.failuresPerSeed()).forEach(
          failure -> seconds.add(experiment.idealSeconds(experiment.failure(failure), settings)));
    }
    Sample sample = new Sample(seconds.stream().mapToDouble(s -> s).toArray());
    CsvTable table = new CsvTable("series", "ideal time (s)", "share of failures at most");
    Points points = new Points();
    Cdf.of(sample).addTo(points, table, "failures");
    return new Figure(
        "fig1b", "Ideal recovery time", CaseWords.inputs(SyntheticCluster.PAPER, study), table, Map.of("fig1b",
            new SvgPlot("Fig. 1b: ideal recovery time", "time (s)", "share of failures").lines(points)
                .paperVertical("paper, mean", PAPER_IDEAL_SEC).svg()),
        List.of(new Claim("mean of the ideal times", "51 s", Numbers.meanAndError(sample, 1, " s"), Verdict.FITTED,
            "the amount of traffic was chosen to give this value; with few failures the value depends on their "
                + "moments")));
  }

  private static Figure histogram(Experiment experiment, Sample common) {
    CsvTable table = new CsvTable("SC (GB)", "nodes", "bell curve");
    Points bars = new Points();
    Points bell = new Points();
    double min = common.quantile(0);
    double width = (common.quantile(1) - min) / HISTOGRAM_BARS;
    int[] count = new int[HISTOGRAM_BARS];
    for (double value : common.values()) {
      count[Math.min(HISTOGRAM_BARS - 1, (int) ((value - min) / width))]++;
    }
    for (int i = 0; i < HISTOGRAM_BARS; i++) {
      double middle = min + (i + 0.5) * width;
      double z = (middle - common.mean()) / common.deviation();
      double expected = common.count() * width / common.deviation() / Math.sqrt(2 * Math.PI) * Math.exp(-z * z / 2);
      table.row(middle, count[i], expected);
      bars.add("nodes", middle, count[i]);
      bell.add("bell curve", middle, expected);
    }
    double within = Arrays.stream(common.values()).filter(x -> Math.abs(x - common.mean()) <= common.deviation())
        .count() / (double) common.count();
    return new Figure(
        "fig1e", "Common size SC of node 100 with each other node", inputs(experiment), table, Map.of("fig1e",
            new SvgPlot("Fig. 1e: SC of node 100", "SC (GB)", "nodes").fromZero().lines(bars).dots(bars).lines(bell)
                .svg()),
        List.of(new Claim("distribution of SC of node 100", "bell-shaped", Numbers.format(
            "%.0f %% within one standard deviation (68 %% of a bell curve)", 100 * within),
            Verdict.of(Math.abs(within - 0.683) < 0.06),
            "the weights of the epochs are lognormal, so the distribution is skewed")));
  }

  private Figure imbalance(Experiment experiment) {
    int nodes = experiment.cluster().nodes();
    double[] covs = IntStream.range(0, nodes / everyNode).parallel().mapToDouble(i -> {
      Sample common = gigabytes(lost(experiment, i * everyNode).commonBytes(nodes));
      return common.deviation() / common.mean();
    }).toArray();
    Sample sample = new Sample(covs);
    CsvTable table = new CsvTable("series", "CoV of SC", "share of nodes at most");
    Points points = new Points();
    Cdf.of(sample).addTo(points, table, "nodes");
    return new Figure("fig1f", "Imbalance of the common size SC",
        inputs(experiment) + Numbers.format("; one in %d nodes", everyNode), table,
        Map.of("fig1f",
            new SvgPlot("Fig. 1f: imbalance of SC", "CoV of SC", "share of nodes").fromZero().lines(points).svg()),
        List.of(new Claim("SC is imbalanced", "for a large portion of the nodes (a plot without values)",
            Numbers.format("CoV p5/50/95 %.2f/%.2f/%.2f; random placement would have %.2f", sample.quantile(0.05),
                sample.quantile(0.5), sample.quantile(0.95), Math.sqrt(nodes / 2.0 / experiment.chunks())),
            Verdict.FITTED, "the placement is a model, fitted by --skew")));
  }

  /** The loss of node 100, recovered with random choice and static rates. */
  private static Figure correlation(Experiment experiment, LostBlocks lost) {
    SimulationSettings settings = Variant.of("pangu-slow", Knowledge.LAST_REPORT).settings(
        experiment.cluster().bandwidthBytesPerSec());
    SentBytes sent = new SentBytes(
        Algorithms.named("pangu-slow").factory().create(settings.planning().horizonMs(), experiment.seed()),
        experiment.cluster().nodes());
    experiment.recover(new Experiment.Failure(0, lost, Incident.of(lost), "", 0, true), settings, sent);
    long[] common = lost.commonBytes(experiment.cluster().nodes());
    int[] sharing = IntStream.range(0, common.length).filter(node -> common[node] > 0).toArray();
    CsvTable table = new CsvTable("node", "SC (GB)", "sent (GB)");
    Points cloud = new Points();
    for (int i = 0; i < sharing.length; i++) {
      double x = common[sharing[i]] / GIGABYTE;
      double y = sent.bytes()[sharing[i]] / GIGABYTE;
      table.row(sharing[i], x, y);
      if (i % Math.max(1, sharing.length / CLOUD_DOTS) == 0) {
        cloud.add("nodes", x, y);
      }
    }
    Sample x = new Sample(Arrays.stream(sharing).mapToDouble(node -> common[node]).toArray());
    Sample y = new Sample(Arrays.stream(sharing).mapToDouble(node -> sent.bytes()[node]).toArray());
    double correlation = x.correlation(y);
    return new Figure("fig1g", "What each node sends when node 100 is recovered by random choice",
        inputs(experiment) + ", pangu-slow", table,
        Map.of("fig1g",
            new SvgPlot("Fig. 1g: SC of node 100 and what nodes send", "SC (GB)", "sent (GB)").cloud(cloud).svg()),
        List.of(new Claim("correlation of SC and what is sent", "strong", Numbers.format("%.3f", correlation),
            Verdict.of(correlation > STRONG))));
  }
}

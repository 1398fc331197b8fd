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
import io.dayu.paper.study.ScaleStudy;
import io.dayu.paper.study.Study;
import io.dayu.paper.study.Throughput;
import io.dayu.sim.plot.CsvTable;
import io.dayu.sim.plot.Points;
import io.dayu.sim.plot.SvgPlot;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Figure 7 (ATC'19 §5.2): data recovered in a given time with unlimited tasks, the time of planning counted, by size of
 * the cluster. Immutable.
 *
 * @param scale measured before the figure is made
 */
public record ScaleFigure(ScaleStudy scale) implements FigureSource {
  private static final double TERABYTE = 1e12;
  private static final int PAPER_G1_LIMIT = 5000;
  private static final int PAPER_MAX_NODES = 25_000;
  private static final double FALLS_BEHIND = 0.9;
  private static final double NEARLY = 0.99;

  @Override
  public List<String> ids() {
    return List.of("fig7");
  }

  @Override
  public List<CaseSpec> cases(Study study) {
    return List.of();
  }

  @Override
  public List<Figure> make(Study study) {
    return List.of(make());
  }

  public Figure make() {
    CsvTable table = new CsvTable("nodes", "algorithm", "recovered (TB)", "standard error", "recovered ÷ ideal (%)",
        "plan, median (ms)", "plan, longest (ms)", "interference (%)");
    Points recovered = new Points();
    Points share = new Points();
    Points plan = new Points();
    for (String algorithm : scale.algorithms()) {
      for (int nodes : scale.nodes()) {
        Sample terabytes = sample(nodes, algorithm, result -> result.recoveredBytes() / TERABYTE);
        Sample ratio = share(nodes, algorithm);
        double planMs = sample(nodes, algorithm, Throughput::planMillisMedian).mean();
        table.row(nodes, algorithm, terabytes.mean(), terabytes.error(), 100 * ratio.mean(), planMs,
            sample(nodes, algorithm, Throughput::planMillisMax).quantile(1),
            sample(nodes, algorithm, Throughput::interferencePercent).mean());
        recovered.add(algorithm, (double) nodes, terabytes.mean(), terabytes.error());
        share.add(algorithm, (double) nodes, 100 * ratio.mean(), 100 * ratio.error());
        plan.add(algorithm, (double) nodes, planMs);
      }
    }
    List<String> labels = scale.nodes().stream().map(nodes -> Numbers.format("%,d", nodes)).toList();
    List<Double> breaks = scale.nodes().stream().map(Integer::doubleValue).toList();
    Map<String, String> plots = new LinkedHashMap<>();
    plots.put("fig7-recovered",
        new SvgPlot(Numbers.format("Fig. 7: data recovered in %d s with unlimited tasks", scale.spanMs() / 1000),
            "nodes", "recovered (TB)").fromZero().curves(recovered).svg());
    plots.put("fig7-share", new SvgPlot("Fig. 7: the same as a share of the ideal", "nodes", "recovered ÷ ideal (%)")
        .logX().xBreaks(breaks, labels).curves(share).svg());
    plots.put("fig7-planning", new SvgPlot("Fig. 7: time of planning a timeslot", "nodes", "median (ms)").logX().logY()
        .xBreaks(breaks, labels).curves(plan).svg());
    return new Figure("fig7", "Scale",
        Numbers.format("Synthetic traffic and placement; %.1f blocks of 64 MB wait for each node at any moment; %d s "
            + "simulated; seeds %s; the time of planning is measured on one thread of one machine for all algorithms "
            + "(the paper gives random ones 16 threads)", Throughput.WAITING_PER_NODE, scale.spanMs() / 1000,
            scale.seeds().toString().replaceAll("[\\[\\]]", "")),
        table, plots, claims());
  }

  private Sample sample(int nodes, String algorithm, ToDoubleFunction<Throughput> number) {
    return new Sample(scale.results(nodes, algorithm).stream().mapToDouble(number).toArray());
  }

  private Sample share(int nodes, String algorithm) {
    return sample(nodes, algorithm,
        result -> result.recoveredBytes() == 0 ? 0 : result.recoveredBytes() / result.idealBytes());
  }

  private List<Claim> claims() {
    List<Claim> claims = new ArrayList<>();
    for (String dayu : List.of("C+W", "dayu-paper")) {
      if (scale.algorithms().contains(dayu)) {
        List<String> lead = new ArrayList<>();
        List<Verdict> verdicts = new ArrayList<>();
        for (int nodes : scale.nodes()) {
          String best = best(nodes);
          boolean leads = share(nodes, dayu).mean() > NEARLY * share(nodes, best).mean();
          lead.add(Numbers.format("%,d: %.1f %%", nodes, 100 * share(nodes, dayu).mean()) + (leads ? "" : " (" + best
              + Numbers.format(" %.1f %%)", 100 * share(nodes, best).mean())));
          if (nodes <= PAPER_MAX_NODES) {
            verdicts.add(Verdict.below(share(nodes, best).map(share -> NEARLY * share).minus(share(nodes, dayu))));
          }
        }
        claims.add(new Claim(dayu + " recovers the most bytes, or at least 99 % of the most, up to 25,000 nodes", "yes",
            String.join(", ", lead) + " of ideal", Verdict.all(verdicts)));
      }
    }
    if (scale.algorithms().contains("G1+W") && scale.algorithms().contains("C+W")) {
      claims.add(scanFallsBehind());
    }
    return claims;
  }

  private String best(int nodes) {
    return scale.algorithms().stream().max(Comparator.comparingDouble(algorithm -> share(nodes, algorithm).mean()))
        .orElseThrow();
  }

  private Claim scanFallsBehind() {
    int limit = 0;
    for (int nodes : scale.nodes()) {
      if (share(nodes, "G1+W").mean() < FALLS_BEHIND * share(nodes, "C+W").mean()) {
        limit = nodes;
        break;
      }
    }
    String found = limit == 0 ? "not up to " + Numbers.format("%,d", scale.nodes().get(scale.nodes().size() - 1))
        : Numbers.format("more than 10 %% behind C+W from %,d nodes on", limit);
    boolean tried = scale.nodes().get(scale.nodes().size() - 1) > PAPER_G1_LIMIT;
    return new Claim("G1 stops scaling", "above 5,000 nodes", found, limit == 0 ? tried ? Verdict.NO : Verdict.TOO_FEW
        : Verdict.of(limit > PAPER_G1_LIMIT && limit <= 2 * PAPER_G1_LIMIT),
        limit > 0 && limit <= PAPER_G1_LIMIT ? "this machine is slower than the paper's, or it was busy"
            : "with 3,500 nodes this scan tries several hundred thousand blocks a second, the paper's fewer than "
                + "30,000, so it falls behind at a larger number of nodes");
  }
}

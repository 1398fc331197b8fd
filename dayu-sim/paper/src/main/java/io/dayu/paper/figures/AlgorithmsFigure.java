/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.figures;

import io.dayu.paper.study.CaseResult;
import io.dayu.paper.study.CaseSpec;
import io.dayu.paper.study.Sample;
import io.dayu.paper.study.Study;
import io.dayu.paper.study.SyntheticCluster;
import io.dayu.paper.study.Variant;
import io.dayu.sim.engine.Knowledge;
import io.dayu.sim.plot.CsvTable;
import io.dayu.sim.plot.Points;
import io.dayu.sim.plot.SvgPlot;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Figure 6 (ATC'19 §5.1): algorithms that choose nodes, each with several that give rates. Stateless. */
public final class AlgorithmsFigure implements FigureSource {
  private static final List<String> CHOICES = List.of("C", "G1", "G2", "B2R", "WR", "R");
  private static final List<String> RATES = List.of("W", "WSS", "DA");
  private static final List<String> OTHERS = List.of("dayu-paper", "dayu-alpha");
  private static final double PAPER_RATIO = 1.14;
  private static final double PAPER_INTERFERENCE = 1.84;
  private static final double SMALL_INTERFERENCE = 2;
  private static final double LARGE_INTERFERENCE = 6.5;
  private static final String TAIL =
      "the last 1 % of the blocks takes most of the difference (columns 95 % and 99 %); the paper does not say which "
          + "foreground its scheduler knew";

  @Override
  public List<String> ids() {
    return List.of("fig6");
  }

  @Override
  public List<CaseSpec> cases(Study study) {
    List<CaseSpec> cases = new ArrayList<>();
    for (Knowledge knowledge : Knowledge.values()) {
      for (String algorithm : algorithms()) {
        cases.addAll(study.cases(SyntheticCluster.PAPER, Variant.of(algorithm, knowledge)));
      }
    }
    return cases;
  }

  private static List<String> algorithms() {
    List<String> algorithms = new ArrayList<>(OTHERS);
    CHOICES.forEach(choice -> RATES.forEach(rates -> algorithms.add(choice + "+" + rates)));
    return algorithms;
  }

  @Override
  public List<Figure> make(Study study) {
    CsvTable table = new CsvTable("foreground known", "algorithm", "time ÷ ideal", "standard error", "time (s)",
        "95 % ÷ ideal", "99 % ÷ ideal", "interference (%)", "standard error of interference");
    Map<String, String> plots = new LinkedHashMap<>();
    List<Claim> claims = new ArrayList<>();
    for (Knowledge knowledge : List.of(Knowledge.LAST_REPORT, Knowledge.CURRENT_SLOT)) {
      Results results = new Results(study, knowledge);
      algorithms().forEach(algorithm -> results.addTo(table, algorithm));
      String name = CaseWords.of(knowledge);
      plots.put("fig6-time-" + CaseWords.file(knowledge), results.timePlot(name));
      plots.put("fig6-interference-" + CaseWords.file(knowledge), results.interferencePlot(name));
      claims.addAll(results.claims(name));
    }
    return List.of(new Figure("fig6", "Choice of nodes and rates: recovery time and interference",
        CaseWords.inputs(SyntheticCluster.PAPER, study), table, plots, claims));
  }

  /** All numbers with one knowledge. Immutable. */
  private record Results(Study study, Knowledge knowledge) {

    Sample sample(String algorithm, ToDoubleFunction<CaseResult> number) {
      return study.sample(SyntheticCluster.PAPER, Variant.of(algorithm, knowledge), number);
    }

    Sample ratio(String algorithm) {
      return sample(algorithm, CaseResult::ratioToIdeal);
    }

    Sample interference(String algorithm) {
      return sample(algorithm, CaseResult::interferencePercent);
    }

    /** How much slower a is than b, as logarithms case by case. */
    Sample slower(String a, String b) {
      return ratio(a).logRatio(ratio(b));
    }

    void addTo(CsvTable table, String algorithm) {
      table.row(CaseWords.of(knowledge), algorithm, ratio(algorithm).mean(), ratio(algorithm).error(),
          sample(algorithm, CaseResult::recoveryTimeSec).mean(),
          sample(algorithm, result -> result.timeTo95PercentSec() / result.idealTimeSec()).mean(),
          sample(algorithm, result -> result.timeTo99PercentSec() / result.idealTimeSec()).mean(),
          interference(algorithm).mean(), interference(algorithm).error());
    }

    String timePlot(String name) {
      Points bars = new Points();
      CHOICES.forEach(choice -> RATES.forEach(rates -> bars.add(rates, choice, ratio(choice + "+" + rates).mean(),
          ratio(choice + "+" + rates).error())));
      return new SvgPlot("Fig. 6: recovery time, " + name, "choice of nodes", "recovery time ÷ ideal").legend("rates")
          .bars(bars).paperLine(PAPER_RATIO, "paper, C+W").svg();
    }

    String interferencePlot(String name) {
      Points bars = new Points();
      CHOICES.forEach(choice -> RATES.forEach(rates -> bars.add(rates, choice,
          interference(choice + "+" + rates).mean(), interference(choice + "+" + rates).error())));
      return new SvgPlot("Fig. 6: interference, " + name, "choice of nodes", "interference factor (%)").legend("rates")
          .bars(bars).paperLine(PAPER_INTERFERENCE, "paper, C+W").svg();
    }

    List<Claim> claims(String name) {
      List<Claim> claims = new ArrayList<>();
      claims.add(new Claim("C+W, time ÷ ideal, " + name, "1.14", Numbers.meanAndError(ratio("C+W"), 3, ""),
          Verdict.atMost(ratio("C+W"), PAPER_RATIO), TAIL));
      claims.add(new Claim("C+W, interference, " + name, "1.84 %, below 2 % is small",
          Numbers.meanAndError(interference("C+W"), 2, " %"), Verdict.atMost(interference("C+W"), SMALL_INTERFERENCE),
          "B_min, and foreground that changes within a timeslot, cost more here"));
      claims.add(new Claim("dayu-alpha, the product if it keeps α at every moment, " + name, "–",
          Numbers.meanAndError(ratio("dayu-alpha"), 3, " × ideal") + ", "
              + Numbers.meanAndError(interference("dayu-alpha"), 2, " %"),
          Verdict.OTHER, "the paper's timeslots are longer"));
      claims.add(fastest(name));
      claims.add(new Claim("C+W is faster than G1+W, " + name, "1.12× as fast",
          Numbers.times(slower("G1+W", "C+W")) + " as fast", Verdict.below(slower("C+W", "G1+W")),
          "both choose the same nodes here, up to the width of C's buckets; this figure does not count the time of "
              + "planning"));
      claims.add(new Claim("C+W is faster than random choice (R+W), " + name, "yes", Numbers.times(slower("R+W", "C+W"))
          + " as fast", Verdict.below(slower("C+W", "R+W"))));
      claims.add(new Claim("W is faster than DA with greedy choice (C), " + name, "slightly", "C+W "
          + Numbers.times(slower("C+DA", "C+W")) + " as fast as C+DA", Verdict.below(slower("C+W", "C+DA"))));
      claims.add(new Claim("greedy choice (C+W) interferes more than random choice (R+W), " + name, "slightly",
          Numbers.format("%.2f %% and %.2f %%", interference("C+W").mean(), interference("R+W").mean()),
          Verdict.below(interference("R+W").minus(interference("C+W")))));
      claims.add(lessInterference(name));
      claims.add(new Claim("interference of all with W, " + name, "acceptable: far below 6.5 %",
          Numbers.format("at most %.2f %%",
              CHOICES.stream().mapToDouble(choice -> interference(choice + "+W").mean()).max().orElseThrow()),
          Verdict.all(CHOICES.stream()
              .map(choice -> Verdict.atMost(interference(choice + "+W"), LARGE_INTERFERENCE / 2)).toList())));
      return claims;
    }

    private Claim fastest(String name) {
      List<String> order = new ArrayList<>(CHOICES);
      order.sort(Comparator.comparingDouble(choice -> ratio(choice + "+W").mean()));
      String second = order.get(0).equals("C") ? order.get(1) : order.get(0);
      return new Claim("C+W is the fastest, " + name, "yes, G1+W is the second", String.join(" < ", order),
          Verdict.below(slower("C+W", second + "+W")), "the fastest ones differ by less than their standard error");
    }

    private Claim lessInterference(String name) {
      Map<String, Verdict> byChoice = new LinkedHashMap<>();
      CHOICES.forEach(choice -> byChoice.put(choice,
          Verdict.below(interference(choice + "+W").minus(interference(choice + "+DA")))));
      List<String> less = CHOICES.stream().filter(choice -> byChoice.get(choice) == Verdict.YES).toList();
      return new Claim("W interferes less than DA, " + name, "always",
          less.isEmpty() ? "with no choice of nodes" : "with "
              + String.join(", ", less),
          Verdict.all(byChoice.values()),
          "W uses all of B_recover from the begin of a timeslot, DA only what it needs; and the interference factor is "
              + "a mean over the recovery, which takes longer with DA");
    }
  }
}

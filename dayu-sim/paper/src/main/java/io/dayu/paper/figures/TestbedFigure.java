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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Figure 5 (ATC'19 §5.1), simulated: Dayu against static rate control on 1,000 nodes. Stateless. */
public final class TestbedFigure implements FigureSource {
  private static final List<String> ALGORITHMS =
      List.of("dayu-paper", "dayu-alpha", "pangu-slow", "pangu-mid", "pangu-fast");
  private static final double PAPER_RATIO = 1.19;
  private static final Map<String, Double> PAPER_SPEED =
      Map.of("pangu-slow", 2.96, "pangu-mid", 1.24, "pangu-fast", 0.93);
  private static final String STATIC_TAIL =
      "95 % of the blocks are copied early (column 95 %), but the last ones wait for links that foreground fills: in "
          + "this model foreground comes first, whereas TCP gives recovery a share of a full link";

  @Override
  public List<String> ids() {
    return List.of("fig5");
  }

  @Override
  public List<CaseSpec> cases(Study study) {
    List<CaseSpec> cases = new ArrayList<>();
    ALGORITHMS.forEach(algorithm -> cases.addAll(study.cases(SyntheticCluster.TESTBED, variant(algorithm))));
    return cases;
  }

  private static Variant variant(String algorithm) {
    return Variant.of(algorithm, Knowledge.LAST_REPORT);
  }

  private static Sample sample(Study study, String algorithm, ToDoubleFunction<CaseResult> number) {
    return study.sample(SyntheticCluster.TESTBED, variant(algorithm), number);
  }

  @Override
  public List<Figure> make(Study study) {
    CsvTable table = new CsvTable("algorithm", "time (s)", "standard error", "time ÷ ideal", "95 % ÷ ideal",
        "99 % ÷ ideal", "interference (%)", "paper: time ÷ ideal");
    Points time = new Points();
    Points paper = new Points();
    Points interference = new Points();
    for (String algorithm : ALGORITHMS) {
      Sample ratio = sample(study, algorithm, CaseResult::ratioToIdeal);
      Sample overload = sample(study, algorithm, CaseResult::interferencePercent);
      double paperRatio =
          algorithm.equals("dayu-alpha") ? Double.NaN : PAPER_RATIO * PAPER_SPEED.getOrDefault(algorithm, 1.0);
      table.row(algorithm, sample(study, algorithm, CaseResult::recoveryTimeSec).mean(),
          sample(study, algorithm, CaseResult::recoveryTimeSec).error(), ratio.mean(),
          sample(study, algorithm, result -> result.timeTo95PercentSec() / result.idealTimeSec()).mean(),
          sample(study, algorithm, result -> result.timeTo99PercentSec() / result.idealTimeSec()).mean(),
          overload.mean(), paperRatio);
      time.add("ours", algorithm, ratio.mean(), ratio.error());
      paper.add("paper", algorithm, paperRatio);
      interference.add("ours", algorithm, overload.mean(), overload.error());
    }
    Map<String, String> plots = new LinkedHashMap<>();
    plots.put("fig5-time", new SvgPlot("Fig. 5 (simulated): recovery time", "algorithm", "recovery time ÷ ideal")
        .bars(time).paper(paper).svg());
    plots.put("fig5-interference",
        new SvgPlot("Fig. 5 (simulated): interference", "algorithm", "interference factor (%)")
            .bars(interference).svg());
    return List.of(new Figure("fig5", "Dayu and static rate control on a cluster of the size of the paper's testbed",
        CaseWords.inputs(SyntheticCluster.TESTBED, study), table, plots, claims(study)));
  }

  private static List<Claim> claims(Study study) {
    List<Claim> claims = new ArrayList<>();
    for (String dayu : List.of("dayu-paper", "dayu-alpha")) {
      Sample ratio = sample(study, dayu, CaseResult::ratioToIdeal);
      claims.add(new Claim(dayu + ", time ÷ ideal", "1.19", Numbers.meanAndError(ratio, 3, ""),
          Verdict.atMost(ratio, PAPER_RATIO),
          "the last 1 % of the blocks takes most of the difference (columns 95 % and 99 %)"));
      for (String pangu : List.of("pangu-slow", "pangu-mid", "pangu-fast")) {
        Sample faster = sample(study, pangu, CaseResult::recoveryTimeSec).logRatio(sample(study, dayu,
            CaseResult::recoveryTimeSec));
        double speed = PAPER_SPEED.get(pangu);
        claims.add(new Claim(dayu + (speed > 1 ? " is faster than " : " is slower than ") + pangu,
            Numbers.format("%.2f× as fast", speed),
            Numbers.times(faster) + " as fast", Verdict.below(faster.map(x -> speed > 1 ? -x : x)), STATIC_TAIL));
      }
    }
    Sample own = sample(study, "dayu-paper", CaseResult::interferencePercent);
    for (String pangu : List.of("pangu-mid", "pangu-fast")) {
      Sample its = sample(study, pangu, CaseResult::interferencePercent);
      claims.add(new Claim("interference of " + pangu, "p90 latency 4.23 to 48.14× that of ideal, Dayu 1.04×",
          Numbers.format("interference %.2f %%, dayu-paper %.2f %%", its.mean(), own.mean()),
          Verdict.below(own.minus(its)),
          "latencies are not simulated; the interference factor is a mean over the whole recovery"));
    }
    return claims;
  }
}

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
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Figures 9a and 9b (ATC'19 §5.4): α and β. Stateless. */
public final class SweepFigures implements FigureSource {
  private static final double[] ALPHAS = {0.65, 0.70, 0.75, 0.80, 0.85};
  private static final double[] BETAS = {0, 0.025, 0.05, 0.075, 0.10};
  private static final double PAPER_BETA_SPREAD = 0.03;

  /** A curve. Immutable. */
  private record Curve(String name, String algorithm, Knowledge knowledge) {
    Variant variant(double alpha, double beta) {
      return new Variant(algorithm, alpha, beta, knowledge);
    }
  }

  private static final List<Curve> CURVES =
      List.of(new Curve("dayu-paper last report", "dayu-paper", Knowledge.LAST_REPORT),
          new Curve("dayu-paper current slot", "dayu-paper", Knowledge.CURRENT_SLOT),
          new Curve("dayu-alpha", "dayu-alpha", Knowledge.LAST_REPORT));

  @Override
  public List<String> ids() {
    return List.of("fig9a", "fig9b");
  }

  @Override
  public List<CaseSpec> cases(Study study) {
    List<CaseSpec> cases = new ArrayList<>();
    for (Curve curve : CURVES) {
      for (double alpha : ALPHAS) {
        cases.addAll(study.cases(SyntheticCluster.PAPER, curve.variant(alpha, Variant.PAPER_BETA)));
      }
      for (double beta : BETAS) {
        cases.addAll(study.cases(SyntheticCluster.PAPER, curve.variant(Variant.PAPER_ALPHA, beta)));
      }
    }
    return cases;
  }

  @Override
  public List<Figure> make(Study study) {
    return List.of(alpha(study), beta(study));
  }

  /** Finds the variant of a curve for a value of the parameter. */
  @FunctionalInterface
  private interface At {
    Variant variant(Curve curve, double value);
  }

  private static Sample sample(Study study, Variant variant, ToDoubleFunction<CaseResult> number) {
    return study.sample(SyntheticCluster.PAPER, variant, number);
  }

  private static Figure sweep(Study study, String id, String title, String axis, double[] values, At at,
      List<Claim> claims) {
    CsvTable table = new CsvTable("algorithm", axis, "time (s)", "standard error", "time ÷ ideal", "interference (%)",
        "standard error of interference");
    Points time = new Points();
    Points interference = new Points();
    for (Curve curve : CURVES) {
      for (double value : values) {
        Sample seconds = sample(study, at.variant(curve, value), CaseResult::recoveryTimeSec);
        Sample overload = sample(study, at.variant(curve, value), CaseResult::interferencePercent);
        table.row(curve.name, 100 * value, seconds.mean(), seconds.error(), sample(study, at.variant(curve, value),
            CaseResult::ratioToIdeal).mean(), overload.mean(), overload.error());
        time.add(curve.name, 100 * value, seconds.mean(), seconds.error());
        interference.add(curve.name, 100 * value, overload.mean(), overload.error());
      }
    }
    Map<String, String> plots = new LinkedHashMap<>();
    String number = id.substring("fig".length());
    plots.put(id + "-time",
        new SvgPlot("Fig. " + number + ": recovery time", axis, "recovery time (s)").fromZero().curves(time).svg());
    SvgPlot overload = new SvgPlot("Fig. " + number + ": interference", axis, "interference factor (%)").fromZero()
        .curves(interference);
    plots.put(id + "-interference",
        id.equals("fig9b") ? overload.paperLine(1.83, "paper: 1.83 to 1.86 %").svg() : overload.svg());
    return new Figure(id, title, CaseWords.inputs(SyntheticCluster.PAPER, study), table, plots, claims);
  }

  private static Figure alpha(Study study) {
    List<Claim> claims = new ArrayList<>();
    for (Curve curve : CURVES) {
      At at = (c, alpha) -> c.variant(alpha, Variant.PAPER_BETA);
      Sample faster = sample(study, at.variant(curve, 0.80), CaseResult::recoveryTimeSec)
          .logRatio(sample(study, at.variant(curve, 0.75), CaseResult::recoveryTimeSec));
      claims.add(new Claim("α = 80 % saves time against 75 %, " + curve.name, "−9.1 %", Numbers.change(faster),
          Verdict.below(faster)));
      claims.add(new Claim("the larger α is, the shorter is the recovery, " + curve.name, "yes",
          steps(study, curve, at, ALPHAS,
              CaseResult::recoveryTimeSec, 1),
          fall(study, curve, at, ALPHAS, CaseResult::recoveryTimeSec)));
      claims.add(new Claim("the larger α is, the larger is the interference, " + curve.name, "yes",
          steps(study, curve, at, ALPHAS,
              CaseResult::interferencePercent, 2),
          fall(study, curve, at, ALPHAS, result -> -result.interferencePercent()),
          "up to α = 75 % recovery goes above 75 % of a link by B_min only, which does not depend on α"));
    }
    return sweep(study, "fig9a", "α: recovery time and interference", "α (%)", ALPHAS,
        (curve, alpha) -> curve.variant(alpha, Variant.PAPER_BETA), claims);
  }

  private static Figure beta(Study study) {
    List<Claim> claims = new ArrayList<>();
    for (Curve curve : CURVES) {
      At at = (c, beta) -> c.variant(Variant.PAPER_ALPHA, beta);
      Sample faster = sample(study, at.variant(curve, 0.05), CaseResult::recoveryTimeSec)
          .logRatio(sample(study, at.variant(curve, 0), CaseResult::recoveryTimeSec));
      claims.add(new Claim("β = 5 % saves time against 0, " + curve.name, "yes, 5 % is best", Numbers.change(faster)
          + " (" + steps(study, curve, at, BETAS, CaseResult::recoveryTimeSec, 1) + " s)", Verdict.below(faster),
          "hardly any node is underemployed with this placement; the last blocks determine the time"));
      List<Sample> byBeta = Arrays.stream(BETAS)
          .mapToObj(beta -> sample(study, at.variant(curve, beta), CaseResult::interferencePercent))
          .sorted(Comparator.comparingDouble(Sample::mean)).toList();
      Sample least = byBeta.get(0);
      Sample most = byBeta.get(BETAS.length - 1);
      claims.add(new Claim("β hardly changes the interference, " + curve.name, "1.83 to 1.86 %",
          Numbers.format("%.2f to %.2f %%", least.mean(), most.mean()),
          Verdict.atMost(most.minus(least), 2 * PAPER_BETA_SPREAD)));
    }
    return sweep(study, "fig9b", "β: recovery time and interference", "β (%)", BETAS,
        (curve, beta) -> curve.variant(Variant.PAPER_ALPHA, beta), claims);
  }

  private static String steps(Study study, Curve curve, At at, double[] values, ToDoubleFunction<CaseResult> number,
      int decimals) {
    List<String> means = new ArrayList<>();
    for (double value : values) {
      means.add(Numbers.format("%." + decimals + "f", sample(study, at.variant(curve, value), number).mean()));
    }
    return String.join(", ", means);
  }

  /** Whether the number falls with each step, compared failure by failure. */
  private static Verdict fall(Study study, Curve curve, At at, double[] values, ToDoubleFunction<CaseResult> number) {
    List<Verdict> steps = new ArrayList<>();
    for (int i = 1; i < values.length; i++) {
      steps.add(Verdict.below(sample(study, at.variant(curve, values[i]), number)
          .minus(sample(study, at.variant(curve, values[i - 1]), number))));
    }
    return Verdict.all(steps);
  }
}

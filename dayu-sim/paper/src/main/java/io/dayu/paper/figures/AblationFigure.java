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

/**
 * Figure 8 (ATC'19 §5.3): with and without new plans for stragglers (A) and priority for underemployed nodes (P).
 * Stateless.
 */
public final class AblationFigure implements FigureSource {
  /** Half of what P does on top of A in the paper. */
  private static final double LIMITED = 0.036;
  private static final Map<String, Boolean> WITH_A = new LinkedHashMap<>();

  static {
    WITH_A.put("C+W", false);
    WITH_A.put("C+W+P", false);
    WITH_A.put("C+W+A", true);
    WITH_A.put("All", true);
  }

  @Override
  public List<String> ids() {
    return List.of("fig8");
  }

  private static Variant variant(String name, Knowledge knowledge) {
    boolean priority = name.equals("C+W+P") || name.equals("All");
    return new Variant(WITH_A.get(name) ? "C+W" : "C+W-A", Variant.PAPER_ALPHA, priority ? Variant.PAPER_BETA : 0,
        knowledge);
  }

  @Override
  public List<CaseSpec> cases(Study study) {
    List<CaseSpec> cases = new ArrayList<>();
    for (Knowledge knowledge : Knowledge.values()) {
      WITH_A.keySet().forEach(name -> cases.addAll(study.cases(SyntheticCluster.PAPER, variant(name, knowledge))));
    }
    return cases;
  }

  @Override
  public List<Figure> make(Study study) {
    CsvTable table = new CsvTable("foreground known", "variant", "time (s)", "standard error", "time ÷ ideal",
        "99 % ÷ ideal", "interference (%)", "standard error of interference");
    Points time = new Points();
    Points interference = new Points();
    List<Claim> claims = new ArrayList<>();
    for (Knowledge knowledge : List.of(Knowledge.LAST_REPORT, Knowledge.CURRENT_SLOT)) {
      for (String name : WITH_A.keySet()) {
        Sample seconds = sample(study, name, knowledge, CaseResult::recoveryTimeSec);
        Sample overload = sample(study, name, knowledge, CaseResult::interferencePercent);
        table.row(CaseWords.of(knowledge), name, seconds.mean(), seconds.error(),
            sample(study, name, knowledge, CaseResult::ratioToIdeal).mean(),
            sample(study, name, knowledge, result -> result.timeTo99PercentSec() / result.idealTimeSec()).mean(),
            overload.mean(), overload.error());
        time.add(CaseWords.of(knowledge), name, seconds.mean(), seconds.error());
        interference.add(CaseWords.of(knowledge), name, overload.mean(), overload.error());
      }
      claims.addAll(claims(study, knowledge));
    }
    Map<String, String> plots = new LinkedHashMap<>();
    plots.put("fig8-time", new SvgPlot("Fig. 8: recovery time", "variant", "recovery time (s)")
        .legend("foreground known").bars(time).svg());
    plots.put("fig8-interference", new SvgPlot("Fig. 8: interference", "variant", "interference factor (%)")
        .legend("foreground known").bars(interference).svg());
    return List.of(new Figure("fig8", "Re-scheduling of stragglers (A) and priority for underemployed nodes (P)",
        CaseWords.inputs(SyntheticCluster.PAPER, study), table, plots, claims));
  }

  private static Sample sample(Study study, String name, Knowledge knowledge, ToDoubleFunction<CaseResult> number) {
    return study.sample(SyntheticCluster.PAPER, variant(name, knowledge), number);
  }

  private static List<Claim> claims(Study study, Knowledge knowledge) {
    String known = ", " + CaseWords.of(knowledge);
    Sample a = change(study, knowledge, "C+W+A", "C+W");
    Sample p = change(study, knowledge, "All", "C+W+A");
    Sample alone = change(study, knowledge, "C+W+P", "C+W");
    Sample less = sample(study, "C+W+A", knowledge, CaseResult::interferencePercent)
        .minus(sample(study, "C+W", knowledge, CaseResult::interferencePercent));
    String few = "hardly any node is underemployed with this placement; the last blocks determine the time";
    return List.of(new Claim("A saves time (C+W+A against C+W)" + known, "−15.6 %", Numbers.change(a), Verdict.below(a),
        "there are hardly any stragglers if the scheduler knows the foreground of the timeslot"),
        new Claim("A saves interference" + known, "yes", Numbers.format("%+.2f points", less.mean()),
            Verdict.below(less),
            "the interference factor is a mean over the recovery, which takes longer without A"),
        new Claim("P on top saves time (All against C+W+A)" + known, "−7.2 %", Numbers.change(p), Verdict.below(p),
            few),
        new Claim("P alone has a limited effect (C+W+P against C+W)" + known, "yes", Numbers.change(alone),
            Verdict.magnitudeAtMost(alone, LIMITED)));
  }

  private static Sample change(Study study, Knowledge knowledge, String with, String without) {
    return sample(study, with, knowledge, CaseResult::recoveryTimeSec).logRatio(sample(study, without, knowledge,
        CaseResult::recoveryTimeSec));
  }
}

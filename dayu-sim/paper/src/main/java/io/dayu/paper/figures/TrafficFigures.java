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
import io.dayu.sim.experiment.Experiment;
import io.dayu.sim.plot.CsvTable;
import io.dayu.sim.plot.Points;
import io.dayu.sim.plot.SvgPlot;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Figures 1c, 1d and 1h (ATC'19 §2.2): imbalance and changes of the foreground. Which direction 1c and 1d show is not
 * said: here received and sent. Immutable.
 *
 * @param slots of traffic that are read
 */
public record TrafficFigures(int slots) implements FigureSource {
  private static final String[] SPANS = {"15 s", "1 hour", "1 day"};
  private static final double MIN_COV = 0.4;
  private static final double MAX_COV = 0.6;
  private static final double SMALL_SHARE = 0.144;
  private static final double PAPER_SMALL_CHANGES = 0.95;
  private static final double PAPER_LARGEST = 2 / 3.0;
  private static final int SLOTS_A_POINT = 60;
  private static final double MEGABYTE = 1e6;

  @Override
  public List<String> ids() {
    return List.of("fig1c", "fig1d", "fig1h");
  }

  @Override
  public List<CaseSpec> cases(Study study) {
    return List.of();
  }

  @Override
  public List<Figure> make(Study study) {
    Experiment experiment = SyntheticCluster.PAPER.experiment(study.seeds().get(0));
    double bandwidth = experiment.cluster().bandwidthBytesPerSec();
    TrafficSurvey survey = new TrafficSurvey(experiment.foreground(), slots, SMALL_SHARE * bandwidth);
    String inputs = Numbers.format("%,d nodes, synthetic traffic of %.1f days in slots of 15 s, seed %d",
        experiment.cluster().nodes(), slots * experiment.foreground().slotMs() / 86_400_000.0, experiment.seed());
    return List.of(imbalance("fig1c", "received", survey.imbalance[0], inputs),
        imbalance("fig1d", "sent", survey.imbalance[1], inputs), changes(survey, bandwidth, inputs));
  }

  private static Figure imbalance(String id, String direction, TrafficSurvey.Imbalance[] spans, String inputs) {
    CsvTable table = new CsvTable("mean over", "CoV across nodes", "share of spans at most");
    Points points = new Points();
    for (int i = 0; i < spans.length; i++) {
      Cdf.of(spans[i].covs()).addTo(points, table, SPANS[i]);
    }
    Sample slot = spans[0].covs();
    double within =
        Arrays.stream(slot.values()).filter(cov -> cov >= MIN_COV && cov <= MAX_COV).count() / (double) slot.count();
    double hour = spans[1].covs().mean();
    double day = spans[2].covs().mean();
    List<Claim> claims = List.of(
        new Claim("CoV across nodes in a slot", "mostly 0.4 to 0.6",
            Numbers.format("%.0f %% of the slots; median %.2f", 100 * within, slot.quantile(0.5)),
            Verdict.of(within > 0.5)),
        new Claim("CoV of means over an hour and a day", "much smaller", Numbers.format("%.2f and %.2f", hour, day),
            Verdict.of(hour < slot.mean() / 2 && day < slot.mean() / 2)));
    return new Figure(id, "Imbalance of the foreground " + direction, inputs, table, Map.of(id, new SvgPlot("Fig. "
        + id.substring(3) + ": imbalance of what nodes have " + direction, "CoV of the foreground across nodes",
        "share of spans")
        .legend("mean over").fromZero().lines(points).paperVertical("paper, most slots of 15 s", MIN_COV, MAX_COV)
        .svg()), claims);
  }

  private static Figure changes(TrafficSurvey survey, double bandwidth, String inputs) {
    CsvTable table =
        new CsvTable("hour", "least (MB/s)", "p2.5 (MB/s)", "median (MB/s)", "p97.5 (MB/s)", "largest (MB/s)");
    Points points = new Points();
    String[] names = {"least", "p2.5", "median", "p97.5", "largest"};
    for (int first = 0; first + SLOTS_A_POINT <= survey.changes.size(); first += SLOTS_A_POINT) {
      List<double[]> part = survey.changes.subList(first, first + SLOTS_A_POINT);
      Object[] row = new Object[names.length + 1];
      row[0] = first * 15 / 3600.0;
      for (int i = 0; i < names.length; i++) {
        int at = i;
        double[] values = part.stream().mapToDouble(q -> q[at] / MEGABYTE).sorted().toArray();
        double value =
            i == 0 ? values[0] : i == names.length - 1 ? values[values.length - 1] : new Sample(values).mean();
        row[i + 1] = value;
        points.add(names[i], row[0], value);
      }
      table.row(row);
    }
    double share = survey.shareOfSmallChanges();
    double largest = survey.largestChange() / bandwidth;
    List<Claim> claims = new ArrayList<>();
    claims.add(new Claim("changes within ±36 MB/s (14.4 %)", "over 95 %", Numbers.format("%.1f %%", 100 * share),
        Verdict.of(share >= PAPER_SMALL_CHANGES)));
    claims.add(new Claim("largest change", "two thirds of the bandwidth", Numbers.format("%.1f %%", 100 * largest),
        Verdict.of(Math.abs(largest - PAPER_LARGEST) < 0.05)));
    double small = SMALL_SHARE * bandwidth / MEGABYTE;
    return new Figure("fig1h", "Changes of the foreground from one slot to the next", inputs, table, Map.of("fig1h",
        new SvgPlot("Fig. 1h: changes of the foreground between slots", "time (hours)", "change (MB/s)")
            .legend("of all links")
            .lines(points).paperLine(small, "paper, p2.5 and p97.5").paperLine(-small, "paper, p2.5 and p97.5").svg()),
        claims);
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.conf.Setting;
import io.dayu.sim.engine.RecoveredTimes;
import io.dayu.sim.engine.RecoveryOutcome;
import io.dayu.sim.plot.CsvTable;
import io.dayu.sim.plot.HtmlPage;
import io.dayu.sim.replay.RecordedJournal;
import io.dayu.sim.replay.RecordedRecovery;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What {@code replay} has found: the recorded recovery beside simulated ones, as text, JSON and a page. Filled, then
 * written; single-threaded.
 */
public final class ReplayReport {
  /** The settings that a simulation by the product's algorithm depends on. */
  public static final List<Setting> SIMULATED = List.of(Setting.MAX_UTILIZATION, Setting.MIN_BANDWIDTH,
      Setting.TIMESLOT_INTERVAL, Setting.TIMESLOT_HORIZON, Setting.TIMESLOT_MIN_INTERVAL, Setting.HEARTBEAT_INTERVAL,
      Setting.ALGORITHM, Setting.UNDEREMPLOYED_RATIO, Setting.BUCKET_BANDWIDTH, Setting.EVICTION_FACTOR,
      Setting.TIE_BREAK);
  private static final ObjectMapper JSON = new ObjectMapper().disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
  private static final String RECORDED = "recorded";
  private static final double MB = 1e6;

  private final RecordedJournal journal;
  private final RecordedRecovery recovery;
  private final int nodes;
  private final double idealSec;
  private final Map<String, Object> inputs;
  private final Map<String, Simulated> simulated = new LinkedHashMap<>();

  private record Simulated(double idealSec, RecoveryOutcome outcome) {
  }

  /**
   * Begins a report.
   *
   * @param nodes that take part in the simulation
   * @param idealSec with the recorded settings
   * @param inputs by name, what the simulations depend on beside the journal
   */
  public ReplayReport(RecordedJournal journal, RecordedRecovery recovery, int nodes, double idealSec,
      Map<String, Object> inputs) {
    this.journal = journal;
    this.recovery = recovery;
    this.nodes = nodes;
    this.idealSec = idealSec;
    this.inputs = inputs;
  }

  /**
   * Adds a simulation; the first one is that of the recorded settings.
   *
   * @param ideal with its settings, in seconds
   */
  public void add(String name, double ideal, RecoveryOutcome outcome) {
    simulated.put(name, new Simulated(ideal, outcome));
  }

  public List<RecoveryOutcome> outcomes() {
    return simulated.values().stream().map(Simulated::outcome).toList();
  }

  public String text() {
    StringBuilder text = new StringBuilder();
    lines().forEach(line -> text.append(line).append(System.lineSeparator()));
    return text.toString();
  }

  private List<String> lines() {
    List<String> lines = new ArrayList<>(JournalSummary.losses(journal));
    lines.add(format("Recovery %d of the journal: %s, on %d nodes.", 1 + journal.recoveries().indexOf(recovery),
        JournalSummary.describe(recovery), nodes));
    if (!recovery.span().beginSeen()) {
      lines.add("The journal does not have its begin: what is simulated is what was left then.");
    }
    if (!recovery.span().endSeen()) {
      lines.add("The journal does not have its end: what is simulated includes what was not copied by then.");
    }
    lines.add(format("%-16s %9s %9s %9s %9s %9s %9s", "", "time", "ideal", "50 %", "95 %", "wasted", "interfer."));
    lines.add(format("%-16s %9s %7.1f s %9s %9s %6.1f MB %9s", RECORDED,
        recovery.span().endSeen() ? seconds(recovery.seconds()) : "-", idealSec, seconds(recordedShare(0.5)),
        seconds(recordedShare(0.95)), recovery.transfers().wastedBytes() / MB, "-"));
    simulated.forEach((name, run) -> lines.add(line(name, run.idealSec, run.outcome)));
    lines.add("Time lost against the ideal, s:");
    simulated.forEach((name, run) -> lines.add(format("%-16s %s", name, run.outcome.lost().words())));
    lines.addAll(differences());
    return lines;
  }

  private static String line(String name, double idealSec, RecoveryOutcome outcome) {
    return format("%-16s %9s %7.1f s %9s %9s %6.1f MB %7.2f %%", name,
        outcome.finished() ? seconds(outcome.recoveryTimeSec()) : "-", idealSec, seconds(share(outcome, 0.5)),
        seconds(share(outcome, 0.95)), outcome.copies().wastedBytes() / MB, outcome.interference().percent());
  }

  private List<String> differences() {
    List<String> lines = new ArrayList<>();
    RecoveryOutcome first = outcomes().get(0);
    if (recovery.span().endSeen() && first.finished()) {
      lines.add(format("The simulation of what happened differs from it by %+.0f %%; differences smaller than that say "
          + "nothing.", percent(first.recoveryTimeSec(), recovery.seconds())));
    }
    simulated.forEach((name, run) -> {
      RecoveryOutcome outcome = run.outcome;
      if (outcome == first) {
        return;
      }
      if (!outcome.finished() || !first.finished()) {
        lines.add(format("%s: %s within the limit of the simulation.", name,
            outcome.finished() ? "would have ended" : "would not have ended"));
      } else {
        lines.add(format("%s: %.1f s instead of %.1f s (%+.0f %%), interference %.2f %% instead of %.2f %%.", name,
            outcome.recoveryTimeSec(), first.recoveryTimeSec(),
            percent(outcome.recoveryTimeSec(), first.recoveryTimeSec()), outcome.interference().percent(),
            first.interference().percent()));
      }
    });
    return lines;
  }

  private static double percent(double value, double base) {
    return 100 * (value / base - 1);
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  private static String seconds(double value) {
    return Double.isFinite(value) ? format("%.1f s", value) : "-";
  }

  private double recordedShare(double share) {
    double[] sorted = recovery.recoveredSec();
    return sorted[(int) Math.ceil(share * sorted.length) - 1];
  }

  private static double share(RecoveryOutcome outcome, double share) {
    return outcome.times().curveSec()[(int) Math.ceil(share * RecoveredTimes.CURVE_STEPS) - 1];
  }

  private double[] recordedCurve() {
    double[] curve = new double[RecoveredTimes.CURVE_STEPS];
    for (int step = 0; step < curve.length; step++) {
      curve[step] = recordedShare((step + 1.0) / curve.length);
    }
    return curve;
  }

  /** The page, with the recorded course beside the simulated ones. */
  public String page(String command) {
    RecoverPlot plot = new RecoverPlot();
    plot.add(RECORDED, recordedCurve());
    simulated.forEach((name, run) -> plot.add(name, run.outcome.times().curveSec()));
    CsvTable table = new CsvTable("run", "finished", "recoveryTimeSec", "idealTimeSec", "timeTo50PercentSec",
        "timeTo95PercentSec", "wastedBytes", "interferencePercent");
    table.row(RECORDED, recovery.span().endSeen(), recovery.seconds(), idealSec, recordedShare(0.5),
        recordedShare(0.95),
        recovery.transfers().wastedBytes(), Double.NaN);
    simulated.forEach((name, run) -> table.row(name, run.outcome.finished(), run.outcome.recoveryTimeSec(),
        run.idealSec, share(run.outcome, 0.5), share(run.outcome, 0.95), run.outcome.copies().wastedBytes(),
        run.outcome.interference().percent()));
    return HtmlPage.of("Recovery, recorded and simulated", command,
        plot.svg(format("Recovery of %,d copies on %,d nodes", recovery.copies(), nodes), idealSec), lines(), table);
  }

  public void writeJson(OutputStream out) throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("recorded", JournalSummary.json(recovery));
    fields.put("nodes", nodes);
    fields.put("idealTimeSec", idealSec);
    fields.put("inputs", inputs);
    fields.put("losses", journal.losses());
    fields.put("droppedEntries", journal.droppedEntries());
    List<Map<String, Object>> results = new ArrayList<>();
    simulated.forEach((name, run) -> {
      RecoveryOutcome outcome = run.outcome;
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("run", name);
      one.put("finished", outcome.finished());
      one.put("idealTimeSec", run.idealSec);
      one.put("recoveryTimeSec", outcome.finished() ? outcome.recoveryTimeSec() : null);
      one.put("timeTo50PercentSec", finite(share(outcome, 0.5)));
      one.put("timeTo95PercentSec", finite(share(outcome, 0.95)));
      one.put("interferencePercent", outcome.interference().percent());
      one.put("causedAboveAlphaBytes", outcome.interference().causedBytes());
      one.put("wastedBytes", outcome.copies().wastedBytes());
      one.put("lost", outcome.lost());
      one.put("slots", outcome.slots());
      results.add(one);
    });
    fields.put("simulated", results);
    JSON.writerWithDefaultPrettyPrinter().writeValue(out, fields);
    out.write('\n');
  }

  private static Double finite(double value) {
    return Double.isFinite(value) ? value : null;
  }
}

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
import io.dayu.sim.tune.Criterion;
import io.dayu.sim.tune.Measured;
import io.dayu.sim.tune.TunedSettings;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/**
 * What {@code tune} has found so far, as a table and a snippet for people and as JSON for machines. Thread-safe, so
 * that what is there can be told when the program is interrupted.
 */
public final class TuneReport {
  private static final ObjectMapper JSON = new ObjectMapper().disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);

  private static final MathContext PERCENT_DIGITS = new MathContext(9);

  private final Criterion criterion;
  private final int failures;
  private final long seed;
  private final OutputFile snippet;
  private final OutputFile record;
  private final PrintWriter out;
  private final List<Measured> measured = new ArrayList<>();
  private final List<Measured> checked = new ArrayList<>();

  /**
   * @param snippet the file for the recommended settings, or null
   * @param record the file for all of it, or null
   */
  public TuneReport(Criterion criterion, int failures, long seed, OutputFile snippet, OutputFile record,
      PrintWriter out) {
    this.criterion = criterion;
    this.failures = failures;
    this.seed = seed;
    this.snippet = snippet;
    this.record = record;
    this.out = out;
  }

  public synchronized void measured(Measured one) {
    measured.add(one);
    writeRecord(false);
  }

  /**
   * Takes the results of settings on failures by which they were not chosen: of the defaults first, then of the best
   * settings if they differ.
   */
  public synchronized void checked(Measured one) {
    checked.add(one);
  }

  /** Tells all. Returns whether there is something to recommend. */
  public synchronized boolean finish() {
    Measured chosen = recommended();
    writeRecord(true);
    print(chosen);
    return criterion.allows(chosen);
  }

  /** Prints the results so far, without the check, when the user ends the program. */
  public synchronized void interrupted() {
    if (!measured.isEmpty()) {
      writeRecord(false);
      out.println();
      out.println("interrupted; the best so far, not checked on other failures:");
      checked.clear();
      print(criterion.best(measured));
    }
  }

  /** The best settings if the check confirms them, else the defaults. */
  private Measured recommended() {
    return checked.isEmpty() ? criterion.best(measured) : criterion.best(checked);
  }

  private void print(Measured chosen) {
    out.printf(Locale.ROOT, "%-9s %-8s %-6s %-6s %-10s %9s %7s %9s%n", "timeslot", "horizon", "alpha", "beta", "bucket",
        "time", "ratio", "interfer.");
    Predicate<Measured> recommended = one -> criterion.allows(chosen) && one.settings().equals(chosen.settings());
    measured.forEach(one -> row(one, recommended.test(one)));
    if (!checked.isEmpty()) {
      out.println("on other failures:");
      checked.forEach(one -> row(one, recommended.test(one)));
    }
    out.printf(Locale.ROOT,
        "Means over %d failures, seed %d. * = recommended: the fastest with interference of at most %s %% (foreground "
            + "alone makes %.2f %%);%ntimes within %s %% count as equal, and then the settings nearest to the defaults "
            + "are taken.%n",
        failures, seed, plain(criterion.maxInterferencePercent()), measured.get(0).foregroundAlonePercent(),
        plain(100 * criterion.tie()));
    if (criterion.allows(chosen)) {
      out.println();
      out.print(xml(chosen));
      if (snippet != null) {
        snippet.replace(bytes -> bytes.write(xml(chosen).getBytes(StandardCharsets.UTF_8)));
      }
    } else {
      out.printf(Locale.ROOT, "Nothing to recommend: the least interfering settings that were tried make %.2f %%%s.%n",
          chosen.interferencePercent(),
          chosen.unfinished() > 0 ? ", and " + chosen.unfinished() + " recoveries did not end" : "");
    }
    out.flush();
  }

  private void row(Measured one, boolean chosen) {
    Map<String, String> values = one.settings().properties();
    out.printf(Locale.ROOT, "%-9s %-8s %-6s %-6s %-10s %7.1f s %7.3f %7.2f %% %s%s%n",
        concat(values.values().toArray(), one.recoveryTimeSec(), one.ratioToIdeal(), one.interferencePercent(),
            chosen ? "*" : criterion.allows(one) ? "" : "too much",
            one.unfinished() > 0 ? " " + one.unfinished() + " not finished" : ""));
  }

  private static Object[] concat(Object[] first, Object... others) {
    List<Object> all = new ArrayList<>(List.of(first));
    all.addAll(List.of(others));
    return all.toArray();
  }

  private static String plain(double value) {
    return new BigDecimal(value, PERCENT_DIGITS).stripTrailingZeros().toPlainString();
  }

  private String xml(Measured chosen) {
    StringBuilder xml = new StringBuilder();
    xml.append("<configuration>\n");
    xml.append(String.format(Locale.ROOT,
        "  <!-- Recommended by dayu-sim tune, seed %d: %.1f s a recovery, %.2f %% interference.%s -->%n", seed,
        chosen.recoveryTimeSec(), chosen.interferencePercent(),
        chosen.settings().equals(TunedSettings.DEFAULTS) ? " These are the defaults: nothing needs to be set." : ""));
    Map<String, String> defaults = TunedSettings.DEFAULTS.properties();
    chosen.settings().properties().forEach((name, value) -> {
      xml.append("  <property>\n    <name>").append(name).append("</name>\n    <value>").append(value)
          .append("</value>");
      xml.append(value.equals(defaults.get(name)) ? " <!-- the default -->"
          : " <!-- the default is " + defaults.get(name) + " -->");
      xml.append("\n  </property>\n");
    });
    return xml.append("</configuration>\n").toString();
  }

  private void writeRecord(boolean complete) {
    if (record != null) {
      record.replace(bytes -> write(complete, bytes));
    }
  }

  private void write(boolean complete, OutputStream bytes) throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("complete", complete);
    fields.put("failures", failures);
    fields.put("seed", seed);
    fields.put("maxInterferencePercent", criterion.maxInterferencePercent());
    Measured chosen = recommended();
    fields.put("recommended", criterion.allows(chosen) ? chosen.settings() : null);
    fields.put("measured", measured);
    fields.put("checked", checked);
    JSON.writerWithDefaultPrettyPrinter().writeValue(bytes, fields);
    bytes.write('\n');
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import io.dayu.harness.load.Latencies;
import io.dayu.harness.load.Latencies.Percentiles;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The figures of one mode by name, of one run or as medians of several. Immutable.
 *
 * @param cutOff whether any of the runs was cut off, so that times and ratio are lower bounds
 * @param runs how many there were, those without figures too
 * @param failedRuns how many of them failed
 * @param values in the order in which they are shown; not a number, or missing, where there is none
 */
record ModeSummary(Mode mode, boolean cutOff, int runs, int failedRuns, Map<String, Double> values) {

  static ModeSummary of(Outcome outcome) {
    Map<String, Double> values = new LinkedHashMap<>();
    outcome.result().ifPresent(result -> put(values, result));
    return new ModeSummary(outcome.mode(), outcome.result().map(ModeResult::cutOff).orElse(false), 1,
        outcome.failed() ? 1 : 0, values);
  }

  private static void put(Map<String, Double> values, ModeResult result) {
    values.put("recoveryTimeSec", result.recoveryTimeSec());
    values.put("idealTimeSec", result.idealTimeSec());
    values.put("ratioToIdeal", result.ratioToIdeal());
    putLatencies(values, "foreground", result, Latencies::all);
    putLatencies(values, "foregroundRead", result, Latencies::reads);
    putLatencies(values, "foregroundWrite", result, Latencies::writes);
    values.put("foregroundFailed", (double) result.before().failed() + result.during().failed());
    values.put("peakNicShare", result.peakNicShare());
    values.put("blocksLost", (double) result.blocks().lost());
    values.put("blocksRecovered", (double) result.blocks().recovered());
    values.put("bytesLost", (double) result.blocks().bytes());
  }

  private interface Kind {
    Percentiles of(Latencies latencies);
  }

  private static void putLatencies(Map<String, Double> values, String prefix, ModeResult result, Kind kind) {
    Percentiles before = kind.of(result.before());
    Percentiles during = kind.of(result.during());
    values.put(prefix + "P50BeforeMs", before.p50Ms());
    values.put(prefix + "P50DuringMs", during.p50Ms());
    values.put(prefix + "P90BeforeMs", before.p90Ms());
    values.put(prefix + "P90DuringMs", during.p90Ms());
    values.put(prefix + "P90Growth", during.p90Ms() / before.p90Ms());
    values.put(prefix + "P99BeforeMs", before.p99Ms());
    values.put(prefix + "P99DuringMs", during.p99Ms());
  }

  /** Figure by figure, of the runs that have figures; of an even number the higher of the two in the middle. */
  static ModeSummary medians(List<ModeSummary> runs) {
    List<ModeSummary> measured = runs.stream().filter(run -> !run.values().isEmpty()).toList();
    Map<String, Double> medians = new LinkedHashMap<>();
    for (String name : measured.isEmpty() ? Set.<String>of() : measured.get(0).values().keySet()) {
      double[] sorted = measured.stream().mapToDouble(run -> run.value(name)).sorted().toArray();
      medians.put(name, sorted[sorted.length / 2]);
    }
    return new ModeSummary(runs.get(0).mode(), runs.stream().anyMatch(ModeSummary::cutOff), runs.size(),
        runs.stream().mapToInt(ModeSummary::failedRuns).sum(), medians);
  }

  /** One summary a mode, in the order of the modes. */
  static List<ModeSummary> medianOfEachMode(List<Outcome> outcomes) {
    Map<Mode, List<ModeSummary>> runs = new TreeMap<>();
    for (Outcome outcome : outcomes) {
      runs.computeIfAbsent(outcome.mode(), mode -> new ArrayList<>()).add(of(outcome));
    }
    return runs.values().stream().map(ModeSummary::medians).toList();
  }

  double value(String name) {
    return values.getOrDefault(name, Double.NaN);
  }

  /** For JSON: whole numbers as such, and null for what is not a number. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("cutOff", cutOff);
    values.forEach((name, value) -> fields.put(name, json(value)));
    return fields;
  }

  private static Object json(double value) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return null;
    }
    return value == Math.rint(value) ? (Object) (long) value : (Object) (Math.round(value * 1e4) / 1e4);
  }
}

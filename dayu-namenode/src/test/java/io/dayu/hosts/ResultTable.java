/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.harness.MarkdownTable;

import java.util.List;
import java.util.Locale;

/** The summaries as a table, one row each. Stateless. */
final class ResultTable {
  private static final List<String> HEADER = List.of("mode", "seed", "recovery", "÷ ideal",
      "reads p50, p90, p99 ÷ none", "writes p50, p90, p99 ÷ none", "failed", "slow", "clients MB/s", "CPU idle",
      "CPU s NN, DNs, client", "restored MB", "in vain MB", "remarks");
  /** What the columns mean. */
  static final List<String> LEGEND = List.of(
      "recovery: from when the NameNode declares the node dead until the last of its blocks has all replicas again",
      "÷ ideal: by the time in which the same bytes fit beside the foreground of the run none",
      "reads, writes: latencies from the planned moment, of operations planned during recovery, by those of none in the"
          + " same seconds; in the row of none, p90 in ms",
      "slow: took more than ten times the p90 of none; CPU s: during recovery, by kind of process",
      "in vain: received by DataNodes beyond what they received in none and what was restored; headers included");

  private ResultTable() {
  }

  static List<String> lines(List<RunSummary> summaries) {
    return MarkdownTable.lines(HEADER, summaries.stream().map(ResultTable::row).toList());
  }

  private static List<String> row(RunSummary run) {
    return List.of(run.mode().id(), run.seeds(), number("%.1f s", run.value("recoverySec")),
        run.mode() == RecoveryMode.NONE ? number("ideal %.1f s", run.value("idealSec"))
        : number("%.2f", run.value("ratioToIdeal")), latencies(run, "read"), latencies(run, "write"),
        number("%.0f", run.value("failed")), number("%.0f", run.value("slow")),
        number("%.2f", run.value("foregroundBytesPerSec") / 1e6), number("%.2f", run.value("cpuIdle")),
        number("%.0f", run.value("nameNodeCpuSec")) + ", " + number("%.0f", run.value("dataNodesCpuSec")) + ", "
            + number("%.0f", run.value("clientCpuSec")),
        number("%.0f", run.value("restoredBytes") / 1e6), number("%.0f", run.value("receivedInVainBytes") / 1e6),
        String.join("; ", run.remarks()));
  }

  private static String latencies(RunSummary run, String kind) {
    if (run.mode() == RecoveryMode.NONE) {
      return number("%.0f ms", run.value(kind + "P90Ms"));
    }
    return number("%.2f", run.value(kind + "P50Ratio")) + ", " + number("%.2f", run.value(kind + "P90Ratio")) + ", "
        + number("%.2f", run.value(kind + "P99Ratio"));
  }

  private static String number(String format, double value) {
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, format, value);
  }
}

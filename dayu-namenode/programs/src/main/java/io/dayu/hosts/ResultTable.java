/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.programs.MarkdownTable;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The summaries as a table, one row each. Stateless. */
final class ResultTable {
  private static final List<String> HEADER = List.of("mode", "seed", "recovery", "÷ ideal",
      "reads p50, p90, p99 ÷ none", "writes p50, p90, p99 ÷ none", "failed", "slow", "clients MB/s", "CPU idle",
      "CPU s NN, DNs, client", "CPU s/GB", "restored MB", "in vain MB", "wasted MB", "1 replica", "blocks lost",
      "ETA error", "deadline", "state changes", "source changes", "fsck", "remarks");
  private static final List<String> LEGEND = List.of(
      "÷ ideal: by the time in which the same bytes fit beside the foreground of the run none; of groups the bytes of"
          + " all sources, from and to the DataNodes that may send and receive them",
      "reads, writes: latencies from the planned moment, of operations planned during recovery, by those of none in the"
          + " same seconds; in the row of none, or where there is no none, p90 in ms",
      "slow: took more than ten times the p90 of none; CPU s: during recovery, by kind of process",
      "CPU s/GB: of the DataNodes, beyond what they took in none in the same seconds, for each GB restored",
      "in vain: received by DataNodes beyond what they received in none and what was restored; headers included",
      "1 replica: seconds after a second loss was known in which blocks had only one, or groups no more internal blocks"
          + " than they need; first: the part of these in the bytes that were restored meanwhile",
      "state changes: of Dayu, on all NameNodes; source changes: how often a transfer went on from another source, by"
          + " Dayu's own counter; fsck: after the end, without foreground, within 60 s",
      "ETA error: by how much Dayu's first estimate of the recovery's time was wrong, by its own history",
      "deadline: of the DataNode that leaves, seconds from when it was given; yes or no: whether it can be kept, by the"
          + " NameNode's answer, and at which alpha; then whether it was",
      "wasted: by Dayu's own counter; behind several seeds: medians [min, max]; behind a p90 its 95 % interval, over"
          + " the operations of all seeds");

  private ResultTable() {
  }

  /** What the columns mean. */
  static List<String> legend(HostFault fault) {
    List<String> legend = new ArrayList<>();
    legend.add("recovery: " + switch (fault) {
      case DECOMMISSION -> "from when the NameNode begins to decommission the node until it says that this is complete";
      case DISK -> "from when the NameNode knows of the lost volume until the last of its blocks has all replicas"
          + " again";
      case RETURN -> "from when the NameNode declares the node dead until all of its blocks have all replicas again, by"
          + " recovery or by its block report";
      default -> "from when the NameNode declares the node dead until the last lost block has all replicas again";
    });
    legend.addAll(LEGEND);
    return legend;
  }

  static List<String> lines(List<RunSummary> summaries) {
    return MarkdownTable.lines(HEADER, summaries.stream().map(ResultTable::row).toList());
  }

  /** An HTML element. */
  static String html(List<RunSummary> summaries) {
    StringBuilder rows = new StringBuilder(htmlRow("th", HEADER));
    summaries.forEach(run -> rows.append(htmlRow("td", row(run))));
    return "<table>\n" + rows + "</table>\n";
  }

  private static String htmlRow(String tag, List<String> cells) {
    return cells.stream().map(cell -> "<" + tag + ">" + cell + "</" + tag + ">")
        .collect(Collectors.joining("", "<tr>", "</tr>\n"));
  }

  private static List<String> row(RunSummary run) {
    return List.of(run.mode().id(), run.seeds(), spread("%.1f", run, "recoverySec", " s"),
        run.mode() == RecoveryMode.NONE ? "ideal " + spread("%.1f", run, "idealSec", " s")
            : spread("%.2f", run, "ratioToIdeal", ""),
        latencies(run, "read"), latencies(run, "write"),
        number("%.0f", run.value("failed")), number("%.0f", run.value("slow")),
        number("%.2f", run.value("foregroundBytesPerSec") / 1e6), number("%.2f", run.value("cpuIdle")),
        number("%.0f", run.value("nameNodeCpuSec")) + ", " + number("%.0f", run.value("dataNodesCpuSec")) + ", "
            + number("%.0f", run.value("clientCpuSec")),
        number("%.0f", run.value("recoveryCpuSecPerGb")),
        number("%.0f", run.value("restoredBytes") / 1e6), number("%.0f", run.value("receivedInVainBytes") / 1e6),
        number("%.1f", run.value("wastedBytes") / 1e6), singleReplica(run),
        number("%.0f", run.value("missingBlocks")),
        number("%.0f %%", run.value("etaErrorPercent")), deadline(run), number("%.0f", run.value("changesOfState")),
        number("%.0f", run.value("sourceChanges")), fsck(run),
        String.join("; ", run.remarks()));
  }

  private static String singleReplica(RunSummary run) {
    String seconds = number("%.1f s", run.value("singleReplicaSec"));
    return Double.isNaN(run.value("highestRiskFirst")) ? seconds
        : seconds + " (blocks " + number("%.1f", run.value("singleReplicaBlocksSec")) + ", groups "
            + number("%.1f", run.value("singleReplicaGroupsSec")) + "; first "
            + number("%.2f", run.value("highestRiskFirst")) + ")";
  }

  /** Of several runs only how late they were, below 0 if they were in time. */
  private static String deadline(RunSummary run) {
    double lateSec = run.value("deadlineLateSec");
    if (run.figures().containsKey("deadlineLateSec" + RunSummary.MIN)) {
      return "late by " + spread("%.1f", run, "deadlineLateSec", " s");
    }
    return Double.isNaN(run.value("deadlineSec")) ? "-"
        : String.format(Locale.ROOT, "%.0f s, %s at %.2f: ", run.value("deadlineSec"),
            run.value("deadlineCanBeKept") > 0 ? "yes" : "no", run.value("deadlineUtilization"))
            + (Double.isNaN(lateSec) ? "missed" : lateSec > 0 ? "missed by " + number("%.1f s", lateSec)
                : "kept, " + number("%.1f s", -lateSec) + " left");
  }

  private static String fsck(RunSummary run) {
    double problems = run.value("fsckProblems");
    return Double.isNaN(problems) ? "-" : problems == 0 ? "healthy" : "see remarks";
  }

  private static String latencies(RunSummary run, String kind) {
    if (run.mode() == RecoveryMode.NONE || Double.isNaN(run.value(kind + "P90Ratio"))) {
      return number("%.0f ms", run.value(kind + "P90Ms"));
    }
    return number("%.2f", run.value(kind + "P50Ratio")) + ", " + number("%.2f", run.value(kind + "P90Ratio"))
        + between("%.2f", run.value(kind + "P90RatioLow"), run.value(kind + "P90RatioHigh")) + ", "
        + number("%.2f", run.value(kind + "P99Ratio"));
  }

  /** With the lowest and the highest one, where there are several runs. */
  private static String spread(String format, RunSummary run, String name, String unit) {
    return Double.isNaN(run.value(name)) ? "-" : number(format, run.value(name)) + unit
        + between(format, run.value(name + RunSummary.MIN), run.value(name + RunSummary.MAX));
  }

  private static String between(String format, double low, double high) {
    return Double.isNaN(low) ? "" : " [" + number(format, low) + ", " + number(format, high) + "]";
  }

  private static String number(String format, double value) {
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, format, value);
  }
}

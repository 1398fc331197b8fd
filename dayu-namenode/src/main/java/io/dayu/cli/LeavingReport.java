/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import com.fasterxml.jackson.databind.JsonNode;

import static io.dayu.cli.ReportText.bytes;
import static io.dayu.cli.ReportText.count;
import static io.dayu.cli.ReportText.duration;
import static io.dayu.cli.ReportText.names;
import static io.dayu.cli.ReportText.row;

/** What {@code -leaving} says, for people. No state. */
final class LeavingReport {
  private LeavingReport() {
  }

  static String text(JsonNode answer) {
    StringBuilder out = new StringBuilder();
    if (answer.path("nodes").isEmpty()) {
      out.append("no DataNode is decommissioning or entering maintenance\n");
      answer.path("deadlines").forEach(deadline -> row(out, "deadline", deadline(deadline)));
    } else {
      answer.path("nodes").forEach(node -> node(out, node));
      answer.path("deadlines").forEach(deadline -> row(out, "deadline", deadline(deadline)));
      answer.path("held").forEach(held -> row(out, "for all", held.asText()));
    }
    answer.path("pipelines").forEach(one -> row(out, "at risk", one.path("file").asText() + ": it is being written to "
        + names(one.path("nodes")) + ", which all leave"));
    return out.toString();
  }

  /** What {@code -deadline} says of one NameNode. */
  static String given(JsonNode answer) {
    String begin = answer.path("namenode").asText() + ": ";
    if (answer.path("untilMs").asLong() == 0) {
      return begin + "no deadline of " + answer.path("node").asText() + " any more\n";
    }
    StringBuilder out = new StringBuilder();
    answer.path("forecast")
        .forEach(one -> out.append(begin).append("deadline ").append(deadline(one)).append('\n'));
    return out.isEmpty() ? begin + "deadline of " + answer.path("node").asText() + " at "
        + ReportText.time(answer.path("untilMs").asLong()) + "; the active NameNode has the forecast\n"
        : out.toString();
  }

  /** A deadline, and what becomes of it. */
  private static String deadline(JsonNode deadline) {
    return "of " + deadline.path("node").asText() + " at " + ReportText.time(deadline.path("untilMs").asLong()) + ": "
        + deadline.path("text").asText();
  }

  private static void node(StringBuilder out, JsonNode node) {
    long toCopy = node.path("blocksToCopy").asLong();
    long blocked = node.path("blockedBlocks").asLong();
    out.append(node.path("node").asText()).append(": ")
        .append(node.path("maintenance").asBoolean() ? "enters maintenance" : "decommissioning").append(" for ")
        .append(duration(node.path("seconds").asLong())).append("; ").append(toCopy + blocked).append(" of ")
        .append(count(node.path("replicas").asLong(), "replica")).append(" left")
        .append(node.path("alive").asBoolean() ? "" : "; it is dead").append('\n');
    row(out, "time left", toCopy > 0 ? StatusReport.timeLeft(node) + ", for " + count(toCopy, "block") + ", "
        + bytes(node.path("bytesToCopy").asLong()) : blocked > 0 ? "nothing is left that recovery can copy"
        : "nothing is left; HDFS notices at its next check (dfs.namenode.decommission.interval)");
    for (JsonNode one : node.path("left")) {
      row(out, one.path("cause").asText(), one.path("blocks").asLong() + ", " + bytes(one.path("bytes").asLong()) + ": "
          + one.path("text").asText() + ", such as " + one.path("example").asText());
    }
    if (!node.path("openFiles").isEmpty()) {
      row(out, "open files", names(node.path("openFiles")));
    }
    if (node.path("groups").asLong() > 0) {
      row(out, "groups", node.path("groups").asLong() + " of these are erasure-coded, "
          + bytes(node.path("groupBytes").asLong()) + " of internal blocks");
    }
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.Locale;

import static io.dayu.cli.ReportText.bytes;
import static io.dayu.cli.ReportText.count;
import static io.dayu.cli.ReportText.duration;
import static io.dayu.cli.ReportText.names;
import static io.dayu.cli.ReportText.row;

/** What {@code -plan}, {@code -dryRun} and {@code -explain} say, for people. No state. */
final class TransfersReport {
  private TransfersReport() {
  }

  /** What {@code -plan} and {@code -dryRun} say. */
  static String plan(JsonNode answer) {
    StringBuilder out = new StringBuilder();
    if (answer.has("planMillis")) {
      row(out, "next timeslot",
          count(answer.path("transfers").size(), "new transfer") + "; with those under way "
              + bytes(answer.path("plannedBytes").asLong()) + " of " + bytes(answer.path("horizonBytes").asLong())
              + " that fit the horizon; "
              + count(answer.path("evicted").asLong(), "running one") + " would move, "
              + count(answer.path("leftToStock").asLong(), "block") + " would be left to stock, "
              + answer.path("readAgain").asLong()
              + " that no agent can receive now would be read again first; plan " + answer.path("planMillis").asLong()
              + " ms. Nothing was done"
              + (answer.path("mode").asText("run").equals("run") ? ""
                  : ", and nothing will be before -resume: the mode is " + answer.path("mode").asText()));
    } else {
      long number = answer.path("timeslot").path("number").asLong();
      row(out, "timeslot", (number == 0 ? "none since this NameNode started" : number) + ": "
          + count(answer.path("transfers").size(), "transfer") + " under way");
    }
    if (!answer.path("transfers").isEmpty()) {
      out.append("  Risk 0 is the highest.\n");
    }
    answer.path("transfers").forEach(transfer -> out.append(transfer(transfer)).append('\n'));
    return out.toString();
  }

  private static String transfer(JsonNode transfer) {
    return "  " + transfer.path("block").asText() + " (risk " + transfer.path("risk").asInt() + ") from "
        + names(transfer.path("sources")) + " to " + transfer.path("target").asText() + ": "
        + (transfer.has("doneBytes") ? bytes(transfer.path("doneBytes").asLong()) + " of " : "")
        + bytes(transfer.path("bytes").asLong()) + " at "
        + (transfer.has("achievedBytesPerSec") ? bytes(transfer.path("achievedBytesPerSec").asLong()) + "/s of " : "")
        + bytes(transfer.path("grantedBytesPerSec").asLong()) + "/s granted"
        + (transfer.has("phase") ? ", " + transfer.path("phase").asText() : "")
        + (transfer.path("straggler").asBoolean() ? ", much slower than planned" : "");
  }

  /** What {@code -explain} says of one block. */
  static String explanation(JsonNode answer) {
    StringBuilder out = new StringBuilder(answer.path("block").asText()).append(": ")
        .append(answer.path("reason").asText()).append('\n');
    row(out, "replicas",
        answer.path("liveReplicas").asLong() + " of " + answer.path("expectedReplicas").asLong() + " are live; "
            + bytes(answer.path("bytes").asLong())
            + (answer.has("risk") ? "; risk " + answer.path("risk").asInt() + " (0 = highest)" : ""));
    if (!answer.path("pendingTargets").isEmpty()) {
      row(out, "pending on", names(answer.path("pendingTargets")));
    }
    if (answer.has("work")) {
      row(out, "lacks", answer.path("work").asText());
    }
    answer.path("failed").forEach(copy -> row(out, "failed",
        duration(copy.path("secondsAgo").asLong()) + " ago, from " + names(copy.path("sources")) + " to "
            + copy.path("target").asText() + ": " + copy.path("reason").asText()));
    answer.path("transfers").forEach(transfer -> row(out, "under way", transfer(transfer).trim()));
    answer.path("next").forEach(transfer -> row(out, "next", transfer(transfer).trim()));
    answer.path("sources").forEach(source -> row(out, "source", candidate(source)));
    JsonNode targets = answer.path("targets");
    if (!targets.isMissingNode()) {
      row(out, "targets", count(targets.path("count").asLong(), "node") + " could receive it"
          + (targets.path("best").isEmpty() ? "" : "; the best:"));
      targets.path("best").forEach(target -> row(out, "", candidate(target)));
      targets.path("excluded").fields()
          .forEachRemaining(one -> row(out, "no target", count(one.getValue().asLong(), "node") + ": " + one.getKey()));
    }
    return out.toString();
  }

  private static String candidate(JsonNode node) {
    double seconds = node.path("finishSeconds").asDouble();
    return node.path("node").asText() + " (" + node.path("rack").asText() + ")"
        + (node.has("index") ? ", index " + node.path("index").asInt() : "") + ": "
        + (seconds < 0 ? "no bandwidth for recovery"
            : String.format(Locale.ROOT, "done in %.1f s: ", seconds)
                + bytes(node.path("recoveryLimitBytesPerSec").asLong()) + "/s for recovery, "
                + bytes(node.path("queuedBytes").asLong()) + " before it");
  }
}

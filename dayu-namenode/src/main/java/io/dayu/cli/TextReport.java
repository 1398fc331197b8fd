/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import com.fasterxml.jackson.databind.JsonNode;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;

/** Writes a NameNode's answers for people. No state. */
final class TextReport {
  private static final String[] UNITS = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
  private static final int MAX_NAMES = 10;
  private static final int BAR_WIDTH = 30;
  /** Of the low-redundancy queues, highest risk first. */
  private static final List<String> QUEUES =
      List.of("at the highest risk", "with very low redundancy", "with low redundancy", "on too few racks");

  private TextReport() {
  }

  /** What {@code -status} says of one NameNode. */
  static String status(JsonNode status) {
    StringBuilder out = new StringBuilder();
    out.append(status.path("namenode").asText()).append(": ").append(status.path("state").asText()).append(" since ")
        .append(time(status.path("sinceMs").asLong())).append(": ").append(status.path("reason").asText()).append('\n');
    if (!status.path("enteredFor").equals(status.path("reason"))) {
      row(out, "entered for", status.path("enteredFor").asText());
    }
    operatorControl(out, status);
    if (status.has("warning")) {
      row(out, "warning", status.path("warning").asText());
    }
    if (!status.path("state").asText().equals("STANDBY")) {
      recovery(out, status);
      agents(out, status.path("agents"));
      JsonNode slot = status.path("timeslot");
      row(out, "timeslot", slot.path("number").asLong() == 0 ? "none since this NameNode started"
          : slot.path("number").asLong() + ": planned " + slot.path("planned").asLong() + ", rejected "
              + slot.path("rejected").asLong()
              + ", finished " + slot.path("finished").asLong() + "; plan " + slot.path("planMillis").asLong() + " ms");
    }
    List<String> settings = new ArrayList<>();
    status.path("settings").forEach(one -> settings
        .add(one.path("key").asText() + " = " + one.path("value").asText() + " (" + one.path("origin").asText() + ")"));
    row(out, "settings", settings.isEmpty() ? "all defaults" : String.join("\n                ", settings));
    if (!status.path("unknownSettings").isEmpty()) {
      row(out, "unknown keys", names(status.path("unknownSettings")));
    }
    row(out, "version", status.path("version").asText() + " on Hadoop " + status.path("hadoopVersion").asText());
    return out.toString();
  }

  private static void operatorControl(StringBuilder out, JsonNode status) {
    JsonNode modeChange = status.path("steering");
    if (!modeChange.path("mode").asText().equals("run")) {
      row(out, "by an admin", modeChange(modeChange) + " (-resume ends it)");
    }
  }

  private static String modeChange(JsonNode modeChange) {
    return modeChange.path("mode").asText() + " by " + modeChange.path("by").asText() + " at "
        + time(modeChange.path("sinceMs").asLong())
        + (modeChange.path("note").asText().isEmpty() ? "" : ": " + modeChange.path("note").asText());
  }

  /** What {@code -pause}, {@code -stock}, {@code -shadow} and {@code -resume} have changed. */
  static String steered(JsonNode answer) {
    JsonNode now = answer.path("steering");
    JsonNode before = answer.path("before");
    String mode = now.path("mode").asText();
    boolean ran = before.path("mode").asText("run").equals("run");
    String what = mode.equals("run") ? ran ? "runs; no -pause, -stock or -shadow was in force" : "resumed"
        : now.equals(before) ? "unchanged"
        : mode;
    return answer.path("namenode").asText() + ": " + what + (ran ? "" : "; was " + modeChange(before)) + "\n";
  }

  private static void recovery(StringBuilder out, JsonNode status) {
    JsonNode queues = status.path("queues");
    String waiting = byRisk(queues.path("waitingByRisk"), Long::toString);
    row(out, "queues",
        queues.path("waitingBlocks").asLong() + " blocks wait" + (waiting.isEmpty() ? "" : ": " + waiting) + "; "
            + queues.path("runningTransfers").asLong() + " transfers run; "
            + queues.path("missingBlocks").asLong() + " blocks have no replica");
    String waits = byRisk(queues.path("secondsSinceEmpty"), TextReport::duration);
    if (!waits.isEmpty()) {
      row(out, "longest wait", "at most " + waits);
    }
    if (queues.path("stockPendingBlocks").asLong() > 0) {
      row(out, "stock HDFS", queues.path("stockPendingBlocks").asLong()
          + " blocks are copied or reconstructed by it; reconstructions move "
          + bytes(queues.path("stockReconstructionBytes").asLong()) + "; to Dayu that is clients' traffic");
    }
    JsonNode recovery = status.path("recovery");
    if (recovery.path("number").asLong() == 0) {
      row(out, "recovery", "none since this NameNode started");
      return;
    }
    row(out, "recovery", progress(recovery));
    row(out, "cause", recovery.path("cause").asText());
    if (!recovery.path("endReason").asText().isEmpty()) {
      row(out, "ended", recovery.path("endReason").asText());
    }
    if (recovery.path("active").asBoolean()) {
      boolean paused = status.path("steering").path("mode").asText().equals("paused");
      row(out, "time left", paused ? "not known: paused; " + queues.path("waitingBlocks").asLong() + " blocks wait"
          : timeLeft(recovery));
    } else if (recovery.path("etaError").asDouble(-1) >= 0) {
      row(out, "estimate", String.format(Locale.ROOT, "the first one of its time was off by %.0f %%",
          100 * recovery.path("etaError").asDouble()));
    }
  }

  /** The values above 0 of the low-redundancy queues, each with the words for its risk. */
  private static String byRisk(JsonNode values, LongFunction<String> format) {
    List<String> parts = new ArrayList<>();
    for (int risk = 0; risk < Math.min(QUEUES.size(), values.size()); risk++) {
      if (values.path(risk).asLong() > 0) {
        parts.add(format.apply(values.path(risk).asLong()) + " " + QUEUES.get(risk));
      }
    }
    return String.join(", ", parts);
  }

  /** How far a recovery is, in one line. */
  static String progress(JsonNode recovery) {
    long done = recovery.path("bytesDone").asLong();
    long all = done + recovery.path("bytesLeft").asLong();
    String what = recovery.path("active").asBoolean() ? "for " : "ended after ";
    return what + duration(recovery.path("seconds").asLong()) + ": " + recovery.path("blocksDone").asLong() + " of "
        + (recovery.path("blocksDone").asLong() + recovery.path("blocksLeft").asLong()) + " blocks, "
        + (all == 0 ? "of a length not known yet" : bytes(done) + " of about " + bytes(all) + percent(done, all))
        + (recovery.path("active").asBoolean() ? ", " + bytes(recovery.path("bytesPerSec").asLong()) + "/s" : "")
        + (recovery.path("failedTransfers").asLong() == 0 ? ""
            : ", " + recovery.path("failedTransfers").asLong() + " transfers failed");
  }

  private static String percent(long done, long all) {
    return String.format(Locale.ROOT, " (%.0f %%)", 100.0 * done / all);
  }

  /** The time left with its error, as far as it is known. */
  static String timeLeft(JsonNode recovery) {
    long seconds = recovery.path("etaSeconds").asLong(-1);
    double error = recovery.path("etaError").asDouble(-1);
    return seconds < 0 ? "not known" : "about " + duration(seconds)
        + (error < 0 ? "" : String.format(Locale.ROOT, "; the first estimate was off by %.0f %% so far", 100 * error));
  }

  /** A bar of fixed width. */
  static String bar(JsonNode recovery) {
    long done = recovery.path("bytesDone").asLong();
    long all = done + recovery.path("bytesLeft").asLong();
    int full = all == 0 ? 0 : (int) (BAR_WIDTH * done / all);
    return "[" + "#".repeat(full) + ".".repeat(BAR_WIDTH - full) + "]";
  }

  private static void agents(StringBuilder out, JsonNode agents) {
    if (agents.isMissingNode()) {
      return;
    }
    List<String> versions = new ArrayList<>();
    agents.path("versions").fields().forEachRemaining(one -> versions.add(one.getValue().asLong() + " of "
        + (one.getKey().isEmpty() ? "a version that does not say" : one.getKey())));
    List<String> refused = reasons(agents.path("refused"));
    List<String> declined = reasons(agents.path("declined"));
    row(out, "agents",
        agents.path("live").asLong() + " of " + agents.path("dataNodes").asLong() + " live DataNodes report"
            + (versions.size() > 1 ? ": " + String.join(", ", versions) : "")
            + (agents.path("missing").isEmpty() ? "" : "; without: " + names(agents.path("missing")))
            + (refused.isEmpty() ? "" : "; refused: " + names(refused))
            + (declined.isEmpty() ? "" : "; not started: " + names(declined)));
  }

  private static List<String> reasons(JsonNode reasonsByNode) {
    List<String> reasons = new ArrayList<>();
    reasonsByNode.fields().forEachRemaining(one -> reasons.add(one.getKey() + " (" + one.getValue().asText() + ")"));
    return reasons;
  }

  private static String names(JsonNode list) {
    List<String> names = new ArrayList<>();
    list.forEach(name -> names.add(name.asText()));
    return names(names);
  }

  private static String names(List<String> names) {
    return String.join(", ", names.subList(0, Math.min(MAX_NAMES, names.size())))
        + (names.size() > MAX_NAMES ? " and " + (names.size() - MAX_NAMES) + " more" : "");
  }

  /** What {@code -set} says of one NameNode. */
  static String changedSetting(JsonNode answer) {
    String key = answer.path("key").asText();
    boolean set = answer.path("changedLive").asBoolean();
    return answer.path("namenode").asText() + ": " + key + " = " + answer.path("value").asText()
        + (set ? "" : " (" + answer.path("origin").asText() + ")") + ", was " + answer.path("before").asText()
        + (set ? "; write it into hdfs-site.xml if it is to last; hdfs dayu -set " + key + "= sets it back" : "")
        + "\n";
  }

  /** What {@code -nodes} says. */
  static String nodes(JsonNode answer) {
    StringBuilder out = new StringBuilder(String.format("%-28s %-16s %-10s %s%n", "DataNode", "rack", "agent",
        "each direction: foreground / recovery's limit / granted / achieved, of bandwidth"));
    for (JsonNode node : answer.path("nodes")) {
      out.append(String.format("%-28s %-16s %-10s ", node.path("node").asText(), node.path("rack").asText(),
          node.path("agent").asText()));
      out.append(node.has("in") ? "in " + link(node.path("in")) + "; out " + link(node.path("out")) : "");
      int sharers = node.path("networkSharers").asInt(1);
      out.append(sharers > 1 ? "; with 1/" + sharers + " of its host's network" : "");
      if (!node.path("target").asBoolean()) {
        out.append(node.has("in") ? "; " : "").append("no target: ").append(node.path("noTargetReason").asText());
      }
      out.append('\n');
    }
    return out.toString();
  }

  private static String link(JsonNode link) {
    long granted = link.path("grantedBytesPerSec").asLong();
    long achieved = link.path("achievedBytesPerSec").asLong();
    return bytes(link.path("foregroundBytesPerSec").asLong()) + " / "
        + bytes(link.path("recoveryLimitBytesPerSec").asLong()) + " / " + bytes(granted) + " / " + bytes(achieved)
        + (granted == 0 ? "" : String.format(Locale.ROOT, " (%.0f %%)", 100.0 * achieved / granted)) + " of "
        + bytes(link.path("bandwidthBytesPerSec").asLong()) + "/s, " + link.path("transfers").asLong() + " transfers";
  }

  /** What {@code -plan} and {@code -dryRun} say. */
  static String plan(JsonNode answer) {
    StringBuilder out = new StringBuilder();
    if (answer.has("planMillis")) {
      row(out, "next timeslot",
          answer.path("transfers").size() + " new transfers; with those under way "
              + bytes(answer.path("plannedBytes").asLong()) + " of " + bytes(answer.path("horizonBytes").asLong())
              + " that fit the horizon; "
              + answer.path("evicted").asLong() + " running ones would move, " + answer.path("leftToStock").asLong()
              + " blocks would be left to stock; plan " + answer.path("planMillis").asLong() + " ms. Nothing was done");
    } else {
      row(out, "timeslot", answer.path("timeslot").path("number").asLong() + ": " + answer.path("transfers").size()
          + " transfers under way");
    }
    answer.path("transfers").forEach(transfer -> out.append(transfer(transfer)).append('\n'));
    return out.toString();
  }

  private static String transfer(JsonNode transfer) {
    return "  " + transfer.path("block").asText() + " (risk " + transfer.path("risk").asInt() + ") from "
        + transfer.path("source").asText() + " to " + transfer.path("target").asText() + ": "
        + (transfer.has("doneBytes") ? bytes(transfer.path("doneBytes").asLong()) + " of " : "")
        + bytes(transfer.path("bytes").asLong()) + " at "
        + (transfer.has("achievedBytesPerSec") ? bytes(transfer.path("achievedBytesPerSec").asLong()) + "/s of " : "")
        + bytes(transfer.path("grantedBytesPerSec").asLong()) + "/s granted"
        + (transfer.has("phase") ? ", " + transfer.path("phase").asText() : "");
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
    answer.path("transfers").forEach(transfer -> row(out, "under way", transfer(transfer).trim()));
    answer.path("next").forEach(transfer -> row(out, "next", transfer(transfer).trim()));
    answer.path("sources").forEach(source -> row(out, "source", candidate(source)));
    JsonNode targets = answer.path("targets");
    if (!targets.isMissingNode()) {
      row(out, "targets", targets.path("count").asLong() + " nodes could receive it; the best:");
      targets.path("best").forEach(target -> row(out, "", candidate(target)));
      targets.path("excluded").fields()
          .forEachRemaining(one -> row(out, "no target", one.getValue().asLong() + " nodes: " + one.getKey()));
    }
    return out.toString();
  }

  private static String candidate(JsonNode node) {
    double seconds = node.path("finishSeconds").asDouble();
    return node.path("node").asText() + " (" + node.path("rack").asText() + "): "
        + (seconds < 0 ? "no bandwidth for recovery"
            : String.format(Locale.ROOT, "done in %.1f s: ", seconds)
                + bytes(node.path("recoveryLimitBytesPerSec").asLong()) + "/s for recovery, "
                + bytes(node.path("queuedBytes").asLong()) + " before it");
  }

  private static void row(StringBuilder out, String name, String text) {
    out.append(String.format("  %-13s %s%n", name, text));
  }

  static String time(long millis) {
    return Instant.ofEpochMilli(millis).truncatedTo(ChronoUnit.SECONDS).toString();
  }

  static String duration(long seconds) {
    return seconds < 120 ? seconds + " s" : seconds < 7_200 ? seconds / 60 + " min " + seconds % 60 + " s"
        : seconds / 3_600 + " h " + seconds % 3_600 / 60 + " min";
  }

  /** Binary units, as HDFS's own commands use. */
  static String bytes(long bytes) {
    int unit = 0;
    double value = bytes;
    while (value >= 1024 && unit < UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", value, UNITS[unit]);
  }
}

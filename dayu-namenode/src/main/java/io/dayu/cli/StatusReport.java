/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.dayu.conf.Setting;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;

import static io.dayu.cli.ReportText.bytes;
import static io.dayu.cli.ReportText.count;
import static io.dayu.cli.ReportText.duration;
import static io.dayu.cli.ReportText.names;
import static io.dayu.cli.ReportText.row;
import static io.dayu.cli.ReportText.time;

/** What {@code -status} says of one NameNode, for people. No state. */
final class StatusReport {
  private static final int BAR_WIDTH = 30;
  /** Of the low-redundancy queues, highest risk first. */
  private static final List<String> QUEUES =
      List.of("at the highest risk", "with very low redundancy", "with low redundancy", "on too few racks");

  private StatusReport() {
  }

  static String text(JsonNode status) {
    StringBuilder out = new StringBuilder();
    out.append(status.path("namenode").asText()).append(": ").append(status.path("state").asText()).append(" since ")
        .append(time(status.path("sinceMs").asLong())).append(": ").append(status.path("reason").asText()).append('\n');
    if (!status.path("enteredFor").equals(status.path("reason"))) {
      row(out, "first reason", status.path("enteredFor").asText());
    }
    adminControl(out, status);
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
    String profile = status.path("profile").path("origin").asText();
    if (!profile.isEmpty()) {
      row(out, "profile", profile.replaceFirst("^profile ", ""));
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

  private static void adminControl(StringBuilder out, JsonNode status) {
    JsonNode modeChange = status.path("control");
    if (!modeChange.path("mode").asText().equals("run")) {
      row(out, "by an admin", ChangeReport.modeChange(modeChange) + " (-resume ends it)");
    }
  }

  private static void recovery(StringBuilder out, JsonNode status) {
    JsonNode queues = status.path("queues");
    String waiting = byRisk(queues.path("waitingByRisk"), Long::toString);
    row(out, "queues",
        blocksWait(queues) + (waiting.isEmpty() ? "" : ": " + waiting) + "; "
            + transfersRun(queues) + "; "
            + count(queues.path("missingBlocks").asLong(), "block is missing", "blocks are missing"));
    if (!queues.path("waitReasons").isEmpty()) {
      row(out, "they wait", waitReasons(queues));
    }
    String waits = byRisk(queues.path("secondsSinceEmpty"), ReportText::duration);
    if (!waits.isEmpty()) {
      row(out, "longest wait", "at most " + waits);
    }
    if (queues.path("stockPendingBlocks").asLong() > 0) {
      row(out, "stock HDFS", count(queues.path("stockPendingBlocks").asLong(), "block is", "blocks are")
          + " copied or reconstructed by it; reconstructions move "
          + bytes(queues.path("stockReconstructionBytes").asLong()) + "; to Dayu that is clients' traffic");
    }
    if (status.path("stockRecovery").path("active").asBoolean()) {
      row(out, "by stock HDFS", stockProgress(status.path("stockRecovery")));
    }
    JsonNode recovery = status.path("recovery");
    if (recovery.path("number").asLong() == 0) {
      row(out, "recovery", "none since this NameNode started");
      return;
    }
    row(out, "recovery", "number " + recovery.path("number").asLong() + ", begun at "
        + time(recovery.path("beganMs").asLong()) + ", " + progress(recovery));
    row(out, "cause", recovery.path("cause").asText());
    if (!recovery.path("endReason").asText().isEmpty()) {
      row(out, "ended", recovery.path("endReason").asText());
    }
    if (recovery.path("active").asBoolean()) {
      boolean paused = status.path("control").path("mode").asText().equals("paused");
      String held = status.path("safeMode").asBoolean() ? "the NameNode is in safe mode" : paused ? "paused" : "";
      row(out, "time left", held.isEmpty() ? timeLeft(recovery) : "not known: " + held + "; " + blocksWait(queues));
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

  /** Why blocks wait, with their numbers if there are several reasons. */
  private static String waitReasons(JsonNode queues) {
    List<String> parts = new ArrayList<>();
    for (JsonNode reason : queues.path("waitReasons")) {
      parts.add(reason.path("blocks").asLong() + " " + reason.path("text").asText());
    }
    return String.join("; ", parts);
  }

  static String blocksWait(JsonNode queues) {
    return count(queues.path("waitingBlocks").asLong(), "block waits", "blocks wait");
  }

  static String transfersRun(JsonNode queues) {
    return count(queues.path("runningTransfers").asLong(), "transfer runs", "transfers run");
  }

  /** How far a recovery is, in one line. */
  static String progress(JsonNode recovery) {
    long done = recovery.path("bytesDone").asLong();
    long all = done + recovery.path("bytesLeft").asLong();
    boolean active = recovery.path("active").asBoolean();
    long notCopied = recovery.path("blocksNotCopied").asLong();
    String what = active ? "for " : "ended after ";
    return what + duration(recovery.path("seconds").asLong()) + ": " + recovery.path("blocksDone").asLong() + " of "
        + count(recovery.path("blocksDone").asLong() + recovery.path("blocksLeft").asLong(), "block")
        + (all == 0 ? active ? ", of a length not known yet" : "" : done == all ? ", " + bytes(done)
            : ", " + bytes(done) + " of about " + bytes(all) + percent(done, all))
        + (notCopied == 0 ? "" : ", " + count(notCopied, "block") + " needed no copy by Dayu any more")
        + (active ? ", " + bytes(recovery.path("bytesPerSec").asLong()) + "/s" : "")
        + (recovery.path("failedTransfers").asLong() == 0 ? ""
            : ", " + count(recovery.path("failedTransfers").asLong(), "transfer") + " failed");
  }

  /** How far stock HDFS is, in one line. */
  static String stockProgress(JsonNode recovery) {
    long done = recovery.path("blocksDone").asLong();
    long all = done + recovery.path("blocksLeft").asLong();
    return "for " + duration(recovery.path("seconds").asLong()) + ": " + done + " of " + count(all, "block")
        + percent(done, all)
        + String.format(Locale.ROOT, ", %.1f blocks/s", recovery.path("blocksPerSec").asDouble()) + "; time left "
        + timeLeft(recovery);
  }

  /** Rounded down: what is not done is never 100 %. */
  private static String percent(long done, long all) {
    return " (" + Math.min(99, (long) (100.0 * done / all)) + " %)";
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
    List<String> otherVersion = reasons(agents.path("otherVersion"));
    row(out, "agents",
        agents.path("live").asLong() + " of "
            + count(agents.path("dataNodes").asLong(), "live DataNode reports", "live DataNodes report")
            + (versions.size() > 1 ? ": " + String.join(", ", versions) : "")
            + (agents.path("missing").isEmpty() ? "" : "; without: " + names(agents.path("missing")))
            + (refused.isEmpty() ? "" : "; refused: " + names(refused))
            + (declined.isEmpty() ? "" : "; not started: " + names(declined))
            + (otherVersion.isEmpty() ? "" : "; of another version than the NameNode: " + names(otherVersion)));
    if (!agents.path("bandwidthAssumed").isEmpty()) {
      row(out, "bandwidth", "a guess on " + names(agents.path("bandwidthAssumed")) + ": set "
          + Setting.NODE_BANDWIDTH.key() + " there");
    }
    trafficClass(out, agents.path("trafficClass"), agents.path("live").asLong());
  }

  private static void trafficClass(StringBuilder out, JsonNode trafficClass, long live) {
    long agents = trafficClass.path("agents").asLong();
    if (agents == 0) {
      return;
    }
    JsonNode cannot = trafficClass.path("cannotMark");
    JsonNode starved = trafficClass.path("starved");
    row(out, "traffic class", "lower effort on " + agents + " of " + count(live, "agent")
        + (cannot.isEmpty() ? ""
            : "; " + cannot.size() + " cannot mark all traffic, see the logs there: " + names(cannot))
        + (starved.isEmpty() ? ""
            : "; " + count(starved.size(), "goes", "go")
                + " unmarked for a while, since the network starves the class: " + names(starved)));
  }

  private static List<String> reasons(JsonNode reasonsByNode) {
    List<String> reasons = new ArrayList<>();
    reasonsByNode.fields().forEachRemaining(one -> reasons
        .add(one.getKey() + " (" + (one.getValue().asText().isEmpty() ? "unknown" : one.getValue().asText()) + ")"));
    return reasons;
  }
}

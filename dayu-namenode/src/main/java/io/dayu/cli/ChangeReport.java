/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import com.fasterxml.jackson.databind.JsonNode;

import static io.dayu.cli.ReportText.time;

/** What the commands that change something say of one NameNode, for people. No state. */
final class ChangeReport {
  private ChangeReport() {
  }

  /** What {@code -pause}, {@code -stock}, {@code -shadow} and {@code -resume} have changed. */
  static String mode(JsonNode answer) {
    JsonNode now = answer.path("control");
    JsonNode before = answer.path("before");
    String mode = now.path("mode").asText();
    boolean ran = before.path("mode").asText("run").equals("run");
    String what = now.equals(before) && !ran ? "unchanged" : switch (mode) {
      case "run" -> ran ? "runs; no -pause, -stock or -shadow was in force" : "resumed";
      case "paused" -> "paused until " + time(now.path("untilMs").asLong()) + " or -resume: no new transfers begin"
          + (now.path("all").asBoolean() ? "" : ", except for blocks of the highest risk");
      case "stock" -> "stock: stock HDFS recovers until -resume";
      case "shadow" -> "shadow: stock HDFS recovers, and Dayu logs what it would do, until -resume";
      default -> mode;
    };
    return answer.path("namenode").asText() + ": " + what + (ran ? "" : "; was " + modeChange(before))
        + (answer.has("warning") ? "; " + answer.path("warning").asText() : "") + "\n";
  }

  /** Who has given which command, when, and with which note. */
  static String modeChange(JsonNode modeChange) {
    long sinceMs = modeChange.path("sinceMs").asLong();
    return modeChange.path("mode").asText() + " by " + modeChange.path("by").asText()
        + (sinceMs == 0 ? " in hdfs-site.xml" : " at " + time(sinceMs))
        + (modeChange.path("note").asText().isEmpty() ? "" : ": " + modeChange.path("note").asText());
  }

  /** What {@code -set} says of one NameNode. */
  static String setting(JsonNode answer) {
    String key = answer.path("key").asText();
    boolean set = answer.path("changedLive").asBoolean();
    return answer.path("namenode").asText() + ": " + key + " = " + answer.path("value").asText()
        + (set ? "" : " (" + answer.path("origin").asText() + ")") + ", was " + answer.path("before").asText()
        + (answer.has("now") ? "; at the moment it is " + answer.path("now").asText() + " ("
            + answer.path("nowOrigin").asText() + ")" : "")
        + (set ? "; write it into hdfs-site.xml if it is to last; hdfs dayu -set " + key + "= sets it back" : "")
        + "\n";
  }
}

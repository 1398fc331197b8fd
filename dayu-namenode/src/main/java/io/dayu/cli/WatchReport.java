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

/**
 * Writes the lines of {@code -watch}: one for each status, one for a recovery that has ended, and one for a failover.
 * Single-threaded.
 */
final class WatchReport {
  /** Number of the recovery that was under way at the last status; 0 if none was. */
  private long running;
  /** The NameNode of the last status. */
  private String namenode = "";

  /** The lines for the next status, without a line end after the last. */
  String lines(JsonNode status, long nowMs) {
    JsonNode recovery = status.path("recovery");
    String mode = status.path("control").path("mode").asText("run");
    String state = status.path("state").asText();
    boolean otherMode = !mode.equals("run") && !mode.equalsIgnoreCase(state);
    String begin = ReportText.time(nowMs) + " "
        + (state + (otherMode ? " (" + mode + ")" : "")).toUpperCase(Locale.ROOT) + " ";
    long number = recovery.path("active").asBoolean() ? recovery.path("number").asLong() : 0;
    String present = status.path("namenode").asText();
    boolean failedOver = !present.equals(namenode);
    String active = failedOver && !namenode.isEmpty() ? begin + present + " is active now\n" : "";
    namenode = present;
    // Each NameNode counts its own recoveries, from its start on: a smaller number is of one that has restarted.
    boolean restarted = recovery.path("number").asLong() < running;
    String ended = running == 0 || running == number || failedOver || restarted ? ""
        : begin + "recovery " + running + " "
            + (recovery.path("number").asLong() == running ? StatusReport.progress(recovery) : "ended") + "\n";
    running = number;
    JsonNode stock = status.path("stockRecovery");
    return active + ended + begin + (number == 0 && stock.path("active").asBoolean()
        ? "stock HDFS recovers " + StatusReport.stockProgress(stock)
        : number > 0
            ? StatusReport.bar(recovery) + " " + StatusReport.progress(recovery) + "; time left "
                + StatusReport.timeLeft(recovery)
        : StatusReport.blocksWait(status.path("queues")) + ", " + StatusReport.transfersRun(status.path("queues")));
  }
}

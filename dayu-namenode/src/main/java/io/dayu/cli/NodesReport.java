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

/** What {@code -nodes} says, for people. No state. */
final class NodesReport {
  private NodesReport() {
  }

  static String text(JsonNode answer) {
    StringBuilder out = new StringBuilder(String.format("%-28s %-16s %-16s %s%n", "DataNode", "rack", "agent",
        "each direction: foreground / recovery's limit / granted / achieved, of bandwidth"));
    for (JsonNode node : answer.path("nodes")) {
      out.append(String.format("%-28s %-16s %-16s ", node.path("node").asText(), node.path("rack").asText(),
          (node.path("agent").asText() + " " + node.path("version").asText()).trim()));
      if (node.has("in")) {
        boolean byVolumes = node.path("volumesSlower").asBoolean();
        boolean assumed = node.path("bandwidthAssumed").asBoolean();
        out.append("in ").append(link(node.path("in"), node.path("limitedByDisks").asBoolean(),
            byVolumes && !node.path("rebuilding").asBoolean(), assumed))
            .append("; out ").append(link(node.path("out"), false, byVolumes, assumed));
      }
      int sharers = node.path("networkSharers").asInt(1);
      out.append(sharers > 1 ? "; with 1/" + sharers + " of its host's network" : "");
      out.append(
          node.path("rebuilds").asBoolean(true) ? "" : "; cannot rebuild internal blocks of erasure-coded groups");
      out.append(switch (node.path("trafficClass").asText()) {
        case "cannot-mark" -> "; cannot mark all of its traffic as lower effort";
        case "starved" -> "; unmarked for a while: the network starves lower effort";
        default -> "";
      });
      if (!node.path("target").asBoolean()) {
        out.append(node.has("in") ? "; " : "").append("no target: ").append(node.path("noTargetReason").asText());
      }
      String lastSource = node.path("lastSourceReason").asText();
      out.append(lastSource.isEmpty() ? "" : "; a source only of blocks that have no other: " + lastSource);
      out.append('\n');
    }
    return out.toString();
  }

  /**
   * @param byDisks whether recovery's limit is what the disks take
   * @param byVolumes whether the bandwidth is that of the volumes
   * @param assumed whether that of the network is a guess
   */
  private static String link(JsonNode link, boolean byDisks, boolean byVolumes, boolean assumed) {
    long granted = link.path("grantedBytesPerSec").asLong();
    long achieved = link.path("achievedBytesPerSec").asLong();
    return bytes(link.path("foregroundBytesPerSec").asLong()) + " / "
        + bytes(link.path("recoveryLimitBytesPerSec").asLong()) + (byDisks ? " (its disks)" : "") + " / "
        + bytes(granted) + " / " + bytes(achieved)
        + (granted == 0 ? "" : String.format(Locale.ROOT, " (%.0f %%)", 100.0 * achieved / granted)) + " of "
        + bytes(link.path("bandwidthBytesPerSec").asLong()) + "/s"
        + (byVolumes ? " (its volumes)" : assumed ? " (a guess)" : "") + ", "
        + count(link.path("transfers").asLong(), "transfer");
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.report;

import io.dayu.conf.Setting;
import io.dayu.journal.JournalRecord.Outcome;
import io.dayu.sim.cli.options.BadInputException;
import io.dayu.sim.replay.RecordedJournal;
import io.dayu.sim.replay.RecordedRecovery;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What {@code inspect} says of a journal. Stateless. */
public final class JournalSummary {
  private static final double MB = 1e6;

  private JournalSummary() {
  }

  /** Reads a journal; a file that cannot be read at all is bad input. */
  public static RecordedJournal read(List<Path> files) {
    files.forEach(BadInputException::checkReadable);
    try {
      return RecordedJournal.read(files);
    } catch (IOException e) {
      throw new BadInputException(e.getMessage() == null ? BadInputException.reason(e) : e.getMessage());
    }
  }

  public static List<String> lines(RecordedJournal journal) {
    List<String> lines = new ArrayList<>();
    lines.add(row("journal", "of Dayu %s, %d %s, %d complete %s", journal.version(), journal.segments(),
        journal.segments() == 1 ? "segment" : "segments", journal.checkpoints(),
        journal.checkpoints() == 1 ? "checkpoint" : "checkpoints"));
    lines.add(row("span", "%s to %s, %.0f s", time(journal.fromMs()), time(journal.toMs()),
        (journal.toMs() - journal.fromMs()) / 1000.0));
    lines.addAll(losses(journal));
    lines.add(row("records", "%s", journal.counts().entrySet().stream()
        .map(count -> count.getValue() + " " + count.getKey()).collect(Collectors.joining(", "))));
    lines.add(row("nodes", "%d in %d racks; %d loads recorded", journal.nodes().size(),
        journal.nodes().stream().map(node -> node.rack()).distinct().count(),
        journal.nodes().stream().mapToInt(node -> node.loads()).sum()));
    journal.lostNodes().forEach((name, atMs) -> lines.add(row("lost", "%s at %s", name, time(atMs))));
    lines.add(row("settings", "%s", settings(journal.settings())));
    if (journal.recoveries().isEmpty()) {
      lines.add(row("recoveries", "none by Dayu"));
    }
    for (RecordedRecovery recovery : journal.recoveries()) {
      lines.add(row("recovery " + (1 + journal.recoveries().indexOf(recovery)), "%s", describe(recovery)));
      lines.add(row("", "%s", transfers(recovery)));
    }
    return lines;
  }

  /** What the journal does not have, a line for each loss. */
  static List<String> losses(RecordedJournal journal) {
    List<String> lines = new ArrayList<>();
    journal.losses().forEach((file, loss) -> lines.add(row("loss", "%s: %s", file, loss)));
    if (journal.droppedEntries() > 0) {
      lines.add(row("loss", "the NameNode left out %d entries", journal.droppedEntries()));
    }
    return lines;
  }

  private static String row(String name, String format, Object... values) {
    return String.format(Locale.ROOT, "%-12s ", name) + String.format(Locale.ROOT, format, values);
  }

  private static String time(long ms) {
    return Instant.ofEpochMilli(ms).truncatedTo(ChronoUnit.MILLIS).toString();
  }

  /** Begin, size and time of a recovery. */
  static String describe(RecordedRecovery recovery) {
    return String.format(Locale.ROOT, "%s %s, %d copies of %d blocks, %.1f MB, %s after %.1f s%s",
        recovery.span().beginSeen() ? "begun" : "seen from", time(recovery.span().beginMs()), recovery.copies(),
        recovery.blocks().size(), recovery.bytes() / MB, recovery.span().endSeen() ? "ended" : "not ended",
        recovery.seconds(), recovery.lostMs().isEmpty() ? "" : ", " + recovery.lostMs().size() + " nodes lost");
  }

  private static String transfers(RecordedRecovery recovery) {
    String ended = new EnumMap<Outcome, Integer>(recovery.transfers().outcomes().isEmpty() ? Map.of(Outcome.FINISHED, 0)
        : recovery.transfers().outcomes()).entrySet().stream()
        .map(outcome -> outcome.getValue() + " " + outcome.getKey().name().toLowerCase(Locale.ROOT).replace('_', ' '))
        .collect(Collectors.joining(", "));
    return String.format(Locale.ROOT, "%d timeslots; transfers: %s; %.1f MB wasted; %d copies not made by Dayu%s",
        recovery.transfers().plans(), ended, recovery.transfers().wastedBytes() / MB, recovery.notCopied(),
        recovery.states().isEmpty() ? "" : "; state " + String.join(", ", recovery.states()) + " meanwhile");
  }

  private static String settings(Map<String, String> settings) {
    if (settings.isEmpty()) {
      return "not in the journal";
    }
    String changed = Arrays.stream(Setting.values())
        .filter(setting -> !settings.getOrDefault(setting.key(), setting.defaultText()).equals(setting.defaultText()))
        .map(setting -> setting.key() + " = " + settings.get(setting.key())).collect(Collectors.joining(", "));
    return changed.isEmpty() ? "all defaults" : changed;
  }

  public static Map<String, Object> json(RecordedJournal journal) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("version", journal.version());
    fields.put("segments", journal.segments());
    fields.put("completeCheckpoints", journal.checkpoints());
    fields.put("fromMs", journal.fromMs());
    fields.put("toMs", journal.toMs());
    fields.put("losses", journal.losses());
    fields.put("droppedEntries", journal.droppedEntries());
    fields.put("records", journal.counts());
    fields.put("nodes", journal.nodes().size());
    fields.put("lostNodes", journal.lostNodes());
    fields.put("settings", new TreeMap<>(journal.settings()));
    fields.put("recoveries", journal.recoveries().stream().map(JournalSummary::json).toList());
    return fields;
  }

  static Map<String, Object> json(RecordedRecovery recovery) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("beginMs", recovery.span().beginMs());
    fields.put("beginSeen", recovery.span().beginSeen());
    fields.put("endSeen", recovery.span().endSeen());
    fields.put("recoveryTimeSec", recovery.seconds());
    fields.put("blocks", recovery.blocks().size());
    fields.put("copies", recovery.copies());
    fields.put("bytes", recovery.bytes());
    fields.put("notCopied", recovery.notCopied());
    fields.put("nodesLost", recovery.lostMs().size());
    fields.put("timeslots", recovery.transfers().plans());
    fields.put("transfers", recovery.transfers().outcomes());
    fields.put("wastedBytes", recovery.transfers().wastedBytes());
    fields.put("otherStates", recovery.states());
    return fields;
  }
}

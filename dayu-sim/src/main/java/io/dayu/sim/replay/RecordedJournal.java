/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.replay;

import io.dayu.journal.JournalReader;
import io.dayu.journal.JournalRecord;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A journal that a NameNode wrote: its nodes, its recoveries, and how much it has of what happened. Read from the two
 * files of a recording, or from one of them. Filled, then read; not thread-safe.
 */
public final class RecordedJournal {
  private final List<RecordedNode> nodes = new ArrayList<>();
  private final Map<String, Integer> indexByName = new HashMap<>();
  private final Map<String, Integer> counts = new TreeMap<>();
  private final Map<String, String> losses = new LinkedHashMap<>();
  private final Map<String, Long> lostNodes = new LinkedHashMap<>();
  private final RecoveryCollector collector = new RecoveryCollector();
  /** By the number that a node has in the present recording. */
  private Map<Integer, Integer> indexByNumber = new HashMap<>();
  private String version = "";
  private int segments;
  /** Of the present segment in its recording. */
  private long sequence;
  private int checkpoints;
  private long droppedEntries;
  private long fromMs = Long.MAX_VALUE;
  private long toMs = Long.MIN_VALUE;

  private RecordedJournal() {
  }

  /** A segment, before it is put into the order of time. */
  private record Segment(Path file, long beginMs) {
  }

  /**
   * Reads segments, in whatever order, each up to its last whole record.
   *
   * @throws IOException if a file cannot be read, or is no journal
   */
  public static RecordedJournal read(List<Path> files) throws IOException {
    List<Segment> segments = new ArrayList<>();
    for (Path file : files) {
      JournalRecord first =
          JournalReader.first(file).orElseThrow(() -> new IOException(file + " has no whole record"));
      segments.add(new Segment(file, first.atMs()));
    }
    segments.sort(Comparator.comparingLong(Segment::beginMs));
    RecordedJournal journal = new RecordedJournal();
    for (Segment segment : segments) {
      JournalReader.read(segment.file, journal::add)
          .ifPresent(loss -> journal.losses.put(segment.file.getFileName().toString(), loss));
    }
    journal.collector.end(journal.toMs);
    return journal;
  }

  private void add(JournalRecord next) {
    if (next instanceof JournalRecord.Begin begin) {
      if (segments > 0 && begin.sequence() != sequence + 1) {
        collector.interrupted(toMs);
      }
      sequence = begin.sequence();
    }
    fromMs = Math.min(fromMs, next.atMs());
    toMs = Math.max(toMs, next.atMs());
    counts.merge(next.getClass().getSimpleName(), 1, Integer::sum);
    if (next instanceof JournalRecord.Begin begin) {
      version = begin.version();
      segments++;
      indexByNumber = new HashMap<>();
      collector.segmentBegins(nodes.size());
    } else if (next instanceof JournalRecord.SettingValues values) {
      collector.settings(values.values());
    } else if (next instanceof JournalRecord.Node node) {
      int index = indexByName.computeIfAbsent(node.name(), name -> {
        nodes.add(new RecordedNode(name));
        return nodes.size() - 1;
      });
      indexByNumber.put(node.node(), index);
      nodes.get(index).describe(node.rack(), node.accepts(), node.capacityInBytesPerSec(),
          node.capacityOutBytesPerSec());
      lostNodes.remove(node.name());
      collector.nodeLive(index);
    } else if (next instanceof JournalRecord.NodeLost lost) {
      lose(lost);
    } else if (next instanceof JournalRecord.Loads loads) {
      for (JournalRecord.Load load : loads.loads()) {
        if (indexByNumber.containsKey(load.node())) {
          nodes.get(indexByNumber.get(load.node())).load(loads.atMs(), load.foregroundInBytesPerSec(),
              load.foregroundOutBytesPerSec());
        }
      }
    } else if (next instanceof JournalRecord.Dropped dropped) {
      droppedEntries += dropped.entries();
    } else if (next instanceof JournalRecord.CheckpointEnd) {
      checkpoints++;
    } else {
      recovery(next);
    }
  }

  private void lose(JournalRecord.NodeLost lost) {
    Integer index = indexByNumber.get(lost.node());
    if (index != null) {
      lostNodes.put(nodes.get(index).name(), lost.atMs());
      collector.nodeLost(lost.atMs(), index);
    }
  }

  private void recovery(JournalRecord next) {
    if (next instanceof JournalRecord.State state) {
      collector.state(state.state());
    } else if (next instanceof JournalRecord.Blocks blocks) {
      collector.blocks(blocks, this::index);
    } else if (next instanceof JournalRecord.Plan plan) {
      collector.plan(plan, this::index);
    } else if (next instanceof JournalRecord.Running running) {
      collector.running(running, this::index);
    } else if (next instanceof JournalRecord.Ended ended) {
      collector.ended(ended);
    } else if (next instanceof JournalRecord.Idle idle) {
      collector.idle(idle.atMs());
    }
  }

  /** Index of the node of this number; below 0 if the journal does not say which it is. */
  private int index(int number) {
    return indexByNumber.getOrDefault(number, -1);
  }

  public List<RecordedNode> nodes() {
    return nodes;
  }

  /** In the order of time. */
  public List<RecordedRecovery> recoveries() {
    return collector.recoveries();
  }

  /** By kind of record, how many there are. */
  public Map<String, Integer> counts() {
    return counts;
  }

  /** By file, what could not be read. */
  public Map<String, String> losses() {
    return losses;
  }

  /** Nodes that are not live at the end, with the time of their loss. */
  public Map<String, Long> lostNodes() {
    return lostNodes;
  }

  /** The settings at its end, by key. */
  public Map<String, String> settings() {
    return collector.settings();
  }

  /** The version of Dayu that wrote it. */
  public String version() {
    return version;
  }

  public int segments() {
    return segments;
  }

  /** Checkpoints that are complete. */
  public int checkpoints() {
    return checkpoints;
  }

  /** Entries that the NameNode left out. */
  public long droppedEntries() {
    return droppedEntries;
  }

  public long fromMs() {
    return fromMs;
  }

  public long toMs() {
    return toMs;
  }
}

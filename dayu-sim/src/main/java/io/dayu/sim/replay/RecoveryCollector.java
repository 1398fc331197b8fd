/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.replay;

import io.dayu.journal.JournalRecord;
import io.dayu.journal.JournalRecord.Block;
import io.dayu.journal.JournalRecord.Outcome;
import io.dayu.journal.JournalRecord.Transfer;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntUnaryOperator;

/**
 * Puts the recoveries of a journal together, record by record. Not thread-safe.
 *
 * <p>A block is recorded when the NameNode first reads it, which may be long after it lost a replica. So as long as the
 * queues hold many more blocks than were read, what is read next counts as waiting since the time when all were read
 * last.
 */
final class RecoveryCollector {
  /** From this share of the waiting blocks on, all count as read: some come and go meanwhile. */
  private static final double ALL_READ = 0.9;

  /** A block, as far as it is known by now. */
  private static final class Open {
    private final long bytes;
    private final List<Integer> sources = new ArrayList<>();
    private final List<Long> lackedMs = new ArrayList<>();
    private final List<Long> finishedMs = new ArrayList<>();
    private final Set<Integer> targets = new HashSet<>();
    private boolean distinctRacks;
    private int width = 1;
    private int sourcesLost;

    Open(long bytes) {
      this.bytes = bytes;
    }

    void lack(int copies, long sinceMs) {
      // A copy that is lacking since a source was lost follows from that.
      for (int lacking = finishedMs.size() + targets.size() + copies - sourcesLost; lackedMs.size() < lacking;) {
        lackedMs.add(sinceMs);
      }
    }

    int left() {
      return lackedMs.size() - finishedMs.size();
    }

    RecordedBlock block(boolean ended) {
      Collections.sort(finishedMs);
      List<Long> lacked =
          ended ? lackedMs.subList(0, Math.min(lackedMs.size(), finishedMs.size())) : lackedMs;
      return new RecordedBlock(bytes, sources, lacked, finishedMs.subList(0, Math.min(finishedMs.size(),
          lacked.size())), distinctRacks, width);
    }
  }

  private final List<RecordedRecovery> recoveries = new ArrayList<>();
  private Map<String, String> settings = Map.of();
  private String state = "";
  /** Nodes that are not live. */
  private final Set<Integer> gone = new HashSet<>();

  // Of the present recovery.
  private final Map<Long, Open> open = new LinkedHashMap<>();
  private final Set<Integer> goneAtBegin = new HashSet<>();
  private final Map<Integer, Long> lostMs = new HashMap<>();
  private final Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
  private final Set<String> otherStates = new HashSet<>();
  private Map<String, String> settingsAtBegin = Map.of();
  private long beginMs = -1;
  private boolean beginSeen;
  private boolean idleSeen;
  private long allReadMs;
  private boolean allRead;
  private long lastFinishMs;
  private int plans;
  private long wastedBytes;

  List<RecordedRecovery> recoveries() {
    return recoveries;
  }

  Map<String, String> settings() {
    return settings;
  }

  void settings(Map<String, String> values) {
    settings = values;
  }

  void state(String name) {
    state = name;
    if (beginMs >= 0 && !name.equals("DAYU")) {
      otherStates.add(name);
    }
  }

  /** A segment begins: of the nodes that were known before, those are live that it names. */
  void segmentBegins(int nodes) {
    for (int node = 0; node < nodes; node++) {
      gone.add(node);
    }
  }

  void nodeLive(int node) {
    gone.remove(node);
  }

  void nodeLost(long atMs, int node) {
    gone.add(node);
    if (beginMs >= 0) {
      lostMs.put(node, atMs);
      open.values().forEach(block -> block.sourcesLost += block.sources.contains(node) ? 1 : 0);
    }
  }

  private void begin(long atMs, boolean seen) {
    if (beginMs < 0) {
      beginMs = atMs;
      beginSeen = seen && idleSeen;
      allReadMs = atMs;
      allRead = false;
      lastFinishMs = atMs;
      settingsAtBegin = settings;
      goneAtBegin.clear();
      goneAtBegin.addAll(gone);
      state(state);
    }
  }

  void blocks(JournalRecord.Blocks read, IntUnaryOperator index) {
    if (!read.blocks().isEmpty()) {
      begin(read.atMs(), !read.checkpoint());
    }
    for (Block block : read.blocks()) {
      Open known = open.get(block.id());
      if (known == null) {
        known = new Open(block.bytes());
        known.distinctRacks = block.distinctRacks();
        known.width = block.width();
        open.put(block.id(), known);
        for (int source : block.sources()) {
          addSource(known, index.applyAsInt(source));
        }
      }
      known.lack(block.copies(), allRead ? read.atMs() : allReadMs);
    }
  }

  private static void addSource(Open block, int node) {
    if (node >= 0 && !block.sources.contains(node)) {
      block.sources.add(node);
    }
  }

  void plan(JournalRecord.Plan plan, IntUnaryOperator index) {
    start(plan.atMs(), plan.started(), index);
    if (beginMs >= 0) {
      plans++;
      long waitingAndRead =
          open.values().stream().filter(block -> block.left() > block.targets.size()).count();
      allRead = waitingAndRead >= ALL_READ * plan.waitingBlocks();
      allReadMs = allRead ? plan.atMs() : allReadMs;
    }
  }

  void running(JournalRecord.Running running, IntUnaryOperator index) {
    start(running.atMs(), running.transfers(), index);
  }

  private void start(long atMs, List<Transfer> started, IntUnaryOperator index) {
    for (Transfer transfer : started) {
      begin(atMs, false);
      // What was dropped from the journal is known by its transfer at least.
      Open block = open.computeIfAbsent(transfer.block(), id -> new Open(transfer.bytes()));
      block.width = Math.max(block.width, transfer.width());
      if (block.sources.size() < transfer.width()) {
        addSource(block, index.applyAsInt(transfer.source()));
        transfer.furtherSources().forEach(source -> addSource(block, index.applyAsInt(source)));
      }
      block.targets.add(transfer.target());
      block.lack(0, atMs);
    }
  }

  void ended(JournalRecord.Ended ended) {
    for (JournalRecord.End end : ended.ends()) {
      Open block = open.get(end.block());
      if (block == null) {
        continue;
      }
      outcomes.merge(end.outcome(), 1, Integer::sum);
      block.targets.remove(end.target());
      if (end.outcome() == Outcome.FINISHED) {
        long atMs = Math.max(beginMs, end.endedMs());
        block.finishedMs.add(atMs);
        block.lack(0, atMs);
        lastFinishMs = Math.max(lastFinishMs, atMs);
      } else {
        wastedBytes += end.doneBytes();
      }
    }
  }

  void idle(long atMs) {
    idleSeen = true;
    if (beginMs >= 0) {
      close(lastFinishMs, true);
    }
  }

  /** What comes next does not continue what was recorded up to this moment: it is another recording. */
  void interrupted(long atMs) {
    end(atMs);
    idleSeen = false;
    state = "";
  }

  /** The journal ends. */
  void end(long atMs) {
    if (beginMs >= 0) {
      close(atMs, false);
    }
  }

  private void close(long endMs, boolean ended) {
    List<RecordedBlock> blocks = new ArrayList<>();
    int notCopied = 0;
    for (Open block : open.values()) {
      notCopied += ended ? Math.max(0, block.left()) : 0;
      RecordedBlock done = block.block(ended);
      if (!done.lackedMs().isEmpty() && !done.sources().isEmpty()) {
        blocks.add(done);
      }
    }
    if (!blocks.isEmpty()) {
      recoveries.add(new RecordedRecovery(new RecordedRecovery.Span(beginMs, endMs, beginSeen, ended), blocks,
          notCopied, goneAtBegin, lostMs, new RecordedRecovery.Transfers(plans, outcomes, wastedBytes),
          otherStates.stream().sorted().toList(), settingsAtBegin));
    }
    open.clear();
    lostMs.clear();
    outcomes.clear();
    otherStates.clear();
    beginMs = -1;
    plans = 0;
    wastedBytes = 0;
  }
}

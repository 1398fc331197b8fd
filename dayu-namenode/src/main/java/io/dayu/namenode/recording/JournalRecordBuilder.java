/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.recording;

import io.dayu.blocks.CommitResult;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.journal.JournalEncoder;
import io.dayu.journal.JournalRecord;
import io.dayu.journal.JournalRecord.Load;
import io.dayu.journal.JournalRecord.Outcome;
import io.dayu.journal.JournalRecord.Transfer;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.planning.TimeslotDecision;
import io.dayu.namenode.status.FailureCause;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.EndedTransfer;
import io.dayu.namenode.transfers.TransferSource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Makes the records of a journal out of what the recovery loop saw: numbers the nodes, and leaves out what has not
 * changed. Owned by the journal's thread once that has started; not thread-safe.
 */
final class JournalRecordBuilder {
  /** A load is recorded again if it differs by more than this share of the link, or when it is this old. */
  private static final double MIN_CHANGE = 0.01;
  private static final long MAX_LOAD_AGE_MS = 10_000;

  /** A load as an agent reported it. */
  record Reported(String uuid, NodeLoad load) {
  }

  /** A transfer under way, copied out of its {@link Attempt}. */
  record UnderWay(long block, long bytes, List<String> sources, String target, long rateBytesPerSec) {
    UnderWay(Attempt attempt) {
      this(attempt.block().blockId(), attempt.request().numBytes(),
          attempt.sources().stream().map(TransferSource::node).toList(), attempt.target(), attempt.rateBytesPerSec());
    }
  }

  /** The end of a transfer, copied out of its {@link EndedTransfer}. */
  record TransferEnd(long endedMs, long block, String target, Outcome outcome, long doneBytes) {
    TransferEnd(EndedTransfer ended, long endedMs) {
      this(endedMs, ended.attempt().block().blockId(), ended.attempt().target(), outcome(ended),
          ended.attempt().doneBytes());
    }

    private static Outcome outcome(EndedTransfer ended) {
      return switch (ended.result()) {
        case FINISHED -> Outcome.FINISHED;
        case WITHDRAWN -> Outcome.WITHDRAWN;
        case FAILED -> failure(ended.cause());
      };
    }

    private static Outcome failure(FailureCause cause) {
      return switch (cause) {
        case SOURCE -> Outcome.SOURCE_FAILED;
        case CORRUPTION -> Outcome.SOURCE_CORRUPT;
        case TARGET, DELETION -> Outcome.TARGET_FAILED;
        case AGENT -> Outcome.AGENT_FAILED;
        case BLOCK_MAP -> Outcome.NOT_IN_BLOCK_MAP;
      };
    }
  }

  /** What the journal has of a node. */
  private static final class KnownNode {
    private final int id;
    private LiveNode node;
    private long capacityInBytesPerSec;
    private long capacityOutBytesPerSec;
    private JournalRecord.Node recorded;
    private Load load;
    private long loadMs;

    KnownNode(int id) {
      this.id = id;
    }

    JournalRecord.Node describe(long atMs) {
      return new JournalRecord.Node(atMs, id, node.name(), node.rack(), node.target(),
          capacityInBytesPerSec, capacityOutBytesPerSec);
    }

    boolean isRecorded(Load other) {
      return load != null
          && Math.abs(other.foregroundInBytesPerSec() - load.foregroundInBytesPerSec())
              <= MIN_CHANGE * capacityInBytesPerSec
          && Math.abs(other.foregroundOutBytesPerSec() - load.foregroundOutBytesPerSec())
              <= MIN_CHANGE * capacityOutBytesPerSec;
    }
  }

  private final Settings settings;
  private final Map<String, KnownNode> knownNodes = new HashMap<>();
  private Map<String, String> recordedSettings = Map.of();
  private String state = "";
  private long lastMs;

  /** @param startedMs when the recording begins */
  JournalRecordBuilder(Settings settings, long startedMs) {
    this.settings = settings;
    this.lastMs = startedMs;
  }

  /** The state of the cluster as recorded so far; the recovery loop adds the blocks that wait. */
  void checkpoint(Consumer<JournalRecord> journal) {
    recordedSettings = Map.of();
    settings(lastMs, journal);
    journal.accept(new JournalRecord.State(lastMs, state));
    List<Load> loads = new ArrayList<>();
    for (KnownNode known : knownNodes.values()) {
      if (known.node != null) {
        known.recorded = known.describe(lastMs);
        journal.accept(known.recorded);
        if (known.load != null) {
          loads.add(known.load);
        }
      }
    }
    batches(loads, batch -> journal.accept(new JournalRecord.Loads(lastMs, batch)));
  }

  void state(long atMs, String name, Consumer<JournalRecord> journal) {
    state = name;
    journal.accept(new JournalRecord.State(atMs, name));
  }

  /** The live nodes as of now: records those that are new or have changed, and those that are gone. */
  void nodes(long atMs, Map<String, LiveNode> live, Consumer<JournalRecord> journal) {
    settings(atMs, journal);
    live.forEach((uuid, node) -> {
      KnownNode known = known(uuid);
      known.node = node;
      describe(atMs, known, journal);
    });
    knownNodes.forEach((uuid, known) -> {
      if (known.node != null && !live.containsKey(uuid)) {
        known.node = null;
        known.recorded = null;
        known.load = null;
        journal.accept(new JournalRecord.NodeLost(atMs, known.id));
      }
    });
  }

  void loads(long atMs, List<Reported> reported, Consumer<JournalRecord> journal) {
    lastMs = atMs;
    List<Load> changed = new ArrayList<>();
    for (Reported one : reported) {
      KnownNode known = known(one.uuid());
      known.capacityInBytesPerSec = one.load().in().capacityBytesPerSec();
      known.capacityOutBytesPerSec = one.load().out().capacityBytesPerSec();
      Load load =
          new Load(known.id, one.load().in().foregroundBytesPerSec(), one.load().out().foregroundBytesPerSec());
      if (known.node != null && (!known.isRecorded(load) || atMs - known.loadMs > MAX_LOAD_AGE_MS)) {
        describe(atMs, known, journal);
        known.load = load;
        known.loadMs = atMs;
        changed.add(load);
      }
    }
    batches(changed, batch -> journal.accept(new JournalRecord.Loads(atMs, batch)));
  }

  void blocks(long atMs, boolean checkpoint, List<WaitingBlock> blocks, Consumer<JournalRecord> journal) {
    List<JournalRecord.Block> waiting =
        blocks.stream().filter(block -> !block.isForStock() && !block.sources().isEmpty())
            .map(block -> new JournalRecord.Block(block.key().blockId(), block.numBytes(), block.risk(),
                block.copies(), block.distinctRacks(), block.group() == null ? 1 : block.group().sourcesAtOnce(),
                block.sources().stream().map(uuid -> known(uuid).id).toList()))
            .toList();
    batches(waiting, batch -> journal.accept(new JournalRecord.Blocks(atMs, checkpoint, batch)));
  }

  void plan(long atMs, TimeslotDecision decision, List<CommitResult> results, long waitingBlocks,
      Consumer<JournalRecord> journal) {
    List<Transfer> started = new ArrayList<>();
    for (int i = 0; i < results.size(); i++) {
      TimeslotDecision.Copy copy = decision.copies().get(i);
      if (results.get(i).committed()) {
        started.add(transfer(copy.request().block().blockId(), copy.request().numBytes(), sources(copy.request()),
            copy.request().target(), copy.rateBytesPerSec()));
      }
    }
    int first = Math.min(started.size(), JournalEncoder.MAX_ELEMENTS);
    journal.accept(new JournalRecord.Plan(atMs, waitingBlocks, decision.planMs(), results.size() - started.size(),
        decision.redirected().size(), decision.evicted().size(), decision.forStock().size(),
        started.subList(0, first)));
    batches(started.subList(first, started.size()), batch -> journal.accept(
        new JournalRecord.Plan(atMs, waitingBlocks, decision.planMs(), 0, 0, 0, 0, batch)));
  }

  void running(long atMs, List<UnderWay> transfers, Consumer<JournalRecord> journal) {
    List<Transfer> running = transfers.stream()
        .map(one -> transfer(one.block, one.bytes, one.sources, one.target, one.rateBytesPerSec)).toList();
    batches(running, batch -> journal.accept(new JournalRecord.Running(atMs, batch)));
  }

  void ended(long atMs, List<TransferEnd> ended, Consumer<JournalRecord> journal) {
    List<JournalRecord.End> ends = ended.stream().map(
        end -> new JournalRecord.End(end.endedMs, end.block, known(end.target).id, end.outcome, end.doneBytes))
        .toList();
    batches(ends, batch -> journal.accept(new JournalRecord.Ended(atMs, batch)));
  }

  private void settings(long atMs, Consumer<JournalRecord> journal) {
    lastMs = atMs;
    Map<String, String> values = new HashMap<>();
    for (Setting setting : Setting.values()) {
      if (setting.daemon() != Setting.Daemon.DATANODE && setting != Setting.JOURNAL_DIRECTORY) {
        values.put(setting.key(), settings.text(setting));
      }
    }
    if (!values.equals(recordedSettings)) {
      recordedSettings = values;
      journal.accept(new JournalRecord.SettingValues(atMs, values));
    }
  }

  private KnownNode known(String uuid) {
    return knownNodes.computeIfAbsent(uuid, any -> new KnownNode(knownNodes.size()));
  }

  private static void describe(long atMs, KnownNode known, Consumer<JournalRecord> journal) {
    JournalRecord.Node now = known.describe(known.recorded == null ? atMs : known.recorded.atMs());
    if (!now.equals(known.recorded)) {
      known.recorded = known.describe(atMs);
      journal.accept(known.recorded);
    }
  }

  private static List<String> sources(TransferRequest request) {
    return request.group() == null ? List.of(request.source())
        : request.group().sources().stream().map(IndexedNode::node).toList();
  }

  private Transfer transfer(long block, long bytes, List<String> sources, String target, long rateBytesPerSec) {
    List<Integer> ids = sources.stream().map(uuid -> known(uuid).id).toList();
    return new Transfer(block, bytes, ids.get(0), known(target).id, rateBytesPerSec, ids.subList(1, ids.size()));
  }

  private static <T> void batches(List<T> all, Consumer<List<T>> batch) {
    for (int from = 0; from < all.size(); from += JournalEncoder.MAX_ELEMENTS) {
      batch.accept(all.subList(from, Math.min(all.size(), from + JournalEncoder.MAX_ELEMENTS)));
    }
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.replay;

import io.dayu.journal.JournalEncoder;
import io.dayu.journal.JournalRecord;
import io.dayu.journal.JournalRecord.Block;
import io.dayu.journal.JournalRecord.End;
import io.dayu.journal.JournalRecord.Load;
import io.dayu.journal.JournalRecord.Outcome;
import io.dayu.journal.JournalRecord.Transfer;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Writes journals of a small cluster, record by record. Not thread-safe. */
final class JournalFixture {
  static final long BEGIN_MS = 1_000_000;
  static final long LINK = 10_000_000;
  static final int NODES = 12;

  private final List<JournalRecord> records = new ArrayList<>();

  /** A recording of an idle cluster of {@link #NODES} nodes in three racks, all at a fifth of their links. */
  JournalFixture() {
    add(new JournalRecord.Begin(BEGIN_MS, 1, "0.1.0"));
    add(new JournalRecord.SettingValues(BEGIN_MS, Map.of("dayu.timeslot.interval", "1s", "dayu.timeslot.horizon", "4s",
        "dayu.namenode.journal.max-bytes", "4m", "dayu.of.a.later.version", "?")));
    add(new JournalRecord.State(BEGIN_MS, "DAYU"));
    List<Load> loads = new ArrayList<>();
    for (int node = 0; node < NODES; node++) {
      add(new JournalRecord.Node(BEGIN_MS, node, "dn" + node + ":9866", "/r" + node % 3, true, LINK, LINK));
      loads.add(new Load(node, LINK / 5, LINK / 5));
    }
    add(new JournalRecord.Loads(BEGIN_MS, loads));
    add(new JournalRecord.CheckpointEnd(BEGIN_MS));
    add(new JournalRecord.Idle(BEGIN_MS));
  }

  /** With these records alone. */
  JournalFixture(List<JournalRecord> records) {
    this.records.addAll(records);
  }

  JournalFixture add(JournalRecord next) {
    records.add(next);
    return this;
  }

  List<JournalRecord> records() {
    return records;
  }

  static Block block(long id, Integer... sources) {
    return new Block(id, 1_000_000, 1, 1, false, List.of(sources));
  }

  JournalFixture waiting(long atMs, Block... blocks) {
    return add(new JournalRecord.Blocks(atMs, false, List.of(blocks)));
  }

  JournalFixture start(long atMs, long waiting, long block, int source, int target) {
    return add(new JournalRecord.Plan(atMs, waiting, 3, 0, 0, 0, 0,
        List.of(new Transfer(block, 1_000_000, source, target, 1_000_000))));
  }

  JournalFixture end(long atMs, long block, int target, Outcome outcome) {
    return add(new JournalRecord.Ended(atMs, List.of(new End(atMs, block, target, outcome, 400_000))));
  }

  /** Node 0 is lost with {@code count} blocks, all of which are copied, one after the other each 40 ms. */
  JournalFixture recovery(long atMs, int count) {
    List<Block> blocks = new ArrayList<>();
    List<Transfer> transfers = new ArrayList<>();
    List<End> ends = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int source = 1 + i % (NODES - 1);
      int target = 1 + (i + 4) % (NODES - 1);
      blocks.add(block(i, source, 1 + (i + 1) % (NODES - 1)));
      transfers.add(new Transfer(i, 1_000_000, source, target, 1_000_000));
      ends.add(new End(atMs + 40L * (i + 1), i, target, Outcome.FINISHED, 1_000_000));
    }
    add(new JournalRecord.Blocks(atMs, false, blocks));
    add(new JournalRecord.Plan(atMs, 0, 3, 2, 0, 0, 0, transfers));
    add(new JournalRecord.NodeLost(atMs, 0));
    add(new JournalRecord.Ended(atMs + 40L * count, ends));
    return add(new JournalRecord.Idle(atMs + 40L * count + 500));
  }

  /** Node 0 is lost with {@code count} blocks and internal blocks of as many groups of each of these widths. */
  JournalFixture recoveryOfBoth(long atMs, int count, int... widths) {
    List<Block> all = new ArrayList<>();
    List<Transfer> transfers = new ArrayList<>();
    List<End> ends = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long id = i;
      add(all, transfers, block(id, node(i), node(i + 1)), node(i + 4));
      for (int width : widths) {
        id -= 16L * count;
        List<Integer> holders = new ArrayList<>();
        for (int k = 0; k <= width; k++) {
          holders.add(node(i + k));
        }
        add(all, transfers, new Block(id, 1_000_000, 1, 1, false, width, holders), node(i + width + 3));
      }
    }
    for (Transfer transfer : transfers) {
      long endMs = atMs + 40L * (ends.size() + 1);
      ends.add(new End(endMs, transfer.block(), transfer.target(), Outcome.FINISHED, 1_000_000));
    }
    add(new JournalRecord.Blocks(atMs, false, all));
    add(new JournalRecord.Plan(atMs, 0, 3, 2, 0, 0, 0, transfers));
    add(new JournalRecord.NodeLost(atMs, 0));
    add(new JournalRecord.Ended(atMs + 40L * ends.size(), ends));
    return add(new JournalRecord.Idle(atMs + 40L * ends.size() + 500));
  }

  /** One that is not lost. */
  private static int node(int number) {
    return 1 + number % (NODES - 1);
  }

  private static void add(List<Block> blocks, List<Transfer> transfers, Block block, int target) {
    blocks.add(block);
    transfers.add(new Transfer(block.id(), block.bytes(), block.sources().get(0), target, 1_000_000,
        block.sources().subList(1, block.width())));
  }

  /** Node 0 is lost with internal blocks of {@code count} groups, each of which is rebuilt from three others. */
  JournalFixture recoveryOfGroups(long atMs, int count) {
    List<Block> groups = new ArrayList<>();
    List<Transfer> transfers = new ArrayList<>();
    List<End> ends = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<Integer> holders = new ArrayList<>();
      for (int k = 0; k < 4; k++) {
        holders.add(1 + (i + k) % (NODES - 1));
      }
      int target = 1 + (i + 6) % (NODES - 1);
      groups.add(new Block(-16L * (i + 1), 1_000_000, 1, 1, false, 3, holders));
      transfers.add(new Transfer(-16L * (i + 1), 1_000_000, holders.get(0), target, 1_000_000, holders.subList(1, 3)));
      ends.add(new End(atMs + 40L * (i + 1), -16L * (i + 1), target, Outcome.FINISHED, 1_000_000));
    }
    add(new JournalRecord.Blocks(atMs, false, groups));
    add(new JournalRecord.Plan(atMs, 0, 3, 2, 0, 0, 0, transfers));
    add(new JournalRecord.NodeLost(atMs, 0));
    add(new JournalRecord.Ended(atMs + 40L * count, ends));
    return add(new JournalRecord.Idle(atMs + 40L * count + 500));
  }

  Path write(Path file) throws IOException {
    JournalEncoder encoder = new JournalEncoder();
    try (OutputStream out = Files.newOutputStream(file)) {
      out.write(JournalEncoder.magic());
      for (JournalRecord one : records) {
        out.write(encoder.encode(one));
      }
    }
    return file;
  }
}

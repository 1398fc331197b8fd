/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.journal;

import io.dayu.journal.JournalRecord.Block;
import io.dayu.journal.JournalRecord.End;
import io.dayu.journal.JournalRecord.Load;
import io.dayu.journal.JournalRecord.Transfer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * Turns records into bytes, as {@link JournalReader} reads them. Not thread-safe.
 *
 * <p>A segment begins with {@link #MAGIC}. A record is its length (four bytes), the CRC32C of what follows (four
 * bytes), its type (one byte) and its fields in their order: whole numbers with seven bits in each byte, the lowest
 * first, and texts as their length and UTF-8. A block's id is the difference from that of the block before, the time of
 * an end that from the record's.
 */
public final class JournalEncoder {
  /** Bytes that a segment begins with; the last one is the version of the format. */
  static final byte[] MAGIC = {'D', 'a', 'y', 'u', 'J', 'n', 'l', 1};
  /** More than any record takes. */
  static final int MAX_RECORD_BYTES = 1 << 20;
  static final int FRAME_BYTES = 2 * Integer.BYTES;
  /** The maximum number of elements in a record's list. With {@link #MAX_SOURCES} a block they fit into a record. */
  public static final int MAX_ELEMENTS = 2_000;
  static final int MAX_SOURCES = 64;

  static final int BEGIN = 1;
  static final int SETTINGS = 2;
  static final int NODE = 3;
  static final int NODE_LOST = 4;
  static final int LOADS = 5;
  static final int BLOCKS = 6;
  static final int PLAN = 7;
  static final int RUNNING = 8;
  static final int ENDED = 9;
  static final int STATE = 10;
  static final int IDLE = 11;
  static final int CHECKPOINT_END = 12;
  static final int DROPPED = 13;
  /** The same as {@link #BLOCKS}, {@link #PLAN} and {@link #RUNNING}, with groups and rebuilds among others. */
  static final int GROUPS = 14;
  static final int PLAN_OF_GROUPS = 15;
  static final int RUNNING_GROUPS = 16;

  private byte[] bytes = new byte[1024];
  private int size;

  /** What a segment begins with. */
  public static byte[] magic() {
    return MAGIC.clone();
  }

  /** The bytes of a record, with its length and checksum. */
  public byte[] encode(JournalRecord entry) {
    size = FRAME_BYTES;
    fields(entry);
    if (size > MAX_RECORD_BYTES) {
      throw new IllegalArgumentException("a record of " + size + " bytes, expected at most " + MAX_RECORD_BYTES);
    }
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, FRAME_BYTES, size - FRAME_BYTES);
    ByteBuffer.wrap(bytes).putInt(size - FRAME_BYTES).putInt((int) checksum.getValue());
    return Arrays.copyOf(bytes, size);
  }

  private void fields(JournalRecord entry) {
    if (entry instanceof JournalRecord.Begin begin) {
      head(BEGIN, entry).number(begin.sequence()).text(begin.version());
    } else if (entry instanceof JournalRecord.SettingValues settings) {
      head(SETTINGS, entry).number(settings.values().size());
      new TreeMap<>(settings.values()).forEach((key, value) -> text(key).text(value));
    } else if (entry instanceof JournalRecord.Node node) {
      head(NODE, entry).number(node.node()).text(node.name()).text(node.rack()).number(node.accepts() ? 1 : 0)
          .number(node.capacityInBytesPerSec()).number(node.capacityOutBytesPerSec());
    } else if (entry instanceof JournalRecord.NodeLost lost) {
      head(NODE_LOST, entry).number(lost.node());
    } else if (entry instanceof JournalRecord.Loads loads) {
      head(LOADS, entry).list(loads.loads(), this::load);
    } else if (entry instanceof JournalRecord.Blocks blocks) {
      blocks(blocks);
    } else if (entry instanceof JournalRecord.Plan plan) {
      boolean rebuilds = hasRebuilds(plan.started());
      head(rebuilds ? PLAN_OF_GROUPS : PLAN, entry).number(plan.waitingBlocks()).number(plan.planMs())
          .number(plan.rejected()).number(plan.redirected()).number(plan.evicted()).number(plan.forStock())
          .list(plan.started(), transfer -> transfer(transfer, rebuilds));
    } else if (entry instanceof JournalRecord.Running running) {
      boolean rebuilds = hasRebuilds(running.transfers());
      head(rebuilds ? RUNNING_GROUPS : RUNNING, entry).list(running.transfers(),
          transfer -> transfer(transfer, rebuilds));
    } else if (entry instanceof JournalRecord.Ended ended) {
      head(ENDED, entry).list(ended.ends(), end -> end(end, ended.atMs()));
    } else if (entry instanceof JournalRecord.State state) {
      head(STATE, entry).text(state.state());
    } else if (entry instanceof JournalRecord.Idle) {
      head(IDLE, entry);
    } else if (entry instanceof JournalRecord.CheckpointEnd) {
      head(CHECKPOINT_END, entry);
    } else if (entry instanceof JournalRecord.Dropped dropped) {
      head(DROPPED, entry).number(dropped.entries());
    }
  }

  private JournalEncoder head(int type, JournalRecord entry) {
    return octet(type).number(entry.atMs());
  }

  private void load(Load load) {
    number(load.node()).number(load.foregroundInBytesPerSec()).number(load.foregroundOutBytesPerSec());
  }

  private void blocks(JournalRecord.Blocks blocks) {
    long[] before = {0};
    boolean groups = blocks.blocks().stream().anyMatch(block -> block.width() > 1);
    head(groups ? GROUPS : BLOCKS, blocks).number(blocks.checkpoint() ? 1 : 0).list(blocks.blocks(), block -> {
      block(block, before[0]);
      if (groups) {
        number(block.width());
      }
      before[0] = block.id();
    });
  }

  private void block(Block block, long idBefore) {
    List<Integer> sources = block.sources().subList(0, Math.min(MAX_SOURCES, block.sources().size()));
    difference(block.id() - idBefore).number(block.bytes()).number(block.risk()).number(block.copies())
        .number(block.distinctRacks() ? 1 : 0).list(sources, source -> number(source));
  }

  private static boolean hasRebuilds(List<Transfer> transfers) {
    return transfers.stream().anyMatch(transfer -> transfer.width() > 1);
  }

  private void transfer(Transfer transfer, boolean withFurtherSources) {
    difference(transfer.block()).number(transfer.bytes()).number(transfer.source()).number(transfer.target())
        .number(transfer.rateBytesPerSec());
    if (withFurtherSources) {
      list(transfer.furtherSources(), source -> number(source));
    }
  }

  private void end(End end, long atMs) {
    difference(atMs - end.endedMs()).difference(end.block()).number(end.target()).number(end.outcome().ordinal())
        .number(end.doneBytes());
  }

  private <T> void list(List<T> elements, Consumer<T> encoder) {
    number(elements.size());
    elements.forEach(encoder);
  }

  /** A number below 0 has its sign in the lowest bit, as differences do. */
  private JournalEncoder difference(long value) {
    return number(value << 1 ^ value >> Long.SIZE - 1);
  }

  private JournalEncoder number(long value) {
    long left = value;
    for (; (left & ~0x7fL) != 0; left >>>= 7) {
      octet((int) (left & 0x7f | 0x80));
    }
    return octet((int) left);
  }

  private JournalEncoder text(String value) {
    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
    number(utf8.length);
    ensure(utf8.length);
    System.arraycopy(utf8, 0, bytes, size, utf8.length);
    size += utf8.length;
    return this;
  }

  private JournalEncoder octet(int value) {
    ensure(1);
    bytes[size++] = (byte) value;
    return this;
  }

  private void ensure(int more) {
    if (size + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(size + more, 2 * bytes.length));
    }
  }
}

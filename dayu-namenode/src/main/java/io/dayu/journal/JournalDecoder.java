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
import io.dayu.journal.JournalRecord.Outcome;
import io.dayu.journal.JournalRecord.Transfer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Turns the bytes of one record back into it: the opposite of {@link JournalEncoder}. Used once; not thread-safe. */
final class JournalDecoder {
  private static final Outcome[] OUTCOMES = Outcome.values();
  private static final int MAX_NUMBER_BITS = 63;

  private final ByteBuffer bytes;

  private JournalDecoder(byte[] payload) {
    bytes = ByteBuffer.wrap(payload);
  }

  /**
   * The record; null if its type is of a later version.
   *
   * @throws RuntimeException if these bytes are no record
   */
  static JournalRecord decode(byte[] payload) {
    return new JournalDecoder(payload).decode();
  }

  private JournalRecord decode() {
    int type = bytes.get();
    long atMs = number();
    return switch (type) {
      case JournalEncoder.BEGIN -> new JournalRecord.Begin(atMs, number(), text());
      case JournalEncoder.SETTINGS -> new JournalRecord.SettingValues(atMs, texts());
      case JournalEncoder.NODE ->
          new JournalRecord.Node(atMs, count(), text(), text(), flag(), number(), number());
      case JournalEncoder.NODE_LOST -> new JournalRecord.NodeLost(atMs, count());
      case JournalEncoder.LOADS -> new JournalRecord.Loads(atMs, list(() -> new Load(count(), number(), number())));
      case JournalEncoder.BLOCKS -> blocks(atMs, false);
      case JournalEncoder.GROUPS -> blocks(atMs, true);
      case JournalEncoder.PLAN -> plan(atMs, this::copy);
      case JournalEncoder.PLAN_OF_GROUPS -> plan(atMs, this::rebuild);
      case JournalEncoder.RUNNING -> new JournalRecord.Running(atMs, list(this::copy));
      case JournalEncoder.RUNNING_GROUPS -> new JournalRecord.Running(atMs, list(this::rebuild));
      case JournalEncoder.ENDED -> new JournalRecord.Ended(atMs, list(() -> end(atMs)));
      case JournalEncoder.STATE -> new JournalRecord.State(atMs, text());
      case JournalEncoder.IDLE -> new JournalRecord.Idle(atMs);
      case JournalEncoder.CHECKPOINT_END -> new JournalRecord.CheckpointEnd(atMs);
      case JournalEncoder.DROPPED -> new JournalRecord.Dropped(atMs, number());
      default -> null;
    };
  }

  private JournalRecord blocks(long atMs, boolean groups) {
    boolean checkpoint = flag();
    long[] before = {0};
    return new JournalRecord.Blocks(atMs, checkpoint, list(() -> {
      before[0] += difference();
      Block block = new Block(before[0], number(), count(), count(), flag(), list(this::count));
      return !groups ? block : new Block(block.id(), block.bytes(), block.risk(), block.copies(),
          block.distinctRacks(), count(), block.sources());
    }));
  }

  private JournalRecord plan(long atMs, Supplier<Transfer> transfer) {
    return new JournalRecord.Plan(atMs, number(), number(), count(), count(), count(), count(), list(transfer));
  }

  private Transfer copy() {
    return new Transfer(difference(), number(), count(), count(), number());
  }

  private Transfer rebuild() {
    return new Transfer(difference(), number(), count(), count(), number(), list(this::count));
  }

  private End end(long atMs) {
    return new End(atMs - difference(), difference(), count(), OUTCOMES[count()], number());
  }

  private <T> List<T> list(Supplier<T> element) {
    int count = count();
    if (count > bytes.remaining()) {
      throw new IllegalArgumentException(count + " elements in " + bytes.remaining() + " bytes");
    }
    List<T> list = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      list.add(element.get());
    }
    return list;
  }

  private Map<String, String> texts() {
    int count = count();
    Map<String, String> texts = new HashMap<>();
    for (int i = 0; i < count; i++) {
      texts.put(text(), text());
    }
    return texts;
  }

  private String text() {
    int length = count();
    if (length > bytes.remaining()) {
      throw new IllegalArgumentException("a text of " + length + " bytes in " + bytes.remaining());
    }
    byte[] utf8 = new byte[length];
    bytes.get(utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }

  private boolean flag() {
    return number() != 0;
  }

  private int count() {
    return Math.toIntExact(number());
  }

  private long difference() {
    long value = number();
    return value >>> 1 ^ -(value & 1);
  }

  private long number() {
    long value = 0;
    for (int shift = 0; shift <= MAX_NUMBER_BITS; shift += 7) {
      byte next = bytes.get();
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("a number of more than 64 bits");
  }
}

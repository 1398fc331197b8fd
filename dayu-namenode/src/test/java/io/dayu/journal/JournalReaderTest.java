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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import java.util.zip.GZIPOutputStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What was encoded is read back; what is broken is read up to its last whole record, and the loss is said. */
class JournalReaderTest {
  private static final int SEQUENCES = 200;

  @TempDir
  Path folder;

  private record Read(List<JournalRecord> records, Optional<String> loss) {
  }

  private Read read(byte[] bytes) throws IOException {
    Path file = folder.resolve("journal");
    Files.write(file, bytes);
    List<JournalRecord> records = new ArrayList<>();
    Optional<String> loss = JournalReader.read(file, records::add);
    return new Read(records, loss);
  }

  /** The bytes of a segment; {@code ends} receives where each record ends. */
  private static byte[] segment(List<JournalRecord> records, List<Integer> ends) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(JournalEncoder.magic());
    JournalEncoder encoder = new JournalEncoder();
    for (JournalRecord one : records) {
      out.write(encoder.encode(one));
      ends.add(out.size());
    }
    return out.toByteArray();
  }

  @Test
  void first_isReadWithoutTheRest() throws IOException {
    List<Integer> ends = new ArrayList<>();
    byte[] bytes = segment(List.of(new JournalRecord.Begin(1, 1, "0.1.0"), new JournalRecord.Idle(2)), ends);
    bytes[bytes.length - 1]++;
    Path file = folder.resolve("journal");
    Files.write(file, bytes);
    assertEquals(Optional.of(new JournalRecord.Begin(1, 1, "0.1.0")), JournalReader.first(file));
    Files.write(file, Arrays.copyOf(bytes, ends.get(0) - 1));
    assertEquals(Optional.empty(), JournalReader.first(file));
  }

  private static byte[] zipped(byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream zip = new GZIPOutputStream(out)) {
      zip.write(bytes);
    }
    return out.toByteArray();
  }

  private static long number(SplittableRandom random) {
    return random.nextLong() >>> random.nextInt(1, 64);
  }

  private static <T> List<T> list(SplittableRandom random, IntFunction<T> element) {
    return IntStream.range(0, random.nextInt(4)).mapToObj(element).toList();
  }

  private static List<Transfer> transfers(SplittableRandom random) {
    boolean rebuilds = random.nextBoolean();
    return list(random, i -> new Transfer(random.nextLong(), number(random), random.nextInt(9), random.nextInt(9),
        number(random), rebuilds ? list(random, source -> random.nextInt(5_000)) : List.of()));
  }

  private static JournalRecord any(SplittableRandom random) {
    long at = number(random);
    return switch (random.nextInt(13)) {
      case 0 -> new JournalRecord.Begin(at, number(random), "0.1.0");
      case 1 -> new JournalRecord.SettingValues(at, Map.of("dayu.timeslot.interval", "2s", "a", "", "é", "ü"));
      case 2 -> new JournalRecord.Node(at, random.nextInt(9), "dn:9866", "/r", random.nextBoolean(), number(random),
          number(random));
      case 3 -> new JournalRecord.NodeLost(at, random.nextInt(9));
      case 4 -> new JournalRecord.Loads(at,
          list(random, i -> new Load(random.nextInt(9), number(random), number(random))));
      case 5 -> new JournalRecord.Blocks(at, random.nextBoolean(),
          list(random, i -> new Block(random.nextLong(), number(random), random.nextInt(8), random.nextInt(9),
              random.nextBoolean(), 1 + random.nextInt(3), list(random, source -> random.nextInt(5_000)))));
      case 6 -> new JournalRecord.Plan(at, number(random), number(random), random.nextInt(9), random.nextInt(9),
          random.nextInt(9), random.nextInt(9), transfers(random));
      case 7 -> new JournalRecord.Running(at, transfers(random));
      case 8 -> new JournalRecord.Ended(at, list(random, i -> new End(number(random), random.nextLong(),
          random.nextInt(9), Outcome.values()[random.nextInt(Outcome.values().length)], number(random))));
      case 9 -> new JournalRecord.State(at, "DAYU");
      case 10 -> new JournalRecord.Idle(at);
      case 11 -> new JournalRecord.CheckpointEnd(at);
      default -> new JournalRecord.Dropped(at, number(random));
    };
  }

  private static List<JournalRecord> some(long seed, int count) {
    SplittableRandom random = new SplittableRandom(seed);
    return IntStream.range(0, count).mapToObj(i -> any(random)).toList();
  }

  @Test
  void records_areReadAsTheyWereEncoded() throws IOException {
    for (long seed = 1; seed <= SEQUENCES; seed++) {
      List<JournalRecord> records = some(seed, 40);
      byte[] bytes = segment(records, new ArrayList<>());
      assertEquals(new Read(records, Optional.empty()), read(bytes), "seed " + seed);
      assertEquals(new Read(records, Optional.empty()), read(zipped(bytes)), "zipped, seed " + seed);
    }
  }

  @Test
  void cutOff_isReadUpToTheLastWholeRecord() throws IOException {
    List<JournalRecord> records = some(5, 30);
    List<Integer> ends = new ArrayList<>();
    byte[] bytes = segment(records, ends);
    ends.add(0, JournalEncoder.MAGIC.length);
    for (int length = JournalEncoder.MAGIC.length; length < bytes.length; length++) {
      int at = length;
      int whole = (int) ends.stream().filter(end -> end <= at).count() - 1;
      Read read = read(Arrays.copyOf(bytes, length));
      assertEquals(records.subList(0, whole), read.records, "cut at " + length);
      int rest = length - ends.get(whole);
      assertEquals(rest == 0 ? Optional.empty()
          : Optional.of("it is cut off: its last " + rest + " bytes, from byte " + ends.get(whole)
              + " on, are no whole record"),
          read.loss, "cut at " + length);
    }
  }

  @Test
  void corruptByte_endsTheReadingThere() throws IOException {
    List<JournalRecord> records = some(6, 30);
    List<Integer> ends = new ArrayList<>();
    byte[] bytes = segment(records, ends);
    ends.add(0, JournalEncoder.MAGIC.length);
    SplittableRandom random = new SplittableRandom(6);
    for (int at = JournalEncoder.MAGIC.length; at < bytes.length; at++) {
      int broken = at;
      int whole = (int) ends.stream().filter(end -> end <= broken).count() - 1;
      byte[] other = bytes.clone();
      other[at] ^= (byte) random.nextInt(1, 256);
      Read read = read(other);
      assertEquals(records.subList(0, whole), read.records, "byte " + at);
      assertTrue(read.loss.orElse("").contains("byte " + ends.get(whole)), "byte " + at + ": " + read.loss);
    }
  }

  @Test
  void zippedAndCutOff_isReadAsFarAsItCanBeUnpacked() throws IOException {
    List<JournalRecord> records = some(7, 200);
    byte[] zipped = zipped(segment(records, new ArrayList<>()));
    Read read = read(Arrays.copyOf(zipped, zipped.length / 2));
    assertTrue(read.records.size() > 20 && read.records.size() < 200, read.records.size() + " records");
    assertEquals(records.subList(0, read.records.size()), read.records);
  }

  @Test
  void zippedAndCutOffAnywhere_saysSo() throws IOException {
    byte[] zipped = zipped(segment(some(8, 60), new ArrayList<>()));
    for (int length = 2; length < zipped.length; length++) {
      byte[] cut = Arrays.copyOf(zipped, length);
      Optional<String> loss;
      try {
        loss = read(cut).loss;
      } catch (IOException e) {
        loss = Optional.of(e.getMessage()).filter(message -> message.contains("journal is no journal of Dayu"));
      }
      assertTrue(loss.isPresent(), "cut off after " + length + " of " + zipped.length + " bytes");
    }
    for (int at = zipped.length - 8; at < zipped.length; at++) {
      byte[] flipped = zipped.clone();
      flipped[at] ^= 1;
      assertTrue(read(flipped).loss.isPresent(), "byte " + at + " of the end is another one");
    }
  }

  @Test
  void recordOfALaterVersion_isPassedOver() throws IOException {
    List<JournalRecord> records = List.of(new JournalRecord.Idle(1), new JournalRecord.Idle(2));
    byte[] bytes = segment(records, new ArrayList<>());
    int type = JournalEncoder.MAGIC.length + JournalEncoder.FRAME_BYTES;
    bytes[type] = 99;
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, type, 2);
    ByteBuffer.wrap(bytes).putInt(type - Integer.BYTES, (int) checksum.getValue());
    assertEquals(new Read(records.subList(1, 2), Optional.empty()), read(bytes));
  }

  @Test
  void otherFile_isRefused() throws IOException {
    Path file = folder.resolve("journal");
    assertTrue(
        assertThrows(IOException.class, () -> read("nodes,racks\n".getBytes(StandardCharsets.UTF_8))).getMessage()
            .endsWith(file + " is no journal of Dayu"));
    assertThrows(IOException.class, () -> read(new byte[0]));
    byte[] later = JournalEncoder.magic();
    later[later.length - 1] = 2;
    assertEquals(file + " has format 2, expected 1",
        assertThrows(IOException.class, () -> read(later)).getMessage());
  }
}

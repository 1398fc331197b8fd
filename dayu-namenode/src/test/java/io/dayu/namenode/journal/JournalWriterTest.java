/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.journal;

import io.dayu.journal.JournalReader;
import io.dayu.journal.JournalRecord;
import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The journal never takes more than its bound, and a thread that offers an entry never waits. */
@Timeout(60)
class JournalWriterTest {
  private static final long MAX_BYTES = 1 << 20;
  private static final int CHECKPOINT_RECORDS = 3;

  @TempDir
  Path folder;
  private Thread thread;
  private JournalWriter writer;

  private void start(Path directory) {
    create(directory, MAX_BYTES, CHECKPOINT_RECORDS);
    thread = writer.start();
  }

  private void create(Path directory, long maxBytes, int nodes) {
    writer = new JournalWriter(directory, "journal", maxBytes, "0.1.0", () -> 7L, journal -> {
      for (int node = 0; node < nodes; node++) {
        journal.accept(new JournalRecord.NodeLost(7, node));
      }
    });
  }

  @AfterEach
  void end() throws InterruptedException {
    writer.end();
    thread.join();
  }

  /** Has the writer's thread wait, as for a slow disk; returns when it does. */
  private void blockUntil(CountDownLatch released) throws InterruptedException {
    CountDownLatch busy = new CountDownLatch(1);
    writer.offer(journal -> {
      busy.countDown();
      try {
        released.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }, 0);
    busy.await();
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      Thread.sleep(1);
    }
  }

  private List<JournalRecord> read(int file) throws IOException {
    List<JournalRecord> records = new ArrayList<>();
    assertEquals(Optional.empty(), JournalReader.read(folder.resolve("journal." + file), records::add));
    return records;
  }

  private long nodesLost(int file) throws IOException {
    return read(file).stream().filter(JournalRecord.NodeLost.class::isInstance).count();
  }

  private long size(int file) throws IOException {
    Path path = folder.resolve("journal." + file);
    return Files.exists(path) ? Files.size(path) : 0;
  }

  @Test
  void twoFiles_takeTurnsWithinTheBound() throws Exception {
    start(folder);
    String text = "x".repeat(10_000);
    for (int i = 0; i < 500; i++) {
      long at = i;
      long before = writer.writtenBytes();
      writer.offer(journal -> journal.accept(new JournalRecord.State(at, text)), 0);
      await(() -> writer.writtenBytes() > before);
      assertTrue(size(0) + size(1) <= MAX_BYTES, "after " + i + " records");
    }
    end();
    List<JournalRecord> first = read(0);
    List<JournalRecord> second = read(1);
    boolean firstIsOlder = ((JournalRecord.Begin) first.get(0)).sequence() < ((JournalRecord.Begin) second.get(0))
        .sequence();
    List<JournalRecord> states = new ArrayList<>();
    for (List<JournalRecord> segment : firstIsOlder ? List.of(first, second) : List.of(second, first)) {
      assertEquals(new JournalRecord.NodeLost(7, CHECKPOINT_RECORDS - 1), segment.get(CHECKPOINT_RECORDS));
      states.addAll(segment.subList(1 + CHECKPOINT_RECORDS, segment.size()));
    }
    assertTrue(states.size() > 50, states.size() + " records are kept");
    for (int i = 0; i < states.size(); i++) {
      assertEquals(500 - states.size() + i, states.get(i).atMs(), "the last ones are there, without a gap");
    }
    assertEquals(0, writer.droppedEntries());
    assertTrue(writer.takeCheckpointWanted());
  }

  @Test
  void slowDisk_makesNobodyWait_andTheLossIsSaid() throws Exception {
    start(folder);
    CountDownLatch released = new CountDownLatch(1);
    blockUntil(released);
    writer.takeCheckpointWanted();
    long startNs = System.nanoTime();
    for (int i = 0; i < 100_000; i++) {
      writer.offer(journal -> journal.accept(new JournalRecord.Idle(1)), 0);
    }
    assertTrue(System.nanoTime() - startNs < 10_000_000_000L, "nobody waits for the disk");
    long dropped = writer.droppedEntries();
    assertTrue(dropped > 90_000, dropped + " dropped");
    released.countDown();
    end();
    List<JournalRecord> records = read(0);
    assertEquals(100_000 - dropped, records.stream().filter(JournalRecord.Idle.class::isInstance).count());
    assertEquals(List.of(new JournalRecord.Dropped(7, dropped)),
        records.stream().filter(JournalRecord.Dropped.class::isInstance).toList());
    assertTrue(writer.takeCheckpointWanted(), "a checkpoint makes up for it");
  }

  @Test
  void manyElements_countAsMuchAsManyEntries() throws Exception {
    start(folder);
    CountDownLatch released = new CountDownLatch(1);
    blockUntil(released);
    for (int i = 0; i < 100; i++) {
      writer.offer(journal -> {}, 40_000);
    }
    assertTrue(writer.droppedEntries() > 90, writer.droppedEntries() + " dropped");
    released.countDown();
  }

  @Test
  void countOfDroppedEntries_neverFalls() throws Exception {
    start(folder);
    CountDownLatch released = new CountDownLatch(1);
    blockUntil(released);
    while (writer.droppedEntries() == 0) {
      writer.offer(journal -> {}, 40_000);
    }
    released.countDown();
    long seen = 0;
    for (int i = 0; i < 1_000_000; i++) {
      writer.offer(journal -> {}, 200_000);
      long dropped = writer.droppedEntries();
      assertTrue(dropped >= seen, dropped + " after " + seen);
      seen = dropped;
    }
  }

  @Test
  void secondRecording_keepsTheNewerFileOfTheFirst() throws Exception {
    Files.writeString(folder.resolve("journal.0"), "newer");
    Files.writeString(folder.resolve("journal.1"), "older");
    Files.setLastModifiedTime(folder.resolve("journal.1"), FileTime.fromMillis(1_000));
    start(folder);
    end();
    assertEquals("newer", Files.readString(folder.resolve("journal.0")));
    assertInstanceOf(JournalRecord.Begin.class, read(1).get(0));
  }

  @Test
  void thirdRecording_keepsALargeFileOfTheFirst_andNotASmallOneOfTheSecond() throws Exception {
    Files.write(folder.resolve("journal.0"), new byte[1_000]);
    Files.write(folder.resolve("journal.1"), new byte[(int) MAX_BYTES / 2]);
    Files.setLastModifiedTime(folder.resolve("journal.1"), FileTime.fromMillis(1_000));
    start(folder);
    end();
    assertEquals(MAX_BYTES / 2, size(1));
    assertInstanceOf(JournalRecord.Begin.class, read(0).get(0));
  }

  @Test
  void secondRecording_takesTheFileThatIsNotThere() throws Exception {
    Files.write(folder.resolve("journal.0"), new byte[1_000]);
    start(folder);
    end();
    assertEquals(1_000, size(0));
    assertInstanceOf(JournalRecord.Begin.class, read(1).get(0));
  }

  @Test
  void smallerBound_holdsForTheOtherFileToo() throws Exception {
    Files.write(folder.resolve("journal.0"), new byte[(int) MAX_BYTES]);
    start(folder);
    end();
    assertEquals(0, size(0), "recorded with a larger bound");
    assertInstanceOf(JournalRecord.Begin.class, read(1).get(0));
  }

  @Test
  void segmentThatTheDiskHasNoRoomFor_endsTheRecording() throws Exception {
    Path device = Path.of("/dev/full");
    Files.createSymbolicLink(folder.resolve("journal.1"), device);
    Files.writeString(folder.resolve("journal.0"), "newer");
    Files.setLastModifiedTime(folder.resolve("journal.0"),
        FileTime.fromMillis(Files.getLastModifiedTime(device).toMillis() + 60_000));
    create(folder, 32 << 10, CHECKPOINT_RECORDS);
    // Fills the segment before the writer's buffer.
    writer.offer(journal -> {
      for (int i = 0; i < 4; i++) {
        journal.accept(new JournalRecord.State(i, "x".repeat(10_000)));
      }
    }, 4);
    thread = writer.start();
    thread.join();
    assertTrue(writer.failed());
    assertEquals("newer", Files.readString(folder.resolve("journal.0")), "the other segment is not begun");
  }

  @Test
  void checkpointThatIsTooLarge_endsTheRecording_andTheNeededSizeIsSaid() throws Exception {
    LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger(JournalWriter.class));
    try {
      create(folder, 32 << 10, 5_000);
      thread = writer.start();
      thread.join();
      Matcher needed = Pattern.compile("expected at least (\\d+)").matcher(log.getOutput());
      assertTrue(needed.find(), log::getOutput);
      assertTrue(writer.writtenBytes() <= 16 << 10, writer.writtenBytes() + " bytes");
      create(folder, Long.parseLong(needed.group(1)), 5_000);
      thread = writer.start();
      end();
      assertFalse(writer.failed(), log::getOutput);
      assertEquals(5_000, Math.max(nodesLost(0), nodesLost(1)), "it fits");
    } finally {
      log.stopCapturing();
    }
  }

  @Test
  void directoryThatCannotBe_endsTheRecording_butNotTheCaller() throws Exception {
    Files.writeString(folder.resolve("file"), "");
    start(folder.resolve("file"));
    thread.join();
    for (int i = 0; i < 10_000; i++) {
      writer.offer(journal -> journal.accept(new JournalRecord.Idle(1)), 0);
    }
    assertEquals(0, writer.writtenBytes());
    assertFalse(thread.isAlive());
    assertEquals(10_000, writer.droppedEntries());
  }
}

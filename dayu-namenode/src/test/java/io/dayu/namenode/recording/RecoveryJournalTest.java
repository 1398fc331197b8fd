/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.recording;

import io.dayu.blocks.LiveNode;
import io.dayu.blocks.LiveNodeFixture;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import io.dayu.conf.BadSettingException;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.harness.Await;
import io.dayu.journal.JournalReader;
import io.dayu.journal.JournalRecord;
import io.dayu.journal.JournalRecord.Load;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.NodeLoad.Link;
import io.dayu.namenode.planning.TimeslotDecision;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.ClockStart;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

/** The journal follows its setting while the NameNode runs, and has what the loop saw. */
@Timeout(60)
class RecoveryJournalTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long LINK = 1_000_000;

  @TempDir
  Path folder;
  private Settings settings;
  private RecoveryJournal journal;
  private final Loop loop = new Loop();
  private long nowNs = ClockStart.NS;

  /** What the recovery loop would have. Not thread-safe. */
  private static final class Loop implements RecoveryJournal.View {
    private Map<String, LiveNode> nodes = Map.of();
    private List<WaitingBlock> waiting = List.of();

    void live(String... uuids) {
      nodes = new HashMap<>();
      for (String uuid : uuids) {
        nodes.put(uuid,
            LiveNodeFixture.liveNode(uuid, "10.0.0.1", "host-" + uuid, 9866, "/r", true, new long[0], new int[0]));
      }
    }

    @Override
    public String state() {
      return "DAYU";
    }

    @Override
    public Map<String, LiveNode> nodes() {
      return nodes;
    }

    @Override
    public List<Attempt> transfers() {
      return List.of();
    }

    @Override
    public boolean isIdle() {
      return waiting.isEmpty();
    }

    @Override
    public int readWaiting(int fromRow, int limit, List<WaitingBlock> read) {
      int to = Math.min(waiting.size(), fromRow + limit);
      read.addAll(waiting.subList(fromRow, to));
      return to < waiting.size() ? to : -1;
    }
  }

  @BeforeEach
  void begin() throws Exception {
    settings = settings(folder.toString());
    journal = new RecoveryJournal(settings, "nn1.example.com:8020", () -> 5_000L);
  }

  @AfterEach
  void end() {
    journal.close();
  }

  /** The loop waits for a short time only. */
  private void closeAndAwait() throws Exception {
    journal.close();
    Await.until("the end of the journal's thread", Duration.ofSeconds(60), () -> Thread.getAllStackTraces().keySet()
        .stream().noneMatch(thread -> thread.getName().equals("Dayu journal")));
  }

  private static Settings settings(String directory) throws BadSettingException {
    Configuration conf = new Configuration(false);
    conf.set(Setting.JOURNAL_DIRECTORY.key(), directory);
    return Settings.read(conf);
  }

  private void tick() {
    nowNs += SECOND_NS;
    journal.tick(loop, nowNs);
  }

  private void record(String maxBytes) throws Exception {
    settings.change(Setting.JOURNAL_MAX_BYTES, maxBytes, "set by a test", 1);
  }

  private static NodeLoad load(long in, long out) {
    return new NodeLoad(new Link(LINK, in), new Link(LINK, out), 0, 0);
  }

  private List<JournalRecord> read() throws IOException {
    List<JournalRecord> records = new ArrayList<>();
    assertEquals(Optional.empty(),
        JournalReader.read(folder.resolve("dayu-journal-nn1.example.com-8020.0"), records::add));
    return records;
  }

  private static <T> List<T> of(Class<T> type, List<JournalRecord> records) {
    return records.stream().filter(type::isInstance).map(type::cast).toList();
  }

  @Test
  void byDefault_nothingIsWritten() throws IOException {
    loop.live("a");
    tick();
    journal.reported("a", load(1, 2));
    tick();
    assertEquals(0, journal.writtenBytes());
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(0, files.count());
    }
  }

  @Test
  void waitingBlocks_areCountedOnlyForARecording() throws Exception {
    TimeslotDecision nothing = new TimeslotDecision(List.of(), List.of(), List.of(), List.of(), List.of(), 0, 0, 7);
    journal.planned(nothing, List.of(), () -> fail("asked though nothing is recorded"), nowNs);
    record("1m");
    tick();
    journal.planned(nothing, List.of(), () -> 57, nowNs);
    closeAndAwait();
    assertEquals(List.of(57L),
        of(JournalRecord.Plan.class, read()).stream().map(JournalRecord.Plan::waitingBlocks).toList());
  }

  @Test
  void setting_switchesOnAndOffWhileTheLoopRuns() throws Exception {
    loop.live("a", "b");
    tick();
    record("1m");
    tick();
    journal.reported("a", load(100_000, 200_000));
    journal.reported("b", load(0, 0));
    tick();
    journal.reported("a", load(101_000, 201_000));
    tick();
    journal.reported("a", load(150_000, 201_000));
    loop.live("a");
    tick();
    closeAndAwait();
    List<JournalRecord> records = read();
    assertEquals("DAYU", of(JournalRecord.State.class, records).get(1).state(), "the first one is the checkpoint's");
    assertEquals("1m", of(JournalRecord.SettingValues.class, records).get(0).values().get("dayu.namenode.journal"
        + ".max-bytes"));
    assertFalse(of(JournalRecord.SettingValues.class, records).toString().contains(folder.toString()), "no paths");
    Map<String, Integer> ids = new HashMap<>();
    of(JournalRecord.Node.class, records).forEach(node -> ids.put(node.name(), node.node()));
    int a = ids.get("host-a:9866");
    int b = ids.get("host-b:9866");
    List<Load> loads =
        of(JournalRecord.Loads.class, records).stream().flatMap(one -> one.loads().stream()).toList();
    assertEquals(List.of(new Load(a, 100_000, 200_000), new Load(b, 0, 0), new Load(a, 150_000, 201_000)), loads,
        "without the one that differs by a thousandth of the link");
    assertEquals(List.of(b), of(JournalRecord.NodeLost.class, records).stream().map(one -> one.node()).toList());
    assertTrue(of(JournalRecord.Idle.class, records).size() >= 1);

    int before = records.size();
    record("0");
    tick();
    journal.reported("a", load(900_000, 900_000));
    tick();
    assertEquals(before, read().size(), "off");
  }

  @Test
  void blocksThatWaitAlready_areACheckpointInPieces() throws Exception {
    loop.live("a", "b");
    loop.waiting = waiting(2_500);
    record("1m");
    tick();
    for (int i = 0; i < 100_000 && journal.writtenBytes() == 0; i++) {
      Thread.onSpinWait();
    }
    int ticks = 1;
    while (of(JournalRecord.CheckpointEnd.class, readIfAny()).isEmpty()) {
      tick();
      Thread.sleep(1);
      ticks++;
    }
    assertTrue(ticks >= 3, ticks + " ticks");
    closeAndAwait();
    List<JournalRecord.Blocks> pieces = of(JournalRecord.Blocks.class, read());
    assertEquals(IntStream.of(500, 500, 250).boxed().toList(),
        pieces.stream().map(piece -> piece.blocks().size()).toList(), "without those for stock HDFS");
    assertTrue(pieces.stream().allMatch(JournalRecord.Blocks::checkpoint));
  }

  /** Every other one is left to stock HDFS. */
  private static List<WaitingBlock> waiting(int blocks) {
    return LongStream.range(0, blocks).mapToObj(id -> waitingBlock(id).bytes(64).risk(1).on("a", "b")
        .storageTypes(1).forStock(id % 2 == 1 ? WaitReason.ERASURE_CODED : null).build()).toList();
  }

  @Test
  void checkpointThatNeverEnds_isSaidOnce() throws Exception {
    loop.live("a", "b");
    loop.waiting = waiting(400_000);
    record("1m");
    LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger(RecoveryJournal.class));
    try {
      while (journal.writtenBytes() < 2 << 20) {
        tick();
        Thread.sleep(1);
      }
      assertEquals(1, log.getOutput().lines().count(), log::getOutput);
      assertTrue(log.getOutput().startsWith("Dayu: a checkpoint of the journal did not end before the next one; "
          + "dayu.namenode.journal.max-bytes = 1m is too small"), log::getOutput);
    } finally {
      log.stopCapturing();
    }
  }

  private List<JournalRecord> readIfAny() throws IOException {
    List<JournalRecord> records = new ArrayList<>();
    Path file = folder.resolve("dayu-journal-nn1.example.com-8020.0");
    if (Files.exists(file) && Files.size(file) > 8) {
      JournalReader.read(file, records::add);
    }
    return records;
  }

  @Test
  void recordingThatFailed_beginsAgainWithAnotherSize() throws Exception {
    Path directory = folder.resolve("directory");
    Files.writeString(directory, "a file");
    settings = settings(directory.toString());
    journal = new RecoveryJournal(settings, "nn", () -> 5_000L);
    record("1m");
    loop.live("a");
    tick();
    while (journal.droppedEntries() == 0) {
      journal.reported("a", load(100_000, 200_000));
      tick();
      Thread.sleep(1);
    }
    Files.delete(directory);
    record("2m");
    while (journal.writtenBytes() == 0) {
      tick();
      Thread.sleep(1);
    }
    closeAndAwait();
    assertTrue(Files.size(directory.resolve("dayu-journal-nn.0")) > 100);
  }

  @Test
  void directoryWithoutAValue_recordsNothing() throws Exception {
    settings = settings("${no.such.variable}");
    journal = new RecoveryJournal(settings, "nn", () -> 5_000L);
    record("1m");
    tick();
    tick();
    assertEquals(0, journal.writtenBytes());
    LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger(RecoveryJournal.class));
    try {
      record("0");
      tick();
      assertEquals("", log.getOutput(), "there is nothing to end");
    } finally {
      log.stopCapturing();
    }
  }
}

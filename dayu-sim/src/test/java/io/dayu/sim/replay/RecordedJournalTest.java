/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.replay;

import io.dayu.journal.JournalRecord;
import io.dayu.journal.JournalRecord.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import static io.dayu.sim.replay.JournalFixture.BEGIN_MS;
import static io.dayu.sim.replay.JournalFixture.block;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Which recoveries a journal has, whatever is missing of it. */
class RecordedJournalTest {
  private static final long AT = BEGIN_MS + 70_000;

  @TempDir
  Path folder;

  private RecordedJournal read(JournalFixture journal) throws IOException {
    return RecordedJournal.read(List.of(journal.write(folder.resolve("journal.0"))));
  }

  private RecordedRecovery only(JournalFixture journal) throws IOException {
    List<RecordedRecovery> recoveries = read(journal).recoveries();
    assertEquals(1, recoveries.size());
    return recoveries.get(0);
  }

  @Test
  void recovery_isFromTheFirstBlockToTheLastCopy() throws IOException {
    RecordedJournal journal = read(new JournalFixture().recovery(AT, 100));
    RecordedRecovery recovery = journal.recoveries().get(0);
    assertTrue(recovery.span().beginSeen() && recovery.span().endSeen());
    assertEquals(AT, recovery.span().beginMs());
    assertEquals(4.0, recovery.seconds());
    assertEquals(100, recovery.copies());
    assertEquals(100_000_000, recovery.bytes());
    assertEquals(0.04, recovery.recoveredSec()[0]);
    assertEquals(Map.of(Outcome.FINISHED, 100), recovery.transfers().outcomes());
    assertEquals(Map.of(0, AT), recovery.lostMs());
    assertEquals(Map.of("dn0:9866", AT), journal.lostNodes());
    assertEquals("1s", recovery.settings().get("dayu.timeslot.interval"));
    assertEquals(12, journal.nodes().size());
  }

  @Test
  void twoRecoveries_areTold_apart() throws IOException {
    assertEquals(2, read(new JournalFixture().recovery(AT, 3).recovery(AT + 60_000, 5)).recoveries().size());
  }

  @Test
  void failedTransfer_isMadeAgain_andCountsOnce() throws IOException {
    RecordedRecovery recovery = only(new JournalFixture().waiting(AT, block(1, 2, 3)).start(AT, 0, 1, 2, 5)
        .end(AT + 900, 1, 5, Outcome.TARGET_FAILED).start(AT + 1_000, 0, 1, 3, 6).waiting(AT + 1_500, block(1, 2, 3))
        .end(AT + 2_000, 1, 6, Outcome.FINISHED).end(AT + 3_000, 1, 6, Outcome.FINISHED)
        .add(new JournalRecord.Idle(AT + 4_000)));
    assertEquals(400_000, recovery.transfers().wastedBytes());
    assertEquals(Map.of(Outcome.TARGET_FAILED, 1, Outcome.FINISHED, 2), recovery.transfers().outcomes());
    assertEquals(List.of(AT, AT + 1_500), recovery.blocks().get(0).lackedMs(),
        "read again while a copy was under way: another one was lacking");
    assertEquals(2, recovery.copies());
  }

  @Test
  void blockThatNobodyCopied_isLeftOut() throws IOException {
    RecordedRecovery recovery = only(new JournalFixture().waiting(AT, block(1, 2), block(2, 3))
        .start(AT, 1, 1, 2, 5).end(AT + 900, 1, 5, Outcome.FINISHED).add(new JournalRecord.Idle(AT + 5_000)));
    assertEquals(1, recovery.copies());
    assertEquals(1, recovery.notCopied());
    assertEquals(0.9, recovery.seconds());
  }

  @Test
  void lateBlocks_lackCopiesSinceAllOthersWereRead() throws IOException {
    JournalFixture all = new JournalFixture().waiting(AT, block(1, 2)).start(AT, 0, 1, 2, 5)
        .waiting(AT + 8_000, block(2, 3)).start(AT + 8_000, 0, 2, 3, 6);
    assertEquals(List.of(AT + 8_000), only(all).blocks().get(1).lackedMs(), "all were read at the first plan");
    JournalFixture backlog = new JournalFixture().waiting(AT, block(1, 2)).start(AT, 1_000, 1, 2, 5)
        .waiting(AT + 8_000, block(2, 3)).start(AT + 8_000, 999, 2, 3, 6);
    assertEquals(List.of(AT), only(backlog).blocks().get(1).lackedMs(), "it waited, but was not read");
  }

  @Test
  void sourceThatIsLost_makesItsBlocksLackNoMoreThanThat() throws IOException {
    RecordedRecovery recovery = only(new JournalFixture().waiting(AT, block(1, 2, 3)).start(AT, 0, 1, 2, 5)
        .add(new JournalRecord.NodeLost(AT + 5_000, 2)).waiting(AT + 5_000, block(1, 3)));
    assertEquals(1, recovery.copies(), "the second one follows from the loss of the node");
    assertEquals(Map.of(2, AT + 5_000), recovery.lostMs());
  }

  @Test
  void checkpointAlone_hasWhatWasLeft() throws IOException {
    JournalFixture journal = new JournalFixture(new JournalFixture().records().stream()
        .filter(one -> !(one instanceof JournalRecord.Idle)).toList());
    journal.add(new JournalRecord.Running(AT,
        List.of(new JournalRecord.Transfer(7, 1_000_000, 4, 8, 1_000_000))));
    journal.add(new JournalRecord.Blocks(AT, true, List.of(block(1, 2), block(2, 3))));
    RecordedRecovery recovery = only(journal);
    assertFalse(recovery.span().beginSeen() || recovery.span().endSeen());
    assertEquals(3, recovery.copies());
  }

  @Test
  void segments_areReadInTheOrderOfTime_andNumberNodesAnew() throws IOException {
    JournalFixture first = new JournalFixture().recovery(AT, 10);
    JournalFixture second = new JournalFixture(List.of(new JournalRecord.Begin(AT + 60_000, 1, "0.2.0"),
        new JournalRecord.Node(AT + 60_000, 0, "dn5:9866", "/r2", true, 1, 1),
        new JournalRecord.NodeLost(AT + 61_000, 0)));
    RecordedJournal journal = RecordedJournal.read(
        List.of(second.write(folder.resolve("journal.0")), first.write(folder.resolve("journal.1"))));
    assertEquals(12, journal.nodes().size());
    assertEquals("0.2.0", journal.version());
    assertEquals(2, journal.segments());
    assertEquals(Map.of("dn0:9866", AT, "dn5:9866", AT + 61_000), journal.lostNodes());
  }

  @Test
  void recoveryThatANewRecordingCutsOff_hasNoEnd() throws IOException {
    JournalFixture first = new JournalFixture().waiting(AT, block(1, 2)).start(AT, 0, 1, 2, 5);
    JournalFixture second = new JournalFixture(new JournalFixture().records().stream()
        .filter(one -> !(one instanceof JournalRecord.Idle))
        .map(one -> one instanceof JournalRecord.Begin ? new JournalRecord.Begin(AT + 5_000, 1, "0.1.0") : one)
        .toList())
        .waiting(AT + 90_000, block(3, 2)).start(AT + 90_000, 0, 3, 2, 5).end(AT + 92_000, 3, 5, Outcome.FINISHED)
        .add(new JournalRecord.Idle(AT + 93_000));
    List<RecordedRecovery> recoveries = RecordedJournal.read(
        List.of(first.write(folder.resolve("journal.0")), second.write(folder.resolve("journal.1")))).recoveries();
    assertEquals(2, recoveries.size());
    assertFalse(recoveries.get(0).span().endSeen(), "the NameNode was restarted");
    assertEquals(AT, recoveries.get(0).span().endMs(), "the last that is known of it");
    assertFalse(recoveries.get(1).span().beginSeen());
    assertTrue(recoveries.get(1).span().endSeen());
    assertEquals(2.0, recoveries.get(1).seconds());
  }

  @Test
  void nextSegment_continuesTheRecovery() throws IOException {
    JournalFixture first = new JournalFixture().waiting(AT, block(1, 2)).start(AT, 0, 1, 2, 5);
    JournalFixture second = new JournalFixture(List.of(new JournalRecord.Begin(AT + 5_000, 2, "0.1.0"),
        new JournalRecord.Node(AT + 5_000, 5, "dn5:9866", "/r2", true, 1, 1)))
        .end(AT + 6_000, 1, 5, Outcome.FINISHED).add(new JournalRecord.Idle(AT + 7_000));
    List<RecordedRecovery> recoveries = RecordedJournal.read(
        List.of(first.write(folder.resolve("journal.0")), second.write(folder.resolve("journal.1")))).recoveries();
    assertEquals(1, recoveries.size());
    assertTrue(recoveries.get(0).span().beginSeen() && recoveries.get(0).span().endSeen());
    assertEquals(6.0, recoveries.get(0).seconds());
  }

  @Test
  void everyPrefix_isRead_andItsLossIsSaid() throws IOException {
    Path whole = new JournalFixture().recovery(AT, 12).write(folder.resolve("whole"));
    byte[] bytes = Files.readAllBytes(whole);
    Path file = folder.resolve("journal.0");
    int lossless = 0;
    for (int length = 100; length < bytes.length; length++) {
      Files.write(file, Arrays.copyOf(bytes, length));
      RecordedJournal journal = RecordedJournal.read(List.of(file));
      assertTrue(journal.recoveries().size() <= 1, "cut at " + length);
      lossless += journal.losses().isEmpty() ? 1 : 0;
    }
    assertTrue(lossless < 40, lossless + " cuts are between records");
    Files.write(file, Arrays.copyOf(bytes, 12));
    assertEquals(file + " has no whole record",
        assertThrows(IOException.class, () -> RecordedJournal.read(List.of(file))).getMessage());
  }
}

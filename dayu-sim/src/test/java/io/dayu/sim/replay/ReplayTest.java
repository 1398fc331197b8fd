/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.replay;

import io.dayu.conf.Settings;
import io.dayu.journal.JournalRecord;
import io.dayu.journal.JournalRecord.Block;
import io.dayu.sim.algorithm.Algorithms;
import io.dayu.sim.engine.LinkPhysics;
import io.dayu.sim.engine.RecoveryOutcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleConsumer;

import static io.dayu.sim.replay.JournalFixture.BEGIN_MS;
import static io.dayu.sim.replay.JournalFixture.block;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A recorded recovery is simulated with its own settings, and with others. */
class ReplayTest {
  private static final DoubleConsumer NOBODY = share -> {};
  private static final long AT = BEGIN_MS + 70_000;

  @TempDir
  Path folder;

  private Replay replay(JournalFixture fixture) throws Exception {
    return replay(fixture, 0);
  }

  private Replay replay(JournalFixture fixture, int number) throws Exception {
    RecordedJournal journal = RecordedJournal.read(List.of(fixture.write(folder.resolve("journal.0"))));
    RecordedRecovery recovery = journal.recoveries().get(number);
    return Replay.of(journal, recovery, recovery.span().endMs(), true);
  }

  private static Settings settings(Map<String, String> texts) throws Exception {
    return Settings.defaults().with(texts);
  }

  @Test
  void settings_changeWhatIsSimulated() throws Exception {
    Replay replay = replay(new JournalFixture().recovery(AT, 600));
    assertEquals(11, replay.nodes(), "without the one that was lost");
    Settings recorded = settings(Map.of("dayu.timeslot.interval", "1s"));
    // 600 MB, 5 % more on the wire, on 11 links of 10 MB/s: 75 % of them beside clients that take a fifth, in bursts.
    assertEquals(1.05 * 600 / (11 * 5.5), replay.idealSeconds(recorded), 0.5);
    RecoveryOutcome dayu = replay.byProduct(recorded, LinkPhysics.PRIORITY, NOBODY);
    assertTrue(dayu.finished());
    assertTrue(dayu.recoveryTimeSec() > 6 && dayu.recoveryTimeSec() < 14, dayu.recoveryTimeSec() + " s");
    RecoveryOutcome careful = replay.byProduct(
        settings(Map.of("dayu.timeslot.interval", "1s", "dayu.recovery.max-utilization", "0.4")), LinkPhysics.PRIORITY,
        NOBODY);
    assertTrue(careful.recoveryTimeSec() > dayu.recoveryTimeSec() + 1, careful.recoveryTimeSec() + " s");
    RecoveryOutcome paper = replay.by(Algorithms.named("dayu-paper"), recorded, LinkPhysics.PRIORITY, 1, NOBODY);
    assertTrue(paper.finished() && paper.recoveryTimeSec() > dayu.recoveryTimeSec(), paper.recoveryTimeSec() + " s");
  }

  @Test
  void groups_areRebuiltFromSeveralSources() throws Exception {
    Settings defaults = Settings.defaults();
    Replay blocks = replay(new JournalFixture().recovery(AT, 200));
    Replay groups = replay(new JournalFixture().recoveryOfGroups(AT, 200));
    assertEquals(3 * blocks.idealSeconds(defaults), groups.idealSeconds(defaults), 0.3);
    RecoveryOutcome outcome = groups.byProduct(defaults, LinkPhysics.PRIORITY, NOBODY);
    assertTrue(outcome.finished());
    double ratio = outcome.recoveryTimeSec() / groups.idealSeconds(defaults);
    assertTrue(ratio > 0.8 && ratio < 1.5, ratio + " of the ideal time");
  }

  @Test
  void blocksAndGroupsOfSeveralWidths_areRecoveredTogether() throws Exception {
    Settings defaults = Settings.defaults();
    Replay all = replay(new JournalFixture().recoveryOfBoth(AT, 100, 2, 3));
    // For each MB 1, 2 and 3 are received, by 11 links of 10 MB/s: 75 % of them beside clients that take a fifth.
    assertEquals(1.05 * 100 * (1 + 2 + 3) / (11 * 5.5), all.idealSeconds(defaults), 0.5);
    RecoveryOutcome dayu = all.byProduct(defaults, LinkPhysics.PRIORITY, NOBODY);
    assertTrue(dayu.finished());
    long wireBytes = Math.round(1e6 * LinkPhysics.WIRE_BYTES_PER_BLOCK_BYTE);
    assertEquals(wireBytes * 100 * (1 + 2 + 3), dayu.copies().copiedBytes());
    double ratio = dayu.recoveryTimeSec() / all.idealSeconds(defaults);
    assertTrue(ratio > 0.8 && ratio < 1.5, ratio + " of the ideal time");
    for (String name : new String[] {"hdfs", "hdfs-20", "selectiveec", "repairboost", "dayu-paper", "R+W"}) {
      RecoveryOutcome other = all.by(Algorithms.named(name), defaults, LinkPhysics.PRIORITY, 1, NOBODY);
      assertTrue(other.finished(), name);
      assertEquals(dayu.copies().copiedBytes(), other.copies().copiedBytes(), name);
    }
  }

  /** The block is on all three racks, the group on two of them. */
  @Test
  void racksOfGroups_mayHaveToDiffer_whileThoseOfBlocksNeedNot() throws Exception {
    JournalFixture journal = new JournalFixture()
        .waiting(AT, block(1, 1, 2, 3), new Block(-16, 1_000_000, 1, 1, true, 2, List.of(1, 2, 4)))
        .start(AT, 1, 1, 2, 5).end(AT + 2_000, 1, 5, JournalRecord.Outcome.FINISHED)
        .end(AT + 2_000, -16, 6, JournalRecord.Outcome.FINISHED).add(new JournalRecord.Idle(AT + 3_000));
    assertTrue(replay(journal).byProduct(Settings.defaults(), LinkPhysics.PRIORITY, NOBODY).finished());
  }

  @Test
  void sameJournal_givesTheSameResult() throws Exception {
    Settings defaults = Settings.defaults();
    double first = replay(new JournalFixture().recovery(AT, 200)).byProduct(defaults, LinkPhysics.PRIORITY, NOBODY)
        .recoveryTimeSec();
    assertEquals(first, replay(new JournalFixture().recovery(AT, 200)).byProduct(defaults, LinkPhysics.PRIORITY, NOBODY)
        .recoveryTimeSec());
  }

  @Test
  void blocksThatLackCopiesLater_areNotRecoveredBefore() throws Exception {
    JournalFixture journal = new JournalFixture().waiting(AT, block(1, 2, 3)).start(AT, 0, 1, 2, 5)
        .end(AT + 2_000, 1, 5, JournalRecord.Outcome.FINISHED)
        .waiting(AT + 30_000, block(2, 3, 4)).start(AT + 30_000, 0, 2, 3, 6)
        .end(AT + 32_000, 2, 6, JournalRecord.Outcome.FINISHED).add(new JournalRecord.Idle(AT + 33_000));
    RecoveryOutcome outcome = replay(journal).byProduct(Settings.defaults(), LinkPhysics.PRIORITY, NOBODY);
    assertTrue(outcome.finished());
    assertTrue(outcome.recoveryTimeSec() > 30 && outcome.recoveryTimeSec() < 40, outcome.recoveryTimeSec() + " s");
  }

  @Test
  void nodeThatIsLostBeforeTheRecovery_takesNoPart() throws Exception {
    JournalFixture lost = new JournalFixture().add(new JournalRecord.NodeLost(AT - 1_000, 0));
    JournalFixture recovered = oneBlock(lost, 1, AT);
    assertEquals(11, replay(recovered).nodes(), "lost a second before its blocks were read");
    JournalFixture second = oneBlock(recovered, 2, AT + 60_000);
    assertEquals(11, replay(second, 1).nodes(), "lost in the recovery before");
    JournalFixture back = oneBlock(second.add(
        new JournalRecord.Node(AT + 90_000, 0, "dn0:9866", "/r0", true, JournalFixture.LINK, JournalFixture.LINK)), 3,
        AT + 120_000);
    assertEquals(12, replay(back, 2).nodes(), "it is live again");
  }

  @Test
  void nodeThatACheckpointDoesNotName_takesNoPart() throws Exception {
    JournalFixture journal = new JournalFixture();
    List<JournalRecord> checkpoint = List.copyOf(journal.records());
    checkpoint.stream().filter(one -> !(one instanceof JournalRecord.Node node && node.node() == 3))
        .map(one -> one instanceof JournalRecord.Begin begin ? new JournalRecord.Begin(begin.atMs(), 2, "0.1.0") : one)
        .forEach(journal::add);
    assertEquals(11, replay(oneBlock(journal, 1, AT)).nodes());
  }

  /** A block of nodes 1 and 2 is copied from the former to node 5. */
  private static JournalFixture oneBlock(JournalFixture journal, long id, long atMs) {
    return journal.waiting(atMs, block(id, 1, 2)).start(atMs, 0, id, 1, 5)
        .end(atMs + 2_000, id, 5, JournalRecord.Outcome.FINISHED).add(new JournalRecord.Idle(atMs + 3_000));
  }

  @Test
  void nodeThatIsLostOnTheWay_costsItsCopiesToo() throws Exception {
    JournalFixture journal = new JournalFixture().recovery(AT, 100);
    int idle = journal.records().size() - 1;
    JournalFixture second = new JournalFixture(journal.records().subList(0, idle))
        .add(new JournalRecord.NodeLost(AT + 3_000, 4)).add(journal.records().get(idle));
    RecoveryOutcome one = replay(journal).byProduct(Settings.defaults(), LinkPhysics.PRIORITY, NOBODY);
    RecoveryOutcome two = replay(second).byProduct(Settings.defaults(), LinkPhysics.PRIORITY, NOBODY);
    assertTrue(two.finished() && two.recoveryTimeSec() > Math.max(3, one.recoveryTimeSec()),
        two.recoveryTimeSec() + " s, " + one.recoveryTimeSec() + " s with one loss");
  }
}

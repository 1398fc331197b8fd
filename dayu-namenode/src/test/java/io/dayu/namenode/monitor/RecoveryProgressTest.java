/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.TransferRequest;
import io.dayu.namenode.monitor.RecoveryProgress.Observation;
import io.dayu.namenode.monitor.RecoveryProgress.Progress;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.AttemptFixture;
import io.dayu.namenode.transfers.ClockStart;
import io.dayu.rules.RecentProgress.Usage;
import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RecoveryProgressTest {
  private static final long BLOCK = 100;
  private static final TransferRequest REQUEST = new TransferRequest(new BlockKey(1, 1), BLOCK, 0, "a", "b", 1);

  private final RecoveryProgress progress = new RecoveryProgress(() -> 2_000);
  private long nowNs = ClockStart.NS;
  private long unplaceable;

  private static Attempt running(long doneBytes) {
    return AttemptFixture.progressed(AttemptFixture.running(1, REQUEST), doneBytes, 0);
  }

  private double seconds() {
    return nowNs / 1e9;
  }

  /**
   * A second passes. Then {@code waiting} blocks wait, one is at {@code doneBytes} unless that is negative, and
   * {@code finished} blocks are finished.
   */
  private Progress second(long waiting, long doneBytes, long finished) {
    nowNs += TimeUnit.SECONDS.toNanos(1);
    progress.observe(
        new Observation(waiting, unplaceable, doneBytes < 0 ? List.of() : List.of(running(doneBytes)), finished,
            finished * BLOCK, 0,
            0,
            new Usage(100.0 * seconds(), 10.0 * seconds(), seconds())),
        "a test", nowNs, 7);
    return progress.latest();
  }

  @Test
  void steadyRecovery_isEstimatedRightlyAfterTwoTimeslots() {
    // 20 blocks, two seconds each, one at a time.
    Progress last = Progress.NONE;
    for (int s = 0; s < 40; s++) {
      last = second(19 - s / 2, s % 2 * BLOCK / 2, s / 2);
      if (s >= 4) {
        assertEquals(40 - s, last.estimate().etaSeconds(), 3, "at second " + s);
      }
    }
    assertTrue(last.estimate().etaError() >= 0 && last.estimate().etaError() <= 0.2, last::toString);
    assertEquals(19, last.amounts().blocksDone());
    assertEquals(50, last.amounts().bytesPerSec());
    assertEquals(0.5, last.linkUse().shareOfAllowed(), 0.02);
    assertEquals(0.1, last.linkUse().timeAboveAlpha(), 1e-6);
  }

  /**
   * Moves through a recovery of 100 blocks of which ten run side by side, at a rate for each second, and returns what
   * was said after four.
   */
  private Progress sideBySide(double[] blocksPerSec, double allowedBlocksPerSec) {
    double done = 0;
    Progress afterFour = null;
    for (int s = 0; s <= 4; s++) {
      List<Attempt> running = new ArrayList<>();
      long finished = (long) Math.max(0, done - 5);
      // Each of those that run is a tenth further than the next one.
      for (int i = 0; i < 10; i++) {
        running.add(running((long) Math.min(BLOCK, Math.max(0, BLOCK * (done - finished) / 10))));
      }
      progress.observe(new Observation(90 - finished, 0, running, finished, finished * BLOCK, 0, 0,
          new Usage(allowedBlocksPerSec * BLOCK * s, 10.0 * s, s < 2 ? 0 : 5.0 * (s - 1))), "a test",
          nowNs, 7);
      afterFour = progress.latest();
      nowNs += TimeUnit.SECONDS.toNanos(1);
      done += blocksPerSec[s];
    }
    return afterFour;
  }

  /** Blocks of broken pipelines are copied when the DataNode's others are found to be lost, too. */
  @Test
  void recoveryThatGrows_isEstimatedAnew() {
    for (int s = 0; s < 5; s++) {
      second(4, 10 * s, 0);
    }
    assertTrue(progress.latest().estimate().firstEndMs() > 0, "a first estimate of five blocks");
    assertEquals(-1, second(100, 60, 0).estimate().etaError());
    assertEquals(0, progress.latest().estimate().firstEndMs());
    for (int s = 0; s < 5; s++) {
      second(100, 60 + 5 * s, 0);
    }
    assertEquals(0, progress.latest().estimate().etaError(), 0.2);
    assertTrue(progress.latest().estimate().firstEndMs() > TimeUnit.SECONDS.toMillis(1_000),
        progress.latest()::toString);
  }

  @Test
  void blockThatLacksSeveralCopies_isNoGrowth() {
    second(9, 0, 0);
    for (int s = 1; s < 20; s++) {
      // Each block waits for its second copy when it has the first.
      second(9, 50 * (s % 2), s / 2);
    }
    assertTrue(progress.latest().estimate().firstEndMs() > 0 && progress.latest().estimate().firstEndMs() < 40_000,
        progress.latest()::toString);
  }

  @Test
  void estimate_hasTheTailOfTheLastTransfers() {
    // 100 blocks at 2 a second would end after 50 s; the last ten take longer than a share of the links.
    Progress after = sideBySide(new double[] {2, 2, 2, 2, 2}, 5);
    assertEquals(200, after.amounts().bytesPerSec(), 1);
    assertEquals((100 - 8 + 4.5) / 2, after.estimate().etaSeconds(), 1);
  }

  @Test
  void estimate_doesNotCountOnCreditToLast() {
    Progress after = sideBySide(new double[] {4, 4, 4, 4, 4}, 2);
    assertEquals(400, after.amounts().bytesPerSec(), 1);
    assertEquals((100 - 16 + 4.5) / 2, after.estimate().etaSeconds(), 1);
  }

  @Test
  void causeThatGrows_isTheCauseAtTheEnd() {
    second(1, 0, 0);
    progress.observe(new Observation(1, 0, List.of(running(0)), 0, 0, 0, 0, Usage.NONE), "two nodes", nowNs,
        7);
    assertEquals("two nodes", progress.latest().cause());
  }

  @Test
  void recovery_endsWhenNothingWaitsOrRunsForSomeSeconds() {
    second(1, 0, 0);
    assertTrue(second(0, 50, 0).active());
    for (int s = 0; s < 4; s++) {
      assertTrue(second(0, -1, 2).active());
    }
    second(0, -1, 2);
    Progress ended = second(0, -1, 2);
    assertFalse(ended.active());
    assertEquals(1, ended.number());
    assertEquals(2, ended.amounts().blocksDone());
    assertEquals(0, ended.amounts().blocksLeft());
    assertEquals(1, ended.linkUse().shareOfAllowed(), 0.01, "the seconds in which nothing happened do not count");
    assertTrue(second(3, -1, 2).active(), "the next one begins");
    assertEquals(2, progress.latest().number());
    assertEquals(0, progress.latest().amounts().blocksDone());
  }

  @Test
  void beginAndEnd_areOneLineEach_thatSaysAllOfTheRecovery() {
    LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger(RecoveryProgress.class));
    try {
      second(3, 0, 0);
      assertEquals("", log.getOutput(), "the cause may not be known yet");
      for (int s = 1; s < 12; s++) {
        second(3 - s / 4, s % 4 * 25, s / 4);
      }
      assertEquals(List.of("Dayu: recovery 1 begins: 4 blocks lack replicas; a test"), lines(log));
      log.clearOutput();
      second(1, -1, 3);
      progress.handOver("an admin wants it", nowNs);
      assertEquals(
          List.of("Dayu: recovery 1 ends after 12 s (first estimate: 16 s): 3 blocks, 300 bytes copied, 25 % of what "
              + "alpha allowed; 10 % of node-seconds above alpha, 10 % at worst; 0 transfers failed, 1 blocks left: "
              + "an admin wants it; 0 blocks were copied by stock HDFS or needed no copy any more; a test"),
          lines(log));
      log.clearOutput();
      for (int s = 0; s < 3; s++) {
        second(0, 50, 3);
      }
      for (int s = 0; s < 6; s++) {
        second(0, -1, 4);
      }
      List<String> lines = lines(log);
      assertEquals("Dayu: recovery 2 begins: 1 blocks lack replicas; a test", lines.get(0));
      assertTrue(lines.get(1).startsWith("Dayu: recovery 2 ends after ")
          && lines.get(1).contains("0 transfers failed, 0 blocks left; 0 blocks were copied by stock"),
          lines::toString);
      assertEquals(2, lines.size());
    } finally {
      log.stopCapturing();
    }
  }

  private static List<String> lines(LogCapturer log) {
    return log.getOutput().lines().toList();
  }

  @Test
  void blocksThatNeededNoCopyAfterAll_areNoRecovery() {
    second(1, 0, 0);
    for (int s = 0; s < 7; s++) {
      second(0, -1, 1);
    }
    assertEquals(1, progress.count());
    Progress first = progress.latest();
    assertTrue(second(2, -1, 1).active(), "it may become one");
    assertEquals(first, second(0, -1, 1), "0 of 0 blocks would be shown for seconds");
    assertTrue(second(2, -1, 1).active(), "it may become one");
    for (int s = 0; s < 6; s++) {
      second(0, -1, 1);
    }
    assertEquals(1, progress.count());
    assertEquals(first, progress.latest());
    for (int s = 0; s < 3; s++) {
      second(2, 0, 1);
    }
    assertEquals(2, progress.count());
    assertEquals(2, progress.latest().number());
  }

  @Test
  void blocksThatCannotBePlaced_doNotKeepARecoveryOpen() {
    second(2, 0, 0);
    Progress last = Progress.NONE;
    for (int s = 0; s < 130; s++) {
      last = second(2, -1, 1);
    }
    assertFalse(last.active());
    assertEquals(2, last.amounts().blocksLeft());
    assertFalse(second(2, -1, 1).active(), "the same blocks begin nothing");
    assertTrue(second(2, 10, 1).active(), "a transfer does");
  }

  /** Files with ten replicas on five nodes: their blocks wait for ever. */
  @Test
  void unplaceableBlocks_doNotCountInTheEstimate_andDoNotKeepARecoveryOpen() {
    Progress last = Progress.NONE;
    for (int s = 0; s < 20; s++) {
      // Two timeslots find out.
      unplaceable = s < 4 ? 0 : 500;
      last = second(500 + 9 - s / 2, s % 2 * BLOCK / 2, s / 2);
    }
    assertEquals(0, last.estimate().etaSeconds(), 2);
    assertEquals(0, last.amounts().notCopied());
    for (int s = 0; s < 7; s++) {
      last = second(500, -1, 10);
    }
    assertFalse(last.active());
    assertEquals(10, last.amounts().blocksDone());
    assertEquals(500, last.amounts().blocksLeft());
    assertEquals("the blocks that are left cannot be placed now", last.endReason());
    unplaceable = 0;
    assertFalse(second(500, -1, 10).active(), "they are found again");
    unplaceable = 500;
    second(540, -1, 10);
    assertEquals(0, second(540, 20, 10).amounts().blocksDone(), "the next loss is another recovery");
    assertEquals(41, progress.latest().amounts().blocksLeft());
  }

  @Test
  void recoveryThatIsHandedOver_ends_andTheRestIsAnotherOne() {
    for (int s = 0; s < 3; s++) {
      second(5, 50, s);
    }
    progress.handOver("stock HDFS recovers", nowNs);
    Progress ended = progress.latest();
    assertFalse(ended.active());
    assertEquals(1, ended.number());
    assertEquals(2, ended.amounts().blocksDone());
    assertEquals(6, ended.amounts().blocksLeft());
    assertEquals("stock HDFS recovers", ended.endReason());
    assertEquals(-1, ended.estimate().etaError(), "the first estimate was of the whole recovery");
    progress.handOver("this NameNode is no longer active", nowNs);
    assertEquals(ended, progress.latest(), "it has ended already");
    second(6, -1, 2);
    second(6, 10, 2);
    assertEquals(2, second(6, 20, 2).number(), "the same blocks begin another one");
    assertEquals("", progress.latest().endReason());
  }

  @Test
  void recoveryThatIsHandedOverBeforeItWasAnnounced_isNone() {
    second(5, -1, 0);
    progress.handOver("stock HDFS recovers", nowNs);
    assertEquals(Progress.NONE, progress.latest());
    assertEquals(0, progress.count());
  }

  @Test
  void pause_countsInTheTime_butNotInRatesAndEstimates() {
    for (int s = 0; s < 6; s++) {
      second(10, s * 10, 0);
    }
    for (int s = 0; s < 600; s++) {
      progress.paused(nowNs + TimeUnit.SECONDS.toNanos(1));
      second(10, -1, 1);
    }
    assertTrue(progress.latest().active(), "the blocks could be placed");
    assertEquals(-1, progress.latest().estimate().etaSeconds());
    Progress resumed = Progress.NONE;
    for (int s = 0; s < 6; s++) {
      resumed = second(10, (s + 1) * 10, 1);
    }
    assertEquals(1, resumed.number());
    assertEquals(611, resumed.seconds());
    assertEquals(10, resumed.amounts().bytesPerSec());
    // 110 s for 11 blocks were the first estimate; 115 s are needed, since the pause interrupted a transfer.
    assertEquals(0.05, resumed.estimate().etaError(), 0.05);
  }

  /** The first estimate is that of the recovery, not of what is left after a pause. */
  @Test
  void firstEstimate_lastsThroughAPause() {
    for (int s = 0; s < 6; s++) {
      second(10, s * 10, 0);
    }
    for (int s = 0; s < 600; s++) {
      progress.paused(nowNs + TimeUnit.SECONDS.toNanos(1));
      second(10, 50, 0);
    }
    // Ten times as fast as before: the first estimate of about 110 s was far too long.
    Progress resumed = Progress.NONE;
    for (int s = 0; s < 10; s++) {
      resumed = second(10 - s, 50, s);
    }
    assertTrue(resumed.estimate().etaError() > 3, "shown while it goes on: " + resumed.estimate().etaError());
  }

  @Test
  void pause_hidesNeitherTheRateNorTheTimeAboveAlpha() {
    for (int s = 0; s < 6; s++) {
      second(10, s * 10, 0);
    }
    for (int s = 6; s < 10; s++) {
      progress.paused(nowNs + TimeUnit.SECONDS.toNanos(1));
      second(10, s * 10, 0);
    }
    assertEquals(10, progress.latest().amounts().bytesPerSec());
    assertEquals(-1, progress.latest().estimate().etaSeconds());
    assertTrue(progress.latest().linkUse().worstTimeAboveAlpha() >= progress.latest().linkUse().timeAboveAlpha(),
        progress.latest()::toString);
  }

  @Test
  void error_isAShareOfTheTimeWithoutPauses() {
    for (int s = 0; s < 6; s++) {
      second(10, s * 10, 0);
    }
    for (int s = 0; s < 600; s++) {
      progress.paused(nowNs + TimeUnit.SECONDS.toNanos(1));
      second(10, -1, 1);
    }
    // 10 bytes a second: the first estimate was 110 s for 11 blocks.
    for (int s = 0; s < 10; s++) {
      second(10, (s + 1) * 10 % 100, 1 + (s + 1) / 10);
    }
    // Then nothing is left.
    second(0, -1, 12);
    Progress last = Progress.NONE;
    for (int s = 0; s < 6; s++) {
      last = second(0, -1, 12);
    }
    assertFalse(last.active());
    assertEquals(615, last.seconds());
    assertTrue(last.estimate().etaError() > 4,
        "an estimate of about 100 s for 15 s of work: " + last.estimate().etaError());
  }

  /** Another NameNode had done 20 of 40 blocks in 200 s when a failover interrupted it. */
  @Test
  void recoveryThatAnotherNameNodeHasBegun_keepsItsCauseItsSizeAndItsFirstEstimate() {
    nowNs = TimeUnit.SECONDS.toNanos(1_000);
    observeAt("not known: it happened before", 19, 0);
    assertTrue(progress.continueFrom(new RecoveryProgress.Predecessor("DataNodes lost: a", 800_000, 20, 20 * BLOCK,
        1_100_000), nowNs, 1_000_000));
    for (int s = 0; s < 20; s++) {
      nowNs += TimeUnit.SECONDS.toNanos(1);
      observeAt("not known: it happened before", 19 - s / 10, s % 10 * 10);
    }
    Progress last = progress.latest();
    assertEquals("DataNodes lost: a", last.cause());
    assertEquals(800_000, last.beganMs());
    assertEquals(220, last.seconds());
    assertEquals(21, last.amounts().blocksDone());
    assertEquals(19, last.amounts().blocksLeft());
    assertEquals(10, last.amounts().bytesPerSec(), "what was done before is no rate");
    assertEquals(1_100_000, last.estimate().firstEndMs(), 1);
    // 180 s more in all 400 s, where 100 s were left of 300 s.
    assertEquals(0.25, last.estimate().etaError(), 0.05);
    assertEquals(0, last.amounts().notCopied());
  }

  private void observeAt(String cause, long waiting, long doneBytes) {
    progress
        .observe(new Observation(waiting, 0, List.of(running(doneBytes)), 19 - waiting, (19 - waiting) * BLOCK, 0, 0,
            Usage.NONE), cause, nowNs, TimeUnit.NANOSECONDS.toMillis(nowNs));
  }

  @Test
  void bytesThatWereReceivedBeforeTheTransferWasAdopted_areNotDoneHere() {
    nowNs += TimeUnit.SECONDS.toNanos(1);
    Attempt adopted = AttemptFixture.adopted(1, REQUEST, 0, 60);
    observe(List.of(adopted), 0, 0, 0);
    assertEquals(0, progress.latest().amounts().bytesDone());
    assertEquals(40, progress.latest().amounts().bytesLeft());
    nowNs += TimeUnit.SECONDS.toNanos(2);
    AttemptFixture.progressed(adopted, 80, 0);
    observe(List.of(adopted), 0, 0, 0);
    assertEquals(20, progress.latest().amounts().bytesDone());
    assertEquals(10, progress.latest().amounts().bytesPerSec());
    assertEquals(2, progress.latest().estimate().etaSeconds());
    nowNs += TimeUnit.SECONDS.toNanos(2);
    observe(List.of(running(0)), 1, BLOCK, 60);
    assertEquals(40, progress.latest().amounts().bytesDone());
    assertEquals(BLOCK, progress.latest().amounts().bytesLeft(), "another block");
  }

  private void observe(List<Attempt> running, long finished, long finishedBytes, long earlierBytes) {
    progress.observe(new Observation(0, 0, running, finished, finishedBytes, earlierBytes, 0, Usage.NONE), "a test",
        nowNs,
        7);
  }

  @Test
  void blocksThatStockCopied_orThatNeededNoCopyAnyMore_areCounted() {
    second(91, 0, 0);
    assertEquals(0, second(50, 0, 41).amounts().notCopied());
    Progress last = second(0, -1, 89);
    for (int s = 0; s < 6; s++) {
      last = second(0, -1, 89);
    }
    assertFalse(last.active());
    assertEquals(89, last.amounts().blocksDone());
    assertEquals(3, last.amounts().notCopied(), "of 92");
  }

  @Test
  void moreThanAllowed_hasARemark() {
    assertEquals("100 % of what alpha allowed", RecoveryProgress.describeShare(1));
    String share = RecoveryProgress.describeShare(5.3);
    assertTrue(share.startsWith("530 % of what alpha allowed (over 100 %: "), share);
  }
}

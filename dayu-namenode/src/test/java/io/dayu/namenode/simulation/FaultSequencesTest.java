/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.harness.TestOption;
import org.apache.log4j.Level;
import org.apache.log4j.LogManager;
import org.apache.log4j.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

/**
 * Sequences of faults, as many as {@code -Dsequences.count} says, from {@code -Dsequences.base} on, or as many as begin
 * within {@code -Dsequences.minutes}; one of them again, with Dayu's log in {@code target/test/1/test.log}, by
 * {@code -Dsequences.seed}.
 */
class FaultSequencesTest {
  private static final int DEFAULT_COUNT = 1_000;
  private static final long COUNT = TestOption.count("sequences.count", DEFAULT_COUNT, 1);
  private static final long BASE = TestOption.seed("sequences.base", 1);
  private static final Long SEED = TestOption.seedOrNull("sequences.seed");
  private static final long MINUTES = TestOption.count("sequences.minutes", 0, 0);
  /** With {@code -Dsequences.minutes}: sequences until the time is looked at again, and time from line to line. */
  private static final int BATCH = 20;
  private static final int LINE_SEC = 10;
  private static final int MAX_SHOWN = 3;
  /** The least share of all pairs of faults that happen at one time in a run of the default number. */
  private static final double MIN_PAIRS = 0.9;
  /** The least number of sequences, in a run of the default number, that meet each situation. */
  private static final int MIN_SEQUENCES = 10;
  /** The least number of transfers that Dayu finishes for each block left to stock HDFS; about five are usual. */
  private static final int MIN_FINISHED_PER_LEFT_TO_STOCK = 3;
  /**
   * Ends a run of the default number that hangs. It takes a minute or two on two idle cores, and up to five on a busy
   * machine, so this is no measure of speed.
   */
  private static final Duration MAX_TIME = Duration.ofMinutes(30);

  // Any other number of sequences may take hours; the limit for all tests is ten minutes.
  @Test
  @Timeout(value = 1, unit = TimeUnit.DAYS)
  void sequencesOfFaults_violateNoInvariant() {
    if (COUNT == DEFAULT_COUNT && SEED == null && MINUTES == 0) {
      assertTimeoutPreemptively(MAX_TIME, this::runSequences);
    } else {
      runSequences();
    }
  }

  private void runSequences() {
    Logger logger = LogManager.getLogger("io.dayu");
    Level before = logger.getLevel();
    logger.setLevel(SEED == null ? Level.OFF : Level.DEBUG);
    try {
      if (SEED != null) {
        Totals one = new Totals();
        System.out.println(one.run(LongStream.of(SEED)).get(0));
        one.end(SEED, SEED);
      } else {
        runFromBase();
      }
    } finally {
      logger.setLevel(before);
    }
  }

  private static void runFromBase() {
    if (MINUTES > 0) {
      System.out.println("sequences from seed " + BASE + " on for " + TimeUnit.MINUTES.toSeconds(MINUTES)
          + " s; a line each " + LINE_SEC + " s");
    }
    Totals totals = new Totals();
    long next = BASE;
    long lineNs = totals.startNs;
    boolean isMore = true;
    while (isMore) {
      long last = next + (MINUTES > 0 ? BATCH : COUNT);
      totals.run(LongStream.range(next, last));
      next = last;
      long nowNs = System.nanoTime();
      isMore = totals.violations.isEmpty() && nowNs - totals.startNs < TimeUnit.MINUTES.toNanos(MINUTES);
      if (!isMore || nowNs - lineNs >= TimeUnit.SECONDS.toNanos(LINE_SEC)) {
        System.out.println(totals.line(BASE, last - 1));
        lineNs = nowNs;
      }
    }
    totals.end(BASE, next - 1);
    // Sequences in which stock HDFS does all the work violate no invariant. A few alone may leave most to it.
    assertTrue(totals.count < DEFAULT_COUNT || totals.finished > MIN_FINISHED_PER_LEFT_TO_STOCK * totals.leftToStock,
        () -> totals.finished + " transfers of Dayu finished, " + totals.leftToStock
            + " blocks were left to stock HDFS");
    assertTrue(totals.count < DEFAULT_COUNT || totals.coverage.pairs() >= MIN_PAIRS * FaultCoverage.possiblePairs(),
        () -> "few pairs of faults at one time: " + totals.coverage);
    assertTrue(totals.count < DEFAULT_COUNT || totals.coverage.rarestSituation() >= MIN_SEQUENCES,
        () -> "few sequences meet a situation: " + totals.coverage);
  }

  /** Sums over all sequences of a run. */
  private static final class Totals {
    private final long startNs = System.nanoTime();
    private final FaultCoverage coverage = new FaultCoverage();
    private final List<FaultSequence.Result> violations = new ArrayList<>();
    private long count;
    private long finished;
    private long leftToStock;

    List<FaultSequence.Result> run(LongStream seeds) {
      List<FaultSequence.Result> results = seeds.parallel().mapToObj(seed -> new FaultSequence(seed).run()).toList();
      for (FaultSequence.Result result : results) {
        count++;
        finished += result.finished();
        leftToStock += result.handedToStock();
        coverage.add(result);
        if (result.violation() != null) {
          violations.add(result);
        }
      }
      return results;
    }

    String line(long first, long last) {
      return String.format(
          "%d sequences, seeds %d to %d: %d violations, %d transfers finished, %d left to stock, %.1f s",
          count, first, last, violations.size(), finished, leftToStock, (System.nanoTime() - startNs) / 1e9);
    }

    void end(long first, long last) {
      System.out.println("covered: " + coverage);
      if (!violations.isEmpty()) {
        StringBuilder message = new StringBuilder(line(first, last) + "; again by -Dsequences.seed=");
        violations.stream().limit(MAX_SHOWN).forEach(violation -> message.append('\n').append(violation));
        fail(message.toString(), violations.get(0).violation());
      }
    }
  }

  @Test
  void sequence_isTheSame_forTheSameSeed() {
    FaultSequence.Result first = new FaultSequence(BASE).run();
    FaultSequence.Result second = new FaultSequence(BASE).run();
    assertEquals(first.log(), second.log());
    assertEquals(first.recoveryMs(), second.recoveryMs());
    assertTrue(first.log().contains("faults are over"), first::toString);
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The lines of {@code -watch} over several statuses. */
class WatchReportTest {
  private static final String TIME = "1970-01-01T00:00:01Z DAYU ";

  private final WatchReport report = new WatchReport();

  private String next(int number, boolean active, int left) throws Exception {
    return next("nn1", number, active, left);
  }

  private String next(String namenode, int number, boolean active, int left) throws Exception {
    return report.lines(new ObjectMapper().readTree("""
        {"namenode": "%s", "state": "DAYU", "control": {"mode": "run"},
         "queues": {"waitingBlocks": %d, "runningTransfers": 0},
         "recovery": {"number": %d, "active": %b, "seconds": 9, "blocksDone": 3, "blocksLeft": %d, "bytesDone": 30,
                      "bytesLeft": %d, "bytesPerSec": 10, "etaSeconds": 4}}""".formatted(namenode, left, number, active,
        left,
        10 * left)), 1_000);
  }

  @Test
  void recovery_thatEnds_isSaidOnce() throws Exception {
    String idle = TIME + "0 blocks wait, 0 transfers run";
    String runs = TIME + "[######################........] for 9 s: 3 of 4 blocks, 30 B of about 40 B (75 %), 10 B/s;"
        + " time left about 4 s";
    assertEquals(idle, next(0, false, 0));
    assertEquals(runs, next(1, true, 1));
    assertEquals(runs, next(1, true, 1));
    String ended = "ended after 9 s: 3 of 3 blocks, 30 B\n";
    assertEquals(TIME + "recovery 1 " + ended + idle, next(1, false, 0));
    assertEquals(idle, next(1, false, 0));
    assertEquals(runs, next(2, true, 1));
    assertEquals(TIME + "recovery 2 ended\n" + runs, next(3, true, 1), "the next one began between two statuses");
  }

  @Test
  void failover_endsNoRecovery() throws Exception {
    next("nn1", 4, true, 1);
    String waits = TIME + "1 block waits, 0 transfers run";
    assertEquals(TIME + "nn2 is active now\n" + waits, next("nn2", 0, false, 1));
    assertEquals(waits, next("nn2", 0, false, 1));
  }

  private String line(String state, String mode, String recovery) throws Exception {
    return report.lines(new ObjectMapper().readTree("""
        {"namenode": "nn1", "state": "%s", "control": {"mode": "%s"}, "queues": {"waitingBlocks": 0,
         "runningTransfers": 0}, "recovery": {"number": 1, "seconds": 9, %s}}""".formatted(state, mode, recovery)),
        1_000);
  }

  @ParameterizedTest
  @CsvSource({"STOCK, run, STOCK", "STOCK, stock, STOCK", "STOCK, shadow, STOCK (SHADOW)",
      "DAYU, paused, DAYU (PAUSED)"})
  void state_isSaidOnce(String state, String mode, String expected) throws Exception {
    assertEquals("1970-01-01T00:00:01Z " + expected + " 0 blocks wait, 0 transfers run",
        line(state, mode, "\"active\": false"));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "0 | 0 | 0   | 0 | 12 | 0 of 0 blocks, 12 blocks needed no copy by Dayu any more",
      "3 | 0 | 300 | 0 | 2  | 3 of 3 blocks, 300 B, 2 blocks needed no copy by Dayu any more",
      "0 | 4 | 0   | 0 | 0  | 0 of 4 blocks",
      "999 | 1 | 999 | 1 | 0 | 999 of 1000 blocks, 999 B of about 1000 B (99 %)"})
  void recovery_thatEnded_isCountedToItsEnd(long blocksDone, long blocksLeft, long bytesDone, long bytesLeft,
      long notCopied, String expected) throws Exception {
    next(1, true, 1);
    String counts = "\"active\": false, \"blocksDone\": %d, \"blocksLeft\": %d, \"bytesDone\": %d, \"bytesLeft\": %d, "
        + "\"blocksNotCopied\": %d";
    assertEquals(TIME + "recovery 1 ended after 9 s: " + expected,
        line("DAYU", "run", counts.formatted(blocksDone, blocksLeft, bytesDone, bytesLeft, notCopied)).lines()
            .findFirst().orElse(""));
  }

  @Test
  void recoveryByStock_hasItsProgress() throws Exception {
    assertEquals(
        "1970-01-01T00:00:01Z STOCK (SHADOW) stock HDFS recovers for 9 s: 3 of 12 blocks (25 %), 0.5 blocks/s; "
            + "time left about 18 s",
        line("STOCK", "shadow", "\"active\": false}, \"stockRecovery\": {\"active\": true, \"seconds\": 9, "
            + "\"blocksDone\": 3, \"blocksLeft\": 9, \"blocksPerSec\": 0.5, \"etaSeconds\": 18"));
  }

  /** A NameNode counts from its start on, so a smaller number is of a later start. */
  @Test
  void restart_endsNoRecovery() throws Exception {
    next(4, true, 1);
    assertEquals(TIME + "1 block waits, 0 transfers run", next(0, false, 1), "not yet begun again");
    next(4, true, 1);
    String goesOn = next(1, true, 1);
    assertEquals(1, goesOn.lines().count(), goesOn);
    assertTrue(next(1, false, 0).startsWith(TIME + "recovery 1 ended after 9 s"), "the one after the restart");
    next(4, true, 1);
    assertEquals(TIME + "0 blocks wait, 0 transfers run", next(2, false, 0));
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.datanode.LinkTurns.Need;
import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PaceTest {
  private static final long SEC = TimeUnit.SECONDS.toNanos(1);
  /** System.nanoTime() may be negative. */
  private static final long START = -5 * SEC;
  private static final long RATE = 1_000_000;

  private final Pace pace = new Pace(SEC);

  PaceTest() {
    pace.change(RATE, START);
    pace.connected(START);
  }

  @Test
  void grant_fallsDueAndWhatIsReceivedIsTakenOff() {
    assertEquals(0, pace.owedBytes(START));
    assertEquals(500_000, pace.owedBytes(START + SEC / 2));
    pace.received(700_000, START + SEC / 2);
    assertEquals(-200_000, pace.owedBytes(START + SEC / 2));
    assertEquals(50_000, pace.owedBytes(START + SEC * 3 / 4));
  }

  @Test
  void debt_isBounded() {
    assertEquals(RATE, pace.owedBytes(START + 100 * SEC));
    pace.received(RATE, START + 100 * SEC);
    assertEquals(0, pace.owedBytes(START + 100 * SEC), "what is beyond the bound is forgotten");
  }

  @Test
  void overdue_whenTheBoundIsReached() {
    assertEquals(SEC, pace.overdueInNanos(START));
    assertEquals(SEC / 4, pace.overdueInNanos(START + SEC * 3 / 4));
    assertTrue(pace.overdueInNanos(START + SEC) <= 0);
    pace.received(100_000, START + SEC);
    assertEquals(SEC / 10, pace.overdueInNanos(START + SEC));
  }

  @Test
  void overdueTransfer_getsItsWholeGrantFromThenOn() {
    long nowNanos = START;
    long bytes = 0;
    for (int turn = 0; turn < 160; turn++) {
      // On a link that is always busy a turn is taken as soon as the transfer is overdue.
      nowNanos += Math.max(0, pace.overdueInNanos(nowNanos));
      pace.received(64 * 1024, nowNanos);
      bytes += 64 * 1024;
    }
    assertEquals(RATE * ((nowNanos - START - SEC) / (double) SEC), bytes, 2 * 64 * 1024);
  }

  @Test
  void need_growsWithWhatIsOwed() {
    assertEquals(Need.DUE, pace.need(START), "nothing is owed and nothing came too early");
    pace.received(RATE / 2, START);
    assertEquals(Need.AHEAD, pace.need(START));
    assertEquals(Need.AHEAD, pace.need(START + SEC / 4));
    assertEquals(Need.DUE, pace.need(START + SEC / 2));
    assertEquals(Need.DUE, pace.need(START + SEC * 5 / 4));
    assertEquals(Need.OVERDUE, pace.need(START + SEC * 3 / 2));
    assertEquals(Need.OVERDUE, pace.need(START + 100 * SEC));
    pace.received(1, START + 100 * SEC);
    assertEquals(Need.DUE, pace.need(START + 100 * SEC));
  }

  @Test
  void behind_isWhatIsOwedAsTimeOfTheGrant() {
    assertEquals(0, pace.behindSec(START));
    assertEquals(0.25, pace.behindSec(START + SEC / 4), 1e-9);
    pace.received(RATE, START + SEC / 4);
    assertEquals(-0.75, pace.behindSec(START + SEC / 4), 1e-9);
    pace.change(RATE / 2, START + SEC / 4);
    assertEquals(-1, pace.behindSec(START + SEC / 4), 1e-9, "bounded by the new rate");
    pace.change(0, START + SEC / 4);
    assertEquals(0, pace.behindSec(START + SEC));
    assertEquals(Need.DUE, pace.need(START + SEC), "a pause keeps nobody waiting for ever");
  }

  @Test
  void lead_isBounded() {
    pace.received(100 * RATE, START);
    assertEquals(-RATE, pace.owedBytes(START));
    assertEquals(Need.AHEAD, pace.need(START + SEC - 1));
    assertEquals(Need.DUE, pace.need(START + SEC), "what is beyond the bound is forgotten");
  }

  @Test
  void bandwidth_isTheGrantWhileNothingIsOwed() {
    assertEquals(RATE, pace.bandwidthBytesPerSec(0, START));
    pace.received(RATE / 10, START);
    assertEquals(RATE, pace.bandwidthBytesPerSec(0, START), "a period's worth ahead is how the throttler works");
  }

  @Test
  void bandwidth_rises_whileThereIsADebt() {
    assertEquals(RATE + 10 * RATE / 5, pace.bandwidthBytesPerSec(0, START + SEC / 5));
    assertEquals(RATE + 10 * RATE, pace.bandwidthBytesPerSec(0, START + 100 * SEC), "the debt is bounded, so this is too");
  }

  @Test
  void bandwidth_falls_whenTooMuchCameTooEarly() {
    pace.received(RATE / 2, START);
    assertEquals(RATE - 3 * RATE / 10, pace.bandwidthBytesPerSec(RATE / 10, START));
    pace.received(5 * RATE, START);
    assertEquals(RATE / 2, pace.bandwidthBytesPerSec(0, START), "never below half of the grant");
  }

  @Test
  void otherRate_keepsWhatIsOwedWithinItsOwnBound() {
    pace.change(4 * RATE, START + SEC / 2);
    assertEquals(RATE / 2, pace.owedBytes(START + SEC / 2));
    pace.change(RATE / 10, START + SEC / 2);
    assertEquals(RATE / 10, pace.owedBytes(START + SEC / 2));
  }

  @Test
  void source_isOwedNothingForTheTimeWithoutIt() {
    pace.disconnected(START + SEC / 4);
    assertEquals(RATE / 4, pace.owedBytes(START + 10 * SEC));
    assertEquals(SEC * 3 / 4, pace.overdueInNanos(START + 10 * SEC), "the debt goes along to the next source");
    pace.connected(START + 10 * SEC);
    assertEquals(RATE / 2, pace.owedBytes(START + 10 * SEC + SEC / 4));
  }

  @Test
  void waiting_isLetPassAndSlowReadsAreNot() {
    pace.waited(SEC / 4, START + SEC / 2);
    assertEquals(RATE / 2, pace.owedBytes(START + SEC / 2));
    assertEquals(RATE / 4, pace.letPassBytes());
    pace.received(RATE / 4, START + SEC / 2);
    assertEquals(RATE / 4, pace.letPassBytes());
    pace.received(RATE / 8, START + SEC / 2);
    assertEquals(RATE / 8, pace.letPassBytes(), "it has caught up on the half");
    pace.received(RATE, START + SEC / 2);
    assertEquals(0, pace.letPassBytes());
    pace.waited(10 * SEC, START + 20 * SEC);
    assertEquals(RATE, pace.letPassBytes(), "no more than can be made up for");
  }

  @Test
  void otherRate_saysWhatItForgets() {
    pace.waited(SEC / 2, START + SEC / 2);
    assertEquals(0, pace.change(4 * RATE, START + SEC / 2));
    assertEquals(RATE / 2 - RATE / 10, pace.change(RATE / 10, START + SEC / 2));
    assertEquals(RATE / 10, pace.letPassBytes());
    assertEquals(RATE / 10, pace.change(0, START + SEC / 2));
    assertEquals(0, pace.letPassBytes());
  }

  @Test
  void pause_forgetsWhatIsOwed() {
    pace.change(0, START + SEC / 2);
    assertEquals(0, pace.owedBytes(START + 3 * SEC));
    assertEquals(Long.MAX_VALUE, pace.overdueInNanos(START + 3 * SEC));
    pace.change(RATE, START + 3 * SEC);
    assertEquals(0, pace.owedBytes(START + 3 * SEC));
  }
}

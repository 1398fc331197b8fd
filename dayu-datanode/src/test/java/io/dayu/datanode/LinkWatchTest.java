/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A link of 1 MB/s, so of 1,000 bytes a millisecond, with readings of a meter that counts block bytes as they are. */
class LinkWatchTest {
  private final LinkWatch watch = new LinkWatch(1_000_000, 1);
  private long nowMs;
  private long metered;
  private long most;
  private long least;

  /** Time goes on, and foreground comes in. */
  private void pass(int millis, int foregroundBytes) {
    nowMs += millis;
    metered += foregroundBytes;
    watch.read(metered, most, least, 0, TimeUnit.MILLISECONDS.toNanos(nowMs));
  }

  @Test
  void nothingRead_isIdle() {
    assertFalse(watch.isBusy());
    assertTrue(watch.isBelow(0.75));
    pass(0, 0);
    assertFalse(watch.isBusy());
    assertTrue(watch.isBelow(0.75));
  }

  @Test
  void foreground_isSeenAndItsEndToo() {
    pass(20, 0);
    pass(20, 0);
    assertFalse(watch.isBusy());
    pass(20, 10_000);
    assertTrue(watch.isBusy());
    pass(20, 0);
    assertFalse(watch.isBusy());
  }

  @Test
  void readingsOften_tellOfTheLastFifteenMilliseconds() {
    for (int reading = 0; reading < 20; reading++) {
      pass(2, 0);
    }
    pass(2, 500);
    assertFalse(watch.isBusy(), "an eighth of four milliseconds");
    pass(2, 2_500);
    assertTrue(watch.isBusy(), "two of four");
    for (int reading = 0; reading < 6; reading++) {
      pass(2, 0);
    }
    assertTrue(watch.isBusy(), "most came within the last sixteen");
    pass(2, 0);
    pass(2, 0);
    assertFalse(watch.isBusy());
  }

  @Test
  void moreReadingsThanAreKept_leaveTheLastSecond() {
    for (int reading = 0; reading < 5_000; reading++) {
      pass(1, 1_000);
    }
    assertTrue(watch.isBusy());
    assertFalse(watch.isBelow(0.99));
    for (int reading = 0; reading < 500; reading++) {
      pass(1, 0);
    }
    assertFalse(watch.isBusy());
    assertFalse(watch.isBelow(0.49));
    assertTrue(watch.isBelow(0.51));
    for (int reading = 0; reading < 500; reading++) {
      pass(1, 0);
    }
    assertTrue(watch.isBelow(0.01));
  }

  @Test
  void trickle_isNotBusy() {
    for (int tick = 0; tick < 10; tick++) {
      pass(20, 2_000);
      assertFalse(watch.isBusy());
    }
  }

  @Test
  void ownTurns_areNotForeground() {
    pass(20, 0);
    for (int turn = 0; turn < 10; turn++) {
      most += 20_000;
      pass(10, 10_000);
      assertFalse(watch.isBusy(), "half of the turn has come in");
      least += 20_000;
      pass(10, 10_000);
      assertFalse(watch.isBusy());
    }
  }

  @Test
  void foregroundBesideTurns_isSeenWhenTheyEnd() {
    pass(20, 0);
    most += 10_000;
    least += 10_000;
    pass(20, 20_000);
    assertTrue(watch.isBusy(), "as much came in beside our turn");
  }

  @Test
  void foregroundBesideTurnsThatOverlap_isSeenOverALongerTime() {
    pass(20, 0);
    most += 10_000;
    for (int turn = 0; turn < 6; turn++) {
      most += 10_000;
      least += 10_000;
      pass(20, 20_000);
    }
    assertTrue(watch.isBusy());
  }

  @Test
  void foregroundBetweenTurns_isSeenWithinMilliseconds() {
    for (int reading = 0; reading < 20; reading++) {
      pass(2, 0);
    }
    most += 4_000;
    pass(3, 3_000);
    assertFalse(watch.isBusy(), "it may be our turn");
    least += 4_000;
    pass(2, 2_000);
    assertTrue(watch.isBusy(), "one of five was not");
  }

  /** A turn of 20 ms that is said to end 4 ms before it does, at once followed by the next. */
  private void passTurnEndingSoon(int foregroundBytes) {
    nowMs += 20;
    metered += 20_000 + foregroundBytes;
    most += 20_000;
    watch.read(metered, most, most - 20_000, 20_000, TimeUnit.MILLISECONDS.toNanos(nowMs));
  }

  @Test
  void foregroundBetweenTurnsThatAreToEndSoon_isSeen() {
    pass(0, 0);
    metered -= 4_000;
    passTurnEndingSoon(0);
    passTurnEndingSoon(0);
    assertFalse(watch.isBusy(), "what is missing is missing each time");
    passTurnEndingSoon(4_000);
    assertTrue(watch.isBusy());
  }

  @Test
  void foregroundBesideATurnWhoseBytesAreKnown_isSeen() {
    pass(20, 0);
    for (int packet = 0; packet < 14; packet++) {
      most = least + 8_000;
      least += 4_000;
      pass(4, 5_000);
    }
    assertTrue(watch.isBusy());
  }

  @Test
  void utilization_countsTheLastSecondOrSo() {
    for (int tick = 0; tick < 60; tick++) {
      pass(20, 16_000);
    }
    assertFalse(watch.isBelow(0.75));
    assertTrue(watch.isBelow(0.85));
    for (int tick = 0; tick < 30; tick++) {
      pass(20, 0);
    }
    assertTrue(watch.isBelow(0.75));
  }

  @Test
  void utilization_countsOwnBytesWhereTheMeterCountsNothing() {
    FixedMeter meter = new FixedMeter();
    LinkWatch unmetered = new LinkWatch(1_000_000, meter.countedPerBlockByte());
    for (int tick = 0; tick < 60; tick++) {
      unmetered.read(meter.read().inBytes(), most, least, 0, TimeUnit.MILLISECONDS.toNanos(nowMs));
      assertFalse(unmetered.isBusy());
      most += 18_000;
      least += 18_000;
      nowMs += 20;
    }
    assertFalse(unmetered.isBelow(0.75));
  }

  @Test
  void forgottenReadings_sayNothing() {
    pass(20, 0);
    pass(20, 20_000);
    watch.forget();
    assertFalse(watch.isBusy());
    pass(20, 20_000);
    assertFalse(watch.isBusy());
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** For how long stock HDFS recovers after failures of Dayu. */
class StockBackoffTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long MAX_SEC = 600;
  private static final long RESET_SEC = 3_600;
  /** A monotonic clock may show anything. */
  private static final long START_NS = Long.MAX_VALUE - 100 * SECOND;

  private final StockBackoff backoff = new StockBackoff(START_NS);
  private long nowNs = START_NS;

  private void assertLasts(long seconds) {
    assertEquals(false, backoff.isOver(nowNs + seconds * SECOND - 1));
    assertEquals(true, backoff.isOver(nowNs + seconds * SECOND));
    nowNs += seconds * SECOND;
  }

  private void failed() {
    backoff.failed(100 * SECOND, nowNs);
  }

  @Test
  void nothingHasFailed_isOver() {
    assertEquals(true, backoff.isOver(START_NS));
  }

  @Test
  void failures_doubleTheTime_upToABound() {
    for (long seconds : new long[] {100, 200, 400, MAX_SEC, MAX_SEC}) {
      failed();
      assertLasts(seconds);
    }
  }

  @Test
  void failures_doubleTheTime_whateverTheClockShows() {
    StockBackoff later = new StockBackoff(2 * RESET_SEC * SECOND);
    later.failed(100 * SECOND, 2 * RESET_SEC * SECOND);
    later.failed(100 * SECOND, (2 * RESET_SEC + 100) * SECOND);
    assertEquals(false, later.isOver((2 * RESET_SEC + 299) * SECOND));
    assertEquals(true, later.isOver((2 * RESET_SEC + 300) * SECOND));
  }

  @Test
  void laterFirstTime_countsWhereItIsLonger() {
    failed();
    assertLasts(100);
    backoff.failed(300 * SECOND, nowNs);
    assertLasts(300);
    backoff.failed(300 * SECOND, nowNs);
    assertLasts(MAX_SEC);
  }

  @Test
  void failureAfterAnHour_countsAsTheFirst() {
    failed();
    assertLasts(100);
    nowNs += RESET_SEC * SECOND;
    failed();
    assertLasts(200);
    nowNs += RESET_SEC * SECOND + 1;
    failed();
    assertLasts(100);
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** How long {@link NamesystemLock} is held where others wait for it. */
class NamesystemLockTest {
  @Test
  void holdWhileOthersWait_growsWithTheWaitUpToABound() {
    assertEquals(TimeUnit.MICROSECONDS.toNanos(20), NamesystemLock.yieldNs(0));
    assertEquals(TimeUnit.MICROSECONDS.toNanos(20), NamesystemLock.yieldNs(TimeUnit.MICROSECONDS.toNanos(200)));
    assertEquals(TimeUnit.MICROSECONDS.toNanos(100), NamesystemLock.yieldNs(TimeUnit.MILLISECONDS.toNanos(1)));
    assertEquals(TimeUnit.MICROSECONDS.toNanos(1_000), NamesystemLock.yieldNs(TimeUnit.HOURS.toNanos(1)));
  }

  /** 20,000 copies of 10 us each, where the lock always comes {@code waitMicros} after it was asked for. */
  @ParameterizedTest
  @ValueSource(longs = {50, 200, 1_000, 10_000})
  void commitOnALockThatIsAlwaysContended_takesFewSeconds(long waitMicros) {
    long waitNs = TimeUnit.MICROSECONDS.toNanos(waitMicros);
    long nowNs = 0;
    for (int done = 0; done < 20_000;) {
      long yieldNs = NamesystemLock.yieldNs(waitNs);
      done += (int) (yieldNs / 10_000);
      nowNs += waitNs + yieldNs;
    }
    assertTrue(nowNs < TimeUnit.SECONDS.toNanos(3), "after " + nowNs + " ns");
  }
}

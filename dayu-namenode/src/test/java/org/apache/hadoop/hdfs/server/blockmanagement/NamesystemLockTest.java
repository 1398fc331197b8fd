/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** How long {@link NamesystemLock} is held where others wait for it. */
class NamesystemLockTest {
  @Test
  void holdWhileOthersWait_growsWithTheCallUpToABound() {
    assertEquals(TimeUnit.MICROSECONDS.toNanos(20), NamesystemLock.yieldNs(0));
    assertEquals(TimeUnit.MICROSECONDS.toNanos(20), NamesystemLock.yieldNs(TimeUnit.MILLISECONDS.toNanos(20)));
    assertEquals(TimeUnit.MICROSECONDS.toNanos(100), NamesystemLock.yieldNs(TimeUnit.MILLISECONDS.toNanos(100)));
    assertEquals(TimeUnit.MICROSECONDS.toNanos(1_000), NamesystemLock.yieldNs(TimeUnit.HOURS.toNanos(1)));
  }

  /** 20,000 copies of 10 us each, where the lock comes 10 ms after it was asked for. */
  @Test
  void commitOnALockThatIsAlwaysContended_takesFewSeconds() {
    long nowNs = 0;
    for (int done = 0; done < 20_000;) {
      nowNs += TimeUnit.MILLISECONDS.toNanos(10);
      long yieldNs = NamesystemLock.yieldNs(nowNs);
      done += yieldNs / 10_000;
      nowNs += yieldNs;
    }
    assertTrue(nowNs < TimeUnit.SECONDS.toNanos(3), "after " + nowNs + " ns");
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.datanode.TestNumber;

import java.util.Random;

/**
 * What the monotonic clock of a unit test shows at first. {@link System#nanoTime()} starts anywhere, so a time that was
 * never set must not count as one that was: near 0 a test would not notice.
 */
public final class TestClock {
  /** Between 12 days and 3 years, by the seed {@code -Dclock.seed}. */
  public static final long START_NS = drawNs(TestNumber.seed("clock.seed", 1));

  private TestClock() {
  }

  private static long drawNs(long seed) {
    long startNs = new Random(seed).nextLong(1_000_000_000_000_000L, 100_000_000_000_000_000L);
    System.out.println("clock.seed=" + seed + ": the clock starts at " + startNs + " ns");
    return startNs;
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Waits for a condition, for a limited time. A look that takes longer than a second counts as one second: on a busy
 * machine this thread, or all of this JVM, may stand still. Stateless.
 */
public final class Await {
  private static final long POLL_MS = 50;
  private static final long MAX_LOOK_NS = TimeUnit.SECONDS.toNanos(1);

  private Await() {
  }

  /**
   * Returns as soon as {@code condition} holds.
   *
   * @param what what is awaited, for the message
   * @throws AssertionError if it does not hold before {@code limit} is over
   */
  public static void until(String what, Duration limit, Callable<Boolean> condition) throws Exception {
    until(what, limit, condition, () -> "");
  }

  /** The same, with the {@code state} that was found at the deadline in the message. */
  public static void until(String what, Duration limit, Callable<Boolean> condition, Callable<?> state)
      throws Exception {
    if (!holdsWithin(limit, condition)) {
      throw new AssertionError("not within " + limit.toMillis() + " ms: " + what + " " + state.call());
    }
  }

  /** Returns true as soon as {@code condition} holds, or false if it does not before {@code limit} is over. */
  public static boolean holdsWithin(Duration limit, Callable<Boolean> condition) throws Exception {
    long leftNs = limit.toNanos();
    long lookedNs = System.nanoTime();
    while (!condition.call()) {
      if (leftNs <= 0) {
        return false;
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
      long nowNs = System.nanoTime();
      leftNs -= Math.min(nowNs - lookedNs, MAX_LOOK_NS);
      lookedNs = nowNs;
    }
    return true;
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Waits for a condition, with a bound, and says what it waited for when it gives up. A look that takes longer than a
 * second counts as one second: on a busy machine this thread, or all of this JVM, may stand still.
 */
public final class Poll {
  private static final long POLL_MS = 20;
  private static final long MAX_LOOK_NS = TimeUnit.SECONDS.toNanos(1);

  private Poll() {
  }

  public static void until(String what, Duration atMost, Callable<Boolean> condition, Supplier<?> state)
      throws Exception {
    long leftNs = atMost.toNanos();
    long lookedNs = System.nanoTime();
    while (!condition.call()) {
      if (leftNs <= 0) {
        throw new AssertionError("waited " + atMost + " in vain until " + what + "; state: " + state.get());
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
      long nowNs = System.nanoTime();
      leftNs -= Math.min(nowNs - lookedNs, MAX_LOOK_NS);
      lookedNs = nowNs;
    }
  }
}

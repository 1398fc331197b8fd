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
import java.util.function.Supplier;

/** Waits for a condition, with a bound, and says what it waited for when it gives up. */
public final class Poll {
  private Poll() {
  }

  public static void until(String what, Duration atMost, Callable<Boolean> condition, Supplier<?> state)
      throws Exception {
    long endNs = System.nanoTime() + atMost.toNanos();
    while (!condition.call()) {
      if (System.nanoTime() - endNs > 0) {
        throw new AssertionError("waited " + atMost + " in vain until " + what + "; state: " + state.get());
      }
      Thread.sleep(20);
    }
  }
}

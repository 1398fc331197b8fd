/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import java.util.concurrent.TimeUnit;

/**
 * How fast a transfer is, measured over a second or more. Pure arithmetic over the values handed in, times by
 * {@link System#nanoTime}. Safe for use by all threads.
 */
final class AchievedRate {
  private static final long WINDOW_NS = TimeUnit.SECONDS.toNanos(1);
  private static final double NS_PER_SEC = 1e9;

  private long sinceNs;
  private long sinceBytes;
  private long bytesPerSec;

  AchievedRate(long nowNs) {
    this.sinceNs = nowNs;
  }

  /** Records the bytes that are done by now. */
  synchronized void measure(long doneBytes, long nowNs) {
    long durationNs = nowNs - sinceNs;
    if (durationNs >= WINDOW_NS) {
      bytesPerSec = (long) Math.max(0, (doneBytes - sinceBytes) * NS_PER_SEC / durationNs);
      sinceNs = nowNs;
      sinceBytes = doneBytes;
    }
  }

  /** As of the last full measurement. */
  synchronized long bytesPerSec() {
    return bytesPerSec;
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.harness.nic;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * One direction of a NIC: a timeline on which every few bytes take their place, first come first served, and the count of what has passed.
 * It idles only when nobody wants to send, and saves nothing up while it idles. Safe for use by all threads.
 */
final class Link {
  private static final double NANOS_PER_SEC = 1e9;

  private final AtomicLongArray carriedBytes = new AtomicLongArray(Traffic.values().length);

  // Guarded by the monitor.
  private long bytesPerSec;
  private boolean limited = true;
  private long freeNanos = System.nanoTime();

  Link(long bytesPerSec) {
    this.bytesPerSec = bytesPerSec;
  }

  /** What is on the timeline already stays where it is. */
  synchronized void set(long newBytesPerSec, boolean nowLimited) {
    bytesPerSec = newBytesPerSec;
    limited = nowLimited;
  }

  /**
   * Takes the next free place for {@code bytes}.
   *
   * @return when the last of them is through, by {@link System#nanoTime}
   */
  synchronized long reserve(int bytes) {
    long nowNanos = System.nanoTime();
    if (!limited) {
      return nowNanos;
    }
    long startNanos = freeNanos - nowNanos > 0 ? freeNanos : nowNanos;
    freeNanos = startNanos + (long) (bytes * NANOS_PER_SEC / bytesPerSec);
    return freeNanos;
  }

  void count(Traffic traffic, long bytes) {
    carriedBytes.addAndGet(traffic.ordinal(), bytes);
  }

  long carriedBytes(Traffic traffic) {
    return carriedBytes.get(traffic.ordinal());
  }
}

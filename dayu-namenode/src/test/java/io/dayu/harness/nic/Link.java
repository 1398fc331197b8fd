/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.harness.nic;

import java.util.ArrayDeque;
import java.util.function.LongSupplier;

/**
 * One direction of a NIC: a timeline on which every few bytes take their place, first come first served, and the count of what has passed.
 * It idles only when nobody wants to send, and saves nothing up while it idles. Safe for use by all threads.
 */
final class Link {
  private static final double NANOS_PER_SEC = 1e9;

  /** Bytes on the timeline. */
  private record Place(Traffic traffic, int bytes, long startNanos, long endNanos) {
  }

  private final LongSupplier clock;
  // Guarded by the monitor.
  private final long[] carriedBytes = new long[Traffic.values().length];
  private final ArrayDeque<Place> places = new ArrayDeque<>();
  private long bytesPerSec;
  private boolean limited = true;
  private long freeNanos;

  Link(long bytesPerSec) {
    this(bytesPerSec, System::nanoTime);
  }

  /** With another clock than {@link System#nanoTime}. */
  Link(long bytesPerSec, LongSupplier clock) {
    this.bytesPerSec = bytesPerSec;
    this.clock = clock;
    this.freeNanos = clock.getAsLong();
  }

  /** What is on the timeline already stays where it is. */
  synchronized void set(long newBytesPerSec, boolean nowLimited) {
    bytesPerSec = newBytesPerSec;
    limited = nowLimited;
  }

  /**
   * Takes the next free place for {@code bytes}.
   *
   * @return when the last of them is through, by the clock
   */
  synchronized long reserve(Traffic traffic, int bytes) {
    long nowNanos = clock.getAsLong();
    carry(nowNanos);
    if (!limited) {
      carriedBytes[traffic.ordinal()] += bytes;
      return nowNanos;
    }
    long startNanos = freeNanos - nowNanos > 0 ? freeNanos : nowNanos;
    freeNanos = startNanos + (long) (bytes * NANOS_PER_SEC / bytesPerSec);
    places.add(new Place(traffic, bytes, startNanos, freeNanos));
    return freeNanos;
  }

  /** All bytes that are through by now, to the byte: as a host's own counters, it knows nothing of flows. */
  synchronized long carriedBytes(Traffic traffic) {
    long nowNanos = clock.getAsLong();
    carry(nowNanos);
    long bytes = carriedBytes[traffic.ordinal()];
    Place first = places.peek();
    if (first != null && first.traffic() == traffic && nowNanos - first.startNanos() > 0) {
      bytes += (long) ((double) first.bytes() * (nowNanos - first.startNanos()) / (first.endNanos() - first.startNanos()));
    }
    return bytes;
  }

  private void carry(long nowNanos) {
    for (Place first = places.peek(); first != null && nowNanos - first.endNanos() >= 0; first = places.peek()) {
      carriedBytes[first.traffic().ordinal()] += first.bytes();
      places.remove();
    }
  }
}

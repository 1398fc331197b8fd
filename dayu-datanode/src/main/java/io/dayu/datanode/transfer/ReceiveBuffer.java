/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The size of the socket buffer into which a transfer receives: how far its source may run ahead. Safe for use by all
 * threads.
 *
 * <p>More than the link carries in {@link #BUFFER_SEC} would fill the queues of switches. But a transfer never moves
 * more than its buffer in a round trip, so where that is less than the link carries the kernel chooses: it follows
 * bandwidth and round trip. A connect takes a round trip; the shortest one of a source counts, since later ones may
 * have met a queue.
 */
final class ReceiveBuffer {
  /** For the kernel to choose. */
  static final int AUTOMATIC = 0;

  private static final double BUFFER_SEC = 0.01;
  private static final int MIN_BYTES = 16 * 1024;
  private static final int MAX_BYTES = 128 * 1024;
  /** A buffer of one round trip would be empty whenever the thread that reads it is late. */
  private static final double ROUND_TRIPS = 2;
  private static final int MAX_SOURCES = 1_000;
  private static final double NS_PER_SEC = 1e9;

  private final long linkBytesPerSec;
  /** The shortest connect to each source, in nanoseconds; the ones that were asked for last. */
  private final Map<String, Long> shortestNs = new LinkedHashMap<>(16, 0.75f, true) {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
      return size() > MAX_SOURCES;
    }
  };

  ReceiveBuffer(long linkBytesPerSec) {
    this.linkBytesPerSec = linkBytesPerSec;
  }

  /**
   * For a connection to this source; {@link #AUTOMATIC} if it is not to be set.
   *
   * @param sharers how many sources of one transfer send at once: together they must not fill the switches' queues
   */
  synchronized int bytes(String sourceUuid, int sharers) {
    double shareBytesPerSec = (double) linkBytesPerSec / sharers;
    double neededBytes = ROUND_TRIPS * shareBytesPerSec * shortestNs.getOrDefault(sourceUuid, 0L) / NS_PER_SEC;
    return neededBytes > MAX_BYTES ? AUTOMATIC
        : (int) Math.max(MIN_BYTES, Math.min(MAX_BYTES, shareBytesPerSec * BUFFER_SEC));
  }

  /** Takes note of how long a connect to this source took. */
  synchronized void connected(String sourceUuid, long durationNs) {
    shortestNs.merge(sourceUuid, durationNs, Math::min);
  }
}

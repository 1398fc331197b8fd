/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts what targets of recovery have read from this DataNode, and notes for which block pools they read lately. Safe
 * for use by all threads.
 */
public final class ServedReads {
  /**
   * A block pool counts as active for this long after a packet was sent for it. Even a throttled read sends a packet
   * more often, unless the link is very slow.
   */
  private static final long RECENT_NS = TimeUnit.SECONDS.toNanos(5);

  private final AtomicLong bytes = new AtomicLong();
  private final Map<String, Long> lastReadNs = new ConcurrentHashMap<>();

  /** @param blockPoolId empty = not known, or no bytes of a block were read */
  void add(String blockPoolId, long readBytes, long nowNs) {
    bytes.addAndGet(readBytes);
    if (!blockPoolId.isEmpty()) {
      lastReadNs.put(blockPoolId, nowNs);
    }
  }

  /** All bytes since the start. */
  public long bytes() {
    return bytes.get();
  }

  /** The block pools whose blocks have been read in the last seconds. */
  public Set<String> activePools(long nowNs) {
    lastReadNs.values().removeIf(readNs -> nowNs - readNs > RECENT_NS);
    return Set.copyOf(lastReadNs.keySet());
  }
}

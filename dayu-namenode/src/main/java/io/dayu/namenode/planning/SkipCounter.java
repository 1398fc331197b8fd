/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Counts how often blocks were passed over since they were last planned, up to a limit. Owned by the recovery loop; not
 * thread-safe. Bounded.
 */
final class SkipCounter {
  /** A block must have been passed over this often, since in a long queue a timeslot sees it only now and then. */
  private static final int MIN_SKIPS = 3;
  /** If a block was not passed over for this long, its count begins anew. */
  private static final long SKIPS_EXPIRY_NS = TimeUnit.HOURS.toNanos(2);
  /**
   * Maximum number of skipped blocks that are watched. Others follow when these have gone to stock, so that blocks do
   * not displace each other forever.
   */
  private static final int MAX_SKIPPED = 20_000;

  /** How a block has been passed over since it was last planned. */
  private static final class Skips {
    private final long sinceNs;
    private long lastNs;
    private int count;

    private Skips(long sinceNs) {
      this.sinceNs = sinceNs;
    }
  }

  private final long maxWaitNs;
  /** The one that was passed over least recently is the first. */
  private final Map<Long, Skips> skipped = new LinkedHashMap<>(16, 0.75f, true);

  /** @param maxWaitNs minimum time for which a block must have been passed over */
  SkipCounter(long maxWaitNs) {
    this.maxWaitNs = maxWaitNs;
  }

  /** Notes that the block was passed over. Returns true if that was too often; then its count begins anew. */
  boolean skipped(long blockId, long nowNs) {
    Skips skips = skipped.get(blockId);
    if (skips == null || nowNs - skips.lastNs > SKIPS_EXPIRY_NS) {
      dropExpired(nowNs);
      if (skips == null && skipped.size() >= MAX_SKIPPED) {
        return false;
      }
      skips = new Skips(nowNs);
      skipped.put(blockId, skips);
    }
    skips.lastNs = nowNs;
    skips.count++;
    boolean tooOften = skips.count >= MIN_SKIPS && nowNs - skips.sinceNs >= maxWaitNs;
    if (tooOften) {
      skipped.remove(blockId);
    }
    return tooOften;
  }

  private void dropExpired(long nowNs) {
    Iterator<Skips> oldest = skipped.values().iterator();
    while (oldest.hasNext() && nowNs - oldest.next().lastNs > SKIPS_EXPIRY_NS) {
      oldest.remove();
    }
  }

  void forget(long blockId) {
    skipped.remove(blockId);
  }

  void clear() {
    skipped.clear();
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.blocks.BlockKey;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Which targets were refused or failed for which block lately, and which blocks are stock's for a while. Owned by the recovery loop; not
 * thread-safe. Bounded: the entries that were touched least recently are dropped first.
 */
final class BlockHistory {
  private static final int LIMIT = 100_000;
  private static final int REFUSALS_UNTIL_STOCK = 3;
  private static final long REFUSED_NS = TimeUnit.SECONDS.toNanos(10);
  private static final long STOCK_NS = TimeUnit.MINUTES.toNanos(5);

  private static final class Entry {
    private final Map<String, Long> refusedUntilNs = new HashMap<>(2);
    private int refusals;
    private boolean stock;
    private long stockSinceNs;
  }

  private final Map<Long, Entry> entries = new LinkedHashMap<>(16, 0.75f, true) {
    @Override
    protected boolean removeEldestEntry(Map.Entry<Long, Entry> eldest) {
      return size() > LIMIT;
    }
  };

  /** Notes that {@code target} could not have the block; after three times the block is stock's. */
  void refuse(BlockKey block, String target, long nowNs) {
    Entry entry = entries.computeIfAbsent(block.blockId(), id -> new Entry());
    entry.refusals++;
    entry.refusedUntilNs.put(target, nowNs + REFUSED_NS * entry.refusals);
    if (entry.refusals >= REFUSALS_UNTIL_STOCK) {
      giveToStock(block, nowNs);
    }
  }

  void giveToStock(BlockKey block, long nowNs) {
    Entry entry = entries.computeIfAbsent(block.blockId(), id -> new Entry());
    entry.stock = true;
    entry.stockSinceNs = nowNs;
  }

  /** Whether the block is stock's now. */
  boolean isStocks(BlockKey block, long nowNs) {
    Entry entry = entries.get(block.blockId());
    if (entry == null || !entry.stock) {
      return false;
    }
    if (nowNs - entry.stockSinceNs > STOCK_NS) {
      entries.remove(block.blockId());
      return false;
    }
    return true;
  }

  /** Targets that the block should not be planned on now. */
  List<String> refusedTargets(BlockKey block, long nowNs) {
    Entry entry = entries.get(block.blockId());
    if (entry == null) {
      return List.of();
    }
    return entry.refusedUntilNs.entrySet().stream().filter(e -> e.getValue() - nowNs > 0).map(Map.Entry::getKey).toList();
  }

  void forget(BlockKey block) {
    entries.remove(block.blockId());
  }

  void clear() {
    entries.clear();
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.blocks.BlockKey;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Which targets were refused or failed for which block lately, and which blocks are left to stock for a while. Owned by
 * the recovery loop; not thread-safe. Bounded: the entries that were touched least recently are dropped first.
 */
final class BlockHistory {
  private static final int LIMIT = 100_000;
  private static final int REFUSALS_UNTIL_STOCK = 3;
  private static final long REFUSED_NS = TimeUnit.SECONDS.toNanos(10);
  private static final int FAILURES_UNTIL_STOCK = 3;
  /** After this time without a replica the block goes to stock. */
  private static final long MAX_WAIT_NS = TimeUnit.MINUTES.toNanos(5);
  /** A block must have been passed over this often, since in a long queue a timeslot sees it only now and then. */
  private static final int MIN_SKIPS = 3;
  /** If a block was not passed over for this long, its count begins anew. */
  private static final long SKIPS_EXPIRY_NS = TimeUnit.HOURS.toNanos(2);
  /**
   * At most so many blocks that were passed over are watched. Others are watched when these have gone to stock, so that
   * blocks do not displace each other forever.
   */
  private static final int MAX_SKIPPED = 20_000;
  /** Long enough for the planner to come to the block once more in a long queue. */
  private static final long STOCK_NS = TimeUnit.HOURS.toNanos(1);

  private static final class Entry {
    private final Map<String, Long> refusedUntilNs = new HashMap<>(2);
    private int refusals;
    private int failures;
    private long firstFailureNs;
    private boolean stock;
    private long stockSinceNs;
  }

  /** How a block has been passed over since it was last planned. */
  private static final class Skips {
    private final long sinceNs;
    private long lastNs;
    private int count;

    private Skips(long sinceNs) {
      this.sinceNs = sinceNs;
    }
  }

  /** The one that was passed over least recently is the first. */
  private final Map<Long, Skips> skipped = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<Long, Entry> entries = new LinkedHashMap<>(16, 0.75f, true) {
    @Override
    protected boolean removeEldestEntry(Map.Entry<Long, Entry> eldest) {
      return size() > LIMIT;
    }
  };

  /** Notes that {@code target} could not have the block; after three times the block goes to stock. */
  void refuse(BlockKey block, String target, long nowNs) {
    Entry entry = entry(block);
    entry.refusals++;
    entry.refusedUntilNs.put(target, nowNs + REFUSED_NS * entry.refusals);
    if (entry.refusals >= REFUSALS_UNTIL_STOCK) {
      giveToStock(block, nowNs);
    }
  }

  /**
   * Notes that a copy of the block was begun and not made; after several times in five minutes or more the block goes
   * to stock.
   */
  void failed(BlockKey block, long nowNs) {
    Entry entry = entry(block);
    if (entry.failures++ == 0) {
      entry.firstFailureNs = nowNs;
    }
    if (entry.failures >= FAILURES_UNTIL_STOCK && nowNs - entry.firstFailureNs >= MAX_WAIT_NS) {
      giveToStock(block, nowNs);
    }
  }

  /**
   * Notes that the block was not planned, though it could have been. After several times in five minutes or more, with
   * no plan in between, the block goes to stock, and the method returns true.
   */
  boolean skipped(BlockKey block, long nowNs) {
    Skips skips = skipped.get(block.blockId());
    if (skips == null || nowNs - skips.lastNs > SKIPS_EXPIRY_NS) {
      dropForgotten(nowNs);
      if (skips == null && skipped.size() >= MAX_SKIPPED) {
        return false;
      }
      skips = new Skips(nowNs);
      skipped.put(block.blockId(), skips);
    }
    skips.lastNs = nowNs;
    skips.count++;
    boolean toStock = skips.count >= MIN_SKIPS && nowNs - skips.sinceNs >= MAX_WAIT_NS;
    if (toStock) {
      skipped.remove(block.blockId());
      giveToStock(block, nowNs);
    }
    return toStock;
  }

  private void dropForgotten(long nowNs) {
    Iterator<Skips> oldest = skipped.values().iterator();
    while (oldest.hasNext() && nowNs - oldest.next().lastNs > SKIPS_EXPIRY_NS) {
      oldest.remove();
    }
  }

  /** Notes that a copy of the block is begun. */
  void planned(BlockKey block) {
    skipped.remove(block.blockId());
  }

  private Entry entry(BlockKey block) {
    return entries.computeIfAbsent(block.blockId(), id -> new Entry());
  }

  void giveToStock(BlockKey block, long nowNs) {
    Entry entry = entry(block);
    entry.stock = true;
    entry.stockSinceNs = nowNs;
  }

  /** Whether the block is left to stock now. */
  boolean isGivenToStock(BlockKey block, long nowNs) {
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
    return entry.refusedUntilNs.entrySet().stream().filter(e -> e.getValue() - nowNs > 0).map(Map.Entry::getKey)
        .toList();
  }

  void forget(BlockKey block) {
    skipped.remove(block.blockId());
    entries.remove(block.blockId());
  }

  void clear() {
    skipped.clear();
    entries.clear();
  }
}

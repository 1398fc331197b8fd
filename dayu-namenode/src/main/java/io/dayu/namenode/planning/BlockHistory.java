/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.WaitReason;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Which targets were refused or failed for which block lately, and which blocks are left to stock for a while. Owned by
 * the recovery loop; not thread-safe. Bounded: the entries that were touched least recently are dropped first.
 */
public final class BlockHistory {
  private static final int LIMIT = 100_000;
  private static final int REFUSALS_UNTIL_STOCK = 3;
  private static final long REFUSED_NS = TimeUnit.SECONDS.toNanos(10);
  private static final long AVOIDED_NS = TimeUnit.MINUTES.toNanos(1);
  /**
   * By then a DataNode has learnt what to delete, in three heartbeats and rounds of HDFS's monitor, and its agent takes
   * what it has deleted as reported, in five heartbeats.
   */
  public static final int DELETING_SEC = 18;
  private static final int FAILURES_UNTIL_STOCK = 3;
  /** After this time without a replica the block goes to stock. */
  private static final long MAX_WAIT_NS = TimeUnit.MINUTES.toNanos(5);
  /** Long enough for the planner to come to the block once more in a long queue. */
  private static final long STOCK_NS = TimeUnit.HOURS.toNanos(1);

  private static final class BlockEntry {
    private final Map<String, Long> refusedUntilNs = new HashMap<>(2);
    private int refusals;
    private int failures;
    private long firstFailureNs;
    private boolean leftTarget;
    /** Why the block is left to stock; null if it is not. */
    private WaitReason stockReason;
    private long leftSinceNs;

    /** A longer refusal for another reason stays. */
    private void refuse(String target, long untilNs) {
      refusedUntilNs.merge(target, untilNs, (known, other) -> other - known > 0 ? other : known);
    }

    /** Whether stock has had the block for its time. */
    private boolean isOver(long nowNs) {
      return stockReason != null && nowNs - leftSinceNs > STOCK_NS;
    }
  }

  private final SkipCounter skips = new SkipCounter(MAX_WAIT_NS);
  private final FailedCopies failedCopies = new FailedCopies();
  private final Map<Long, BlockEntry> entries = new LinkedHashMap<>(16, 0.75f, true) {
    @Override
    protected boolean removeEldestEntry(Map.Entry<Long, BlockEntry> eldest) {
      return size() > LIMIT;
    }
  };

  /** Notes that {@code target} could not have the block; after three times the block goes to stock. */
  public void refuse(BlockKey block, String target, long nowNs) {
    BlockEntry entry = entry(block, nowNs);
    entry.refusals++;
    entry.refuse(target, nowNs + REFUSED_NS * entry.refusals);
    if (entry.refusals >= REFUSALS_UNTIL_STOCK) {
      leaveToStock(block, WaitReason.TARGETS_REFUSED, nowNs);
    }
  }

  /** Notes that {@code target} was too slow for the block, which goes elsewhere for a while. */
  public void avoid(BlockKey block, String target, long nowNs) {
    BlockEntry entry = entry(block, nowNs);
    entry.leftTarget = true;
    entry.refuse(target, nowNs + AVOIDED_NS);
  }

  /** Whether a target has been too slow for the block, which has got no replica since. */
  public boolean hasLeftTarget(BlockKey block) {
    BlockEntry entry = known(block);
    return entry != null && entry.leftTarget;
  }

  /** Notes that {@code target} has to delete a replica of the block, or of its group, before it can take one. */
  public void deleting(BlockKey block, String target, long nowNs) {
    entry(block, nowNs).refuse(target, nowNs + TimeUnit.SECONDS.toNanos(DELETING_SEC));
  }

  /**
   * Notes that a copy of the block was begun and not made; after several times in five minutes or more the block goes
   * to stock.
   */
  public void failed(BlockKey block, long nowNs) {
    BlockEntry entry = entry(block, nowNs);
    if (entry.failures++ == 0) {
      entry.firstFailureNs = nowNs;
    }
    if (entry.failures >= FAILURES_UNTIL_STOCK && nowNs - entry.firstFailureNs >= MAX_WAIT_NS) {
      leaveToStock(block, WaitReason.COPIES_FAILED, nowNs);
    }
  }

  /**
   * Notes that the block was not planned, though it could have been. After several times in five minutes or more, with
   * no plan in between, the block goes to stock, and the method returns true.
   */
  boolean skipped(BlockKey block, long nowNs) {
    boolean toStock = skips.skipped(block.blockId(), nowNs);
    if (toStock) {
      leaveToStock(block, WaitReason.PASSED_OVER, nowNs);
    }
    return toStock;
  }

  /** Notes that a copy of the block is begun. */
  public void planned(BlockKey block) {
    skips.forget(block.blockId());
  }

  /** Whether the block is left to stock now. */
  public boolean isLeftToStock(BlockKey block, long nowNs) {
    return stockReason(block, nowNs) != null;
  }

  /** Why the block is left to stock now; null if it is not. */
  public WaitReason stockReason(BlockKey block, long nowNs) {
    BlockEntry entry = known(block);
    return entry == null || entry.isOver(nowNs) ? null : entry.stockReason;
  }

  /** Targets that the block should not be planned on now. */
  public List<String> refusedTargets(BlockKey block, long nowNs) {
    BlockEntry entry = known(block);
    if (entry == null) {
      return List.of();
    }
    return entry.refusedUntilNs.entrySet().stream().filter(e -> e.getValue() - nowNs > 0).map(Map.Entry::getKey)
        .toList();
  }

  /** What is known of the copies that failed or were refused. */
  public FailedCopies failedCopies() {
    return failedCopies;
  }

  /** Called for each block of each plan. Mostly there is no entry at all. */
  private BlockEntry known(BlockKey block) {
    return entries.isEmpty() ? null : entries.get(block.blockId());
  }

  public void forget(BlockKey block) {
    skips.forget(block.blockId());
    failedCopies.forget(block);
    entries.remove(block.blockId());
  }

  public void clear() {
    skips.clear();
    failedCopies.clear();
    entries.clear();
  }

  /** The block's entry; a new one if stock had its time with the block and did not make the copies. */
  private BlockEntry entry(BlockKey block, long nowNs) {
    return entries.compute(block.blockId(),
        (id, known) -> known == null || known.isOver(nowNs) ? new BlockEntry() : known);
  }

  private void leaveToStock(BlockKey block, WaitReason reason, long nowNs) {
    BlockEntry entry = entry(block, nowNs);
    entry.stockReason = reason;
    entry.leftSinceNs = nowNs;
  }
}

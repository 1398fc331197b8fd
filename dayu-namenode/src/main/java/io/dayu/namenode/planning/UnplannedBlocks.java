/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.BlockInspection;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;

import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The waiting blocks that the next timeslots cannot plan, with the reason: no DataNode can take them, too few of their
 * replicas can be read, or they are left to stock HDFS. Those that no DataNode can take may wait for ever (a file with
 * more replicas than there are DataNodes, for example), so no estimate counts them. Each pass over HDFS's queues finds
 * a block again; one that two passes have not found is forgotten. Bounded. Written by the recovery loop, read by any
 * thread.
 */
final class UnplannedBlocks {
  private static final int LIMIT = 100_000;

  /**
   * Why a block is not planned.
   *
   * @param pass how many passes had ended when it was found last
   * @param unplaceable whether a plan has found it, and could not place it
   */
  private record Unplanned(WaitReason reason, int risk, long pass, boolean unplaceable) {
    boolean lacksSources() {
      return reason == WaitReason.NO_SOURCE || reason == WaitReason.TOO_FEW_SOURCES;
    }
  }

  private final Map<Long, Unplanned> blocks = new ConcurrentHashMap<>();
  /** Whether a plan may have one of these blocks; the recovery loop's own. */
  private boolean someMayBePlanned;
  private volatile int unplaceable;
  private volatile Map<WaitReason, long[]> counts = Map.of();

  /**
   * Notes which of the blocks that were read from HDFS's queues cannot be read from enough DataNodes.
   *
   * @param passes how many passes over HDFS's queues have ended
   */
  void read(Collection<WaitingBlock> read, long passes) {
    for (WaitingBlock block : read) {
      if (block.lacksSources()) {
        note(block, block.sources().isEmpty() ? WaitReason.NO_SOURCE : WaitReason.TOO_FEW_SOURCES, passes, false);
      } else if (!blocks.isEmpty()) {
        blocks.computeIfPresent(block.key().blockId(), (id, known) -> known.lacksSources() ? null : known);
      }
    }
  }

  /** Notes that a plan could not place this block. */
  void unplaceable(WaitingBlock block, WaitReason reason, long passes) {
    note(block, reason, passes, true);
  }

  /** Notes that stock HDFS gets this block. */
  void leftToStock(WaitingBlock block, WaitReason reason, long passes) {
    note(block, reason, passes, isUnplaceable(block.key().blockId()));
  }

  private void note(WaitingBlock block, WaitReason reason, long passes, boolean isUnplaceable) {
    long id = block.key().blockId();
    if (blocks.size() < LIMIT || blocks.containsKey(id)) {
      someMayBePlanned |= !block.isForStock();
      blocks.put(id,
          new Unplanned(reason.counted(), Math.min(block.risk(), BlockInspection.RISKS - 1), passes, isUnplaceable));
    }
  }

  /** A plan has these blocks among those that it may choose from. */
  void placeable(Collection<WaitingBlock> placeable) {
    if (someMayBePlanned) {
      placeable.forEach(block -> blocks.remove(block.key().blockId()));
    }
  }

  /** Forgets what two passes have not found, and counts the others. */
  void planned(long passes) {
    blocks.values().removeIf(one -> one.pass < passes - 1);
    Map<WaitReason, long[]> counted = new EnumMap<>(WaitReason.class);
    int without = 0;
    someMayBePlanned &= !blocks.isEmpty();
    for (Unplanned one : blocks.values()) {
      counted.computeIfAbsent(one.reason, reason -> new long[BlockInspection.RISKS])[one.risk]++;
      without += one.unplaceable ? 1 : 0;
    }
    unplaceable = without;
    counts = counted;
  }

  /** Whether the last plans found that no DataNode can take this block. */
  boolean isUnplaceable(long blockId) {
    Unplanned known = blocks.get(blockId);
    return known != null && known.unplaceable;
  }

  /** How many blocks no DataNode can take. */
  int unplaceable() {
    return unplaceable;
  }

  /** How many there are for each reason, by risk. Not to be changed. */
  Map<WaitReason, long[]> counts() {
    return counts;
  }

  void clear() {
    blocks.clear();
    someMayBePlanned = false;
    unplaceable = 0;
    counts = Map.of();
  }
}

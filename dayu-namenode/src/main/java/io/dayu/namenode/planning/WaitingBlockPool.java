/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.WaitingBlock;
import io.dayu.model.TaskTable;
import io.dayu.queue.WaitingBlocks;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Blocks that wait for a copy, as last read from the NameNode's queues: all of them, or as many as several plans need.
 * Owned by the recovery loop; not thread-safe. Entries that a whole pass over the queues did not meet again are
 * dropped; what is stale before that is found out at commit.
 */
final class WaitingBlockPool {
  /**
   * From this share of the waiting blocks on the pool counts as complete, since some come and go while it is filled.
   */
  private static final double COMPLETE_RATIO = 0.9;
  /** At most this many blocks that were left to stock are remembered: no more than {@code StockHandover} has. */
  private static final int MAX_LEFT_TO_STOCK = 100_000;
  /** What the blocks may weigh in any case: that takes less than 40 MB. */
  private static final long MIN_LIMIT = 400_000;
  /** Blocks for so many plans may be here; for half of them, before any are refused. */
  private static final int PLANS = 8;
  /** The largest of so many plans counts: one for which all links were full for a moment says little. */
  private static final int RECENT_PLANS = 8;

  private final NamedWaitingBlocks named = new NamedWaitingBlocks();
  private final WaitingBlocks blocks = named.table();
  /** Blocks that go before the others of their risk in the next selection, by id. */
  private final Map<Long, WaitingBlock> first = new LinkedHashMap<>();
  /**
   * Blocks that were left to stock and may still wait in HDFS's queues: block id, and the value of {@link #passes} when
   * the block was left. An entry lasts until a pass meets the block again, or until the next pass that begins has
   * ended.
   */
  private final Map<Long, Long> leftToStock = new HashMap<>();
  /** How many passes over HDFS's queues have ended. */
  private long passes;
  /** How many blocks this pass has read, and how many had been refused when it began. */
  private long passRead;
  private long refusedBeforePass;
  private boolean refusedMost;
  /** Whether a group was put in of which an internal block on leaving nodes can be rebuilt instead of copied. */
  private boolean hasLeavingGroups;
  /** How many blocks each had. */
  private final int[] recentPlans = new int[RECENT_PLANS];
  private int nextPlan;

  WaitingBlockPool() {
    blocks.limit(MIN_LIMIT);
  }

  /**
   * Keeps places for what several plans need.
   *
   * @param blocksOfAPlan how many the last one had
   */
  void plan(int blocksOfAPlan) {
    recentPlans[nextPlan] = blocksOfAPlan;
    nextPlan = (nextPlan + 1) % RECENT_PLANS;
    int largest = 0;
    for (int plan : recentPlans) {
      largest = Math.max(largest, plan);
    }
    blocks.limit(Math.max(MIN_LIMIT, (long) PLANS * largest));
  }

  /** Whether blocks are refused that others here keep from being planned soon anyway. */
  boolean isFilled() {
    return blocks.isFilled();
  }

  /** Whether most of what the last pass over the queues read was refused. */
  boolean refusedMost() {
    return refusedMost;
  }

  /** Whether there are blocks of a lower risk than this one. */
  boolean holdsLowerRisk(int risk) {
    return blocks.holdsLowerRisk(risk);
  }

  /** Puts these blocks in, unless they are refused; returns those that were not here before. */
  List<WaitingBlock> put(Collection<WaitingBlock> read) {
    passRead += read.size();
    return put(read, false);
  }

  /** The same with blocks of the highest risk for the next plan, which are never refused. */
  List<WaitingBlock> putHead(Collection<WaitingBlock> read) {
    return put(read, true);
  }

  private List<WaitingBlock> put(Collection<WaitingBlock> read, boolean isHead) {
    List<WaitingBlock> added = new ArrayList<>();
    for (WaitingBlock block : read) {
      if (put(block, isHead)) {
        added.add(block);
      }
    }
    return added;
  }

  /**
   * Reads blocks row by row, for a look at all of them in pieces; the pool may change between two pieces.
   *
   * @return the row to go on with; below 0 at the end
   */
  int read(int fromRow, int limit, List<WaitingBlock> read) {
    int row = fromRow;
    for (; row < blocks.rows() && read.size() < limit; row++) {
      if (blocks.isUsed(row)) {
        read.add(named.get(row));
      }
    }
    if (row < blocks.rows()) {
      return row;
    }
    read.addAll(first.values());
    return -1;
  }

  /** The blocks that go before the others of their risk; the next selection gives them rows of any number. */
  Collection<WaitingBlock> first() {
    return first.values();
  }

  /** Puts a block before the others of its risk, for the next selection. */
  void putFirst(WaitingBlock block) {
    blocks.remove(block.key().blockId());
    hasLeavingGroups |= block.group() != null && block.group().canRebuildInstead();
    first.put(block.key().blockId(), block);
  }

  /** Returns whether it is here now and was not before. */
  private boolean put(WaitingBlock block, boolean isHead) {
    boolean known = forget(block.key().blockId());
    hasLeavingGroups |= block.group() != null && block.group().canRebuildInstead();
    return named.offer(block, known || isHead) && !known;
  }

  /** What was known of a block beside the table no longer counts. Returns whether it was to be planned first. */
  private boolean forget(long id) {
    if (!leftToStock.isEmpty()) {
      leftToStock.remove(id);
    }
    return !first.isEmpty() && first.remove(id) != null;
  }

  /** A pass over the queues has ended: blocks that neither this pass nor the one before has met are removed. */
  void endPass() {
    blocks.endPass();
    leftToStock.values().removeIf(pass -> pass < passes);
    passes++;
    refusedMost = 2 * (blocks.refused() - refusedBeforePass) > passRead;
    passRead = 0;
    refusedBeforePass = blocks.refused();
  }

  /** Removes a block, unless it is here in another generation: then it was read again since. */
  void remove(BlockKey block) {
    if (!first.isEmpty()) {
      first.computeIfPresent(block.blockId(), (id, known) -> known.key().equals(block) ? null : known);
    }
    blocks.remove(block.blockId(), block.generationStamp());
  }

  /** Removes a block that stock is to place. It comes again if a later pass meets it. */
  void leaveToStock(BlockKey block) {
    remove(block);
    if (leftToStock.size() < MAX_LEFT_TO_STOCK) {
      leftToStock.put(block.blockId(), passes);
    }
  }

  /** Gives memory back if there is room for far more blocks than there are. Candidates are not valid any longer. */
  void shrink() {
    blocks.shrink();
  }

  /** How many passes over HDFS's queues have ended. */
  long passes() {
    return passes;
  }

  /**
   * Whether every waiting block seems to be in the pool or left to stock: a whole pass over the queues has ended, and
   * the queues hold no more blocks than that. A block may have left the queues since, and another one may have come.
   */
  boolean knowsAll(long waitingBlocks) {
    return passes > 0 && size() + leftToStock.size() >= waitingBlocks;
  }

  /**
   * Whether the pool has all the work: a whole pass over the queues has ended, and the queues hold hardly more than the
   * pool.
   */
  boolean isComplete(long waitingBlocks) {
    return passes > 0 && size() >= COMPLETE_RATIO * waitingBlocks;
  }

  /** Whether there may be groups of which an internal block on leaving nodes can be rebuilt instead of copied. */
  boolean hasLeavingGroups() {
    return hasLeavingGroups;
  }

  int size() {
    return blocks.size() + first.size();
  }

  /**
   * Removes the blocks that none of these nodes can serve; the NameNode's queues have them again when it finds a
   * source.
   */
  void retainServedBy(Set<String> liveNodes) {
    List<String> names = named.nodes();
    for (int node = 1; node < names.size(); node++) {
      if (!liveNodes.contains(names.get(node))) {
        blocks.removeSource(node);
      }
    }
  }

  /**
   * The blocks to plan with, those at the highest risk first. At the same risk a source's blocks come in this order:
   * <ol>
   * <li>blocks that {@link #putFirst} has put in since the last selection,
   * <li>blocks of urgent sources, whoever else can serve them,
   * <li>blocks that have not been selected yet,
   * <li>blocks that an earlier selection returned and nobody has removed since.
   * </ol>
   *
   * @param quotaBytes how many bytes of blocks to take for each source, by UUID; for others little
   * @param minQuotaBytes the least for each source
   * @param typeBytes by storage type, how many bytes all nodes together might receive
   * @param urgent sources, by UUID, whose blocks go before the others of their risk
   */
  SelectedBlocks select(Map<String, Long> quotaBytes, long minQuotaBytes, long[] typeBytes, List<String> urgent) {
    List<String> names = named.nodes();
    long[] quotas = new long[names.size()];
    quotas[0] = Long.MAX_VALUE;
    for (int node = 1; node < quotas.length; node++) {
      quotas[node] = Math.max(minQuotaBytes, quotaBytes.getOrDefault(names.get(node), 0L));
    }
    int[] urgentNodes = urgent.stream().mapToInt(named::node).filter(node -> node >= 0).toArray();
    int count = blocks.select(quotas, typeBytes, urgentNodes);
    int[] rows = new int[first.size() + count];
    int placed = 0;
    for (WaitingBlock block : List.copyOf(first.values())) {
      forget(block.key().blockId());
      named.put(block);
      rows[placed++] = blocks.markSelected(block.key().blockId());
    }
    for (int i = 0; i < count; i++) {
      rows[placed++] = blocks.selected(i);
    }
    return new SelectedBlocks(named, placed == count ? rows : byRisk(rows));
  }

  /** The rows in the order of their risks, those of one risk in the order that they had. */
  private int[] byRisk(int[] rows) {
    int[] next = new int[TaskTable.RISK_LEVELS + 1];
    for (int row : rows) {
      next[blocks.risk(row) + 1]++;
    }
    for (int risk = 0; risk < TaskTable.RISK_LEVELS; risk++) {
      next[risk + 1] += next[risk];
    }
    int[] sorted = new int[rows.length];
    for (int row : rows) {
      sorted[next[blocks.risk(row)]++] = row;
    }
    return sorted;
  }

  /** Bytes of the blocks that were not selected and that the node can serve. */
  long restBytes(String uuid) {
    int node = named.node(uuid);
    return node < 0 || node >= blocks.restBytes().length ? 0 : blocks.restBytes()[node];
  }

  /** Bytes of all copies that the blocks which were not selected lack. */
  double restCopyBytes() {
    return blocks.restCopyBytes();
  }

  void clear() {
    blocks.clear();
    first.clear();
    leftToStock.clear();
    passes = 0;
    passRead = 0;
    refusedBeforePass = blocks.refused();
    refusedMost = false;
    hasLeavingGroups = false;
  }
}

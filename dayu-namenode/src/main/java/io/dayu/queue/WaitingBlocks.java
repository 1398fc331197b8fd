/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.queue;

import io.dayu.model.IntList;
import io.dayu.model.TaskTable;

import java.util.Arrays;
import java.util.BitSet;
import java.util.function.IntPredicate;

/**
 * Blocks that wait for a copy, kept in order between timeslots. Not thread-safe.
 *
 * <p><b>Goal.</b> The cost of a timeslot depends on what it can plan, not on what waits: it looks only at the blocks
 * that the nodes could send within its horizon. A block costs less than 100 bytes, an erasure-coded group a few
 * hundred.
 *
 * <p><b>Bound.</b> HDFS's queues have all that waits. From half of {@link #limit} on {@link #admit} keeps places for
 * what would otherwise wait for long: blocks of sources of which few are here, and blocks of higher risks than others
 * here. A block that was selected in vain gives its place up, if many of its sources are here, when the queues are read
 * past it again.
 *
 * <p><b>Order.</b> Each node has the blocks that it can serve in lists, one for each risk level and set of storage
 * types. {@link #select} takes from each node's lists, highest risk first, until the node's quota is reached. So blocks
 * that cannot be planned use up nothing but the quota of their own sources and of their own storage types. A block that
 * was taken goes to the end of its lists with the next selection, unless it was removed, so that the blocks behind it
 * are taken next.
 */
public final class WaitingBlocks extends BlockTable {
  /**
   * The maximum number of its sources whose lists have a block. Further sources may still serve it when a plan is made.
   */
  private static final int LINKS = 3;
  /** Number of sets of storage types that have lists of their own; the last one holds all further sets together. */
  private static final int TYPE_SETS = 8;
  /**
   * The minimum number of blocks of each set of storage types that are selected, if as many wait. Only a plan finds out
   * whether any node can receive them.
   */
  private static final int MIN_SELECTED = 1_000;
  /** The maximum number of blocks that are selected: blocks may be so small that nodes could carry any number. */
  private static final int MAX_SELECTED = 150_000;
  /** The same for each node; the larger of the two bounds applies. */
  private static final int MAX_SELECTED_PER_NODE = 40;
  /** A list of fewer blocks than these, or than the node's part of half of the room, is short. */
  private static final int SHORT_LIST = 64;
  /** What is filled from this part of the limit on has places for short lists only. */
  private static final double SHORT_LISTS_ONLY = 0.75;
  /** The blocks of one risk give way to those of higher risks if they have at least this part of all places. */
  private static final int MIN_DISPLACED_PART = 16;

  /**
   * A list for each list class (risk and set of types) and node. Link {@code LINKS * row + i} is that of the row's i-th
   * source.
   */
  private final NodeLists lists = new NodeLists(TaskTable.RISK_LEVELS * TYPE_SETS, LINKS * capacity());

  private int nodes;
  private final int[] typeSets = new int[TYPE_SETS];
  private int typeSetCount;
  private final long[][] takenBytes = new long[TYPE_SETS][0];
  private long[] restBytes = new long[0];
  private double restCopyBytes;
  private IntList selected = new IntList();
  private int firstNode;
  private final long[] weightByRisk = new long[TaskTable.RISK_LEVELS];
  private long maxWeight = Long.MAX_VALUE;
  private long refused;
  /** Those of the last selection. */
  private final BitSet urgentNodes = new BitSet();

  /** Sets how much the blocks that {@link #admit} lets in may weigh together; see {@link #weight}. */
  public void limit(long newMaxWeight) {
    maxWeight = newMaxWeight;
  }

  /** Whether so many blocks are here that some are refused. */
  public boolean isFilled() {
    return weight() > maxWeight / 2;
  }

  /** How many blocks were refused so far. */
  public long refused() {
    return refused;
  }

  /**
   * Whether to put in a block that was read, or to replace its data; else it is not here any longer. Asked if
   * {@link #isFilled}. There is room for three kinds of blocks:
   * <ul>
   * <li>Those of a source that has few of this risk here, and those of urgent sources. If there is no room, blocks of a
   *     lower risk go for them, down to three quarters of the limit.
   * <li>Those of a higher risk than others here, up to three quarters of the limit. So sources that have little
   *     bandwidth for many blocks keep no others out.
   * <li>Those that go first, beyond the limit, too: the caller has few of them.
   * </ul>
   * A block that is here keeps its place, unless it was selected in vain and is of none of these kinds.
   *
   * @param all begins with the block's sources
   * @param sources how many it has
   * @param isFirst whether it goes before others of its risk
   */
  public boolean admit(long id, int risk, int storageTypes, int[] all, int sources, boolean isFirst) {
    int row = find(id);
    boolean isWanted = isWanted(risk, storageTypes, all, sources);
    boolean hasRoom;
    if (row != NONE) {
      hasRoom = isWanted || holdsLowerRisk(risk) || !isTried(row) && !isSelected(row);
    } else if (isWanted) {
      hasRoom = weight() < maxWeight || removeLowerRisk(risk);
    } else {
      hasRoom = weight() < SHORT_LISTS_ONLY * maxWeight && holdsLowerRisk(risk);
    }
    boolean admitted = isFirst || hasRoom;
    if (!admitted) {
      refused++;
      if (row != NONE) {
        removeRow(row);
      }
    }
    return admitted;
  }

  /** Whether a source is urgent, or has few blocks of this risk here. */
  private boolean isWanted(int risk, int storageTypes, int[] all, int sources) {
    int list = listClass(risk, storageTypes);
    long shortList = shortList();
    for (int i = 0; i < sources; i++) {
      if (isWantedOf(all[i], i, list, shortList)) {
        return true;
      }
    }
    return false;
  }

  /** The same of a block that is here. */
  private boolean isWanted(int row) {
    int list = listClass(row);
    long shortList = shortList();
    for (int i = 0; i < sources(row); i++) {
      if (isWantedOf(id(row, i), i, list, shortList)) {
        return true;
      }
    }
    return false;
  }

  /** Whether blocks are wanted whose {@code i}-th source is this node. */
  private boolean isWantedOf(int node, int i, int list, long shortList) {
    return urgentNodes.get(node) || i < LINKS && lists.length(list, node) < shortList;
  }

  private long shortList() {
    return Math.max(SHORT_LIST, maxWeight / (4L * Math.max(1, nodes)));
  }

  /** Whether there are blocks of a lower risk than this one. */
  public boolean holdsLowerRisk(int risk) {
    for (int lower = risk + 1; lower < TaskTable.RISK_LEVELS; lower++) {
      if (weightByRisk[lower] > 0) {
        return true;
      }
    }
    return false;
  }

  /**
   * Removes blocks of the lowest risk that has not few, if it is lower than this one, down to the part that only wanted
   * blocks may exceed: first those that were selected in vain, then those that would be refused now, then others. Each
   * call looks at all rows and makes room for many blocks.
   *
   * @return whether there is such a risk
   */
  private boolean removeLowerRisk(int risk) {
    int lowest = TaskTable.RISK_LEVELS - 1;
    while (lowest > risk && weightByRisk[lowest] < maxWeight / MIN_DISPLACED_PART) {
      lowest--;
    }
    if (lowest <= risk) {
      return false;
    }
    int displaced = lowest;
    removeUntilThereIsRoom(row -> risk(row) == displaced && isTried(row));
    removeUntilThereIsRoom(row -> risk(row) == displaced && !isWanted(row));
    removeUntilThereIsRoom(row -> risk(row) == displaced);
    return true;
  }

  private void removeUntilThereIsRoom(IntPredicate isRemoved) {
    for (int row = 0; weight() > SHORT_LISTS_ONLY * maxWeight && row < rows(); row++) {
      if (isUsed(row) && isRemoved.test(row)) {
        removeRow(row);
      }
    }
  }

  /**
   * Adds a block or replaces its data.
   *
   * @param all the block's sources, then other nodes that must not receive it, then the racks that must not
   * @return whether the block was not here before
   */
  public boolean put(long id, long generationStamp, long numBytes, int risk, int copies, boolean distinctRacks,
      int storageTypes, int[] all, int sources, int holders) {
    return put(id, generationStamp, numBytes, risk, copies, distinctRacks, storageTypes, all, sources,
        holders, 1, null, null);
  }

  /**
   * Adds a block or an erasure-coded group, or replaces what was known of it.
   *
   * @param numBytes of a group, the length of an internal block
   * @param all the block's sources, then other nodes that must not receive it, then the racks that must not
   * @param width how many sources send at once: 1 unless internal blocks of a group are rebuilt
   * @param detail what the caller keeps of a group, or of another block that it knows more of; else null
   * @param storedBlock what else the caller keeps of any block, or null
   * @return whether the block was not here before
   */
  public boolean put(long id, long generationStamp, long numBytes, int risk, int copies, boolean distinctRacks,
      int storageTypes, int[] all, int sources, int holders, int width, Object detail,
      Object storedBlock) {
    int row = find(id);
    boolean added = row == NONE;
    if (added) {
      row = newRow(id);
    } else {
      unlink(row);
      weightByRisk[risk(row)] -= weight(row);
    }
    set(row, generationStamp, numBytes, risk, copies, distinctRacks, storageTypes, all, sources, holders,
        width, detail, storedBlock);
    weightByRisk[risk] += weight(row);
    link(row);
    return added;
  }

  /** Adds a row that is in no list. */
  private int newRow(long id) {
    int capacity = capacity();
    int row = add(id);
    if (capacity() > capacity) {
      lists.grow(LINKS * capacity());
    }
    for (int i = 0; i < LINKS; i++) {
      lists.setUnlinked(LINKS * row + i);
    }
    return row;
  }

  /** Removes a block, if it is here. */
  public void remove(long id) {
    int row = find(id);
    if (row != NONE) {
      removeRow(row);
    }
  }

  /** Removes a block, if it is here in this generation. */
  public void remove(long id, long generationStamp) {
    int row = find(id);
    if (row != NONE && generation(row) == generationStamp) {
      removeRow(row);
    }
  }

  private void removeRow(int row) {
    unlink(row);
    weightByRisk[risk(row)] -= weight(row);
    free(row);
  }

  /** Removes the blocks that were not put since the pass before the one that ends. */
  public void endPass() {
    for (int row = 0; row < rows(); row++) {
      if (isUsed(row) && isOutdated(row)) {
        removeRow(row);
      }
    }
    beginPass();
  }

  /** Gives memory back if there is room for far more blocks than there are. Rows get other numbers then. */
  public void shrink() {
    int[] moved = shrinkRows();
    if (moved == null) {
      return;
    }
    lists.renumber(moved, LINKS, LINKS * capacity());
    IntList before = selected;
    selected = new IntList();
    for (int i = 0; i < before.size(); i++) {
      int row = moved[before.get(i)];
      if (row != NONE) {
        selected.add(row);
      }
    }
  }

  @Override
  public void clear() {
    super.clear();
    lists.clear();
    Arrays.fill(restBytes, 0);
    Arrays.fill(weightByRisk, 0);
    restCopyBytes = 0;
    selected.clear();
    shrink();
  }

  /**
   * A node has died: its lists are dissolved, and blocks that no other node can serve are removed. They come again when
   * the NameNode finds a source for them.
   */
  public void removeSource(int node) {
    for (int list = 0; list < lists.classes(); list++) {
      for (int link = lists.first(list, node); link != NONE; link = lists.first(list, node)) {
        int row = link / LINKS;
        restBytes[node] -= sourceBytes(row);
        lists.remove(link, list, node);
        boolean served = false;
        for (int i = 0; i < linkCount(row); i++) {
          served |= lists.isLinked(LINKS * row + i);
        }
        if (!served) {
          removeRow(row);
        }
      }
    }
  }

  /**
   * Selects the blocks to plan with, highest risk first; {@link #selected} has their rows until the next selection.
   *
   * @param quotaBytes by node, how many bytes of blocks to take from its lists for each set of storage types
   * @param typeBytes by storage type, how many bytes all nodes together might receive
   * @return how many were selected
   */
  public int select(long[] quotaBytes, long[] typeBytes) {
    return select(quotaBytes, typeBytes, new int[0]);
  }

  /**
   * The same with nodes whose blocks go before the others of their risk: these are taken without a quota, since other
   * nodes may serve them.
   *
   * @param urgent nodes
   */
  public int select(long[] quotaBytes, long[] typeBytes, int[] urgent) {
    urgentNodes.clear();
    for (int node : urgent) {
      urgentNodes.set(node);
    }
    for (int i = 0; i < selected.size(); i++) {
      int row = selected.get(i);
      // A row that was removed meanwhile, and may be in use again, is not marked.
      if (isSelected(row)) {
        setSelected(row, false);
        setTried(row);
        link(row);
      }
    }
    selected.clear();
    for (int set = 0; set < typeSetCount; set++) {
      if (takenBytes[set].length < nodes) {
        takenBytes[set] = new long[nodes];
      }
      Arrays.fill(takenBytes[set], 0);
    }
    int limit = Math.max(MAX_SELECTED, MAX_SELECTED_PER_NODE * nodes);
    long[] leftBytes = new long[typeSetCount];
    int[] count = new int[typeSetCount];
    for (int set = 0; set < typeSetCount; set++) {
      for (int types = typeSets[set]; types != 0; types &= types - 1) {
        leftBytes[set] += typeBytes[Integer.numberOfTrailingZeros(types)];
      }
    }
    for (int risk = 0; risk < TaskTable.RISK_LEVELS; risk++) {
      for (int set = 0; set < typeSetCount; set++) {
        int list = risk * TYPE_SETS + set;
        for (int i = 0; lists.exists(list) && i < urgent.length; i++) {
          takeFrom(urgent[i], list, set, Long.MAX_VALUE, leftBytes, count, limit);
        }
        for (int i = 0; lists.exists(list) && i < nodes && wantsMore(leftBytes[set], count[set], limit); i++) {
          int node = i + firstNode < nodes ? i + firstNode : i + firstNode - nodes;
          long quota = node < quotaBytes.length ? quotaBytes[node] : 0;
          takeFrom(node, list, set, quota, leftBytes, count, limit);
        }
      }
    }
    firstNode = nodes == 0 ? 0 : (firstNode + 1) % nodes;
    return selected.size();
  }

  /** Selects from a node's list until its quota is reached, or all that nodes might receive. */
  private void takeFrom(int node, int list, int set, long quota, long[] leftBytes, int[] count, int limit) {
    while (node < nodes && takenBytes[set][node] < quota && lists.first(list, node) != NONE
        && wantsMore(leftBytes[set], count[set], limit)) {
      int row = lists.first(list, node) / LINKS;
      takenBytes[set][node] += Math.max(1, sourceBytes(row));
      leftBytes[set] -= receivedBytes(row);
      count[set]++;
      select(row);
    }
  }

  /**
   * Counts a further block that is planned with as a selected one until the next selection.
   *
   * @param id of a block that is here
   * @return its row
   */
  public int markSelected(long id) {
    int row = find(id);
    if (row == NONE) {
      throw new IllegalArgumentException("block " + id + " does not wait here");
    }
    if (!isSelected(row)) {
      select(row);
    }
    return row;
  }

  private static boolean wantsMore(long leftBytes, int selectedBlocks, int limit) {
    return selectedBlocks < MIN_SELECTED || leftBytes > 0 && selectedBlocks < limit;
  }

  private void select(int row) {
    unlink(row);
    setSelected(row, true);
    selected.add(row);
  }

  /** Row of the {@code i}-th block that was selected. */
  public int selected(int i) {
    return selected.get(i);
  }

  /**
   * By node: bytes of the blocks that it can serve and that were not selected, and its share of what groups are rebuilt
   * from. Not to be written to; it may be shorter than there are nodes.
   */
  public long[] restBytes() {
    return restBytes;
  }

  /** Bytes that targets receive for all copies that the blocks that were not selected lack. */
  public double restCopyBytes() {
    return restCopyBytes;
  }

  private int linkCount(int row) {
    return Math.min(LINKS, sources(row));
  }

  private int listClass(int row) {
    return listClass(risk(row), storageTypes(row));
  }

  private int listClass(int risk, int types) {
    int set = 0;
    while (set < typeSetCount && typeSets[set] != types) {
      set++;
    }
    if (set == typeSetCount && typeSetCount < TYPE_SETS) {
      typeSets[typeSetCount++] = types;
    } else if (set == typeSetCount) {
      set = TYPE_SETS - 1;
      typeSets[set] |= types;
    }
    return risk * TYPE_SETS + set;
  }

  /** Puts the block at the end of the lists of its sources. */
  private void link(int row) {
    int list = listClass(row);
    for (int i = 0; i < sources(row); i++) {
      int node = id(row, i);
      if (node >= restBytes.length) {
        nodes = node + 1;
        restBytes = Arrays.copyOf(restBytes, Math.max(node + 1, 2 * restBytes.length));
      }
      nodes = Math.max(nodes, node + 1);
      restBytes[node] += sourceBytes(row);
      if (i < LINKS) {
        lists.append(LINKS * row + i, list, node, restBytes.length);
      }
    }
    restCopyBytes += (double) copies(row) * receivedBytes(row);
  }

  private void unlink(int row) {
    if (isSelected(row)) {
      // It is in no list, and counts nowhere.
      setSelected(row, false);
      return;
    }
    for (int i = 0; i < sources(row); i++) {
      int node = id(row, i);
      boolean isLinked = i < LINKS && lists.isLinked(LINKS * row + i);
      restBytes[node] -= i < LINKS && !isLinked ? 0 : sourceBytes(row);
      if (isLinked) {
        lists.remove(LINKS * row + i, listClass(row), node);
      }
    }
    restCopyBytes -= (double) copies(row) * receivedBytes(row);
  }
}

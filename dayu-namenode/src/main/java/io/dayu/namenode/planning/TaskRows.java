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
import io.dayu.model.IntRows;
import io.dayu.model.TaskTable;
import io.dayu.namenode.transfers.Attempt;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The task table of one timeslot in the making: the waiting blocks and groups first, then those of running transfers.
 * Not thread-safe.
 */
final class TaskRows {
  private final Map<String, Integer> nodeIds;
  private final Map<String, Integer> rackIds;
  /** By row of a node, whether it is to send only blocks that no other node can. */
  private final boolean[] lastSource;
  private final boolean hasLastSources;
  private final RebuildingNodes rebuilding;
  private List<WaitingBlock> waiting = List.of();
  private final List<WaitingBlock> unplaceable = new ArrayList<>();
  private final long[] size;
  private final int[] risk;
  private final int[] copies;
  private final boolean[] distinct;
  private final int[] types;
  private final int[] width;
  /** Whether some row is not of width 1. */
  private boolean hasRebuilds;
  private final List<Integer> leaving = new ArrayList<>();
  private final IntRows.Builder sources = new IntRows.Builder();
  private final IntRows.Builder excluded = new IntRows.Builder();
  private final IntRows.Builder forbidden = new IntRows.Builder();
  private int count;

  /**
   * @param nodeIds the rows of nodes, by UUID; names that are not in it stand for nodes that are gone
   * @param rackIds the numbers of racks and upgrade domains, by name
   * @param lastSource by row of a node, whether it is to send only blocks that no other node can
   * @param rebuilding which of the nodes can rebuild internal blocks of groups
   * @param max how many rows there may be
   */
  TaskRows(Map<String, Integer> nodeIds, Map<String, Integer> rackIds, boolean[] lastSource,
      RebuildingNodes rebuilding, int max) {
    this.nodeIds = nodeIds;
    this.rackIds = rackIds;
    this.lastSource = lastSource;
    this.hasLastSources = IntStream.range(0, lastSource.length).anyMatch(row -> lastSource[row]);
    this.rebuilding = rebuilding;
    this.size = new long[max];
    this.risk = new int[max];
    this.copies = new int[max];
    this.distinct = new boolean[max];
    this.types = new int[max];
    this.width = new int[max];
  }

  /**
   * Adds the blocks that a node can send and that are {@code placeable}; the others of those are {@link #unplaceable}.
   * A group is left out if fewer nodes can be read than are needed at once.
   *
   * @param candidates with the numbers of this table's nodes and fault domains
   * @param placeable is asked with the index of a block
   */
  void addWaiting(SelectedBlocks candidates, IntPredicate placeable, BlockHistory history, long nowNs) {
    int[] added = new int[candidates.size()];
    for (int i = 0; i < candidates.size(); i++) {
      if (candidates.isForStock(i) || !placeable.test(i)) {
        unplaceable.add(candidates.get(i));
        continue;
      }
      if (candidates.width(i) > 1 && candidates.width(i) > knownSources(candidates, i)) {
        continue;
      }
      if (!addSources(candidates, i)) {
        continue;
      }
      sources.endRow();
      added[count] = i;
      setWidth(candidates.width(i));
      if (candidates.group(i) != null && candidates.group(i).canRebuildInstead()) {
        leaving.add(count);
      }
      size[count] = candidates.numBytes(i);
      risk[count] = candidates.risk(i);
      copies[count] = candidates.copies(i);
      distinct[count] = candidates.distinctRacks(i);
      types[count] = candidates.storageTypes(i);
      addKnownHolders(candidates, i);
      if (candidates.rebuilds(i)) {
        rebuilding.addOthers(candidates.group(i).policy().codec(), excluded);
      }
      addRow(excluded, nodeIds, history.refusedTargets(candidates.key(i), nowNs));
      for (int k = 0; k < candidates.forbiddenCount(i); k++) {
        if (candidates.forbidden(i, k) >= 0) {
          forbidden.add(candidates.forbidden(i, k));
        }
      }
      forbidden.endRow();
      count++;
    }
    waiting = candidates.subset(added, count);
  }

  private void setWidth(int sourcesAtOnce) {
    width[count] = sourcesAtOnce;
    hasRebuilds |= sourcesAtOnce > 1;
  }

  private static int knownSources(SelectedBlocks candidates, int block) {
    int known = 0;
    for (int k = 0; k < candidates.sourceCount(block); k++) {
      known += candidates.holder(block, k) >= 0 ? 1 : 0;
    }
    return known;
  }

  /**
   * Adds the nodes that may send the block: last sources only if there are too few others. Returns whether any is
   * known.
   */
  private boolean addSources(SelectedBlocks candidates, int block) {
    int preferred = 0;
    for (int k = 0; k < candidates.sourceCount(block); k++) {
      int node = candidates.holder(block, k);
      preferred += node >= 0 && !lastSource[node] ? 1 : 0;
    }
    boolean all = preferred < candidates.width(block);
    boolean any = false;
    for (int k = 0; k < candidates.sourceCount(block); k++) {
      int node = candidates.holder(block, k);
      if (node >= 0 && (all || !lastSource[node])) {
        sources.add(node);
        any = true;
      }
    }
    return any;
  }

  private void addKnownHolders(SelectedBlocks candidates, int block) {
    for (int k = 0; k < candidates.holderCount(block); k++) {
      int node = candidates.holder(block, k);
      if (node >= 0) {
        excluded.add(node);
      }
    }
  }

  /** Adds a row for each running transfer, which lacks no copy besides its own. */
  void addRunning(List<Attempt> running, BlockHistory history, long nowNs) {
    Map<BlockKey, List<String>> severalTargets = targetsOfBlocksWithSeveral(running);
    for (Attempt attempt : running) {
      size[count] = attempt.request().numBytes();
      risk[count] = attempt.risk();
      types[count] = attempt.request().storageTypes();
      setWidth(attempt.width());
      addRow(sources, nodeIds, preferred(attempt.usableSources(), attempt.width()));
      addAllKnown(excluded, nodeIds, attempt.holders());
      addAllKnown(excluded, nodeIds, severalTargets.getOrDefault(attempt.block(), List.of(attempt.target())));
      addRow(excluded, nodeIds, history.refusedTargets(attempt.block(), nowNs));
      addRow(forbidden, rackIds, attempt.forbiddenFaultDomains());
      count++;
    }
  }

  /** Of blocks that several of these transfers copy, where these go. */
  private static Map<BlockKey, List<String>> targetsOfBlocksWithSeveral(List<Attempt> running) {
    Map<BlockKey, Attempt> first = new HashMap<>(2 * running.size());
    Map<BlockKey, List<String>> several = new HashMap<>();
    for (Attempt attempt : running) {
      Attempt before = first.putIfAbsent(attempt.block(), attempt);
      if (before != null) {
        several.computeIfAbsent(attempt.block(), block -> new ArrayList<>(List.of(before.target())))
            .add(attempt.target());
      }
    }
    return several;
  }

  /** Without the last sources, if there are enough others. */
  private List<String> preferred(List<String> nodes, int needed) {
    if (!hasLastSources) {
      return nodes;
    }
    List<String> preferred =
        nodes.stream().filter(node -> nodeIds.containsKey(node) && !lastSource[nodeIds.get(node)]).toList();
    return preferred.size() < needed ? nodes : preferred;
  }

  private static void addRow(IntRows.Builder rows, Map<String, Integer> ids, Collection<String> names) {
    addAllKnown(rows, ids, names);
    rows.endRow();
  }

  private static void addAllKnown(IntRows.Builder rows, Map<String, Integer> ids, Collection<String> names) {
    for (String name : names) {
      Integer id = ids.get(name);
      if (id != null) {
        rows.add(id);
      }
    }
  }

  /** The waiting blocks, row by row. */
  List<WaitingBlock> waiting() {
    return waiting;
  }

  /** The blocks that got no row since they are not placeable. */
  List<WaitingBlock> unplaceable() {
    return unplaceable;
  }

  /** The rows of groups of which an internal block is to be copied, and can be rebuilt instead. */
  int[] leaving() {
    return leaving.stream().mapToInt(row -> row).toArray();
  }

  /** Whether a row, waiting or running, has several sources at once. */
  boolean hasRebuilds() {
    return hasRebuilds;
  }

  TaskTable table() {
    return new TaskTable(Arrays.copyOf(size, count), Arrays.copyOf(risk, count), Arrays.copyOf(copies, count),
        sources.build(), excluded.build(), forbidden.build(), Arrays.copyOf(distinct, count),
        Arrays.copyOf(types, count), hasRebuilds ? Arrays.copyOf(width, count) : null);
  }
}

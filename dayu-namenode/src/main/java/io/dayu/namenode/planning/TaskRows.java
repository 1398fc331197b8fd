/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.NeededBlock;
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

/**
 * The task table of one timeslot in the making: the waiting blocks first, then those of running transfers. Not
 * thread-safe.
 */
final class TaskRows {
  private final Map<String, Integer> nodeIds;
  private final Map<String, Integer> rackIds;
  /** By row of a node, whether it is to send only blocks that no other node can. */
  private final boolean[] lastSource;
  private List<NeededBlock> waiting = List.of();
  private final List<NeededBlock> unplaceable = new ArrayList<>();
  private final long[] size;
  private final int[] risk;
  private final int[] copies;
  private final boolean[] distinct;
  private final int[] types;
  private final IntRows.Builder sources = new IntRows.Builder();
  private final IntRows.Builder excluded = new IntRows.Builder();
  private final IntRows.Builder forbidden = new IntRows.Builder();
  private int count;

  /**
   * @param nodeIds the rows of nodes, by UUID; names that are not in it stand for nodes that are gone
   * @param rackIds the numbers of racks and upgrade domains, by name
   * @param lastSource by row of a node, whether it is to send only blocks that no other node can
   * @param max how many rows there may be
   */
  TaskRows(Map<String, Integer> nodeIds, Map<String, Integer> rackIds, boolean[] lastSource, int max) {
    this.nodeIds = nodeIds;
    this.rackIds = rackIds;
    this.lastSource = lastSource;
    this.size = new long[max];
    this.risk = new int[max];
    this.copies = new int[max];
    this.distinct = new boolean[max];
    this.types = new int[max];
  }

  /**
   * Adds the blocks that a node can send and that are {@code placeable}; the others of those are {@link #unplaceable}.
   *
   * @param candidates with the numbers of this table's nodes and fault domains
   * @param placeable is asked with the index of a block
   */
  void addWaiting(Candidates candidates, IntPredicate placeable, BlockHistory history, long nowNs) {
    int[] added = new int[candidates.size()];
    for (int i = 0; i < candidates.size(); i++) {
      if (candidates.stockOnly(i) || !placeable.test(i)) {
        unplaceable.add(candidates.get(i));
        continue;
      }
      if (!addSources(candidates, i)) {
        continue;
      }
      sources.endRow();
      added[count] = i;
      size[count] = candidates.numBytes(i);
      risk[count] = candidates.risk(i);
      copies[count] = candidates.copies(i);
      distinct[count] = candidates.distinctRacks(i);
      types[count] = candidates.storageTypes(i);
      addKnownHolders(excluded, candidates, i, 0, candidates.holderCount(i));
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

  /** Adds the nodes that may send the block: last sources only if there are no others. Returns whether any is known. */
  private boolean addSources(Candidates candidates, int block) {
    boolean any = false;
    for (int k = 0; k < candidates.sourceCount(block); k++) {
      int node = candidates.holder(block, k);
      if (node >= 0 && !lastSource[node]) {
        sources.add(node);
        any = true;
      }
    }
    return any || addKnownHolders(sources, candidates, block, 0, candidates.sourceCount(block));
  }

  /** Returns whether any of them is known. */
  private static boolean addKnownHolders(IntRows.Builder rows, Candidates candidates, int block, int from, int to) {
    boolean any = false;
    for (int k = from; k < to; k++) {
      int node = candidates.holder(block, k);
      if (node >= 0) {
        rows.add(node);
        any = true;
      }
    }
    return any;
  }

  /** Adds a row for each running transfer, which lacks no copy besides its own. */
  void addRunning(List<Attempt> running, BlockHistory history, long nowNs) {
    Map<BlockKey, List<String>> targets = new HashMap<>(2 * running.size());
    for (Attempt attempt : running) {
      targets.merge(attempt.block(), List.of(attempt.target()), TaskRows::concat);
    }
    for (Attempt attempt : running) {
      size[count] = attempt.request().numBytes();
      risk[count] = attempt.request().risk();
      types[count] = attempt.request().storageTypes();
      addRow(sources, nodeIds, preferred(attempt.usableSources()));
      addAllKnown(excluded, nodeIds, attempt.holders());
      addAllKnown(excluded, nodeIds, targets.get(attempt.block()));
      addRow(excluded, nodeIds, history.refusedTargets(attempt.block(), nowNs));
      addRow(forbidden, rackIds, attempt.forbiddenFaultDomains());
      count++;
    }
  }

  /** Without the last sources, if there are others. */
  private List<String> preferred(List<String> nodes) {
    List<String> preferred =
        nodes.stream().filter(node -> nodeIds.containsKey(node) && !lastSource[nodeIds.get(node)]).toList();
    return preferred.isEmpty() ? nodes : preferred;
  }

  private static List<String> concat(List<String> targets, List<String> more) {
    List<String> all = new ArrayList<>(targets);
    all.addAll(more);
    return all;
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
  List<NeededBlock> waiting() {
    return waiting;
  }

  /** The blocks that got no row since they are not placeable. */
  List<NeededBlock> unplaceable() {
    return unplaceable;
  }

  TaskTable table() {
    return new TaskTable(Arrays.copyOf(size, count), Arrays.copyOf(risk, count), Arrays.copyOf(copies, count),
        sources.build(), excluded.build(), forbidden.build(), Arrays.copyOf(distinct, count),
        Arrays.copyOf(types, count));
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.PlanningParameters;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * A snapshot as jqwik draws it: rows that can be left out and made simpler one by one, so that a counterexample becomes
 * small, and that print as they are. Numbers that name a node, rack, block or storage type count modulo how many there
 * are. Immutable.
 *
 * @param leadMs as in {@link ClusterSnapshot}
 * @param racks number of racks, at least 1
 * @param domains number of upgrade domains, 0 for none; nodes are in them by turns
 * @param types number of storage types, 1 to 31
 * @param linkBytesPerSec what the shares of the nodes are of
 * @param blocksPerHorizon number of blocks of the usual size that such a link can move within the horizon
 * @param repeats how often each block is there: alike ones are what fills a timeslot
 */
public record SnapshotDraft(PlanningParameters parameters, long leadMs, int racks, int domains, int types,
    long linkBytesPerSec, int blocksPerHorizon, List<Node> nodes, List<Block> blocks, int repeats,
    List<Transfer> transfers) {

  /**
   * Bandwidth as a share of the link; weight as a target; place among equals; room by storage type, of which the last
   * counts for the types that have none here. What its disks write is a share of the link, too; above 1 they limit
   * nothing.
   */
  record Node(double inShare, double outShare, double writeShare, int rack, boolean acceptsTransfers, boolean leaving,
      double weight,
      int tieBreak, int maxIncoming, int maxOutgoing, List<Long> roomBytes) {
  }

  /** Size as a share of the usual one. A width of 1 is a copy, any other a group that is rebuilt. */
  record Block(double sizeShare, int risk, int copies, boolean distinctRacks, int storageTypes, int width,
      List<Integer> sources, List<Integer> excluded, List<Integer> forbiddenFaultDomains) {
  }

  /**
   * A running transfer, with its rate as a share of the link; a source of -1 is gone. Of a group the further sources
   * are the nodes that follow, each {@code stride} after the one before.
   */
  record Transfer(int block, int source, int target, double doneShare, double rateShare, int stride) {
  }

  ClusterSnapshot snapshot() {
    List<Block> all = IntStream.range(0, repeats).boxed().flatMap(i -> blocks.stream()).toList();
    return new ClusterSnapshot(parameters, leadMs, nodeTable(), taskTable(all), runningTable());
  }

  private long sizeBytes(Block block) {
    return (long) (block.sizeShare * linkBytesPerSec * parameters.horizonMs() / 1000 / blocksPerHorizon);
  }

  private NodeTable nodeTable() {
    boolean[] accepts = new boolean[nodes.size()];
    boolean[] leaving = new boolean[nodes.size()];
    long[][] room = new long[types][nodes.size()];
    for (int node = 0; node < nodes.size(); node++) {
      accepts[node] = nodes.get(node).acceptsTransfers;
      leaving[node] = nodes.get(node).leaving;
      for (int type = 0; type < types; type++) {
        room[type][node] = nodes.get(node).roomBytes.get(Math.min(type, nodes.get(node).roomBytes.size() - 1));
      }
    }
    long[] in = nodes.stream().mapToLong(n -> (long) (linkBytesPerSec * n.inShare)).toArray();
    return new NodeTable(in,
        nodes.stream().mapToLong(n -> (long) (linkBytesPerSec * n.outShare)).toArray(),
        nodes.stream().mapToInt(n -> n.rack % racks).toArray(), racks + domains, accepts,
        nodes.stream().mapToInt(Node::maxIncoming).toArray(), nodes.stream().mapToInt(Node::maxOutgoing).toArray(),
        room, domains == 0 ? null : IntStream.range(0, nodes.size()).map(node -> racks + node % domains).toArray(),
        nodes.stream().anyMatch(Node::leaving) ? leaving : null,
        nodes.stream().anyMatch(n -> n.weight < 1) ? nodes.stream().mapToDouble(Node::weight).toArray() : null)
        .withTieBreak(
            nodes.stream().anyMatch(n -> n.tieBreak > 0) ? nodes.stream().mapToLong(Node::tieBreak).toArray() : null)
        .withDisks(in, nodes.stream().allMatch(n -> n.writeShare > 1) ? null
            : nodes.stream().mapToLong(n -> (long) (linkBytesPerSec * n.writeShare)).toArray());
  }

  private TaskTable taskTable(List<Block> all) {
    IntRows.Builder sources = new IntRows.Builder();
    IntRows.Builder excluded = new IntRows.Builder();
    IntRows.Builder forbidden = new IntRows.Builder();
    boolean[] distinct = new boolean[all.size()];
    for (int i = 0; i < distinct.length; i++) {
      Block block = all.get(i);
      distinct[i] = block.distinctRacks;
      addRow(sources, block.sources, nodes.size());
      addRow(excluded, block.excluded, nodes.size());
      addRow(forbidden, block.forbiddenFaultDomains, racks + domains);
    }
    return new TaskTable(all.stream().mapToLong(this::sizeBytes).toArray(),
        all.stream().mapToInt(Block::risk).toArray(),
        all.stream().mapToInt(this::copies).toArray(), sources.build(), excluded.build(), forbidden.build(), distinct,
        all.stream().mapToInt(b -> b.storageTypes & (1 << types) - 1).toArray(),
        all.stream().allMatch(b -> b.width == 1) ? null : all.stream().mapToInt(Block::width).toArray());
  }

  /** None of a group that has lost more than it can be rebuilt from. */
  private int copies(Block block) {
    long holders = block.sources.stream().map(node -> node % nodes.size()).distinct().count();
    return block.width == 1 || holders >= block.width ? block.copies : 0;
  }

  private static void addRow(IntRows.Builder rows, List<Integer> values, int limit) {
    values.stream().map(value -> value % limit).distinct().forEach(rows::add);
    rows.endRow();
  }

  /** Without a second transfer of one block to one target. */
  private RunningTable runningTable() {
    List<Transfer> kept = new ArrayList<>();
    Set<List<Integer>> pairs = new HashSet<>();
    for (Transfer transfer : transfers) {
      if (!blocks.isEmpty() && pairs.add(List.of(transfer.block % blocks.size(), transfer.target % nodes.size()))) {
        kept.add(transfer);
      }
    }
    return new RunningTable(kept.stream().mapToInt(t -> t.block % blocks.size()).toArray(),
        kept.stream().mapToInt(t -> t.source % nodes.size()).toArray(),
        kept.stream().mapToInt(t -> t.target % nodes.size()).toArray(),
        kept.stream().mapToLong(t -> (long) (sizeBytes(blocks.get(t.block % blocks.size())) * t.doneShare)).toArray(),
        kept.stream().mapToLong(t -> (long) (linkBytesPerSec * t.rateShare)).toArray(), furtherSources(kept));
  }

  /** Those that would be sources twice are gone. */
  private IntRows furtherSources(List<Transfer> running) {
    if (blocks.stream().allMatch(b -> b.width == 1)) {
      return null;
    }
    IntRows.Builder further = new IntRows.Builder();
    for (Transfer transfer : running) {
      Set<Integer> sources = new HashSet<>(Set.of(transfer.source % nodes.size()));
      for (int i = 1; i < blocks.get(transfer.block % blocks.size()).width; i++) {
        int node = (transfer.source + 1 + i * transfer.stride) % nodes.size();
        further.add(sources.add(node) ? node : -1);
      }
      further.endRow();
    }
    return further.build();
  }
}

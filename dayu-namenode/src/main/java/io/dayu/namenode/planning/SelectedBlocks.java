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
import io.dayu.queue.WaitingBlocks;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.RandomAccess;
import java.util.stream.IntStream;

/**
 * The blocks that a plan may choose from, as rows of {@link NamedWaitingBlocks}. A plan reads most of them as numbers
 * only; {@link #get} makes an object of one. Valid until a row changes.
 *
 * <p>The sources of the {@code i}-th block are the first of its {@link #holderCount} holders.
 */
public final class SelectedBlocks extends AbstractList<WaitingBlock> implements RandomAccess {
  private static final int UNKNOWN = -1;

  private final NamedWaitingBlocks named;
  private final WaitingBlocks blocks;
  private final int[] rows;
  /** The plan's numbers of the nodes and fault domains, or {@link #UNKNOWN}. */
  private final int[] nodes;
  private final int[] domains;

  /** @param rows of the table of {@code named}, in the order of these blocks */
  SelectedBlocks(NamedWaitingBlocks named, int[] rows) {
    this(named, rows, new int[0], new int[0]);
  }

  private SelectedBlocks(NamedWaitingBlocks named, int[] rows, int[] nodes, int[] domains) {
    this.named = named;
    this.blocks = named.table();
    this.rows = rows;
    this.nodes = nodes;
    this.domains = domains;
  }

  /** These blocks in this order; of those with the same ID the last one, in the place of the first. */
  public static SelectedBlocks of(Collection<WaitingBlock> blocks) {
    NamedWaitingBlocks named = new NamedWaitingBlocks();
    blocks.forEach(named::put);
    return new SelectedBlocks(named, IntStream.range(0, named.table().rows()).toArray());
  }

  /**
   * The same blocks, whose nodes and fault domains have the numbers of a plan's tables.
   *
   * @param nodeIds the rows of nodes, by UUID
   * @param domainIds the numbers of racks and upgrade domains, by name
   */
  SelectedBlocks numbered(Map<String, Integer> nodeIds, Map<String, Integer> domainIds) {
    return new SelectedBlocks(named, rows, numbers(named.nodes(), nodeIds), numbers(named.domains(), domainIds));
  }

  private static int[] numbers(List<String> names, Map<String, Integer> ids) {
    return names.stream().mapToInt(name -> ids.getOrDefault(name, UNKNOWN)).toArray();
  }

  /** The first {@code count} of these by their indices. */
  SelectedBlocks subset(int[] indices, int count) {
    return new SelectedBlocks(named, IntStream.of(Arrays.copyOf(indices, count)).map(i -> rows[i]).toArray(), nodes,
        domains);
  }

  /** Those of the highest risk. */
  SelectedBlocks ofHighestRisk() {
    return new SelectedBlocks(named, IntStream.of(rows).filter(row -> blocks.risk(row) == 0).toArray(), nodes, domains);
  }

  @Override
  public int size() {
    return rows.length;
  }

  @Override
  public WaitingBlock get(int i) {
    return named.get(rows[i]);
  }

  BlockKey key(int i) {
    return named.key(rows[i]);
  }

  long numBytes(int i) {
    return blocks.bytes(rows[i]);
  }

  long maxBytes() {
    return IntStream.of(rows).mapToLong(blocks::bytes).max().orElse(0);
  }

  int risk(int i) {
    return blocks.risk(rows[i]);
  }

  int copies(int i) {
    return blocks.copies(rows[i]);
  }

  boolean distinctRacks(int i) {
    return blocks.distinctRacks(rows[i]);
  }

  int storageTypes(int i) {
    return blocks.storageTypes(rows[i]);
  }

  boolean isForStock(int i) {
    return named.stockReason(rows[i]) != null;
  }

  /** How many sources send at once. */
  int width(int i) {
    return blocks.width(rows[i]);
  }

  /** What a group lacks; null for a block. */
  WaitingGroup group(int i) {
    return named.groupOf(rows[i]);
  }

  /** Whether targets make internal blocks of a group from others. */
  boolean rebuilds(int i) {
    WaitingGroup group = group(i);
    return group != null && group.rebuilds();
  }

  int sourceCount(int i) {
    return blocks.sources(rows[i]);
  }

  int holderCount(int i) {
    return blocks.sources(rows[i]) + blocks.holders(rows[i]);
  }

  /**
   * Number of the {@code k}-th holder of the {@code i}-th block; below 0 if the plan does not know the node. Only for
   * blocks that are {@link #numbered}.
   */
  int holder(int i, int k) {
    return nodes[blocks.id(rows[i], k)];
  }

  int forbiddenCount(int i) {
    return blocks.racks(rows[i]);
  }

  /**
   * Number of the {@code k}-th fault domain that may not get the block; below 0 if the plan does not know it. Only for
   * blocks that are {@link #numbered}.
   */
  int forbidden(int i, int k) {
    return domains[blocks.id(rows[i], holderCount(i) + k)];
  }
}

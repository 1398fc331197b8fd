/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.GroupNeed;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import io.dayu.queue.WaitingBlocks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A table of waiting blocks, which knows nodes and fault domains as numbers, with the names of these. Not thread-safe.
 */
final class NamedWaitingBlocks {
  /** Stands for the source of a block that has none. */
  private static final String NO_SOURCE = "";
  private static final int NO_SOURCE_ID = 0;

  /** Names of nodes or fault domains as numbers that stay the same. */
  private static final class Names {
    private final Map<String, Integer> ids = new HashMap<>();
    private final List<String> names = new ArrayList<>();

    int id(String name) {
      Integer known = ids.get(name);
      if (known == null) {
        known = names.size();
        ids.put(name, known);
        names.add(name);
      }
      return known;
    }
  }

  private final WaitingBlocks table = new WaitingBlocks();
  private final Names nodes = new Names();
  private final Names domains = new Names();

  NamedWaitingBlocks() {
    nodes.id(NO_SOURCE);
  }

  WaitingBlocks table() {
    return table;
  }

  /** Names of the nodes by their numbers; the first one stands for the source of a block that has none. */
  List<String> nodes() {
    return Collections.unmodifiableList(nodes.names);
  }

  /** Names of the racks and upgrade domains by their numbers. */
  List<String> domains() {
    return Collections.unmodifiableList(domains.names);
  }

  /** Number of a node; below 0 if no block has named it. */
  int node(String uuid) {
    return nodes.ids.getOrDefault(uuid, -1);
  }

  /**
   * Puts a block in, or replaces what was known of it, unless there is no place for it: then it is not here any longer.
   *
   * @param isFirst whether it goes before others of its risk
   * @return whether it is here now and was not before
   */
  boolean offer(WaitingBlock block, boolean isFirst) {
    int[] ids = sourceIds(block);
    int sources = sources(block).size();
    return (!table.isFilled()
        || table.admit(block.key().blockId(), block.risk(), block.storageTypes(), ids, sources, isFirst))
        && put(block, ids);
  }

  /** Puts a block in, or replaces what was known of it. Returns whether it was not here before. */
  boolean put(WaitingBlock block) {
    return put(block, sourceIds(block));
  }

  private static List<String> sources(WaitingBlock block) {
    return block.sources().isEmpty() ? List.of(NO_SOURCE) : block.sources();
  }

  /** The numbers of the block's sources, with room behind them for all else that the table has of it. */
  private int[] sourceIds(WaitingBlock block) {
    List<String> sources = sources(block);
    int[] ids = new int[sources.size() + (block.holders() == sources ? 0 : block.holders().size())
        + block.forbiddenFaultDomains().size()];
    int count = 0;
    for (String source : sources) {
      ids[count++] = nodes.id(source);
    }
    return ids;
  }

  private boolean put(WaitingBlock block, int[] ids) {
    List<String> sources = sources(block);
    int count = sources.size();
    int holders = 0;
    // The reader hands the same list in if all holders are sources.
    for (String holder : block.holders() == sources ? List.<String>of() : block.holders()) {
      if (!sources.contains(holder)) {
        ids[count++] = nodes.id(holder);
        holders++;
      }
    }
    for (String domain : block.forbiddenFaultDomains()) {
      ids[count++] = domains.id(domain);
    }
    int[] all = count == ids.length ? ids : Arrays.copyOf(ids, count);
    return table.put(block.key().blockId(), block.key().generationStamp(), block.numBytes(), block.risk(),
        block.copies(), block.distinctRacks(), block.storageTypes(), all, sources.size(), holders,
        block.group() == null ? 1 : block.group().sourcesAtOnce(), detail(block), block.key().stored());
  }

  private Object detail(WaitingBlock block) {
    return block.isForStock() || block.group() == null ? block.stockReason()
        : WaitingGroup.of(block.group(), nodes::id);
  }

  /** The block of a row. */
  WaitingBlock get(int row) {
    int sourceCount = table.sources(row);
    int end = sourceCount + table.holders(row);
    int domainCount = table.racks(row);
    List<String> sources = new ArrayList<>(sourceCount);
    for (int i = 0; i < sourceCount; i++) {
      int source = table.id(row, i);
      if (source != NO_SOURCE_ID) {
        sources.add(nodes.names.get(source));
      }
    }
    List<String> holders = sources;
    if (end > sourceCount) {
      holders = new ArrayList<>(end);
      holders.addAll(sources);
      for (int i = sourceCount; i < end; i++) {
        holders.add(nodes.names.get(table.id(row, i)));
      }
    }
    List<String> forbidden = domainCount == 0 ? List.of() : new ArrayList<>(domainCount);
    for (int i = end; i < end + domainCount; i++) {
      forbidden.add(domains.names.get(table.id(row, i)));
    }
    return new WaitingBlock(key(row), table.bytes(row), table.risk(row),
        table.copies(row), sources, holders, forbidden, table.distinctRacks(row), table.storageTypes(row),
        stockReason(row), group(row, sources));
  }

  BlockKey key(int row) {
    return new BlockKey(table.blockId(row), table.generation(row), table.stored(row));
  }

  private GroupNeed group(int row, List<String> sources) {
    WaitingGroup group = groupOf(row);
    return group == null ? null : group.need(sources, nodes.names::get);
  }

  /** What a row's group lacks; null for a block. */
  WaitingGroup groupOf(int row) {
    return table.detail(row) instanceof WaitingGroup group ? group : null;
  }

  /** Why a row's block is left to stock; null if it is planned. */
  WaitReason stockReason(int row) {
    return table.detail(row) instanceof WaitReason reason ? reason : null;
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.StockReconstruction;
import io.dayu.blocks.WaitingBlock;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Has stock HDFS schedule single blocks, and remembers the erasure-coded ones among them until they are reconstructed.
 * Thread-safe.
 */
final class StockScheduling {
  /**
   * What stock was told to reconstruct: from where, and when.
   *
   * @param copies whether internal blocks are only copied: every one of the group has a source, but on too few racks or
   *     on a node that is leaving
   */
  private record Reconstructed(List<String> sources, boolean copies, long atNs) {
  }

  private final BlockManager blocks;
  private final BlockReading reading;
  private final PendingReconstructionAccess pending;
  private final NamesystemLock lock;
  private final FailingBlocks failing;
  private final GroupEntries entries;
  private final StockTargets targets;
  /** Erasure-coded blocks that stock reconstructs. */
  private final Map<BlockInfoStriped, Reconstructed> reconstructed = new ConcurrentHashMap<>();

  StockScheduling(BlockManager blocks, BlockReading reading, PendingReconstructionAccess pending,
      NamesystemLock lock, FailingBlocks failing, GroupEntries entries, StockTargets targets) {
    this.blocks = blocks;
    this.reading = reading;
    this.pending = pending;
    this.lock = lock;
    this.failing = failing;
    this.entries = entries;
    this.targets = targets;
  }

  /**
   * As {@link io.dayu.blocks.BlockManagement#scheduleByStock}. Takes the lock as stock does. If stock fails at one of
   * them, it gets the others one by one.
   */
  int schedule(List<WaitingBlock> handed) {
    try {
      return scheduleAtOnce(handed);
    } catch (RuntimeException e) {
      if (handed.size() == 1) {
        failing.report("schedule", handed.get(0).key(), e);
        return 0;
      }
      return handed.stream().mapToInt(block -> schedule(List.of(block))).sum();
    }
  }

  private int scheduleAtOnce(List<WaitingBlock> handed) {
    List<List<BlockInfo>> byLevel = new ArrayList<>();
    for (int level = 0; level < LowRedundancyBlocks.LEVEL; level++) {
      byLevel.add(new ArrayList<>());
    }
    Map<BlockInfoStriped, Reconstructed> sources = new HashMap<>();
    lock.forEachReadingBlocks("dayuHandToStock", handed, needed -> {
      BlockInfo block = pending.storedBlock(needed.key());
      if (block != null) {
        byLevel.get(needed.risk()).add(block);
      }
      if (block instanceof BlockInfoStriped striped) {
        List<String> holders = List.copyOf(new BlockReplicas(blocks, block).sources());
        sources.put(striped, new Reconstructed(holders, hasEveryInternalBlock(striped, holders), System.nanoTime()));
      }
    });
    int scheduled = blocks.computeReconstructionWorkForBlocks(byLevel);
    reconstructed.putAll(sources);
    rememberTargets(sources.keySet());
    return scheduled;
  }

  /** Remembers where stock makes internal blocks of these groups. Takes no namesystem lock. */
  void rememberTargets(Collection<? extends BlockInfo> groups) {
    long nowNs = System.nanoTime();
    targets.expire(nowNs);
    for (BlockInfo block : groups) {
      if (block instanceof BlockInfoStriped group) {
        List<String> nodes = stockTargets(group);
        long movedBytes = (group.getRealDataBlockNum() + nodes.size() - 1L) * internalBytes(group);
        targets.add(group, nodes, movedBytes, blocks.pendingReconstruction.getTimeout(), nowNs);
      }
    }
  }

  /** Where pending entries are that are not Dayu's. */
  private List<String> stockTargets(BlockInfoStriped group) {
    return reading.pendingTargets(group).stream().map(storage -> storage.getDatanodeDescriptor().getDatanodeUuid())
        .filter(node -> entries.indexOf(group, node) == GroupEntries.NONE).toList();
  }

  private static long internalBytes(BlockInfoStriped group) {
    return StripedBlockUtil.getInternalBlockLength(group.getNumBytes(), group.getCellSize(), group.getDataBlockNum(),
        0);
  }

  /** As {@code ErasureCodingWork.hasAllInternalBlocks} decides between a copy and a reconstruction. */
  private boolean hasEveryInternalBlock(BlockInfoStriped block, List<String> sources) {
    BitSet found = new BitSet(block.getTotalBlockNum());
    for (DatanodeStorageInfo storage : blocks.getStorages(block)) {
      if (sources.contains(storage.getDatanodeDescriptor().getDatanodeUuid())) {
        found.set(block.getStorageBlockIndex(storage));
      }
    }
    return found.cardinality() == block.getRealTotalBlockNum();
  }

  /** As {@link io.dayu.blocks.BlockManagement#stockReconstructions}. Takes no namesystem lock. */
  List<StockReconstruction> running() {
    List<StockReconstruction> found = new ArrayList<>();
    reconstructed.forEach((block, known) -> {
      List<String> nodes = stockTargets(block);
      if (nodes.isEmpty()) {
        reconstructed.remove(block);
      } else {
        int needed = block.getRealDataBlockNum();
        long internalBytes = internalBytes(block);
        long ageMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - known.atNs());
        if (known.copies()) {
          nodes.forEach(target -> found
              .add(new StockReconstruction(known.sources(), 1, List.of(target), internalBytes, ageMs)));
        } else {
          found.add(new StockReconstruction(known.sources(), needed, nodes, internalBytes, ageMs));
        }
      }
    });
    return found;
  }
}

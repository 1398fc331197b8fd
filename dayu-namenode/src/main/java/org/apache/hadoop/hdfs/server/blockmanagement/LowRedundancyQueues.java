/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.util.LightWeightLinkedSet;

import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * The queues of blocks that need copies ({@code BlockManager.neededReconstruction}), read in bounded holds of the
 * namesystem lock, which every method takes itself unless it says otherwise. Thread-safe.
 */
final class LowRedundancyQueues {
  /**
   * Blocks that are taken from the queues in one hold of their monitor, and read before the next are taken: a report of
   * a DataNode may wait for the monitor with the namesystem lock held for writing, and goes on when we ask for the
   * lock. Also, blocks without a good replica that are looked at at the end of each pass over the others.
   */
  private static final int CHUNK = 64;
  /** Blocks read in one call. */
  private static final int BATCH = 1_024;

  /** A block in a queue. */
  private record QueuedBlock(BlockInfo block, int level) {
    BlockKey key() {
      return BlockRecords.keyOf(block);
    }
  }

  private final BlockManager blocks;
  private final BlockReading reading;
  private final PendingReconstructionAccess pending;
  private final NamesystemLock lock;
  /** By risk; changed under the monitor of {@code neededReconstruction}. */
  private final List<LightWeightLinkedSet<BlockInfo>> queues;
  private final FailingBlocks failing;

  LowRedundancyQueues(BlockManager blocks, BlockReading reading, PendingReconstructionAccess pending,
      NamesystemLock lock, List<LightWeightLinkedSet<BlockInfo>> byRisk, FailingBlocks failing) {
    this.blocks = blocks;
    this.reading = reading;
    this.pending = pending;
    this.lock = lock;
    this.queues = byRisk;
    this.failing = failing;
  }

  /** HDFS's queues by risk. They change under the monitor of {@code needed}. */
  @SuppressWarnings("unchecked")
  static List<LightWeightLinkedSet<BlockInfo>> byRisk(LowRedundancyBlocks needed) throws ReflectiveOperationException {
    return (List<LightWeightLinkedSet<BlockInfo>>) MethodHandles
        .privateLookupIn(LowRedundancyBlocks.class, MethodHandles.lookup())
        .findVarHandle(LowRedundancyBlocks.class, "priorityQueues", List.class).get(needed);
  }

  /** Blocks in all queues, those without any source excepted. Takes no namesystem lock. */
  long size() {
    return blocks.neededReconstruction.getLowRedundancyBlockCount();
  }

  /** Takes no lock, so that metrics wait for none: it reads one int, which may be a moment old. */
  long size(int risk) {
    return queues.get(risk).size();
  }

  /**
   * As {@link io.dayu.blocks.BlockManagement#readHighestRisk}. It reads the same blocks again and again, so it counts
   * none as not scheduled: the pass over the queues does.
   */
  List<WaitingBlock> readHighestRisk(int limit) {
    return readHead("dayuReadHighestRisk", LowRedundancyBlocks.QUEUE_HIGHEST_PRIORITY, limit);
  }

  /** As {@link io.dayu.blocks.BlockInspection#peek}. */
  List<WaitingBlock> peek(int limitPerLevel) {
    List<WaitingBlock> read = new ArrayList<>();
    for (int level = 0; level < LowRedundancyBlocks.QUEUE_WITH_CORRUPT_BLOCKS; level++) {
      read.addAll(readHead("dayuPeek", level, limitPerLevel));
    }
    return read;
  }

  /** Where blocks leave the queue meanwhile, as many behind them may be left out: another read has them. */
  private List<WaitingBlock> readHead(String operation, int level, int limit) {
    List<WaitingBlock> read = new ArrayList<>();
    Set<BlockInfo> known = new HashSet<>();
    boolean ended = false;
    while (!ended && known.size() < limit) {
      List<QueuedBlock> next = new ArrayList<>(CHUNK);
      int count = Math.min(CHUNK, limit - known.size());
      synchronized (blocks.neededReconstruction) {
        takeHead(level, known, count, next);
      }
      ended = next.size() < count;
      read.addAll(read(operation, next));
    }
    return read;
  }

  /** Takes the next blocks of a queue behind as many as are known. Needs the monitor of the queues. */
  private void takeHead(int level, Set<BlockInfo> known, int count, List<QueuedBlock> into) {
    Iterator<BlockInfo> queue = blocks.neededReconstruction.iterator(level);
    for (int i = known.size(); i > 0 && queue.hasNext(); i--) {
      queue.next();
    }
    while (into.size() < count && queue.hasNext()) {
      BlockInfo block = queue.next();
      if (known.add(block)) {
        into.add(new QueuedBlock(block, level));
      }
    }
  }

  /**
   * As {@link io.dayu.blocks.BlockManagement#readNext}. The next blocks are chosen by HDFS's own bookmarks, under the
   * monitor of the queues; those of deleted files leave the queues when they are read, as with
   * LowRedundancyBlocks.chooseLowRedundancyBlocks. That one looks at the same first blocks without a good replica each
   * time. A block that moves to another queue meanwhile may be read twice.
   */
  boolean readNext(List<WaitingBlock> read) {
    List<BlockInfo> deleted = new ArrayList<>(0);
    boolean ended = false;
    for (int chosen = 0; !ended && chosen < BATCH; chosen += CHUNK) {
      List<QueuedBlock> chunk = new ArrayList<>(CHUNK);
      synchronized (blocks.neededReconstruction) {
        ended = takeNext(chunk);
        if (ended) {
          queues.subList(0, LowRedundancyBlocks.QUEUE_WITH_CORRUPT_BLOCKS).forEach(LightWeightLinkedSet::resetBookmark);
          addDeleted(deleted);
        }
      }
      List<WaitingBlock> next = read("dayuReadNext", chunk);
      next.forEach(LowRedundancyQueues::countIfWithoutSource);
      read.addAll(next);
    }
    lock.forEachInBlocks("dayuReadNext", deleted, block -> {
      if (block.isDeleted()) {
        blocks.neededReconstruction.remove(block, LowRedundancyBlocks.QUEUE_WITH_CORRUPT_BLOCKS);
      }
    });
    return ended;
  }

  /**
   * Takes the next blocks, highest risk first: one chunk. Returns whether there are no more. Needs the monitor of the
   * queues.
   */
  private boolean takeNext(List<QueuedBlock> chunk) {
    for (int level = 0; level < LowRedundancyBlocks.QUEUE_WITH_CORRUPT_BLOCKS && chunk.size() < CHUNK; level++) {
      Iterator<BlockInfo> queue = queues.get(level).getBookmark();
      while (queue.hasNext() && chunk.size() < CHUNK) {
        chunk.add(new QueuedBlock(queue.next(), level));
      }
    }
    return chunk.size() < CHUNK;
  }

  /** Adds the deleted blocks among the next ones without a good replica. Needs the monitor of the queues. */
  private void addDeleted(List<BlockInfo> deleted) {
    LightWeightLinkedSet<BlockInfo> queue = queues.get(LowRedundancyBlocks.QUEUE_WITH_CORRUPT_BLOCKS);
    Iterator<BlockInfo> next = queue.getBookmark();
    for (int i = 0; i < CHUNK && next.hasNext(); i++) {
      BlockInfo block = next.next();
      if (block.isDeleted()) {
        deleted.add(block);
      }
    }
    if (!next.hasNext()) {
      queue.resetBookmark();
    }
  }

  /** As {@link io.dayu.blocks.BlockManagement#readAgain}. */
  List<WaitingBlock> readAgain(List<BlockKey> keys) {
    List<QueuedBlock> waiting = new ArrayList<>(keys.size());
    lock.forEachReadingBlocks("dayuReadAgain", keys, failing.guard("read again", key -> key, key -> {
      BlockInfo block = pending.storedBlock(key);
      if (block != null && blocks.neededReconstruction.contains(block)) {
        waiting.add(new QueuedBlock(block, reading.risk(block)));
      }
    }));
    return read("dayuReadAgain", waiting, reading::neededByNode);
  }

  /** As scheduleReconstruction of BlockManager does. */
  private static void countIfWithoutSource(WaitingBlock block) {
    if (block.lacksSources() && !block.isForStock()) {
      NameNode.getNameNodeMetrics().incNumTimesReReplicationNotScheduled();
    }
  }

  /**
   * Reads blocks; those that do not belong in the queues leave them, and are counted, as by stock. A block that cannot
   * be read is stock's. Stock takes the whole lock for writing to read a block.
   */
  private List<WaitingBlock> read(String operation, List<QueuedBlock> queued) {
    return read(operation, queued, reading::needed);
  }

  private List<WaitingBlock> read(String operation, List<QueuedBlock> queued,
      Function<BlockReading.Read, WaitingBlock> need) {
    List<BlockReading.Read> read = new ArrayList<>(queued.size());
    List<WaitingBlock> unreadable = new ArrayList<>(0);
    List<QueuedBlock> needless = new ArrayList<>();
    lock.forEachReadingNamespace(operation, queued, failing.guard("read", QueuedBlock::key, next -> {
      BlockReading.Read one = reading.read(next.block, next.level, block -> needless.add(next));
      if (one != null) {
        read.add(one);
      }
    }, next -> unreadable.add(BlockRecords.forStock(next.block, next.level, WaitReason.UNREADABLE))));
    lock.forEachInBlocks(operation, needless, failing.guard("read", QueuedBlock::key, next -> {
      if (BlockReading.isGone(next.block)) {
        blocks.neededReconstruction.remove(next.block, next.level);
      } else if (reading.hasEnough(next.block)) {
        blocks.neededReconstruction.remove(next.block, next.level);
        NameNode.getNameNodeMetrics().incNumTimesReReplicationNotScheduled();
      }
    }));
    List<WaitingBlock> needed = new ArrayList<>(read.size() + unreadable.size());
    read.forEach(failing.guard("read", BlockReading.Read::key, one -> needed.add(need.apply(one)),
        one -> needed.add(
            BlockRecords.forStock(one.key(), one.numBytes(), one.level(), WaitReason.UNREADABLE))));
    needed.addAll(unreadable);
    return needed;
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.TransferRequest;
import org.apache.hadoop.hdfs.util.LightWeightLinkedSet;

import java.util.ArrayList;
import java.util.List;

/**
 * Looks at some blocks before the namesystem lock is taken to read or commit them, and draws no conclusion. On a large
 * NameNode each of them is a dozen misses of the processor's caches. Here the processor waits for those of several
 * blocks at once, and without the lock. Thread-safe.
 */
final class ReadAhead {
  private final LowRedundancyBlocks needed;
  private final List<LightWeightLinkedSet<BlockInfo>> queues;
  private final PendingEntries pending;
  /** Keeps the compiler from leaving the looks out. */
  private volatile long seen;

  /** @param queues the low-redundancy queues by risk; they change under the monitor of {@code needed} */
  ReadAhead(LowRedundancyBlocks needed, List<LightWeightLinkedSet<BlockInfo>> queues, PendingEntries pending) {
    this.needed = needed;
    this.queues = queues;
    this.pending = pending;
  }

  /** Blocks that are to be read. */
  void read(List<BlockInfo> blocks) {
    try {
      seen = look(blocks);
    } catch (RuntimeException e) {
      // Whoever reads the blocks one by one finds out which one it is.
      seen = 0;
    }
  }

  /** Blocks of which copies are under way, as far as the requests have them. */
  void check(List<TransferRequest> requests) {
    List<BlockInfo> blocks = new ArrayList<>(requests.size());
    for (TransferRequest request : requests) {
      if (request.block().stored() instanceof BlockInfo block) {
        blocks.add(block);
      }
    }
    read(blocks);
  }

  /** Blocks of which copies are to be registered. */
  void commit(List<TransferRequest> requests) {
    check(requests);
    long found = 0;
    synchronized (needed) {
      for (TransferRequest request : requests) {
        Object block = request.block().stored();
        found += block != null && queues.get(request.risk()).contains(block) ? 1 : 0;
      }
    }
    seen = found;
  }

  /** In loops of their own, so that no block's lines are waited for before those of the next are asked for. */
  private long look(List<BlockInfo> blocks) {
    long found = 0;
    for (BlockInfo block : blocks) {
      found += block.getGenerationStamp() + block.getBlockCollectionId();
    }
    for (BlockInfo block : blocks) {
      found += block.getDatanode(0) == null ? 0 : 1;
    }
    return found + pending.count(blocks);
  }
}

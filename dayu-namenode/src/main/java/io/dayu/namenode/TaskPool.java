/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.NeededBlock;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The blocks that wait for a copy, as last read from the NameNode's queues. Owned by the recovery loop; not thread-safe. Entries that a whole
 * pass over the queues did not meet again are dropped; what is stale before that is found out at commit.
 */
final class TaskPool {
  /** Most blocks kept, some timeslots' worth on the largest clusters; the queues keep the rest. Those of the highest risk always get in. */
  static final int LIMIT = 200_000;

  /** Share of the blocks that wait from which on the pool counts as all of them: some come and go while it is filled. */
  private static final double WHOLE = 0.9;

  private record Entry(NeededBlock block, long pass) {
  }

  private final Map<Long, Entry> entries = new LinkedHashMap<>();
  private long pass;

  void put(Collection<NeededBlock> read) {
    for (NeededBlock block : read) {
      if (entries.size() < LIMIT || block.risk() == 0 || entries.containsKey(block.key().blockId())) {
        entries.put(block.key().blockId(), new Entry(block, pass));
      }
    }
  }

  /** A pass over the queues has ended: what neither this nor the one before has met is gone. */
  void endPass() {
    long oldest = pass - 1;
    entries.values().removeIf(entry -> entry.pass < oldest);
    pass++;
  }

  void remove(BlockKey block) {
    entries.remove(block.blockId());
  }

  /** Whether what is here is all the work there is: a whole pass over the queues has ended, and they have hardly more than this. */
  boolean isWhole(long waitingBlocks) {
    return pass > 0 && entries.size() >= WHOLE * waitingBlocks;
  }

  int size() {
    return entries.size();
  }

  /** The blocks, those at the highest risk first, else in the order in which they were read. */
  List<NeededBlock> byRisk() {
    List<NeededBlock> blocks = new ArrayList<>(entries.size());
    for (Entry entry : entries.values()) {
      blocks.add(entry.block);
    }
    blocks.sort((a, b) -> Integer.compare(a.risk(), b.risk()));
    return blocks;
  }

  void clear() {
    entries.clear();
    pass = 0;
  }
}

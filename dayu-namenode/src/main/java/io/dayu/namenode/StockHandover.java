/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.blocks.NeededBlock;
import io.dayu.model.TaskTable;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Hands blocks that Dayu cannot place over to stock HDFS, highest risk first, at the rate at which stock HDFS schedules
 * by itself: in each round of three seconds its work multiplier times the number of live DataNodes. A round may take
 * until the next one begins. Owned by the recovery loop; not thread-safe. Bounded: blocks of higher risk displace
 * those of lower risk, and blocks that do not fit are still in the NameNode's queues and are offered again.
 */
final class StockHandover {
  static final int LIMIT = 100_000;
  private static final long ROUND_NS = TimeUnit.SECONDS.toNanos(3);
  /** Blocks that stock gets at once; it handles them in one hold of the lock. */
  private static final int CHUNK = 32;

  private final List<Map<Long, NeededBlock>> waitingByRisk = new ArrayList<>();
  private boolean begun;
  private long lastRoundNs;
  private int quota;

  StockHandover() {
    for (int risk = 0; risk < TaskTable.RISK_LEVELS; risk++) {
      waitingByRisk.add(new LinkedHashMap<>());
    }
  }

  void offer(List<NeededBlock> unplaceable) {
    for (NeededBlock block : unplaceable) {
      long id = block.key().blockId();
      for (Map<Long, NeededBlock> waiting : waitingByRisk) {
        waiting.remove(id);
      }
      if (size() < LIMIT || displaceOne(block.risk())) {
        waitingByRisk.get(block.risk()).put(id, block);
      }
    }
  }

  /** Takes out a block of the lowest risk that is lower than this one, and returns whether there was any. */
  private boolean displaceOne(int risk) {
    for (int lower = waitingByRisk.size() - 1; lower > risk; lower--) {
      Map<Long, NeededBlock> waiting = waitingByRisk.get(lower);
      if (!waiting.isEmpty()) {
        waiting.remove(waiting.keySet().iterator().next());
        return true;
      }
    }
    return false;
  }

  private int size() {
    return waitingByRisk.stream().mapToInt(Map::size).sum();
  }

  /**
   * Begins a round if one is due, the first one at once; the blocks that it hands over are what {@link #next} returns,
   * now and later. A round also begins if nothing waits, so what is offered then need not wait for the next one.
   */
  void begin(long nowNs, int blocksPerRound) {
    if (!begun || nowNs - lastRoundNs >= ROUND_NS) {
      begun = true;
      lastRoundNs = nowNs;
      quota = Math.max(1, blocksPerRound);
    }
  }

  /** The next blocks of this round, for stock to schedule at once; none when the round is over. */
  List<NeededBlock> next() {
    List<NeededBlock> chunk = take(Math.min(quota, CHUNK));
    quota -= chunk.size();
    return chunk;
  }

  private List<NeededBlock> take(int max) {
    List<NeededBlock> taken = new ArrayList<>(max);
    for (Map<Long, NeededBlock> waiting : waitingByRisk) {
      Iterator<NeededBlock> next = waiting.values().iterator();
      while (next.hasNext() && taken.size() < max) {
        taken.add(next.next());
        next.remove();
      }
    }
    return taken;
  }

  void clear() {
    begun = false;
    quota = 0;
    waitingByRisk.forEach(Map::clear);
  }
}

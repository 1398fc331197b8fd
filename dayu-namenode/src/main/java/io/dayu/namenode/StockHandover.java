/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.blocks.NeededBlock;

import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerAccess;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Blocks that Dayu cannot place, on their way to stock HDFS in small batches, at the pace that stock has by itself: its multiplier a live
 * DataNode in each round of three seconds. Owned by the recovery loop; not thread-safe. Bounded: what does not fit is still in the NameNode's
 * queues and is offered again.
 */
final class StockHandover {
  private static final int LIMIT = 100_000;
  private static final long ROUND_NS = TimeUnit.SECONDS.toNanos(3);

  private final BlockManagerAccess blocks;
  private final StockParking parking;
  private final DayuStatus status;
  private final Map<Long, NeededBlock> waiting = new LinkedHashMap<>();
  private long lastRoundNs;

  StockHandover(BlockManagerAccess blocks, StockParking parking, DayuStatus status) {
    this.blocks = blocks;
    this.parking = parking;
    this.status = status;
  }

  void offer(List<NeededBlock> unplaceable, long nowNs) {
    for (NeededBlock block : unplaceable) {
      if (waiting.size() < LIMIT) {
        waiting.putIfAbsent(block.key().blockId(), block);
      }
    }
    if (waiting.isEmpty()) {
      lastRoundNs = nowNs - ROUND_NS;
    }
  }

  /** Hands over the next batch, once a round. */
  void run(long nowNs, int liveNodes) {
    if (waiting.isEmpty() || nowNs - lastRoundNs < ROUND_NS) {
      return;
    }
    lastRoundNs = nowNs;
    int most = Math.max(1, liveNodes * parking.stockMultiplier());
    List<NeededBlock> batch = new ArrayList<>();
    var next = waiting.values().iterator();
    while (next.hasNext() && batch.size() < most) {
      batch.add(next.next());
      next.remove();
    }
    status.countHandedToStock(blocks.scheduleByStock(batch));
  }

  void clear() {
    waiting.clear();
  }
}

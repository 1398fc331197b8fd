/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import io.dayu.model.TaskTable;
import io.dayu.namenode.planning.TimeslotDecision.ForStock;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Hands blocks that Dayu cannot place over to stock HDFS, at the rate at which stock HDFS schedules by itself: in each
 * round of three seconds its work multiplier times the number of live DataNodes. A round may take until the next one
 * begins. Owned by the recovery loop; not thread-safe. Bounded: blocks of higher risk displace those of lower risk, and
 * blocks that do not fit are still in the NameNode's queues and are offered again.
 *
 * <p>No block waits for ever behind others that stock cannot schedule, as stock itself goes round its queues:
 * <ul>
 * <li>of each chunk every risk that waits gets an eighth, and the highest risk the rest;
 * <li>those of one risk go in the order in which they were first offered;
 * <li>a block that comes back, since stock has not scheduled it, is taken again after a time that doubles up to 15 s.
 *     So stock counts it as not scheduled no more often than if it met the block by itself;
 * <li>for a block that no DataNode could take, by Dayu's plans, the time goes on to double up to two minutes, until
 *     {@link #targetsHaveImproved}: stock's placement policy logs one to three lines at WARN each time it finds none.
 * </ul>
 */
final class StockHandover {
  static final int LIMIT = 100_000;
  private static final long ROUND_NS = TimeUnit.SECONDS.toNanos(3);
  /** Blocks that stock gets at once; it handles them in one hold of the lock. */
  private static final int CHUNK = 32;
  /** Each risk that waits gets a chunk's size divided by this, but at least one block. */
  private static final int RISK_SHARE = 8;
  private static final long MAX_BACKOFF_NS = 5 * ROUND_NS;
  private static final long MAX_UNPLACEABLE_BACKOFF_NS = 40 * ROUND_NS;

  /**
   * A block that was handed over, or is kept back.
   *
   * @param atNs when
   * @param backoffNs for how long it is not taken again
   * @param improvements how often targets had improved by then
   */
  private record HandedOver(long atNs, long backoffNs, long improvements) {
  }

  private final List<Map<Long, ForStock>> waitingByRisk = new ArrayList<>();
  /** By block id; the one that was handed over least recently is the first. */
  private final Map<Long, HandedOver> handedOver = new LinkedHashMap<>(16, 0.75f, false) {
    @Override
    protected boolean removeEldestEntry(Map.Entry<Long, HandedOver> eldest) {
      return size() > LIMIT;
    }
  };
  private boolean begun;
  private long lastRoundNs;
  private int quota;
  private long improvements;

  StockHandover() {
    for (int risk = 0; risk < TaskTable.RISK_LEVELS; risk++) {
      waitingByRisk.add(new LinkedHashMap<>());
    }
  }

  /** Takes blocks that wait for stock. One that waits here already keeps its place, unless its risk has changed. */
  void offer(List<ForStock> offered, long nowNs) {
    for (ForStock one : offered) {
      long id = one.block().key().blockId();
      int risk = one.block().risk();
      if (waitingByRisk.get(risk).replace(id, one) == null) {
        waitingByRisk.forEach(waiting -> waiting.remove(id));
        if (!isBackingOff(handedOver.get(id), nowNs) && (size() < LIMIT || displaceOne(risk))) {
          waitingByRisk.get(risk).put(id, one);
        }
      }
    }
  }

  private boolean isBackingOff(HandedOver last, long nowNs) {
    if (last == null) {
      return false;
    }
    long backoffNs = last.improvements == improvements ? last.backoffNs : Math.min(last.backoffNs, MAX_BACKOFF_NS);
    return nowNs - last.atNs < backoffNs;
  }

  /**
   * Keeps back blocks of which a corrupt replica is being deleted: stock would copy them to its DataNode at once, which
   * refuses while it has that replica, and stock's entry would then wait for its timeout of minutes.
   */
  void keepBack(List<BlockKey> deleting, long nowNs) {
    for (BlockKey key : deleting) {
      waitingByRisk.forEach(waiting -> waiting.remove(key.blockId()));
      handedOver.remove(key.blockId());
      handedOver.put(key.blockId(), new HandedOver(nowNs, MAX_BACKOFF_NS, improvements));
    }
  }

  /** A DataNode may take blocks now that none could take before. */
  void targetsHaveImproved() {
    improvements++;
  }

  /** Takes out a block of the lowest risk that is lower than this one, and returns whether there was any. */
  private boolean displaceOne(int risk) {
    for (int lower = waitingByRisk.size() - 1; lower > risk; lower--) {
      Map<Long, ForStock> waiting = waitingByRisk.get(lower);
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
  List<WaitingBlock> next() {
    int max = Math.min(quota, CHUNK);
    int[] shares = shares(max);
    List<WaitingBlock> chunk = new ArrayList<>(max);
    for (int risk = 0; risk < shares.length; risk++) {
      take(waitingByRisk.get(risk), shares[risk], chunk);
    }
    quota -= chunk.size();
    return chunk;
  }

  /** How many blocks of each risk the next chunk has. */
  private int[] shares(int max) {
    int[] shares = new int[waitingByRisk.size()];
    int left = max;
    for (int risk = 0; risk < shares.length; risk++) {
      shares[risk] = Math.min(Math.min(left, Math.max(1, max / RISK_SHARE)), waitingByRisk.get(risk).size());
      left -= shares[risk];
    }
    for (int risk = 0; risk < shares.length; risk++) {
      int more = Math.min(left, waitingByRisk.get(risk).size() - shares[risk]);
      shares[risk] += more;
      left -= more;
    }
    return shares;
  }

  private void take(Map<Long, ForStock> waiting, int count, List<WaitingBlock> taken) {
    Iterator<Map.Entry<Long, ForStock>> next = waiting.entrySet().iterator();
    for (int i = 0; i < count; i++) {
      Map.Entry<Long, ForStock> entry = next.next();
      taken.add(entry.getValue().block());
      long maxBackoffNs =
          entry.getValue().reason() == WaitReason.NO_TARGET ? MAX_UNPLACEABLE_BACKOFF_NS : MAX_BACKOFF_NS;
      HandedOver last = handedOver.remove(entry.getKey());
      // What has not come back for a while was scheduled then.
      boolean again = last != null && lastRoundNs - last.atNs <= 2 * MAX_BACKOFF_NS + last.backoffNs;
      handedOver.put(entry.getKey(), new HandedOver(lastRoundNs,
          again ? Math.min(maxBackoffNs, 2 * last.backoffNs) : ROUND_NS, improvements));
      next.remove();
    }
  }

  /** Forgets the blocks of lower risks; they are offered again. */
  void retainHighestRisk() {
    waitingByRisk.subList(1, waitingByRisk.size()).forEach(Map::clear);
  }

  void clear() {
    begun = false;
    quota = 0;
    waitingByRisk.forEach(Map::clear);
    handedOver.clear();
  }
}

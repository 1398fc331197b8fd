/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.CorruptReplica;
import io.dayu.blocks.WaitReason;
import io.dayu.namenode.planning.BlockHistory;
import io.dayu.namenode.planning.TimeslotDecision.ForStock;
import io.dayu.namenode.transfers.AgentUpdates;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Has HDFS delete corrupt replicas that keep their blocks from being copied, as on three DataNodes that each have one
 * of three replicas (HDFS-17798): first the agents of the other replicas read them, and only if enough of them are good
 * the corrupt one goes. Then its DataNode can take a copy. Owned by the recovery loop; not thread-safe. Bounded: what
 * does not fit is offered again.
 */
final class CorruptReplicas {
  /** Blocks whose replicas are read at a time. */
  private static final int MAX_BLOCKS = 16;
  /** Blocks that are looked at in one timeslot; each takes the namesystem lock for a moment. */
  private static final int MAX_LOOKED_AT = 64;
  /** Blocks of which it is known when they were last looked at. */
  private static final int MAX_KNOWN = StockHandover.LIMIT;
  private static final long MIN_BACKOFF_NS = TimeUnit.SECONDS.toNanos(10);
  /** While nothing corrupt is found at the block: a replica of it may become so at any time. */
  private static final long MAX_BACKOFF_NS = TimeUnit.MINUTES.toNanos(1);
  /** While one of the others is bad as well: to read them all costs more than to look. */
  private static final long MAX_READ_BACKOFF_NS = TimeUnit.HOURS.toNanos(1);
  /** A block that failed on its last free nodes is left to stock for that reason, although none is free any more. */
  private static final Set<WaitReason> REASONS =
      EnumSet.of(WaitReason.NO_TARGET, WaitReason.TARGETS_REFUSED, WaitReason.COPIES_FAILED);
  /** After this time the agents will not answer any more: a replica of 1 GB takes half a minute. */
  private static final long MAX_WAIT_NS = TimeUnit.MINUTES.toNanos(5);

  /**
   * A block whose replicas are being read since {@code sinceNs}.
   *
   * @param backoffNs how long the block was not looked at before
   */
  private record Reading(CorruptReplica replica, List<String> asked, long sinceNs, long backoffNs) {
  }

  /** A block that is not looked at again before {@code untilNs}. */
  private record Backoff(long untilNs, long lengthNs) {
  }

  private static final Logger LOG = LoggerFactory.getLogger(CorruptReplicas.class);

  private final BlockManagement blocks;
  private final AgentUpdates updates;
  private final BlockHistory history;
  private final Map<BlockKey, Reading> reading = new LinkedHashMap<>();
  private final Map<BlockKey, Backoff> backoffs = new LinkedHashMap<>() {
    @Override
    protected boolean removeEldestEntry(Map.Entry<BlockKey, Backoff> eldest) {
      return size() > MAX_KNOWN;
    }
  };

  CorruptReplicas(BlockManagement blocks, AgentUpdates updates, BlockHistory history) {
    this.blocks = blocks;
    this.updates = updates;
    this.history = history;
  }

  /**
   * Looks at blocks that a plan leaves to stock for one of the {@link #REASONS}. Some of them were refused by DataNodes
   * that could take them, or failed there. So {@link BlockManagement#corruptReplica} finds nothing while any DataNode
   * without a replica has room for the block, on a rack that may hold one more, and {@link
   * BlockManagement#removeCorruptReplica} looks once more: no corrupt replica goes where a copy could be made beside
   * it.
   */
  void offer(List<ForStock> forStock, long nowNs) {
    List<BlockKey> due = forStock.stream()
        .filter(one -> REASONS.contains(one.reason()) && one.block().group() == null)
        .map(one -> one.block().key())
        .filter(key -> !reading.containsKey(key) && overdueNs(key, nowNs) >= 0)
        .sorted(Comparator.comparingLong((BlockKey key) -> overdueNs(key, nowNs)).reversed())
        .limit(MAX_LOOKED_AT).toList();
    for (BlockKey key : due) {
      if (reading.size() < MAX_BLOCKS) {
        lookAt(key, nowNs);
      }
    }
  }

  /** For how long the block could have been looked at; below 0 if it may not be yet. */
  private long overdueNs(BlockKey key, long nowNs) {
    Backoff last = backoffs.get(key);
    return last == null ? Long.MAX_VALUE : nowNs - last.untilNs;
  }

  private void lookAt(BlockKey key, long nowNs) {
    Backoff last = backoffs.get(key);
    long lastNs = last == null ? MIN_BACKOFF_NS / 2 : last.lengthNs;
    backOff(key, Math.min(MAX_BACKOFF_NS, 2 * lastNs), nowNs);
    CorruptReplica replica = blocks.corruptReplica(key);
    if (replica != null) {
      ask(replica, nowNs, lastNs);
    }
  }

  private void backOff(BlockKey key, long lengthNs, long nowNs) {
    // The eldest entry is the first to go.
    backoffs.remove(key);
    backoffs.put(key.name(), new Backoff(nowNs + lengthNs, lengthNs));
  }

  private void ask(CorruptReplica replica, long nowNs, long backoffNs) {
    List<String> asked = new ArrayList<>();
    for (String holder : replica.holders()) {
      if (updates.verify(holder, replica.block(), replica.numBytes())) {
        asked.add(holder);
      }
    }
    Reading one = new Reading(replica, asked, nowNs, backoffNs);
    if (asked.size() >= replica.goodNeeded()) {
      reading.put(replica.block(), one);
      LOG.debug("BLOCK* Dayu: no DataNode can take {} but {}, whose replica is corrupt; reading those of {}",
          replica.block(), replica.node(), asked);
    } else {
      end(one);
    }
  }

  private void end(Reading one) {
    one.asked.forEach(holder -> updates.endVerification(holder, one.replica.block()));
  }

  /**
   * Reads the agents' answers.
   *
   * @return the blocks that have lost a corrupt replica, so that its DataNode can take a copy soon
   */
  List<BlockKey> judge(long nowNs) {
    List<BlockKey> freed = new ArrayList<>();
    for (Iterator<Reading> all = reading.values().iterator(); all.hasNext();) {
      Reading one = all.next();
      Set<String> good = new LinkedHashSet<>();
      int answers = 0;
      boolean bad = false;
      for (String holder : one.asked) {
        Boolean result = updates.verified(holder, one.replica.block());
        answers += result == null ? 0 : 1;
        bad |= Boolean.FALSE.equals(result);
        if (Boolean.TRUE.equals(result)) {
          good.add(holder);
        }
      }
      boolean enough = good.size() >= one.replica.goodNeeded();
      if (enough || answers == one.asked.size() || nowNs - one.sinceNs >= MAX_WAIT_NS) {
        if (enough && blocks.removeCorruptReplica(one.replica, good)) {
          LOG.info("Dayu: the corrupt replica of {} on {} is deleted to make room for a good one; {} others were read "
              + "and are good", one.replica.block(), blocks.addressOf(one.replica.node()), good.size());
          history.forget(one.replica.block());
          history.deleting(one.replica.block(), one.replica.node(), nowNs);
          freed.add(one.replica.block());
        } else if (bad) {
          backOff(one.replica.block(), Math.min(MAX_READ_BACKOFF_NS, 2 * one.backoffNs), nowNs);
        }
        end(one);
        all.remove();
      }
    }
    return freed;
  }

  /** Forgets what is being read. */
  void clear() {
    reading.values().forEach(this::end);
    reading.clear();
    backoffs.clear();
  }
}

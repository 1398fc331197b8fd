/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.LiveNode;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TimeslotPlan;
import io.dayu.model.UnselectedBlocks;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.transfers.NodeBandwidth;
import org.apache.hadoop.fs.StorageType;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * Decides how much of the waiting work a timeslot plans with: somewhat more than recovery may send and receive within
 * the horizon beside the foreground. So the cost of a plan depends on what it plans, not on how much waits. Owned by
 * the recovery loop; not thread-safe.
 */
final class BlockSelection {
  /** Work to choose from, as a multiple of what a node can carry for recovery; more if a plan has left bandwidth. */
  private static final double MIN_FACTOR = 1.25;
  private static final double MAX_FACTOR = 5;
  private static final double GROWTH = 1.5;
  /**
   * A timeslot had enough work if its plan has at least this share of what could be transferred. It also had if the
   * plan has this share of what it would have if it left no room for further blocks, and {@link #MIN_FULL_RATIO} of
   * what could be transferred.
   */
  private static final double ENOUGH_RATIO = 0.9;
  /** The horizon has room for seven blocks of a usual node, so whole blocks fill seven eighths at least. */
  private static final double MIN_FULL_RATIO = 0.75;
  /** Blocks of each source that are looked at in any case, however little it can send. */
  private static final int MIN_BLOCKS = 8;
  /** From at least this many internal blocks one is rebuilt. */
  private static final int MIN_REBUILD_WIDTH = 2;

  private final WaitingBlockPool pool;
  private final Settings settings;
  private double factor;
  private long horizonMs;
  private int plannedBlocks;
  private boolean hadEnough;

  BlockSelection(Settings settings, WaitingBlockPool pool) {
    this.pool = pool;
    this.settings = settings;
    reset();
  }

  void reset() {
    factor = MIN_FACTOR;
    horizonMs = settings.millis(Setting.TIMESLOT_HORIZON);
    plannedBlocks = 0;
    hadEnough = false;
  }

  /** The blocks to plan with, highest risk first. */
  SelectedBlocks select(Collection<LiveNode> liveNodes, Map<String, NodeLoad> loads) {
    NodeBandwidth bandwidth = new NodeBandwidth(settings);
    Map<String, Long> quotaBytes = new HashMap<>();
    long[] typeBytes = new long[StorageType.values().length];
    for (LiveNode node : liveNodes) {
      NodeLoad load = loads.get(node.uuid());
      if (load != null) {
        quotaBytes.put(node.uuid(),
            bytes(bandwidth.recover(load.out())));
        long inBytes = bytes(bandwidth.receive(load));
        for (int type = 0; node.target() && type < typeBytes.length; type++) {
          typeBytes[type] += node.space().maxVolumeFreeBytes()[type] > 0 ? inBytes : 0;
        }
      }
    }
    if (pool.hasLeavingGroups()) {
      addRebuilds(liveNodes, quotaBytes, LongStream.of(typeBytes).max().orElse(0));
    }
    long minBytes = (long) (MIN_BLOCKS * pool.restCopyBytes() / Math.max(1, pool.size()));
    return pool.select(quotaBytes, Math.max(1, minBytes), typeBytes,
        liveNodes.stream().filter(node -> node.status().urgent()).map(LiveNode::uuid).toList());
  }

  /** What leaving nodes cannot send in time may be rebuilt from other nodes, for a share of what these receive. */
  private void addRebuilds(Collection<LiveNode> liveNodes, Map<String, Long> quotaBytes, long inBytes) {
    long bytes = (long) (LeavingGroups.maxShare(settings) * inBytes / MIN_REBUILD_WIDTH);
    for (LiveNode node : liveNodes) {
      if (node.status().leaving()) {
        quotaBytes.merge(node.uuid(), bytes, Long::sum);
      }
    }
  }

  /** @param recoverBytesPerSec what recovery may use of a node */
  private long bytes(long recoverBytesPerSec) {
    return (long) (factor * recoverBytesPerSec * horizonMs / 1000);
  }

  /** What waits besides the selected blocks, by the rows of {@code nodes}. */
  UnselectedBlocks unselected(List<LiveNode> nodes) {
    return new UnselectedBlocks(nodes.stream().mapToLong(node -> pool.restBytes(node.uuid())).toArray(),
        Math.max(0, pool.restCopyBytes()));
  }

  /** Notes what became of the selected blocks. */
  void planned(TimeslotPlan plan, ClusterSnapshot snapshot) {
    horizonMs = snapshot.parameters().horizonMs();
    plannedBlocks = plan.count();
    hadEnough = plan.plannedBytes() >= ENOUGH_RATIO * plan.volumeBytes()
        || plan.plannedBytes() >= MIN_FULL_RATIO * plan.volumeBytes()
            && plan.plannedBytes() >= ENOUGH_RATIO * (plan.plannedBytes() + UnusedVolume.bytes(snapshot, plan));
    factor = hadEnough ? Math.max(MIN_FACTOR, factor / GROWTH) : Math.min(MAX_FACTOR, factor * GROWTH);
  }

  int plannedBlocks() {
    return plannedBlocks;
  }

  /** Whether the last timeslot had work for nearly all bandwidth. */
  boolean hadEnough() {
    return hadEnough;
  }
}

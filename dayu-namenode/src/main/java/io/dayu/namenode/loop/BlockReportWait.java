/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockManagement;

import java.util.concurrent.TimeUnit;

/**
 * Decides for how long Dayu begins nothing after a start of the NameNode: until its DataNodes have reported their
 * blocks. A NameNode leaves safe mode when nearly every block has one replica. Many still seem to lack others then, and
 * their copies would be deleted as excess. Meanwhile stock HDFS gets the blocks of the highest risk at its own pace.
 * Owned by the recovery loop; not thread-safe.
 *
 * <p>The wait ends when every live DataNode has reported each of its storages and no further one has registered for
 * {@link #SETTLE_NS}, but {@link #MAX_WAIT_NS} after the activation at the latest. There is none without any block, as
 * in a new cluster. After a failover there is none if the DataNodes have reported to this NameNode as a standby: it
 * watches their number in every state.
 */
final class BlockReportWait {
  static final long SETTLE_NS = TimeUnit.SECONDS.toNanos(15);
  static final long MAX_WAIT_NS = TimeUnit.MINUTES.toNanos(10);
  private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(1);

  private final BlockManagement blocks;
  private boolean over = true;
  private long endNs;
  private long settledNs;
  private long lookNs;
  private int live;
  private int maxLive;
  private String reason;

  /** @param startedNs when this NameNode was started */
  BlockReportWait(BlockManagement blocks, long startedNs) {
    this.blocks = blocks;
    this.settledNs = startedNs + SETTLE_NS;
  }

  /** Notes the number of live DataNodes, also while this NameNode is not active. */
  void live(int nodes, long nowNs) {
    live = nodes;
    if (live > maxLive) {
      maxLive = live;
      settledNs = nowNs + SETTLE_NS;
    }
  }

  /** This NameNode has become active. */
  void begin(long nowNs) {
    over = !blocks.hasBlocks();
    endNs = nowNs + MAX_WAIT_NS;
    lookNs = nowNs;
  }

  /** As of the last {@link #observe}. */
  boolean isOver() {
    return over;
  }

  /** Looks whether the wait is over. Returns what is waited for, for people; null if it is over. */
  String observe(long nowNs) {
    if (!over && nowNs - lookNs >= 0) {
      lookNs = nowNs + LOOK_NS;
      look(nowNs);
    }
    return over ? null : reason;
  }

  private void look(long nowNs) {
    int silent = blocks.nodesWithoutBlockReport();
    over = silent == 0 && nowNs - settledNs >= 0 || nowNs - endNs >= 0;
    reason = silent > 0
        ? "waiting for the first block reports of " + silent + " of " + live + " live DataNodes, for "
            + TimeUnit.NANOSECONDS.toSeconds(endNs - nowNs) + " s at most"
        : "waiting for further DataNodes to register after the start, for "
            + TimeUnit.NANOSECONDS.toSeconds(settledNs - nowNs) + " s if none does";
    reason += "; stock HDFS copies blocks of the highest risk";
  }
}

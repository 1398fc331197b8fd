/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.hdfs.server.blockmanagement.PendingTargets;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;

import java.util.concurrent.TimeUnit;

/**
 * Replicas that HDFS expects, and that nobody will report. A DataNode or volume that is lost when it has finished one
 * for a writer's pipeline, and before it has reported it, never will; nor will one that had the replica before stock
 * HDFS chose it as a target, and those behind it in the pipeline. HDFS waits for them for five minutes by default, and
 * has the block copied only then. This has HDFS give up sooner. Single-threaded.
 */
final class ExpectedReplicas {
  /** So long nothing else may be left. */
  private static final long MIN_PENDING_NS = TimeUnit.SECONDS.toNanos(20);
  /** After so many of its intervals HDFS has noted that a block lacks a replica. */
  private static final int GIVING_UP_INTERVALS = 5;

  private final long givingUpNs;
  private long pendingSinceNs;
  private long gaveUpNs;
  private int timeoutSec;

  /** @param redundancyIntervalSec how often HDFS looks for blocks that lack replicas */
  ExpectedReplicas(long redundancyIntervalSec) {
    this.givingUpNs = GIVING_UP_INTERVALS * TimeUnit.SECONDS.toNanos(redundancyIntervalSec);
  }

  /**
   * Takes note of one more look.
   *
   * @param nothingElse whether pending blocks are all that is left
   * @param late whether targets may have been chosen before their first block report
   * @return whether HDFS is giving up replicas, and may not show yet that it lacks them
   */
  boolean look(FSNamesystem namesystem, boolean nothingElse, boolean late) {
    BlockManager blocks = namesystem.getBlockManager();
    long nowNs = System.nanoTime();
    if (!nothingElse) {
      pendingSinceNs = 0;
      restore(blocks);
    } else if (pendingSinceNs == 0) {
      pendingSinceNs = nowNs;
    } else if (nowNs - pendingSinceNs > MIN_PENDING_NS && PendingTargets.areAllInVain(namesystem, late)) {
      timeoutSec = timeoutSec == 0 ? blocks.getReconstructionPendingTimeout() : timeoutSec;
      blocks.setReconstructionPendingTimeout(1);
      BlockManagerTestUtil.wakeupPendingReconstructionTimerThread(blocks);
      gaveUpNs = nowNs;
    }
    return gaveUpNs != 0 && nowNs - gaveUpNs < givingUpNs;
  }

  /** What is copied from now on may take as long as before. */
  private void restore(BlockManager blocks) {
    if (timeoutSec > 0) {
      blocks.setReconstructionPendingTimeout(timeoutSec);
      timeoutSec = 0;
    }
  }
}

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

import java.util.concurrent.TimeUnit;

/**
 * Replicas that HDFS expects of a writer's pipeline. A DataNode that is lost when it has finished one, and before it
 * has reported it, never will: HDFS waits for it for five minutes by default, and has the block copied only then. This
 * has HDFS give up sooner. Single-threaded.
 */
final class ExpectedReplicas {
  /** So long nothing else may be left. What a live DataNode is to report comes in within a second or two. */
  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(20);

  private long sinceNs;
  private int timeoutSec;

  /**
   * Takes note of one more look.
   *
   * @param nothingElse whether pending blocks are all that is left
   */
  void look(BlockManager blocks, boolean nothingElse) {
    if (!nothingElse) {
      sinceNs = 0;
      restore(blocks);
    } else if (sinceNs == 0) {
      sinceNs = System.nanoTime();
    } else if (System.nanoTime() - sinceNs > PATIENCE_NS) {
      timeoutSec = timeoutSec == 0 ? blocks.getReconstructionPendingTimeout() : timeoutSec;
      blocks.setReconstructionPendingTimeout(1);
      BlockManagerTestUtil.wakeupPendingReconstructionTimerThread(blocks);
    }
  }

  /** What is copied from now on may take as long as before. */
  private void restore(BlockManager blocks) {
    if (timeoutSec > 0) {
      blocks.setReconstructionPendingTimeout(timeoutSec);
      timeoutSec = 0;
    }
  }
}

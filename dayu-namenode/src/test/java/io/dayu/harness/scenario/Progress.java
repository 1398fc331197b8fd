/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.scenario;

import io.dayu.harness.DayuCluster;

import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;

/** How far recovery has come, by what the NameNode counts whenever it is looked at. Not thread-safe. */
final class Progress {
  private final DayuCluster cluster;
  private long maxOutstanding;
  private long maxExcess;

  Progress(DayuCluster cluster) {
    this.cluster = cluster;
  }

  /** Blocks that wait for replicas or have some on their way, after a look at all counters. */
  long outstandingBlocks() {
    BlockManager blocks = cluster.blockManager();
    BlockManagerTestUtil.updateState(blocks);
    long outstanding = blocks.getLowRedundancyBlocksCount() + blocks.getPendingReconstructionBlocksCount();
    maxOutstanding = Math.max(maxOutstanding, outstanding);
    maxExcess = Math.max(maxExcess, blocks.getExcessBlocksCount());
    return outstanding;
  }

  /**
   * Blocks that wait for replicas, after a look at all counters. Those on their way do not count: while clients close
   * files, replicas of some are always still to be reported.
   */
  long waitingBlocks() {
    outstandingBlocks();
    return cluster.blockManager().getLowRedundancyBlocksCount();
  }

  /** Of the most blocks that were ever outstanding; false as long as there were none. */
  boolean isRecovered(int percent) {
    long outstanding = outstandingBlocks();
    return maxOutstanding > 0 && outstanding * 100 <= maxOutstanding * (100 - percent);
  }

  /** The most replicas in excess that were seen at any look. */
  long maxExcess() {
    return maxExcess;
  }
}

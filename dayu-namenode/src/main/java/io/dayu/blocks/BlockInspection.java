/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

import java.util.List;
import java.util.function.LongPredicate;

/**
 * What an admin may ask about blocks. Nothing in here changes what is recovered or in which order. Thread-safe, with
 * bounded holds of the namesystem lock.
 */
public interface BlockInspection {
  /** The low-redundancy queues that recovery takes blocks from. */
  int RISKS = 4;

  /** The heads of the low-redundancy queues, highest risk first: at most this many blocks of each level. */
  List<WaitingBlock> peek(int limitPerLevel);

  /** How a block stands, or null if the NameNode has no block of this id. */
  BlockDetails detailsOf(long blockId);

  /**
   * How many blocks wait in the low-redundancy queue of this risk, from 0 to below {@link #RISKS}, highest first. Most
   * of those of the highest risk have one replica left.
   */
  long waitingBlocks(int risk);

  /** Blocks with a corrupt replica. */
  long corruptReplicaBlocks();

  /** Blocks of which copies are pending, erasure-coded ones included. */
  long pendingBlocks();

  /**
   * The DataNodes that are decommissioning or entering maintenance, dead ones included, and what is left there. Looks
   * at each of their replicas, so it may take seconds on a large DataNode, in bounded holds of the lock.
   *
   * @param unplaceable whether no DataNode can take the block of this id
   */
  List<LeavingNode> leavingNodes(LongPredicate unplaceable);

  /**
   * Files that are being written to DataNodes of which none stays in service, at most this many. Looks at every file
   * that is being written, in bounded holds of the lock, if any DataNode is out of service.
   */
  List<LeavingPipeline> leavingPipelines(int limit);

  /** How many live DataNodes are leaving or have left service. */
  int nodesOutOfService();

  /** Blocks of which no replica can be read. */
  long missingBlocks();
}

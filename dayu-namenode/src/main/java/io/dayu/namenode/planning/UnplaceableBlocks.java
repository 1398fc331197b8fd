/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.WaitingBlock;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The waiting blocks that no DataNode can take, as plans found last: a file with more replicas than there are
 * DataNodes, for example. They wait for ever, so no estimate may count them. Each pass over HDFS's queues finds a block
 * again; one that two passes have not found is forgotten. Bounded. Written by the recovery loop, read by any thread.
 */
final class UnplaceableBlocks {
  private static final int LIMIT = 100_000;

  /** Block id, and how many passes had ended when it was found last. */
  private final Map<Long, Long> foundInPass = new ConcurrentHashMap<>();

  /**
   * Records what a plan has found.
   *
   * @param placeable the other blocks of the plan
   * @param passes how many passes over HDFS's queues have ended
   */
  void planned(Collection<WaitingBlock> unplaceable, Collection<WaitingBlock> placeable, long passes) {
    if (!foundInPass.isEmpty()) {
      placeable.forEach(block -> foundInPass.remove(block.key().blockId()));
    }
    for (WaitingBlock block : unplaceable) {
      if (foundInPass.size() < LIMIT) {
        foundInPass.put(block.key().blockId(), passes);
      }
    }
    foundInPass.values().removeIf(pass -> pass < passes - 1);
  }

  boolean contains(long blockId) {
    return foundInPass.containsKey(blockId);
  }

  int size() {
    return foundInPass.size();
  }

  void clear() {
    foundInPass.clear();
  }
}

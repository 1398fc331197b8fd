/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds blocks and groups that lack replicas or internal blocks and get none, although sources and a target have been
 * there all the time. Not thread-safe.
 */
final class UnrecoveredBlocks {
  static final long LIMIT_MS = 60_000;
  /** After a longer time without a look nobody knows what has happened. */
  private static final long MAX_GAP_MS = 15_000;

  /** Since when a block has waited in vain, by its id. */
  private final Map<String, Long> sinceMs = new HashMap<>();
  private final Map<String, Integer> live = new HashMap<>();
  private final Set<String> reported = new HashSet<>();
  private long lastMs = Long.MIN_VALUE / 2;
  private long longestMs;

  /**
   * Takes a look at all blocks.
   *
   * @param calm addresses of the DataNodes that are live and undisturbed, and so have room
   * @return the blocks that have waited for longer than the limit, each once
   */
  List<FsckBlock> look(List<FsckBlock> blocks, Set<String> calm, long nowMs) {
    if (nowMs - lastMs > MAX_GAP_MS) {
      forget();
    }
    lastMs = nowMs;
    Map<String, Long> waiting = new HashMap<>();
    List<FsckBlock> late = new ArrayList<>();
    for (FsckBlock block : blocks) {
      if (block.isWhole() || !mayBeCopied(block, calm)) {
        continue;
      }
      boolean hasGained = block.live() > live.getOrDefault(block.id(), block.wanted());
      long since = hasGained ? nowMs : sinceMs.getOrDefault(block.id(), nowMs);
      waiting.put(block.id(), since);
      longestMs = Math.max(longestMs, nowMs - since);
      if (nowMs - since > LIMIT_MS && reported.add(block.id())) {
        late.add(block);
      }
    }
    sinceMs.clear();
    sinceMs.putAll(waiting);
    live.clear();
    blocks.forEach(block -> live.put(block.id(), block.live()));
    return late;
  }

  private static boolean mayBeCopied(FsckBlock block, Set<String> calm) {
    return block.canBeMadeFrom(calm)
        && calm.stream().anyMatch(address -> !block.addresses().contains(address));
  }

  /** Whatever has waited until now: the NameNode was disturbed. */
  void forget() {
    sinceMs.clear();
  }

  /** How long a block has waited in vain at most. */
  long longestMs() {
    return longestMs;
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The copies under way by block, as HDFS's PendingReconstructionBlocks has them. Not thread-safe. */
final class ModelPendingCopies {
  /** Copies under way of one block. */
  private static final class Entry {
    private final Set<String> targets = new LinkedHashSet<>();
    private long sinceNs;
  }

  private final Map<Long, Entry> entries = new LinkedHashMap<>();

  /** Adds a copy, and counts the time of all copies of the block anew. */
  void add(long block, String target, long nowNs) {
    Entry entry = entries.computeIfAbsent(block, id -> new Entry());
    entry.targets.add(target);
    entry.sinceNs = nowNs;
  }

  /** Counts the time of a block that has copies under way anew. */
  void refresh(long block, long nowNs) {
    entries.get(block).sinceNs = nowNs;
  }

  /** Whether there was such a copy. */
  boolean remove(long block, String target) {
    Entry entry = entries.get(block);
    if (entry == null || !entry.targets.remove(target)) {
      return false;
    }
    if (entry.targets.isEmpty()) {
      entries.remove(block);
    }
    return true;
  }

  List<String> targets(long block) {
    Entry entry = entries.get(block);
    return entry == null ? List.of() : List.copyOf(entry.targets);
  }

  /** Blocks whose copies have taken longer than the timeout. */
  List<Long> overdue(long timeoutNs, long nowNs) {
    return entries.entrySet().stream().filter(entry -> nowNs - entry.getValue().sinceNs > timeoutNs)
        .map(Map.Entry::getKey).toList();
  }

  /** Number of copies. */
  int size() {
    return entries.values().stream().mapToInt(entry -> entry.targets.size()).sum();
  }

  void clear() {
    entries.clear();
  }
}

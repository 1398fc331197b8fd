/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The DataNodes that stock HDFS has told to make internal blocks of groups. Once a heartbeat has taken a task and its
 * pending entry has timed out, nothing on the NameNode names it, and the DataNode may still be at it: a second internal
 * block of the group there would be lost. So these nodes get none from Dayu. Thread-safe. Bounded by what stock was
 * given within the time that it may take.
 */
final class StockTargets {
  /** A task that makes less than this on average has failed. */
  private static final long MIN_BYTES_PER_SEC = 1 << 20;

  private record Task(List<String> targets, long endNs) {
  }

  /** By the id of the group. */
  private final Map<Long, Task> tasks = new HashMap<>();

  /**
   * Remembers a task for the time that its pending entry and its bytes may take.
   *
   * @param movedBytes what the task moves between DataNodes
   */
  synchronized void add(BlockInfo group, List<String> targets, long movedBytes, long timeoutMs, long nowNs) {
    if (!targets.isEmpty()) {
      long takesNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs)
          + TimeUnit.SECONDS.toNanos(movedBytes / MIN_BYTES_PER_SEC + 1);
      Task before = tasks.get(group.getBlockId());
      List<String> both = new ArrayList<>(targets);
      if (before != null) {
        before.targets.stream().filter(target -> !both.contains(target)).forEach(both::add);
      }
      long endNs = nowNs + takesNs;
      tasks.put(group.getBlockId(),
          new Task(both, before != null && before.endNs - endNs > 0 ? before.endNs : endNs));
    }
  }

  /** Forgets the tasks that have ended. */
  synchronized void expire(long nowNs) {
    tasks.values().removeIf(task -> task.endNs - nowNs < 0);
  }

  /** The DataNodes that may still make an internal block of this group. */
  synchronized List<String> of(BlockInfo group, long nowNs) {
    Task task = tasks.get(group.getBlockId());
    return task == null || task.endNs - nowNs < 0 ? List.of() : task.targets;
  }
}

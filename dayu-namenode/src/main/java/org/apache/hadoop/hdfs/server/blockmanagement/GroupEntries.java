/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import java.util.HashMap;
import java.util.Map;

/**
 * Which internal block each of Dayu's pending entries of a group stands for: HDFS's own record of an entry has the
 * group and the target only. An entry counts as long as HDFS has one for the target, too; one that is not in here is
 * stock's. Thread-safe. Bounded by the transfers of groups that are registered.
 */
final class GroupEntries {
  /** Of an entry that is not Dayu's. */
  static final int NONE = -1;

  /** Indices by the UUID of the target, by the id of the group. */
  private final Map<Long, Map<String, Integer>> byGroup = new HashMap<>();

  synchronized void put(BlockInfo group, String target, int index) {
    byGroup.computeIfAbsent(group.getBlockId(), id -> new HashMap<>(2)).put(target, index);
  }

  /** The transfer of this index has ended. */
  synchronized void remove(long groupId, String target, int index) {
    Map<String, Integer> targets = byGroup.get(groupId);
    if (targets != null && targets.remove(target, index) && targets.isEmpty()) {
      byGroup.remove(groupId);
    }
  }

  /** Index of the internal block that this target is to get by a transfer of Dayu's, or {@link #NONE}. */
  synchronized int indexOf(BlockInfo group, String target) {
    Map<String, Integer> targets = byGroup.get(group.getBlockId());
    return targets == null ? NONE : targets.getOrDefault(target, NONE);
  }

  /** HDFS has forgotten all pending entries, since the NameNode was not active for a while. */
  synchronized void clear() {
    byGroup.clear();
  }
}

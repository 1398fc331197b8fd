/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import org.apache.hadoop.util.Time;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;

/**
 * The room that committed copies take on their storages when they have arrived, until their DataNode's next heartbeat:
 * HDFS counts it as free until then. A copy that is still pending does not count here; the planner knows of it. Only
 * nearly full storages are watched: on others the copies of one heartbeat make no difference. Thread-safe. Bounded by
 * the copies to such storages that are pending or have arrived since a heartbeat.
 */
final class PromisedRoom {
  /** A copy that was committed. */
  private static final class Copy {
    private final BlockInfo block;
    private final DatanodeStorageInfo storage;
    private final long bytes;
    /** When no copy of the block was pending any more, as far as is known; else 0. */
    private long endedMs;

    private Copy(BlockInfo block, DatanodeStorageInfo storage) {
      this.block = block;
      this.storage = storage;
      this.bytes = block.getNumBytes();
    }
  }

  /** A storage with room for fewer blocks than this is nearly full. */
  private static final int NEARLY_FULL_BLOCKS = 64;

  private final PendingReconstructionBlocks pending;
  private final List<Copy> copies = new LinkedList<>();

  PromisedRoom(PendingReconstructionBlocks pending) {
    this.pending = pending;
  }

  void add(BlockInfo block, DatanodeStorageInfo storage) {
    if (storage.getRemaining() / NEARLY_FULL_BLOCKS < block.getNumBytes()) {
      synchronized (this) {
        copies.add(new Copy(block, storage));
      }
    }
  }

  /** Whether any copies to nearly full storages are pending or have arrived since the last look. */
  synchronized boolean isAny() {
    return !copies.isEmpty();
  }

  /** By storage, the bytes of copies that have arrived, or have failed, since the last heartbeat. */
  synchronized Map<DatanodeStorageInfo, Long> arrivedBytes() {
    Map<DatanodeStorageInfo, Long> bytes = new HashMap<>();
    long nowMs = Time.monotonicNow();
    Iterator<Copy> all = copies.iterator();
    while (all.hasNext()) {
      Copy copy = all.next();
      if (copy.endedMs == 0 && pending.getNumReplicas(copy.block) == 0) {
        copy.endedMs = nowMs;
      }
      DatanodeDescriptor node = copy.storage.getDatanodeDescriptor();
      if (copy.endedMs != 0 && copy.endedMs < node.getLastUpdateMonotonic() || !node.isAlive()) {
        all.remove();
      } else if (copy.endedMs != 0) {
        bytes.merge(copy.storage, copy.bytes, Long::sum);
      }
    }
    return bytes;
  }
}

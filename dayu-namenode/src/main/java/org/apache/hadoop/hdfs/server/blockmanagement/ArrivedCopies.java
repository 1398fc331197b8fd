/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;
import org.apache.hadoop.util.Time;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * The committed copies that have arrived, or failed, since their DataNode's last heartbeat: until the next one HDFS
 * counts their room as free. The planner knows of those that are still pending. Only nodes whose largest volume of the
 * type is nearly full are watched: on others the copies of one heartbeat make no difference. Thread-safe. Bounded by
 * the copies to such nodes that are pending or have arrived since a heartbeat.
 */
final class ArrivedCopies {
  /** A volume with room for less than this, or for fewer blocks, is nearly full. */
  private static final long NEARLY_FULL_BYTES = 4L << 30;
  private static final int NEARLY_FULL_BLOCKS = 64;

  /** A copy that was committed. */
  private static final class Copy {
    private final BlockInfo block;
    private final DatanodeStorageInfo storage;
    private final long bytes;
    /** When it was first seen to be no longer pending; 0 if it may be pending. */
    private long endedMs;

    private Copy(BlockInfo block, DatanodeStorageInfo storage, long bytes) {
      this.block = block;
      this.storage = storage;
      this.bytes = bytes;
    }
  }

  private final PendingReconstructionBlocks pending;
  private final List<Copy> copies = new ArrayList<>();

  ArrivedCopies(PendingReconstructionBlocks pending) {
    this.pending = pending;
  }

  /**
   * Watches a copy that was registered as pending, if its node is nearly full.
   *
   * @param bytes its length: of a group that of the internal block
   */
  void add(BlockInfo block, DatanodeStorageInfo storage, long bytes) {
    long nearlyFullBytes = Math.max(NEARLY_FULL_BYTES, NEARLY_FULL_BLOCKS * bytes);
    if (storage.getRemaining() < nearlyFullBytes
        && maxRoomBytes(storage.getDatanodeDescriptor(), storage.getStorageType()) < nearlyFullBytes) {
      synchronized (this) {
        copies.add(new Copy(block, storage, bytes));
      }
    }
  }

  private static long maxRoomBytes(DatanodeDescriptor node, StorageType type) {
    long maxRoomBytes = 0;
    for (DatanodeStorageInfo storage : node.getStorageInfos()) {
      if (storage.getState() == DatanodeStorage.State.NORMAL && storage.getStorageType() == type) {
        maxRoomBytes = Math.max(maxRoomBytes, storage.getRemaining());
      }
    }
    return maxRoomBytes;
  }

  /** Whether any copy to a nearly full node is pending or has arrived since the last look. */
  synchronized boolean watchesAny() {
    return !copies.isEmpty();
  }

  /**
   * By node and type of storage, the bytes that have arrived since the last heartbeat. HDFS does not say on which
   * volume the DataNode has put a copy.
   */
  synchronized Map<DatanodeDescriptor, long[]> bytesByType() {
    Map<DatanodeDescriptor, long[]> bytes = new HashMap<>();
    long nowMs = Time.monotonicNow();
    Iterator<Copy> all = copies.iterator();
    while (all.hasNext()) {
      Copy copy = all.next();
      if (copy.endedMs == 0 && !isPending(copy)) {
        copy.endedMs = nowMs;
      }
      DatanodeDescriptor node = copy.storage.getDatanodeDescriptor();
      if (copy.endedMs != 0 && copy.endedMs < node.getLastUpdateMonotonic() || !node.isAlive()) {
        all.remove();
      } else if (copy.endedMs != 0) {
        bytes.computeIfAbsent(node, some -> new long[StorageType.values().length])[copy.storage.getStorageType()
            .ordinal()] += copy.bytes;
      }
    }
    return bytes;
  }

  private boolean isPending(Copy copy) {
    List<DatanodeStorageInfo> targets = pending.getTargets(copy.block);
    return targets != null && targets.contains(copy.storage);
  }
}

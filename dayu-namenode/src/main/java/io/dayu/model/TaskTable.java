/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.model;

/**
 * The blocks of a snapshot that need copies ("recovery tasks", ATC'19 §3), one row each. Blocks with a running transfer
 * have a row too. Arrays are shared and not written to after construction.
 *
 * <p>A row is a block that is to be copied, or an erasure-coded group of which an internal block is to be rebuilt. A
 * rebuild reads {@code width} internal blocks, each from a node of its own, and makes another one of the same size.
 *
 * @param sizeBytes size of the block, or of an internal block of the group; at least 0
 * @param risk urgency, 0 first (HDFS: the level of the low-redundancy queue)
 * @param copies copies that may be planned now, beyond those running; 0 for a row that only running transfers refer to.
 *     Of a group: internal blocks
 * @param sources nodes that can serve the block; of a group, one node for each index that can be read, at least
 *     {@code width} if an internal block may be planned
 * @param excludedTargets nodes that must not receive it: they hold a replica, corrupt ones included, are pending
 *     targets, or have been rejected lately
 * @param forbiddenFaultDomains racks and upgrade domains that no copy may go to, as {@link NodeTable} numbers them
 * @param distinctRacks whether the copies planned for the block must all be on different racks
 * @param storageTypes set of storage types that may hold a copy, one bit for each index of {@link NodeTable#roomBytes}
 * @param width how many sources send at once, 1 for a copy; null if all rows are copies
 */
public record TaskTable(long[] sizeBytes, int[] risk, int[] copies, IntRows sources, IntRows excludedTargets,
    IntRows forbiddenFaultDomains, boolean[] distinctRacks, int[] storageTypes, int[] width) {

  /** Largest block, 1 PB. */
  public static final long MAX_SIZE_BYTES = 1L << 50;
  /** Largest sum of the blocks of one snapshot, 1 EB, so that no sum over them overflows. */
  public static final long MAX_TOTAL_BYTES = 1L << 60;
  /** Number of risk levels. */
  public static final int RISK_LEVELS = 8;
  /** Largest width of a row: more than the data units of any erasure coding policy of HDFS. */
  public static final int MAX_WIDTH = 64;

  /** Blocks to be copied. */
  public TaskTable(long[] sizeBytes, int[] risk, int[] copies, IntRows sources, IntRows excludedTargets,
      IntRows forbiddenFaultDomains, boolean[] distinctRacks, int[] storageTypes) {
    this(sizeBytes, risk, copies, sources, excludedTargets, forbiddenFaultDomains, distinctRacks, storageTypes, null);
  }

  public TaskTable {
    int count = sizeBytes.length;
    Preconditions.length("risk", risk.length, count);
    Preconditions.length("copies", copies.length, count);
    Preconditions.length("sources", sources.rows(), count);
    Preconditions.length("excludedTargets", excludedTargets.rows(), count);
    Preconditions.length("forbiddenFaultDomains", forbiddenFaultDomains.rows(), count);
    Preconditions.length("distinctRacks", distinctRacks.length, count);
    Preconditions.length("storageTypes", storageTypes.length, count);
    if (width != null) {
      Preconditions.length("width", width.length, count);
    }
    long totalBytes = 0;
    for (int task = 0; task < count; task++) {
      Preconditions.within("sizeBytes", task, sizeBytes[task], 0, MAX_SIZE_BYTES);
      int sending = 1;
      if (width != null) {
        sending = width[task];
        Preconditions.within("width", task, sending, 1, MAX_WIDTH);
        if (sending > 1 && copies[task] > 0 && sources.end(task) - sources.start(task) < sending) {
          throw new IllegalArgumentException("sources[" + task + "] has " + (sources.end(task) - sources.start(task))
              + " nodes, expected at least width[" + task + "] = " + sending);
        }
      }
      totalBytes += sending * sizeBytes[task];
      if (totalBytes > MAX_TOTAL_BYTES) {
        throw new IllegalArgumentException("sizeBytes[0.." + task + "] sums to " + totalBytes + ", expected at most "
            + MAX_TOTAL_BYTES);
      }
      Preconditions.within("risk", task, risk[task], 0, RISK_LEVELS - 1L);
      Preconditions.within("copies", task, copies[task], 0, Short.MAX_VALUE);
    }
  }

  public int count() {
    return sizeBytes.length;
  }

  /** How many sources send a row at once: 1 for a copy. */
  public int width(int task) {
    return width == null ? 1 : width[task];
  }

  /** Bytes that the target of a row receives: of a group, the internal blocks that it is rebuilt from. */
  public long receivedBytes(int task) {
    return width == null ? sizeBytes[task] : width[task] * sizeBytes[task];
  }
}

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
 * @param sizeBytes size of the block, at least 0
 * @param risk urgency, 0 first (HDFS: the level of the low-redundancy queue)
 * @param copies copies that may be planned now, beyond those running; 0 for a row that only running transfers refer to
 * @param sources nodes that can serve the block
 * @param excludedTargets nodes that must not receive it: they hold a replica, corrupt ones included, are pending
 *     targets, or have been rejected lately
 * @param forbiddenFaultDomains racks and upgrade domains that no copy may go to, as {@link NodeTable} numbers them
 * @param distinctRacks whether the copies planned for the block must all be on different racks
 * @param storageTypes set of storage types that may hold a copy, one bit for each index of {@link NodeTable#roomBytes}
 */
public record TaskTable(long[] sizeBytes, int[] risk, int[] copies, IntRows sources, IntRows excludedTargets,
    IntRows forbiddenFaultDomains, boolean[] distinctRacks, int[] storageTypes) {

  /** Largest block, 1 PB. */
  public static final long MAX_SIZE_BYTES = 1L << 50;
  /** Largest sum of the blocks of one snapshot, 1 EB, so that no sum over them overflows. */
  public static final long MAX_TOTAL_BYTES = 1L << 60;
  /** Number of risk levels. */
  public static final int RISK_LEVELS = 8;

  public TaskTable {
    int count = sizeBytes.length;
    Preconditions.length("risk", risk.length, count);
    Preconditions.length("copies", copies.length, count);
    Preconditions.length("sources", sources.rows(), count);
    Preconditions.length("excludedTargets", excludedTargets.rows(), count);
    Preconditions.length("forbiddenFaultDomains", forbiddenFaultDomains.rows(), count);
    Preconditions.length("distinctRacks", distinctRacks.length, count);
    Preconditions.length("storageTypes", storageTypes.length, count);
    long totalBytes = 0;
    for (int task = 0; task < count; task++) {
      Preconditions.within("sizeBytes", task, sizeBytes[task], 0, MAX_SIZE_BYTES);
      totalBytes += sizeBytes[task];
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
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

import java.util.List;

/**
 * A block or erasure-coded group of the NameNode's low-redundancy queues, with all that planning needs, copied out
 * under the lock. Immutable.
 *
 * @param key block id and generation stamp
 * @param numBytes length; of a group that of the longest internal block that is to be made
 * @param risk level of the low-redundancy queue, 0 = highest
 * @param copies copies that stock HDFS would issue now
 * @param sources UUIDs of DataNodes that can serve it, by BlockManager's own rules
 * @param holders UUIDs of DataNodes that have it in any state or are pending targets
 * @param forbiddenFaultDomains racks, and upgrade domains, that the placement policy would refuse
 * @param distinctRacks whether new copies must all be on different racks
 * @param storageTypes bits by ordinal of {@code StorageType}
 * @param stockReason why this block is left to stock HDFS and never planned; null if it is planned
 * @param group what a group lacks; null for a block. Of what is left to stock HDFS it is known to explanations only
 */
public record WaitingBlock(BlockKey key, long numBytes, int risk, int copies, List<String> sources,
    List<String> holders,
    List<String> forbiddenFaultDomains, boolean distinctRacks, int storageTypes, WaitReason stockReason,
    GroupNeed group) {

  /** A block that is no group, or that is left to stock HDFS. */
  public WaitingBlock(BlockKey key, long numBytes, int risk, int copies, List<String> sources, List<String> holders,
      List<String> forbiddenFaultDomains, boolean distinctRacks, int storageTypes, WaitReason stockReason) {
    this(key, numBytes, risk, copies, sources, holders, forbiddenFaultDomains, distinctRacks, storageTypes, stockReason,
        null);
  }

  /** The same, for other types of storage (bits by ordinal), and no more than this many copies at once. */
  public WaitingBlock onStorageTypes(int types, int copiesAtOnce) {
    return new WaitingBlock(key, numBytes, risk, copiesAtOnce, sources, holders, forbiddenFaultDomains, distinctRacks,
        types, stockReason, group);
  }

  /** The same, one copy at once. */
  public WaitingBlock oneAtOnce() {
    return onStorageTypes(storageTypes, 1);
  }

  /**
   * Whether one replica is left that can be read, or of a group no more internal blocks than one is rebuilt from.
   * HDFS's queue of the highest risk has also blocks that several leaving nodes hold.
   */
  public boolean isAtHighestRisk() {
    boolean isCopyOfGroup = group != null && group.kind() != GroupNeed.Kind.REBUILD;
    return risk == 0 && !isCopyOfGroup && sources.size() <= (group == null ? 1 : group.width());
  }

  /** Whether it is left to stock HDFS and never planned. */
  public boolean isForStock() {
    return stockReason != null;
  }

  /** The same, on any rack, one copy at once. */
  public WaitingBlock withoutForbiddenFaultDomains() {
    return new WaitingBlock(key, numBytes, risk, 1, sources, holders, List.of(), distinctRacks, storageTypes,
        stockReason,
        group);
  }

  /** The same, left to stock HDFS, which goes to any rack. */
  public WaitingBlock leftToStock(WaitReason reason) {
    return new WaitingBlock(key, numBytes, risk, copies, sources, holders, List.of(), false, storageTypes, reason,
        group);
  }

  /** Whether fewer nodes can serve it than are needed at once. */
  public boolean lacksSources() {
    return sources.size() < (group == null ? 1 : group.sourcesAtOnce());
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

import org.apache.hadoop.fs.StorageType;

import java.util.List;

/**
 * Builds the {@link WaitingBlock}s of tests. Unless said otherwise, a block has 100 bytes and one replica, on DataNode
 * {@code a}, and needs one copy on a disk, at risk 2. Not thread-safe.
 */
public final class WaitingBlockBuilder {
  private final BlockKey key;
  private long bytes = 100;
  private int risk = 2;
  private int copies = 1;
  private List<String> sources = List.of("a");
  private List<String> holders = List.of("a");
  private List<String> forbiddenFaultDomains = List.of();
  private boolean distinctRacks;
  private int storageTypes = 1 << StorageType.DISK.ordinal();
  private WaitReason stockReason;
  private GroupNeed group;

  private WaitingBlockBuilder(BlockKey key) {
    this.key = key;
  }

  /** Of the first generation. */
  public static WaitingBlockBuilder waitingBlock(long id) {
    return waitingBlock(new BlockKey(id, 1));
  }

  public static WaitingBlockBuilder waitingBlock(BlockKey key) {
    return new WaitingBlockBuilder(key);
  }

  public WaitingBlockBuilder bytes(long length) {
    bytes = length;
    return this;
  }

  public WaitingBlockBuilder risk(int level) {
    risk = level;
    return this;
  }

  public WaitingBlockBuilder copies(int wanted) {
    copies = wanted;
    return this;
  }

  /** The DataNodes that hold it, all of which can serve it. */
  public WaitingBlockBuilder on(String... nodes) {
    return on(List.of(nodes));
  }

  public WaitingBlockBuilder on(List<String> nodes) {
    sources = nodes;
    holders = nodes;
    return this;
  }

  /** Only these of its holders can serve it. */
  public WaitingBlockBuilder sources(String... nodes) {
    return sources(List.of(nodes));
  }

  public WaitingBlockBuilder sources(List<String> nodes) {
    sources = nodes;
    return this;
  }

  public WaitingBlockBuilder forbiddenFaultDomains(List<String> domains) {
    forbiddenFaultDomains = domains;
    return this;
  }

  public WaitingBlockBuilder distinctRacks() {
    distinctRacks = true;
    return this;
  }

  /** Bits by ordinal of {@link StorageType}. */
  public WaitingBlockBuilder storageTypes(int bits) {
    storageTypes = bits;
    return this;
  }

  public WaitingBlockBuilder forStock(WaitReason reason) {
    stockReason = reason;
    return this;
  }

  /** An erasure-coded group, whose sources are the nodes that it names. */
  public WaitingBlockBuilder group(GroupNeed need) {
    group = need;
    sources = need.sources().stream().map(IndexedNode::node).toList();
    return this;
  }

  public WaitingBlock build() {
    return new WaitingBlock(key, bytes, risk, copies, sources, holders, forbiddenFaultDomains, distinctRacks,
        storageTypes, stockReason, group);
  }
}

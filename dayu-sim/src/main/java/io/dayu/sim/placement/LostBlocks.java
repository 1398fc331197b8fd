/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The blocks that a failed node held and where their other replicas are; among them, or instead of them, the internal
 * blocks that it held of erasure-coded groups, and where the other internal blocks of their groups are. Immutable by
 * convention: the arrays are shared.
 *
 * @param failedNode the node that is gone
 * @param holdersPerBlock other replicas of a block, at most
 * @param holders the nodes that have them, {@code holdersPerBlock} for each block one after another; at least one, then
 *     -1 where a block has fewer
 * @param sizeBytes size of each block
 * @param kinds how many of the holders each block is recovered from at once, and where its copies may go
 */
public record LostBlocks(int failedNode, int holdersPerBlock, int[] holders, long[] sizeBytes, BlockKinds kinds) {
  public LostBlocks {
    if (sizeBytes.length == 0 || holdersPerBlock < 1 || holders.length != sizeBytes.length * holdersPerBlock) {
      throw new IllegalArgumentException(
          holders.length + " holders for " + sizeBytes.length + " blocks of " + holdersPerBlock);
    }
    int max = holdersPerBlock;
    if (kinds.any(kind -> kind.width() > max)) {
      throw new IllegalArgumentException("a block is recovered from more than its " + max + " holders");
    }
  }

  /** Replicas. */
  public LostBlocks(int failedNode, int holdersPerBlock, int[] holders, long[] sizeBytes, RackRule rackRule) {
    this(failedNode, holdersPerBlock, holders, sizeBytes, BlockKinds.all(BlockKind.replica(rackRule)));
  }

  /** These blocks as internal blocks of groups, each recovered from {@code k} others. */
  public LostBlocks asGroups(int k) {
    return new LostBlocks(failedNode, holdersPerBlock, holders, sizeBytes,
        BlockKinds.all(new BlockKind(k, kinds.of(0).rackRule())));
  }

  /** With every replica on a rack of its own. */
  public LostBlocks(int failedNode, int holdersPerBlock, int[] holders, long[] sizeBytes) {
    this(failedNode, holdersPerBlock, holders, sizeBytes, RackRule.ALL_DISTINCT);
  }

  public int count() {
    return sizeBytes.length;
  }

  /** From how many nodes the block is recovered at once. */
  public int width(int block) {
    return kinds.of(block).width();
  }

  /** Whether any block is made from several nodes at once. */
  public boolean hasRebuilds() {
    return kinds.any(BlockKind::isRebuilt);
  }

  /** What the target of the block receives until it has it. */
  public long receivedBytes(int block) {
    return width(block) * sizeBytes[block];
  }

  /** The node that has another replica of the block, or -1 if it has fewer. */
  public int holder(int block, int replica) {
    return holders[block * holdersPerBlock + replica];
  }

  /** How many other replicas the block has. */
  public int holderCount(int block) {
    int count = 0;
    while (count < holdersPerBlock && holder(block, count) >= 0) {
      count++;
    }
    return count;
  }

  /** Some of them. */
  public LostBlocks only(boolean[] kept) {
    int[] blocks = IntStream.range(0, count()).filter(block -> kept[block]).toArray();
    int[] keptHolders = new int[blocks.length * holdersPerBlock];
    BlockKinds.Builder keptKinds = new BlockKinds.Builder();
    for (int i = 0; i < blocks.length; i++) {
      keptKinds.add(kinds.of(blocks[i]));
      System.arraycopy(holders, blocks[i] * holdersPerBlock, keptHolders, i * holdersPerBlock, holdersPerBlock);
    }
    return new LostBlocks(failedNode, holdersPerBlock, keptHolders,
        Arrays.stream(blocks).mapToLong(block -> sizeBytes[block]).toArray(), keptKinds.build());
  }

  /** What targets receive until all blocks are recovered. */
  public long movedBytes() {
    long total = 0;
    for (int block = 0; block < sizeBytes.length; block++) {
      total += receivedBytes(block);
    }
    return total;
  }

  /** SC of ATC'19 §2.2: by node, the bytes that it has in common with the failed one. */
  public long[] commonBytes(int nodes) {
    long[] common = new long[nodes];
    for (int i = 0; i < holders.length; i++) {
      if (holders[i] >= 0) {
        common[holders[i]] += sizeBytes[i / holdersPerBlock];
      }
    }
    return common;
  }
}

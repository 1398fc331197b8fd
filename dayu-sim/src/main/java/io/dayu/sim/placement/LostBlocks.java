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
 * The blocks that a failed node held and where their other replicas are; or the internal blocks that it held of
 * erasure-coded groups, and where the other internal blocks of their groups are. Immutable by convention: the arrays
 * are shared.
 *
 * @param failedNode the node that is gone
 * @param holdersPerBlock other replicas of a block, at most
 * @param holders the nodes that have them, {@code holdersPerBlock} for each block one after another; at least one, then
 *     -1 where a block has fewer
 * @param sizeBytes size of each block
 * @param rackRule where the copies may go
 * @param width how many of the holders a block is recovered from at once: 1 for replicas, k for groups
 */
public record LostBlocks(int failedNode, int holdersPerBlock, int[] holders, long[] sizeBytes, RackRule rackRule,
    int width) {
  public LostBlocks {
    if (sizeBytes.length == 0 || holdersPerBlock < 1 || holders.length != sizeBytes.length * holdersPerBlock) {
      throw new IllegalArgumentException(
          holders.length + " holders for " + sizeBytes.length + " blocks of " + holdersPerBlock);
    }
    if (width < 1 || width > holdersPerBlock) {
      throw new IllegalArgumentException("width = " + width + ", expected 1 to " + holdersPerBlock + " holders");
    }
  }

  /** Replicas. */
  public LostBlocks(int failedNode, int holdersPerBlock, int[] holders, long[] sizeBytes, RackRule rackRule) {
    this(failedNode, holdersPerBlock, holders, sizeBytes, rackRule, 1);
  }

  /** These blocks as internal blocks of groups, each recovered from {@code k} others. */
  public LostBlocks asGroups(int k) {
    return new LostBlocks(failedNode, holdersPerBlock, holders, sizeBytes, rackRule, k);
  }

  /** With every replica on a rack of its own. */
  public LostBlocks(int failedNode, int holdersPerBlock, int[] holders, long[] sizeBytes) {
    this(failedNode, holdersPerBlock, holders, sizeBytes, RackRule.ALL_DISTINCT);
  }

  public int count() {
    return sizeBytes.length;
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
    for (int i = 0; i < blocks.length; i++) {
      System.arraycopy(holders, blocks[i] * holdersPerBlock, keptHolders, i * holdersPerBlock, holdersPerBlock);
    }
    return new LostBlocks(failedNode, holdersPerBlock, keptHolders,
        Arrays.stream(blocks).mapToLong(block -> sizeBytes[block]).toArray(), rackRule,
        width);
  }

  /** What targets receive until all blocks are recovered. */
  public long movedBytes() {
    return width * totalBytes();
  }

  /** What is lost. */
  public long totalBytes() {
    long total = 0;
    for (long size : sizeBytes) {
      total += size;
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

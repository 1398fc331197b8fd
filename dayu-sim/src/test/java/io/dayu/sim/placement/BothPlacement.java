/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import java.util.Arrays;

/** As many blocks of the one placement as groups of the other on each node, in turn. Immutable and thread-safe. */
public record BothPlacement(Placement blocks, Placement groups) implements Placement {

  @Override
  public int[] candidates() {
    return blocks.candidates();
  }

  @Override
  public String nodeName(int node) {
    return blocks.nodeName(node);
  }

  @Override
  public LostBlocks lose(int failedNode, int chunks, long chunkBytes, long seed) {
    LostBlocks[] of = {blocks.lose(failedNode, chunks / 2, chunkBytes, seed),
        groups.lose(failedNode, chunks / 2, chunkBytes, seed)};
    int maxHolders = Math.max(of[0].holdersPerBlock(), of[1].holdersPerBlock());
    int count = 2 * Math.min(of[0].count(), of[1].count());
    int[] holders = new int[count * maxHolders];
    Arrays.fill(holders, -1);
    long[] sizes = new long[count];
    BlockKinds.Builder kinds = new BlockKinds.Builder();
    for (int block = 0; block < count; block++) {
      LostBlocks from = of[block % 2];
      for (int i = 0; i < from.holderCount(block / 2); i++) {
        holders[block * maxHolders + i] = from.holder(block / 2, i);
      }
      sizes[block] = from.sizeBytes()[block / 2];
      kinds.add(from.kinds().of(block / 2));
    }
    return new LostBlocks(failedNode, maxHolders, holders, sizes, kinds.build());
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import io.dayu.model.IntRows;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Where the replicas of a real cluster lie, by a listing of its blocks. Immutable and thread-safe.
 *
 * <p>Of the blocks of a failed node those are recovered that HDFS would recover: they then have fewer live replicas
 * than wanted, and another node has one that can serve. Each gets one copy. Of groups, k other nodes must have an
 * internal block that can serve.
 */
public final class ListedPlacement implements Placement {
  private final FsckListing listing;
  private final int onlyNode;
  private final int[] blocksOn;
  private final long[] bytesOn;

  /** @param onlyNode the only node that can be lost, or -1 for any */
  public ListedPlacement(FsckListing listing, int onlyNode) {
    this.listing = listing;
    this.onlyNode = onlyNode;
    blocksOn = new int[listing.nodes().size()];
    bytesOn = new long[blocksOn.length];
    for (int block = 0; block < listing.sizeBytes().length; block++) {
      for (int i = listing.holders().start(block); i < listing.holders().end(block); i++) {
        int holder = listing.holders().values()[i];
        if (listing.isLive()[i] && fate(block, holder) == Fate.RECOVERED) {
          blocksOn[holder]++;
          bytesOn[holder] += listing.sizeBytes()[block];
        }
      }
    }
  }

  private enum Fate {
    ELSEWHERE, RECOVERED, ENOUGH_REPLICAS, NO_OTHER_REPLICA
  }

  private Fate fate(int block, int failedNode) {
    IntRows holders = listing.holders();
    Fate fate = Fate.ELSEWHERE;
    for (int i = holders.start(block); i < holders.end(block); i++) {
      if (holders.values()[i] == failedNode && listing.isLive()[i]) {
        return listing.replicaSurplus()[block] > 0 ? Fate.ENOUGH_REPLICAS
            : holders.end(block) - holders.start(block) <= listing.kinds().of(block).width() ? Fate.NO_OTHER_REPLICA
            : Fate.RECOVERED;
      } else if (holders.values()[i] == failedNode) {
        fate = Fate.ENOUGH_REPLICAS;
      }
    }
    return fate;
  }

  /**
   * What the loss of a node means beside the blocks that are recovered.
   *
   * @param enoughReplicas blocks that still have as many live replicas as wanted, or of which this node's did not count
   * @param noOtherReplica blocks that are lost for good
   * @param striped block groups of erasure-coded files that lack a part; not simulated, unless they were asked for
   */
  public record Rest(int enoughReplicas, int noOtherReplica, int striped) {
  }

  /** What is not recovered of a node. */
  public Rest rest(int failedNode) {
    int enough = 0;
    int none = 0;
    for (int block = 0; block < listing.sizeBytes().length; block++) {
      Fate fate = fate(block, failedNode);
      enough += fate == Fate.ENOUGH_REPLICAS ? 1 : 0;
      none += fate == Fate.NO_OTHER_REPLICA ? 1 : 0;
    }
    return new Rest(enough, none, listing.stripedOn()[failedNode]);
  }

  /** Blocks to be recovered if the node is lost; of groups, internal blocks. */
  public int blocksOn(int node) {
    return blocksOn[node];
  }

  public long bytesOn(int node) {
    return bytesOn[node];
  }

  @Override
  public int[] candidates() {
    return IntStream.range(0, blocksOn.length).filter(node -> blocksOn[node] > 0 && (onlyNode < 0 || node == onlyNode))
        .toArray();
  }

  @Override
  public String nodeName(int node) {
    return listing.nodes().get(node);
  }

  @Override
  public LostBlocks lose(int failedNode, int chunks, long chunkBytes, long seed) {
    int count = blocksOn[failedNode];
    int[] blocks = new int[count];
    int found = 0;
    int maxHolders = 0;
    IntRows rows = listing.holders();
    for (int block = 0; block < listing.sizeBytes().length; block++) {
      if (fate(block, failedNode) == Fate.RECOVERED) {
        blocks[found++] = block;
        maxHolders = Math.max(maxHolders, rows.end(block) - rows.start(block) - 1);
      }
    }
    long[] sizes = new long[count];
    int[] holders = new int[count * maxHolders];
    Arrays.fill(holders, -1);
    BlockKinds.Builder kinds = new BlockKinds.Builder();
    for (int i = 0; i < count; i++) {
      kinds.add(listing.kinds().of(blocks[i]));
      sizes[i] = listing.sizeBytes()[blocks[i]];
      int at = i * maxHolders;
      for (int j = rows.start(blocks[i]); j < rows.end(blocks[i]); j++) {
        int holder = rows.values()[j];
        if (holder != failedNode) {
          holders[at++] = holder;
        }
      }
    }
    return new LostBlocks(failedNode, maxHolders, holders, sizes, kinds.build());
  }
}

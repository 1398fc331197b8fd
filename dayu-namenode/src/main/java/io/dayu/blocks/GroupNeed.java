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
 * What an erasure-coded group lacks, beside what {@link WaitingBlock} says. The key of that is the group's; its length
 * is that of the longest wanted internal block, and its sources are the nodes of the sources here, in this order.
 * Immutable.
 *
 * @param policy the erasure coding policy
 * @param groupBytes length of the group's data, without parity
 * @param width from how many internal blocks one is rebuilt: the group's real data units, which are fewer than the
 *     policy's in a group shorter than a stripe
 * @param kind what is to be done
 * @param wanted the internal blocks that may be made next, by need; {@link WaitingBlock#copies} says how many of them
 *     at once. Of a {@link Kind#PLACEMENT} one for each source: the source that is chosen decides
 * @param sources of a {@link Kind#REBUILD} one node for each index that can be read; else the nodes whose internal
 *     blocks are to be copied
 * @param others of {@link Kind#LEAVING} one node for each other index that can be read: with {@code width} of them the
 *     internal block can be rebuilt instead of copied; else empty
 */
public record GroupNeed(GroupPolicy policy, long groupBytes, int width, Kind kind, List<InternalBlock> wanted,
    List<IndexedNode> sources, List<IndexedNode> others) {
  /** What is to be done for a group. */
  public enum Kind {
    /** Internal blocks are lost: each is made from {@code width} others. */
    REBUILD,
    /** An internal block is on leaving nodes only: it is copied from one of them, or made from the others. */
    LEAVING,
    /** All are there, on too few racks: one is copied from the fullest racks. */
    PLACEMENT
  }

  /** How many sources have to be there at once. */
  public int sourcesAtOnce() {
    return kind == Kind.REBUILD ? width : 1;
  }

  /** How many internal blocks can be read, where some are lost or leaving. */
  public int readable() {
    return kind == Kind.LEAVING ? others.size() + 1 : sources.size();
  }

  /** Whether an internal block that is to be copied can be rebuilt instead. */
  public boolean canRebuildInstead() {
    return kind == Kind.LEAVING && others.size() >= width;
  }
}

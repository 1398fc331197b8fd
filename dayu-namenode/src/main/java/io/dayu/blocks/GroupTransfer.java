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
 * What a transfer of an erasure-coded group makes, and from what. Immutable.
 *
 * @param policy the erasure coding policy; null in a copy that was adopted
 * @param groupBytes length of the group's data, without parity; 0 in a copy that was adopted
 * @param longestBytes length that the plan looked for room for: that of the longest internal block which the group
 *     lacks; 0 in a transfer that was adopted
 * @param index of the internal block that the target is to have
 * @param sources the nodes that are read, with what they have: for a rebuild as many as the group has real data units,
 *     each with another index; for a copy one, with this index
 */
public record GroupTransfer(GroupPolicy policy, long groupBytes, long longestBytes, int index,
    List<IndexedNode> sources) {
  /** The lowest bits of an internal block's id are its index. */
  private static final int INDEX_BITS = 4;

  /** Of a transfer that no plan here has chosen. */
  public GroupTransfer(GroupPolicy policy, long groupBytes, int index, List<IndexedNode> sources) {
    this(policy, groupBytes, 0, index, sources);
  }

  /** Whether the internal block is made from others, not copied. */
  public boolean rebuild() {
    return sources.stream().noneMatch(source -> source.index() == index);
  }

  /** The same, from other sources. */
  public GroupTransfer from(List<IndexedNode> others) {
    return new GroupTransfer(policy, groupBytes, longestBytes, index, others);
  }

  /** Id of the group that an internal block belongs to. */
  public static long groupId(long internalBlockId) {
    return internalBlockId >> INDEX_BITS << INDEX_BITS;
  }

  /** Index of an internal block. */
  public static int indexOf(long internalBlockId) {
    return (int) (internalBlockId & ((1 << INDEX_BITS) - 1));
  }

  /** Id of an internal block of a group. */
  public static long internalBlockId(long groupId, int index) {
    return groupId + index;
  }
}

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
 * What an erasure-coded group lacks, beside what {@link NeededBlock} says. There the size is that of an internal block,
 * and the key is the group's. Immutable.
 *
 * @param policy the erasure coding policy
 * @param groupBytes length of the group's data, without parity
 * @param width how many internal blocks one is rebuilt from: the group's real data units, fewer than the policy's in a
 *     group shorter than a stripe; 1 if the internal block is copied
 * @param wanted indices of the internal blocks that are to be made, in order. Of a copy the index of each source says
 *     which one is made, and this is empty if any will do
 * @param sources for a rebuild one node for each index that can be read; for a copy the nodes that have the index. In
 *     the order of {@link NeededBlock#sources}
 */
public record GroupNeed(GroupPolicy policy, long groupBytes, int width, List<Integer> wanted,
    List<IndexedNode> sources) {

  /** Whether internal blocks are made from others, not copied. */
  public boolean rebuild() {
    return width > 1 || !wanted.isEmpty() && sources.stream().noneMatch(source -> wanted.contains(source.index()));
  }
}

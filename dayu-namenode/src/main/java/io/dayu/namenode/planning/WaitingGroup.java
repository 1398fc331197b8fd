/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.GroupNeed;
import io.dayu.blocks.GroupPolicy;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.InternalBlock;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;

/**
 * A {@link GroupNeed} as {@link NamedWaitingBlocks} keeps it, with nodes as numbers: many groups may wait. Immutable.
 *
 * @param sourceIndices what each of the block's sources has, in their order
 * @param otherNodes numbers of the nodes that an internal block on leaving nodes can be rebuilt from
 * @param otherIndices what each of these has
 */
record WaitingGroup(GroupPolicy policy, long groupBytes, int width, GroupNeed.Kind kind, List<InternalBlock> wanted,
    byte[] sourceIndices, int[] otherNodes, byte[] otherIndices) {

  static WaitingGroup of(GroupNeed need, ToIntFunction<String> idOf) {
    return new WaitingGroup(need.policy(), need.groupBytes(), need.width(), need.kind(), need.wanted(),
        indices(need.sources()), need.others().stream().map(IndexedNode::node).mapToInt(idOf).toArray(),
        indices(need.others()));
  }

  private static byte[] indices(List<IndexedNode> nodes) {
    byte[] indices = new byte[nodes.size()];
    for (int i = 0; i < indices.length; i++) {
      indices[i] = (byte) nodes.get(i).index();
    }
    return indices;
  }

  /** @param sources the block's sources, by name */
  GroupNeed need(List<String> sources, IntFunction<String> nameOf) {
    List<IndexedNode> indexed = new ArrayList<>(sources.size());
    for (int i = 0; i < sources.size(); i++) {
      indexed.add(new IndexedNode(sources.get(i), sourceIndices[i]));
    }
    List<IndexedNode> others = new ArrayList<>(otherNodes.length);
    for (int i = 0; i < otherNodes.length; i++) {
      others.add(new IndexedNode(nameOf.apply(otherNodes[i]), otherIndices[i]));
    }
    return new GroupNeed(policy, groupBytes, width, kind, wanted, indexed, others);
  }

  /** Whether targets make the internal blocks from others. */
  boolean rebuilds() {
    return kind == GroupNeed.Kind.REBUILD;
  }

  /** Whether an internal block that is to be copied can be rebuilt instead. */
  boolean canRebuildInstead() {
    return kind == GroupNeed.Kind.LEAVING && width > 1 && otherNodes.length >= width;
  }
}

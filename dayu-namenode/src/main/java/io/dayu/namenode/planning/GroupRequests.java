/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.GroupNeed;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.InternalBlock;
import io.dayu.blocks.WaitingBlock;

import java.util.List;

/** Says which internal block a planned transfer of a group makes. No state. */
final class GroupRequests {
  private GroupRequests() {
  }

  /**
   * What a transfer makes, and from what.
   *
   * @param block a group
   * @param sources UUIDs of the nodes that it reads
   * @param before how many transfers the same plan has for the group already
   */
  static GroupTransfer of(WaitingBlock block, List<String> sources, int before) {
    GroupNeed need = block.group();
    boolean instead = need.kind() == GroupNeed.Kind.LEAVING && sources.size() > 1;
    List<IndexedNode> known = instead ? need.others() : need.sources();
    List<IndexedNode> indexed = sources.stream().map(node -> on(known, node)).toList();
    int index = need.kind() == GroupNeed.Kind.PLACEMENT ? indexed.get(0).index() : need.wanted().get(before).index();
    return new GroupTransfer(need.policy(), need.groupBytes(), block.numBytes(), index, indexed);
  }

  private static IndexedNode on(List<IndexedNode> nodes, String uuid) {
    return nodes.stream().filter(one -> one.node().equals(uuid)).findFirst()
        .orElseThrow(() -> new IllegalStateException("DataNode " + uuid + " is no source of the group"));
  }

  /** Length of an internal block of the group. */
  static long bytes(GroupNeed need, int index) {
    return need.wanted().stream().filter(wanted -> wanted.index() == index).mapToLong(InternalBlock::bytes).findFirst()
        .orElseGet(() -> need.policy().internalBytes(need.groupBytes(), index));
  }
}

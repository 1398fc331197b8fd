/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.GroupNeed;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import io.dayu.namenode.exchange.SourceAddress;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The nodes that could send what the target of an {@link Attempt} lacks, as far as is known, and which of them have
 * failed or were slow for it. The block map says which nodes these are; a transfer that is adopted has its own sources
 * only, until it has been compared with the block map. Nodes are UUIDs. Owned by the attempt; not thread-safe.
 */
final class CandidateSources {
  private final Set<String> failed = new HashSet<>(0);
  /** Those that were given up because they are slow. They are used again if too few others are left. */
  private final Set<String> slow = new HashSet<>(0);
  private List<String> nodes;
  /** Of a group: the same nodes in the same order, with what they have. */
  private List<IndexedNode> indexed;
  private boolean known;

  /** @param block what the transfer was planned for; null if it is adopted */
  CandidateSources(TransferRequest request, WaitingBlock block) {
    indexed = candidates(request.group(), block);
    nodes = request.group() != null ? names(indexed) : block == null ? List.of(request.source()) : block.sources();
    known = block != null;
  }

  /** The nodes that may be read, as far as they are known; empty for a block that is no group. */
  private static List<IndexedNode> candidates(GroupTransfer group, WaitingBlock block) {
    if (group == null) {
      return List.of();
    }
    if (block == null || block.group() == null) {
      return group.sources();
    }
    if (group.rebuild()) {
      return block.group().kind() == GroupNeed.Kind.LEAVING ? block.group().others() : block.group().sources();
    }
    return block.group().sources().stream().filter(one -> one.index() == group.index()).toList();
  }

  private static List<String> names(List<IndexedNode> nodes) {
    return nodes.stream().map(IndexedNode::node).toList();
  }

  /** Whether they are all that the block map had when it was last asked, not only what an agent reported. */
  boolean areKnown() {
    return known;
  }

  List<String> all() {
    return nodes;
  }

  /** All without those that failed, and without slow ones unless fewer than {@code width} others are left. */
  List<String> usable(int width) {
    if (failed.isEmpty() && slow.isEmpty()) {
      return nodes;
    }
    List<String> working = nodes.stream().filter(node -> !failed.contains(node)).toList();
    List<String> fast = working.stream().filter(node -> !slow.contains(node)).toList();
    return fast.size() < width ? working : fast;
  }

  /** Index of the internal block of a group that a node has; below 0 if that is not known, or for a block. */
  int indexOn(String node) {
    for (IndexedNode candidate : indexed) {
      if (candidate.node().equals(node)) {
        return candidate.index();
      }
    }
    return SourceAddress.NO_INDEX;
  }

  /**
   * Takes the nodes that the block map has now.
   *
   * @param indexedNodes of a group the same nodes, with what they have; else empty
   */
  void replace(List<String> newNodes, List<IndexedNode> indexedNodes) {
    nodes = newNodes;
    indexed = indexedNodes;
    known = true;
  }

  void markFailed(String node) {
    failed.add(node);
  }

  void markSlow(String node) {
    slow.add(node);
  }

  /** A node that failed delivers again. */
  void unmarkFailed(String node) {
    failed.remove(node);
  }
}

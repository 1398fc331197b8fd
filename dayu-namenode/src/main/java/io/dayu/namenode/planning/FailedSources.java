/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.LiveNode;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.TransferSource;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Bounds the transfers from failed sources: nodes from which transfers have failed, and from which no transfer receives
 * anything now. HDFS knows minutes later that a node is dead. Until then it is the only source of many blocks, and its
 * bandwidth seems to be free, since all transfers from there wait for another source. Immutable.
 */
final class FailedSources {
  /**
   * Transfers from a failed source at once, those that have lost it and try it again included. Few, since all they
   * can find is whether it is dead; more than one, since one may also fail by its block or its target.
   */
  static final int MAX_TRANSFERS = 4;

  /** By node, how many transfers have lost it as their source. */
  private final Map<String, Integer> lost = new HashMap<>();
  /** Of the nodes from which transfers have failed, those from which one receives something. */
  private final Set<String> delivering = new HashSet<>();

  /** @param running the transfers under way */
  FailedSources(List<LiveNode> nodes, List<Attempt> running) {
    Set<String> failed = new HashSet<>();
    nodes.stream().filter(node -> node.status().sourceFailed()).forEach(node -> failed.add(node.uuid()));
    for (Attempt attempt : running) {
      for (TransferSource source : attempt.sources()) {
        if (source.isLost()) {
          lost.merge(source.node(), 1, Integer::sum);
          failed.add(source.node());
        }
      }
    }
    if (!failed.isEmpty()) {
      findDelivering(failed, running);
    }
  }

  private void findDelivering(Set<String> failed, List<Attempt> running) {
    for (Attempt attempt : running) {
      if (attempt.achievedBytesPerSec() > 0) {
        for (TransferSource source : attempt.sources()) {
          if (!source.isLost() && failed.contains(source.node())) {
            delivering.add(source.node());
          }
        }
      }
    }
  }

  /** How many transfers a plan may have the node send, of {@code streams} that its volumes can. */
  int maxOutgoing(LiveNode node, int streams) {
    int waiting = lost.getOrDefault(node.uuid(), 0);
    boolean failed = (waiting > 0 || node.status().sourceFailed()) && !delivering.contains(node.uuid());
    return failed ? Math.min(streams, Math.max(0, MAX_TRANSFERS - waiting)) : streams;
  }
}

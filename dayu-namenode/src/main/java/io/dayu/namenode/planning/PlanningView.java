/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.LiveNode;
import io.dayu.blocks.WaitingBlock;
import io.dayu.model.ClusterSnapshot;
import io.dayu.namenode.transfers.Attempt;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One timeslot's snapshot together with what its rows stand for, so that the plan can be translated back.
 * {@link PlanningViewBuilder} makes it.
 *
 * @param nodes the rows of the node table
 * @param waiting the blocks of the task table, row by row; the rows of running attempts follow
 * @param unplaceable waiting blocks that no agent can receive: for stock
 * @param leaving rows of groups of which an internal block on leaving nodes is to be copied, and can be rebuilt instead
 * @param rebuilding which of the nodes can rebuild
 * @param running the rows of the running table
 */
public record PlanningView(List<LiveNode> nodes, List<WaitingBlock> waiting, List<WaitingBlock> unplaceable,
    int[] leaving, RebuildingNodes rebuilding, List<Attempt> running, ClusterSnapshot snapshot) {

  /** The same, by another snapshot. */
  public PlanningView with(ClusterSnapshot other) {
    return new PlanningView(nodes, waiting, unplaceable, leaving, rebuilding, running, other);
  }

  /** Whether a running attempt's target is among the live nodes, so that the attempt can be planned with. */
  public static List<Attempt> plannable(Collection<Attempt> attempts, List<LiveNode> nodes) {
    Set<String> live = nodes.stream().map(LiveNode::uuid).collect(Collectors.toSet());
    return attempts.stream().filter(a -> a.live() && live.contains(a.target())).toList();
  }
}

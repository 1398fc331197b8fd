/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.CommitResult;
import io.dayu.blocks.CommitResult.Verdict;
import io.dayu.blocks.GroupPolicy;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.PendingCheck.State;
import io.dayu.blocks.TransferRequest;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Checks transfers of erasure-coded groups against the block map, each exact to the index. No state. Every method needs
 * the namesystem lock for reading, and changes nothing.
 */
final class GroupChecks {
  private final BlockManager blocks;
  private final GroupReading reading;

  GroupChecks(BlockManager blocks, GroupReading reading) {
    this.blocks = blocks;
    this.reading = reading;
  }

  /**
   * Why a transfer must not be registered; null if it may, as far as the group, the sources and the holders are
   * concerned.
   *
   * @param choosing whether the transfer was planned; else an agent is making it already
   */
  CommitResult refusal(TransferRequest request, GroupReplicas replicas, boolean choosing) {
    GroupTransfer transfer = request.group();
    if (!isOfThisGroup(request, replicas, choosing)) {
      return CommitResult.rejected(Verdict.CHANGED, "the group is not complete, or has another length or policy");
    }
    int index = transfer.index();
    if (replicas.isUnderWay(index)) {
      return CommitResult.rejected(Verdict.NOT_NEEDED, "another transfer makes index " + index);
    }
    if (replicas.awaitsStock()) {
      return CommitResult.rejected(Verdict.NOT_NEEDED, "stock HDFS has an internal block of it pending");
    }
    boolean live = replicas.state(index) == GroupReplicas.State.LIVE;
    boolean needed = live ? !transfer.rebuild() && replicas.isBadlyPlaced() : replicas.needed() > 0;
    if (!needed) {
      return CommitResult.rejected(Verdict.NOT_NEEDED,
          live ? "index " + index + " is in service" : "enough internal blocks are there or pending");
    }
    String unfit = unfitSources(transfer, replicas, choosing);
    if (unfit != null) {
      return CommitResult.rejected(Verdict.CHANGED, unfit);
    }
    DatanodeDescriptor node = blocks.getDatanodeManager().getDatanode(request.target());
    if (node == null || !node.isAlive()
        || (choosing ? reading.untouchable(replicas) : replicas.holders()).contains(request.target())) {
      return CommitResult.rejected(Verdict.TARGET_REFUSED,
          "the target is dead, or has or awaits an internal block of the group");
    }
    if (choosing && replicas.awaitsDeletionOn(node)) {
      return CommitResult.rejected(Verdict.TARGET_DELETES,
          "the target is to delete an internal block of the group first");
    }
    return null;
  }

  private boolean isOfThisGroup(TransferRequest request, GroupReplicas replicas, boolean choosing) {
    GroupTransfer transfer = request.group();
    GroupPolicy policy = transfer.policy();
    // The copy that is adopted does not say what its agent need not know. Agents do not know the policy's name.
    boolean mayBeUnknown = !choosing && !transfer.rebuild();
    GroupPolicy stored = reading.policy(replicas.group());
    boolean samePolicy = policy == null ? mayBeUnknown
        : policy.codec().equals(stored.codec()) && policy.dataUnits() == stored.dataUnits()
            && policy.parityUnits() == stored.parityUnits() && policy.cellBytes() == stored.cellBytes();
    boolean sameLength = transfer.groupBytes() == replicas.group().getNumBytes()
        || mayBeUnknown && transfer.groupBytes() == 0;
    return replicas.group().isComplete() && samePolicy && sameLength && replicas.isReal(transfer.index())
        && request.numBytes() == replicas.bytes(transfer.index());
  }

  /** What is wrong with the sources, or null. */
  private static String unfitSources(GroupTransfer transfer, GroupReplicas replicas, boolean choosing) {
    List<IndexedNode> sources = transfer.sources();
    Set<Integer> indices = new HashSet<>();
    for (IndexedNode source : sources) {
      if (!replicas.isReal(source.index()) || !indices.add(source.index())) {
        return "two sources have index " + source.index() + ", or the group has no such index";
      }
      if (!(choosing ? replicas.canServe(source) : replicas.has(source))) {
        return "the source " + source.node() + " cannot serve index " + source.index();
      }
    }
    int wanted = transfer.rebuild() ? replicas.width() : 1;
    return sources.size() == wanted ? null : sources.size() + " sources instead of " + wanted;
  }

  /**
   * Why the placement policy of groups does not want an internal block on this node, together with those in service and
   * pending ones; null if it does. One more cannot make placement worse, so only a copy for the sake of placement has
   * to make it better. Which racks count as having no room follows from the length that the plan looked for room for:
   * a shorter internal block has room where the others have none.
   */
  String policyRefusal(TransferRequest request, GroupReplicas replicas, DatanodeDescriptor node,
      DatanodeStorageInfo storage) {
    if (replicas.state(request.group().index()) == GroupReplicas.State.LIVE) {
      BlockPlacementStatus after =
          blocks.getBlockPlacementStatus(replicas.group(), new DatanodeStorageInfo[] {storage});
      if (!after.isPlacementPolicySatisfied() && after.getAdditionalReplicasRequired() >= blocks
          .getBlockPlacementStatus(replicas.group()).getAdditionalReplicasRequired()) {
        return after.getErrorDescription();
      }
    }
    long bytes = Math.max(request.numBytes(), request.group().longestBytes());
    GroupRacks racks = reading.racks(replicas, 1, bytes, storage.getStorageType(), reading.untouchable(replicas));
    if (racks.forbidden().contains(RackRules.rackOf(blocks, node))) {
      return "other racks have fewer internal blocks of the group";
    }
    boolean refused = blocks.getStriptedBlockPlacementPolicy() instanceof BlockPlacementPolicyDefault policy
        && !policy.isGoodDatanode(node, Integer.MAX_VALUE, false, replicas.chosen(), true);
    return refused ? "the placement policy of groups refuses the target: not in service, stale or slow" : null;
  }

  /**
   * How a transfer under way stands.
   *
   * @param isPending whether the target has a pending entry
   */
  PendingCheck check(TransferRequest request, GroupReplicas replicas, boolean isPending) {
    GroupTransfer transfer = request.group();
    int index = transfer.index();
    if (!replicas.isReal(index)) {
      return PendingCheck.ofGroup(State.UNWANTED, List.of());
    }
    if (replicas.has(new IndexedNode(request.target(), index))) {
      return PendingCheck.ofGroup(State.COMPLETE, List.of());
    }
    boolean live = replicas.state(index) == GroupReplicas.State.LIVE;
    boolean forPlacement = live && !transfer.rebuild() && replicas.areLiveAsExpected()
        && !blocks.getBlockPlacementStatus(replicas.group()).isPlacementPolicySatisfied();
    if (!isPending || replicas.hasAnother(request.target(), index) || live && !forPlacement
        || blocks.hasEnoughEffectiveReplicas(replicas.group(), blocks.countNodes(replicas.group()), 0)) {
      return PendingCheck.ofGroup(State.UNWANTED, List.of());
    }
    return PendingCheck.ofGroup(State.WANTED,
        transfer.rebuild() ? replicas.sourcesWithout(index) : replicas.copySources(index));
  }
}

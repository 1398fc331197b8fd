/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.blocks.CommitResult;
import io.dayu.blocks.CommitResult.Verdict;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.PendingCheck.State;
import io.dayu.blocks.TransferRequest;
import org.apache.hadoop.fs.StorageType;

import java.util.List;
import java.util.function.Predicate;

/** Whether a modelled NameNode registers a copy that Dayu wants, and still wants it later. Not thread-safe. */
final class ModelCommits {
  private static final StorageType[] TYPES = StorageType.values();

  private final ModelBlockMap map;
  private final ModelGroupManagement groups;
  private final Predicate<ModelNode> isTarget;

  ModelCommits(ModelBlockMap map, ModelGroupManagement groups, Predicate<ModelNode> isTarget) {
    this.map = map;
    this.groups = groups;
    this.isTarget = isTarget;
  }

  /** What the storage policy wants for it. */
  StorageType storageType(TransferRequest request) {
    ModelBlock block = map.blocks.get(request.block().blockId());
    return block == null ? ModelGroup.STORAGE_TYPE : block.storageType;
  }

  /** @param choosing whether Dayu has just planned it; else it adopts a copy that is under way */
  CommitResult commit(TransferRequest request, boolean choosing) {
    if (ModelGroup.isOfGroup(request.block().blockId())) {
      return groups.commit(request, choosing);
    }
    ModelBlock block = map.stored(request.block());
    if (!map.active || block == null || !choosing && block.numBytes != request.numBytes()) {
      return CommitResult.rejected(Verdict.CHANGED, "the block was deleted or reopened");
    }
    List<String> pending = map.pendingTargets(block);
    StorageType type = TYPES[Integer.numberOfTrailingZeros(request.storageTypes())];
    if (!choosing && pending.contains(request.target())) {
      return CommitResult.committed(ModelNode.storageId(request.target(), type), type.name());
    }
    if (map.hasEnough(block, pending.size())) {
      map.needed.remove(block.id);
      return CommitResult.rejected(Verdict.NOT_NEEDED, "it has enough replicas");
    }
    if (map.copiesToIssue(block, pending.size()) <= 0) {
      return CommitResult.rejected(Verdict.NOT_NEEDED, "enough copies are pending");
    }
    boolean holds = block.replicas.contains(request.source()) || block.outdated.contains(request.source());
    if (choosing ? !map.sources(block).contains(request.source()) : !holds) {
      return CommitResult.rejected(Verdict.CHANGED, "the source cannot serve it");
    }
    ModelNode node = map.nodes.get(request.target());
    if (node == null || !node.alive || block.replicas.contains(node.uuid) || block.outdated.contains(node.uuid)
        || pending.contains(node.uuid)) {
      return CommitResult.rejected(Verdict.TARGET_REFUSED, "the target is dead, or has or awaits a replica");
    }
    if (!node.hasRoom(type, block.numBytes)) {
      return CommitResult.rejected(Verdict.TARGET_FULL, "the target has no room");
    }
    if (choosing && (!isTarget.test(node) || map.placement.refusesRack(block, node, isTarget))) {
      return CommitResult.rejected(Verdict.TARGET_MISPLACED, "the placement policy refuses the target");
    }
    map.register(block, node, choosing ? "Dayu" : "adoption");
    return CommitResult.committed(ModelNode.storageId(node.uuid, type), type.name());
  }

  PendingCheck check(TransferRequest request) {
    if (ModelGroup.isOfGroup(request.block().blockId())) {
      return groups.check(request);
    }
    ModelBlock block = map.stored(request.block());
    if (block == null) {
      return new PendingCheck(State.GONE, List.of());
    }
    if (block.replicas.contains(request.target())) {
      return PendingCheck.complete(!map.pendingTargets(block).contains(request.target())
          && !block.corrupt.contains(request.target()));
    }
    if (!map.pendingTargets(block).contains(request.target()) || map.hasEnough(block, 0)) {
      return new PendingCheck(State.UNWANTED, List.of());
    }
    map.refresh(block);
    return new PendingCheck(State.WANTED, map.sources(block));
  }
}

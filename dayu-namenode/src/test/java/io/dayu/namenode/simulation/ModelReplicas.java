/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a modelled NameNode makes of the replicas that DataNodes report, and of DataNodes that come and go: which
 * replicas it knows, which are outdated, corrupt or too many, and which are to be deleted. Not thread-safe.
 */
final class ModelReplicas {
  private final ModelBlockMap map;

  ModelReplicas(ModelBlockMap map) {
    this.map = map;
  }

  /** A replica was received and announced. */
  void received(String uuid, long blockId, long generationStamp) {
    if (ModelGroup.isOfGroup(blockId)) {
      map.groups.received(map.nodes.get(uuid), blockId);
      return;
    }
    ModelBlock block = map.blocks.get(blockId);
    if (block != null && block.generationStamp == generationStamp) {
      map.unregister(block, uuid);
    }
    addReplica(map.nodes.get(uuid), blockId, generationStamp);
  }

  void deleted(String uuid, long blockId) {
    if (ModelGroup.isOfGroup(blockId)) {
      map.groups.deleted(uuid, blockId);
      return;
    }
    ModelBlock block = map.blocks.get(blockId);
    if (block != null) {
      removeReplica(block, uuid);
    }
  }

  private void addReplica(ModelNode node, long blockId, long generationStamp) {
    ModelBlock block = map.blocks.get(blockId);
    if (block == null) {
      node.toDelete.add(blockId);
    } else if (block.generationStamp != generationStamp) {
      block.replicas.remove(node.uuid);
      block.excess.remove(node.uuid);
      block.corrupt.remove(node.uuid);
      block.outdated.add(node.uuid);
      node.toDelete.add(blockId);
      map.updateNeeded(block);
    } else if (!block.replicas.contains(node.uuid) && node.toDelete.contains(blockId)) {
      // As BlockManager.processReportedBlock: what is to be removed there is not reported.
      return;
    } else {
      block.outdated.remove(node.uuid);
      block.replicas.add(node.uuid);
      map.updateNeeded(block);
      removeExtra(block);
      if (map.active && usable(block) >= block.expected) {
        List.copyOf(block.corrupt).forEach(uuid -> invalidate(block, uuid));
      }
    }
  }

  /** Good replicas as far as is known: those that count, and those on nodes that are about to leave. */
  private int usable(ModelBlock block) {
    int usable = 0;
    for (String uuid : block.replicas) {
      ModelNode node = map.nodes.get(uuid);
      boolean leaves = node.admin == ModelNode.Admin.DECOMMISSIONING
          || node.admin == ModelNode.Admin.ENTERING_MAINTENANCE;
      usable += node.alive && (leaves || node.inService()) && ModelBlockMap.isUseful(block, uuid) ? 1 : 0;
    }
    return usable;
  }

  /**
   * A DataNode has found its replica corrupt, or who has read it there. A standby refuses such reports. Where the block
   * has enough good replicas, or more than it should have with the corrupt ones, the corrupt one is deleted.
   */
  void markCorrupt(String uuid, long id) {
    if (ModelGroup.isOfGroup(id)) {
      map.groups.markCorrupt(uuid, id);
      return;
    }
    ModelBlock block = map.blocks.get(id);
    if (map.active && block != null && !block.underConstruction && block.replicas.contains(uuid)) {
      block.corrupt.add(uuid);
      int usable = usable(block);
      if (usable >= block.expected
          || usable >= 1 && map.live(block).size() + block.corrupt.size() > block.expected) {
        invalidate(block, uuid);
      }
      map.updateNeeded(block);
    }
  }

  /** The DataNode is to delete its replica, which no longer counts. */
  void invalidate(ModelBlock block, String uuid) {
    map.nodes.get(uuid).toDelete.add(block.id);
    removeReplica(block, uuid);
  }

  private void removeReplica(ModelBlock block, String uuid) {
    block.replicas.remove(uuid);
    block.outdated.remove(uuid);
    block.excess.remove(uuid);
    block.corrupt.remove(uuid);
    map.updateNeeded(block);
  }

  /** A full block report: all that the node has. */
  void report(String uuid, Map<Long, Long> replicas) {
    ModelNode node = map.nodes.get(uuid);
    node.reported = true;
    for (ModelBlock block : map.blocks.values()) {
      if (!replicas.containsKey(block.id) && (block.replicas.contains(uuid) || block.outdated.contains(uuid))) {
        removeReplica(block, uuid);
      }
    }
    replicas.forEach((id, generationStamp) -> {
      if (!ModelGroup.isOfGroup(id)) {
        addReplica(node, id, generationStamp);
      }
    });
    map.blocks.values().stream().filter(block -> block.replicas.contains(uuid)).forEach(this::removeExtra);
    map.groups.report(node, replicas.keySet());
  }

  /**
   * Its replicas are gone, unless it is in maintenance: then HDFS goes on counting them as replicas in maintenance, and
   * has those deleted when it returns that are too many.
   */
  void died(ModelNode node) {
    node.alive = false;
    node.toSend.clear();
    node.toRebuild.clear();
    if (node.inMaintenance()) {
      map.groups.died(node);
      map.refreshAll();
    } else {
      forgetReplicas(node);
    }
  }

  /** An admin has ended its decommission or maintenance. What a dead node had in maintenance is lost only now. */
  void backInService(ModelNode node) {
    node.admin = ModelNode.Admin.IN_SERVICE;
    if (node.alive) {
      map.refreshAll();
    } else {
      forgetReplicas(node);
    }
  }

  private void forgetReplicas(ModelNode node) {
    node.reported = false;
    node.toDelete.clear();
    node.toDeleteBeside.clear();
    for (ModelBlock block : map.blocks.values()) {
      removeReplica(block, node.uuid);
    }
    map.groups.died(node);
    map.refreshAll();
  }

  /** Marks replicas as too many, unless a node that has one has not reported since this NameNode became active. */
  void removeExtra(ModelBlock block) {
    if (!map.active || block.underConstruction
        || block.replicas.stream().anyMatch(uuid -> !map.nodes.get(uuid).reported)) {
      return;
    }
    List<String> live = new ArrayList<>(map.live(block));
    while (live.size() > block.expected) {
      String extra = live.get(0);
      long crowd = -1;
      for (String uuid : live) {
        List<String> rest = new ArrayList<>(live);
        rest.remove(uuid);
        long onRack = live.stream().filter(other -> map.nodes.get(other).rack.equals(map.nodes.get(uuid).rack)).count();
        if (map.placement.racksMissing(block, rest) == 0 && onRack > crowd) {
          extra = uuid;
          crowd = onRack;
        }
      }
      live.remove(extra);
      block.excess.add(extra);
      map.nodes.get(extra).toDelete.add(block.id);
    }
  }

  /** Marks those blocks and groups of which there are too many replicas: not all DataNodes had reported before. */
  void removeAllExtra() {
    map.blocks.values().forEach(this::removeExtra);
    map.groups.all.values().forEach(map.groups::removeExtra);
  }
}

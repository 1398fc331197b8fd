/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.blocks.GroupTransfer;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** What clients do to blocks and groups, and what happens to their replicas. Not thread-safe. */
final class BlockFaults {
  private static final long OPEN_MS = 2_000;
  /** The numbers of a step are less. */
  private static final int MAX_B = 1_000;
  private static final int APPENDED_BYTES = 1_000_000;

  private final SimulatedCluster cluster;
  private final FaultTimeline timeline;
  /** Of the blocks that clients append to or truncate, what they are to have then. */
  private final Map<Long, Long> newLengthsBytes = new HashMap<>();

  BlockFaults(SimulatedCluster cluster, FaultTimeline timeline) {
    this.cluster = cluster;
    this.timeline = timeline;
  }

  /** @param step of a kind that is about a block or a group */
  void apply(FaultStep step) {
    switch (step.kind()) {
      case DELETE_BLOCK -> {
        // A group that is deleted is not recovered, and there are few.
        if (step.b() % 4 == 0 && !cluster.groups.isEmpty()) {
          withGroup(step, group -> {
            cluster.groups.remove(group.id);
            forEachMap(map -> map.delete(group.id));
          });
        } else {
          withBlock(step, block -> !block.underConstruction, block -> {
            cluster.namespace.remove(block.id);
            forEachMap(map -> map.delete(block.id));
          });
        }
      }
      case CORRUPT_REPLICA -> withBlock(step, block -> goodHolders(block).size() > 1,
          block -> corrupt(goodHolders(block), block.id, step.b()));
      case CORRUPT_INTERNAL_BLOCK -> withGroup(step, group -> corrupt(group, step.b()));
      case APPEND_BLOCK -> withBlock(step, this::canReopen, block -> reopen(block, block.numBytes + APPENDED_BYTES));
      case TRUNCATE_BLOCK -> withBlock(step, this::canReopen,
          block -> reopen(block, 1 + block.numBytes * step.b() / MAX_B));
      case SET_REPLICATION -> withBlock(step, block -> true, block -> {
        block.expected = 1 + step.b() % cluster.dataNodes.size();
        forEachMap(map -> map.setReplication(map.blocks.get(block.id), block.expected));
      });
      default -> throw new IllegalArgumentException(step + " is not done here");
    }
  }

  private void withBlock(FaultStep step, Predicate<ModelBlock> condition, Consumer<ModelBlock> action) {
    List<ModelBlock> blocks = List.copyOf(cluster.namespace.values());
    ModelBlock block = blocks.isEmpty() ? null : blocks.get(step.a() % blocks.size());
    if (block != null && condition.test(block)) {
      timeline.note(step, "blk_" + block.id);
      action.accept(block);
    }
  }

  private void withGroup(FaultStep step, Consumer<ModelGroup> action) {
    List<ModelGroup> groups = List.copyOf(cluster.groups.values());
    if (!groups.isEmpty()) {
      ModelGroup group = groups.get(step.a() % groups.size());
      timeline.note(step, "blk_" + group.id);
      action.accept(group);
    }
  }

  /** If the group can do without it now. */
  private void corrupt(ModelGroup group, int b) {
    List<Integer> good = group.indices().stream().filter(index -> holder(group, index) != null).toList();
    if (good.size() > group.width()) {
      long id = group.internalId(good.get(b % good.size()));
      corrupt(List.of(holder(group, GroupTransfer.indexOf(id))), id, b);
    }
  }

  /** Most DataNodes find it themselves. */
  private static void corrupt(List<SimulatedDataNode> holders, long id, int b) {
    SimulatedDataNode node = holders.get(b % holders.size());
    node.corrupt(id);
    if (b % 4 != 0) {
      node.reportCorrupt(node.uuid, id);
    }
  }

  private List<SimulatedDataNode> goodHolders(ModelBlock block) {
    return cluster.dataNodes.stream().filter(node -> node.up && node.hasGood(block.id, block.generationStamp)).toList();
  }

  private SimulatedDataNode holder(ModelGroup group, int index) {
    return cluster.dataNodes.stream().filter(node -> node.up && node.hasGood(group.internalId(index))).findFirst()
        .orElse(null);
  }

  /** The nodes that a client can append to: those that the active NameNode counts on and that have the replica. */
  private Set<String> pipeline(ModelBlock block) {
    Set<String> pipeline = new HashSet<>();
    SimulatedNameNode active = cluster.active();
    if (active != null && !active.map.safeMode) {
      for (String uuid : active.map.sources(active.map.blocks.get(block.id))) {
        SimulatedDataNode node = cluster.dataNode(uuid);
        if (node.up && !node.hangs && !node.cutFromPeers
            && node.replicas.getOrDefault(block.id, 0L) == block.generationStamp) {
          pipeline.add(uuid);
        }
      }
    }
    return pipeline;
  }

  private boolean canReopen(ModelBlock block) {
    return !block.underConstruction && !pipeline(block).isEmpty();
  }

  private void reopen(ModelBlock block, long newBytes) {
    newLengthsBytes.put(block.id, newBytes);
    Set<String> pipeline = pipeline(block);
    block.underConstruction = true;
    block.generationStamp++;
    pipeline.forEach(uuid -> cluster.dataNode(uuid).replicas.put(block.id, block.generationStamp));
    forEachMap(map -> map.reopen(map.blocks.get(block.id), block.generationStamp, pipeline));
    cluster.events.after(OPEN_MS, () -> {
      if (block.underConstruction && cluster.namespace.containsKey(block.id)) {
        timeline.line("closed: blk_" + block.id);
        close(block);
      }
    });
  }

  private void close(ModelBlock block) {
    block.underConstruction = false;
    block.numBytes = newLengthsBytes.remove(block.id);
    forEachMap(map -> map.close(map.blocks.get(block.id), block.numBytes));
  }

  private void forEachMap(Consumer<ModelBlockMap> action) {
    cluster.nameNodes.stream().filter(nameNode -> nameNode.up).forEach(nameNode -> action.accept(nameNode.map));
  }

  /**
   * All files are closed. One block is wanted everywhere.
   *
   * @param maxReplication as many replicas as the placement policy finds nodes for
   */
  void stop(int maxReplication) {
    for (ModelBlock block : cluster.namespace.values()) {
      if (block.underConstruction) {
        close(block);
      }
      boolean first = block == cluster.namespace.values().iterator().next();
      // One block is wanted everywhere, so that stock has to make the copies on nodes without agents.
      if (block.expected > maxReplication || first) {
        block.expected = maxReplication;
        forEachMap(map -> map.setReplication(map.blocks.get(block.id), maxReplication));
      }
      // Then no DataNode is free to take a copy instead of a corrupt replica of that block.
      if (first && goodHolders(block).size() > 2 && cluster.random.nextBoolean()) {
        timeline.line("corrupt: blk_" + block.id);
        corrupt(goodHolders(block), block.id, 1 + cluster.random.nextInt(MAX_B));
      }
    }
  }
}

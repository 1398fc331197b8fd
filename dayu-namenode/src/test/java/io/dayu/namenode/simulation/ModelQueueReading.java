/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.WaitingBlock;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;

/** What Dayu reads of the queues of a modelled NameNode, by the rules of the production adapter. Not thread-safe. */
final class ModelQueueReading {
  private static final int BATCH = 16;

  private final ModelBlockMap map;
  private final ModelGroupManagement groups;
  private final Predicate<ModelNode> isTarget;
  /** Where {@link #readNext} goes on. */
  private int cursor;

  ModelQueueReading(ModelBlockMap map, ModelGroupManagement groups, Predicate<ModelNode> isTarget) {
    this.map = map;
    this.groups = groups;
    this.isTarget = isTarget;
  }

  List<WaitingBlock> readHighestRisk(int limit) {
    List<WaitingBlock> read = new ArrayList<>();
    for (Long id : List.copyOf(map.needed.keySet())) {
      if (map.needed.get(id) == 0 && read.size() < limit) {
        readInto(read, id, 0);
      }
    }
    return read;
  }

  boolean readNext(List<WaitingBlock> read) {
    List<Long> queue = new ArrayList<>();
    for (int level = 0; level < ModelBlockMap.WITHOUT_SOURCE; level++) {
      for (Map.Entry<Long, Integer> entry : map.needed.entrySet()) {
        if (entry.getValue() == level) {
          queue.add(entry.getKey());
        }
      }
    }
    int taken = 0;
    for (; taken < BATCH && cursor < queue.size(); taken++) {
      long id = queue.get(cursor++);
      readInto(read, id, map.needed.get(id));
    }
    if (taken < BATCH) {
      cursor = 0;
    }
    return taken < BATCH;
  }

  List<WaitingBlock> readAgain(List<BlockKey> keys) {
    List<WaitingBlock> read = new ArrayList<>();
    for (BlockKey key : keys) {
      boolean stored = ModelGroup.isOfGroup(key.blockId()) ? groups.stored(key) != null : map.stored(key) != null;
      if (stored && map.needed.containsKey(key.blockId())) {
        List<WaitingBlock> one = new ArrayList<>(1);
        readInto(one, key.blockId(), map.needed.get(key.blockId()));
        one.forEach(waiting -> read.add(waiting.group() == null
            && map.placement.mayStayInRack(map.blocks.get(key.blockId()), isTarget)
                ? waiting.withoutForbiddenFaultDomains()
                : waiting));
      }
    }
    return read;
  }

  private void readInto(List<WaitingBlock> read, long id, int level) {
    if (ModelGroup.isOfGroup(id)) {
      WaitingBlock waiting = groups.read(map.groups.all.get(id), level);
      if (waiting != null) {
        read.add(waiting);
      }
      return;
    }
    ModelBlock block = map.blocks.get(id);
    int pending = map.pendingTargets(block).size();
    if (block.underConstruction || map.hasEnough(block, pending)) {
      map.needed.remove(block.id);
      return;
    }
    int copies = map.copiesToIssue(block, pending);
    if (copies > 0) {
      read.add(needed(block, level, copies));
    }
  }

  private WaitingBlock needed(ModelBlock block, int level, int copies) {
    Set<String> holders = new LinkedHashSet<>(block.replicas);
    holders.addAll(block.outdated);
    holders.addAll(map.pendingTargets(block));
    List<String> chosen = map.chosen(block);
    int racks = map.placement.racks();
    Map<String, Integer> used = new HashMap<>();
    chosen.forEach(uuid -> used.merge(map.nodes.get(uuid).rack, 1, Integer::sum));
    List<String> forbidden = new ArrayList<>();
    used.forEach((rack, count) -> {
      if (racks > 1 && (used.size() == 1 || count >= ModelPlacement.maxOnRack(chosen.size() + copies, racks))) {
        forbidden.add(rack);
      }
    });
    return waitingBlock(new BlockKey(block.id, block.generationStamp)).bytes(block.numBytes).risk(level).copies(copies)
        .on(List.copyOf(holders)).sources(map.sources(block)).forbiddenFaultDomains(forbidden)
        .storageTypes(1 << block.storageType.ordinal()).build();
  }
}

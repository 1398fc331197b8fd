/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.LeavingNode;
import io.dayu.blocks.LeavingNode.Cause;
import io.dayu.blocks.LeavingNode.Left;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.util.Time;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongPredicate;

/**
 * Looks at the replicas of DataNodes that leave, by the rule of HDFS's own check ({@code
 * DatanodeAdminManager.isSufficient}, protected). Thread-safe: each call has a state of its own.
 *
 * <p>Between two holds of the lock blocks come to a storage's list and go from it. The list is then walked again from
 * its head, past as many blocks as were seen: some are counted twice or not at all, which a later look corrects.
 */
final class LeavingNodeReading {
  private static final int CHUNK = 1_000;
  /** A list that changes all the time must not keep a look from its end. */
  private static final int MAX_STEPS_PER_REPLICA = 4;
  private static final int MAX_OPEN_FILES = 10;

  private final BlockManager blocks;
  private final NamesystemLock lock;
  private final FailingBlocks failing;

  LeavingNodeReading(BlockManager blocks, NamesystemLock lock, FailingBlocks failing) {
    this.failing = failing;
    this.blocks = blocks;
    this.lock = lock;
  }

  List<LeavingNode> read(LongPredicate unplaceable) {
    List<LeavingNode> nodes = new ArrayList<>();
    DatanodeManager datanodes = blocks.getDatanodeManager();
    datanodes.getDecommissioningNodes().forEach(node -> nodes.add(read(node, unplaceable)));
    datanodes.getEnteringMaintenanceNodes().forEach(node -> nodes.add(read(node, unplaceable)));
    return nodes;
  }

  private LeavingNode read(DatanodeDescriptor node, LongPredicate unplaceable) {
    Walk walk = new Walk(node, unplaceable);
    long maxSteps = (long) MAX_STEPS_PER_REPLICA * node.numBlocks() + CHUNK;
    for (long steps = 0; steps < maxSteps && walk.goesOn(); steps += CHUNK) {
      lock.forEachReadingNamespace("dayuLeaving", Collections.nCopies(CHUNK, walk), Walk::step);
    }
    Set<String> openFiles = new LinkedHashSet<>();
    lock.forEachReadingNamespace("dayuLeaving", walk.openBlocks, block -> {
      BlockInfo stored = blocks.getStoredBlock(block);
      BlockCollection file = stored == null || stored.isDeleted() ? null : blocks.getBlockCollection(stored);
      if (file != null) {
        openFiles.add(file.getName());
      }
    });
    long sinceMs = node.getLeavingServiceStatus().getStartTime();
    return new LeavingNode(node.getDatanodeUuid(), node.getHostName() + ":" + node.getXferPort(),
        node.isEnteringMaintenance(), node.isAlive(),
        sinceMs == 0 ? 0 : TimeUnit.MILLISECONDS.toSeconds(Math.max(0, Time.monotonicNow() - sinceMs)),
        node.numBlocks(), walk.left, walk.groups, List.copyOf(openFiles));
  }

  /** A walk over the replicas of one DataNode, a block each step, with the lock held for reading. */
  private final class Walk {
    private final DatanodeDescriptor node;
    private final LongPredicate unplaceable;
    private final Iterator<DatanodeStorageInfo> storages;
    private DatanodeStorageInfo storage;
    private BlockInfo next;
    /** Blocks of this storage that were looked at, and how many of them are still to be passed over again. */
    private long looked;
    private long passOver;
    private boolean ended;

    private final Map<Cause, Left> left = new EnumMap<>(Cause.class);
    private final List<Block> openBlocks = new ArrayList<>();
    private Left groups = Left.NONE;
    private final Consumer<BlockInfo> lookGuarded =
        failing.guard("what keeps a leaving DataNode", BlockRecords::keyOf, this::look, this::keepsIt);

    Walk(DatanodeDescriptor node, LongPredicate unplaceable) {
      this.node = node;
      this.unplaceable = unplaceable;
      this.storages = List.of(node.getStorageInfos()).iterator();
    }

    boolean goesOn() {
      return !ended;
    }

    void step() {
      if (ended) {
        return;
      }
      if (next != null && next.findStorageInfo(storage) < 0) {
        // It was removed since the last hold.
        next = head(storage);
        passOver = looked;
      }
      if (next == null) {
        nextStorage();
        return;
      }
      if (passOver > 0) {
        passOver--;
      } else {
        looked++;
        lookGuarded.accept(next);
      }
      next = next.getNext(next.findStorageInfo(storage));
    }

    private void nextStorage() {
      ended = !storages.hasNext();
      if (!ended) {
        storage = storages.next();
        next = head(storage);
        looked = 0;
        passOver = 0;
      }
    }

    private BlockInfo head(DatanodeStorageInfo of) {
      Iterator<BlockInfo> iterator = of.getBlockIterator();
      return iterator.hasNext() ? iterator.next() : null;
    }

    /** A block that HDFS cannot judge: the node must not look as if it could go. */
    private void keepsIt(BlockInfo block) {
      String name = BlockRecords.keyOf(block).toString();
      left.merge(Cause.UNREADABLE, Left.NONE.plus(0, name), (before, one) -> before.plus(0, name));
    }

    private void look(BlockInfo block) {
      BlockCollection file = block.isDeleted() ? null : blocks.getBlockCollection(block);
      if (file == null) {
        return;
      }
      NumberReplicas replicas = blocks.countNodes(block);
      if (blocks.getDatanodeManager().getDatanodeAdminManager().isSufficient(block, file, replicas,
          node.isDecommissionInProgress(), node.isEnteringMaintenance())) {
        return;
      }
      Cause cause = cause(block, file, replicas);
      long bytes = block.isStriped() ? block.getNumBytes() / ((BlockInfoStriped) block).getRealDataBlockNum()
          : block.getNumBytes();
      String name = BlockRecords.keyOf(block).toString();
      left.merge(cause, Left.NONE.plus(bytes, name), (before, one) -> before.plus(bytes, name));
      groups = block.isStriped() ? groups.plus(bytes, name) : groups;
      if (cause == Cause.OPEN_FILE && openBlocks.size() < MAX_OPEN_FILES) {
        openBlocks.add(new Block(block));
      }
    }

    private Cause cause(BlockInfo block, BlockCollection file, NumberReplicas replicas) {
      int readable = replicas.liveReplicas() + replicas.decommissionedAndDecommissioning()
          + replicas.liveEnteringMaintenanceReplicas();
      int needed = block.isStriped() ? ((BlockInfoStriped) block).getRealDataBlockNum() : 1;
      if (blocks.pendingReconstruction.getNumReplicas(block) > 0) {
        return Cause.COPYING;
      } else if (file.isUnderConstruction() && block.equals(file.getLastBlock())) {
        return Cause.OPEN_FILE;
      } else if (readable < needed) {
        return Cause.UNREADABLE;
      } else if (replicas.liveReplicas() >= blocks.getExpectedLiveRedundancyNum(block, replicas)) {
        return Cause.TOO_FEW_RACKS;
      } else if (replicas.excessReplicas() > 0) {
        return Cause.EXCESS;
      }
      return unplaceable.test(block.getBlockId()) ? Cause.NO_TARGET : Cause.WAITING;
    }
  }
}

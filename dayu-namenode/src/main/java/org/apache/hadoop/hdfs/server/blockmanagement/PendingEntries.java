/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.TransferRequest;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.server.blockmanagement.PendingReconstructionBlocks.PendingBlockInfo;
import org.apache.hadoop.util.Time;

import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;

/**
 * HDFS's pending copies by block ({@code PendingReconstructionBlocks.pendingReconstructions}), looked up under their
 * own monitor, which all of HDFS takes for a moment only, and without the namesystem lock. An entry goes when its
 * replica is reported, and when its block is deleted or reopened. Thread-safe.
 */
final class PendingEntries {
  /** Entries that are looked up in one hold of the monitor. */
  private static final int CHUNK = 64;

  private final Map<BlockInfo, PendingBlockInfo> byBlock;

  @SuppressWarnings("unchecked")
  PendingEntries(PendingReconstructionBlocks pending) throws ReflectiveOperationException {
    this.byBlock = (Map<BlockInfo, PendingBlockInfo>) MethodHandles
        .privateLookupIn(PendingReconstructionBlocks.class, MethodHandles.lookup())
        .findVarHandle(PendingReconstructionBlocks.class, "pendingReconstructions", Map.class).get(pending);
  }

  /** The erasure-coded groups that have an entry. */
  List<BlockInfo> groups() {
    List<BlockInfo> groups = new ArrayList<>();
    synchronized (byBlock) {
      byBlock.keySet().stream().filter(BlockInfo::isStriped).forEach(groups::add);
    }
    return groups;
  }

  /** When a block's entry was made or last renewed, in milliseconds since the epoch; 0 if it has none. */
  long sinceMs(BlockInfo block) {
    synchronized (byBlock) {
      PendingBlockInfo entry = byBlock.get(block);
      return entry == null ? 0 : Time.now() - (Time.monotonicNow() - entry.getTimeStamp());
    }
  }

  /** As {@link io.dayu.blocks.BlockManagement#refresh}. */
  BitSet refresh(List<TransferRequest> running) {
    BitSet registered = new BitSet(running.size());
    for (int from = 0; from < running.size(); from += CHUNK) {
      synchronized (byBlock) {
        for (int i = from; i < Math.min(running.size(), from + CHUNK); i++) {
          registered.set(i, refresh(running.get(i)));
        }
      }
    }
    return registered;
  }

  private boolean refresh(TransferRequest request) {
    PendingBlockInfo entry = request.group() == null ? byBlock.get(nameOf(request.block())) : null;
    if (entry == null) {
      return false;
    }
    for (DatanodeStorageInfo target : entry.getTargets()) {
      if (target.getDatanodeDescriptor().getDatanodeUuid().equals(request.target())) {
        entry.setTimeStamp();
        return true;
      }
    }
    return false;
  }

  /** Blocks are equal if their ids are. */
  private static Block nameOf(BlockKey key) {
    return key.stored() instanceof BlockInfo known ? known : new Block(key.blockId());
  }
}

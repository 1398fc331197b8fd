/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.BlockKey;
import io.dayu.namenode.exchange.VerifiedReplica;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ObjLongConsumer;

/**
 * The replicas of one DataNode that its agent is to read as a whole, and what has become of them. Bounded. Owned by the
 * recovery loop; not thread-safe.
 */
public final class ReplicaVerifications {
  private static final int MAX_REPLICAS = 100;

  private final Map<BlockKey, Long> bytesByBlock = new LinkedHashMap<>();
  private final Map<BlockKey, Boolean> results = new HashMap<>();

  /** Returns whether the agent is to be told of it. */
  boolean add(BlockKey block, long numBytes) {
    return bytesByBlock.size() < MAX_REPLICAS && bytesByBlock.put(block.name(), numBytes) == null;
  }

  /** Returns whether the agent is to be told that it is to be read no longer. */
  boolean remove(BlockKey block) {
    results.remove(block);
    return bytesByBlock.remove(block) != null;
  }

  /** The agent reports these results. */
  void reported(List<VerifiedReplica> verified) {
    for (VerifiedReplica replica : verified) {
      if (bytesByBlock.containsKey(replica.block())) {
        results.put(replica.block(), replica.good());
      }
    }
  }

  /** Whether the replica is good; null while it is not known. */
  Boolean result(BlockKey block) {
    return results.get(block);
  }

  /** Passes on each replica's block and its length in bytes. */
  void forEach(ObjLongConsumer<BlockKey> consumer) {
    bytesByBlock.forEach(consumer::accept);
  }

  void clear() {
    bytesByBlock.clear();
    results.clear();
  }
}

/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.BlockKey;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ObjLongConsumer;

/**
 * The replicas of one DataNode that failed as sources, for its agent to check. The agent's commands name a replica
 * until the agent has obeyed them. Bounded. Owned by the recovery loop; not thread-safe.
 */
public final class SuspectReplicas {
  /**
   * What is known of a replica.
   *
   * @param sequence of the first commands that name it
   */
  private record Suspect(long numBytes, long sequence) {
  }

  private static final int MAX_SUSPECTS = 500;

  private final Map<BlockKey, Suspect> suspects = new LinkedHashMap<>();

  /**
   * Notes a replica.
   *
   * @param sequence of the agent's next commands
   * @return whether the agent is to be told of it
   */
  boolean add(BlockKey block, long numBytes, long sequence) {
    return suspects.size() < MAX_SUSPECTS && suspects.putIfAbsent(block, new Suspect(numBytes, sequence)) == null;
  }

  /** Notes that the agent has obeyed commands up to this sequence. Returns whether they named a suspect replica. */
  boolean checked(long obeyedSequence) {
    return suspects.values().removeIf(suspect -> suspect.sequence() <= obeyedSequence);
  }

  /** Passes on each replica's block and its length in bytes. */
  public void forEach(ObjLongConsumer<BlockKey> consumer) {
    suspects.forEach((block, suspect) -> consumer.accept(block, suspect.numBytes()));
  }

  void clear() {
    suspects.clear();
  }
}

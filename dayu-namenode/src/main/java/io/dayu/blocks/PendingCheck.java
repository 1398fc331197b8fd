/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

import java.util.List;

/**
 * What the NameNode's block map and pending copies say of a transfer under way. Immutable.
 *
 * @param state what they say
 * @param sources UUIDs of the DataNodes that can serve the block now
 * @param indexed of a group: the same nodes in the same order, with what they have. For a rebuild one for each index
 *     that can be read, for a copy those that have the internal block; empty for a block that is no group
 * @param unregistered whether HDFS has ended the registration, too: it need not be unregistered
 */
public record PendingCheck(State state, List<String> sources, List<IndexedNode> indexed, boolean unregistered) {
  /** The possible answers. */
  public enum State {
    /** Still wanted; its pending entry has been refreshed. */
    WANTED,
    /** The target has the block; of a group, the internal block that it was to get. */
    COMPLETE,
    /** The block was deleted or reopened. Whether the target had it before is no longer known. */
    GONE,
    /**
     * The block has enough replicas without this one, is no longer pending on this target, or the target is no longer
     * known. Of a group: this internal block is live elsewhere, even if the group lacks others.
     */
    UNWANTED
  }

  /** Of a block that is no group. */
  public PendingCheck(State state, List<String> sources) {
    this(state, sources, List.of(), false);
  }

  /** Of a block that is no group, and whose target has it. */
  public static PendingCheck complete(boolean unregistered) {
    return new PendingCheck(State.COMPLETE, List.of(), List.of(), unregistered);
  }

  /** Of a group. */
  public static PendingCheck ofGroup(State state, List<IndexedNode> indexed) {
    return new PendingCheck(state, indexed.stream().map(IndexedNode::node).toList(), indexed, false);
  }
}

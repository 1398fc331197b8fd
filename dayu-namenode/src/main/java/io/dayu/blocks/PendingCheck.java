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
 */
public record PendingCheck(State state, List<String> sources) {
  /** The possible answers. */
  public enum State {
    /** Still wanted; its pending entry has been refreshed. */
    WANTED,
    /** The target has the block. */
    COMPLETE,
    /** The block was deleted or reopened. Whether the target had it before is no longer known. */
    GONE,
    /**
     * The block has enough replicas without this one, is no longer pending on this target, or the target is no longer
     * known.
     */
    UNWANTED
  }
}

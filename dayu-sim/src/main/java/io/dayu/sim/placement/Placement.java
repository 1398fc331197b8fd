/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

/** Where the replicas of a cluster are, and so which blocks a node's failure affects. Immutable and thread-safe. */
public interface Placement {

  /**
   * What is lost with a node. The same seed always gives the same blocks.
   *
   * @param failedNode one of {@link #candidates}
   * @param chunks blocks of a node on average, for placements that are drawn; one that is read knows its own
   * @param chunkBytes size of each, likewise
   */
  LostBlocks lose(int failedNode, int chunks, long chunkBytes, long seed);

  /** The nodes whose loss can be simulated: those that hold something. At least one. */
  int[] candidates();

  /** What people call a node. */
  default String nodeName(int node) {
    return "node" + node;
  }
}

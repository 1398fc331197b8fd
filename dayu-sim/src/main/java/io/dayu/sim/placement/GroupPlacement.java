/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

/**
 * Erasure-coded groups in place of replicas: what the inner placement takes for replicas of a chunk are the internal
 * blocks of a group. Immutable and thread-safe.
 *
 * @param inner has as many replicas of a chunk as a group has internal blocks
 * @param dataUnits k, the number of internal blocks from which a lost one is rebuilt
 */
public record GroupPlacement(Placement inner, int dataUnits) implements Placement {

  @Override
  public LostBlocks lose(int failedNode, int chunks, long chunkBytes, long seed) {
    return inner.lose(failedNode, chunks, chunkBytes, seed).asGroups(dataUnits);
  }

  @Override
  public int[] candidates() {
    return inner.candidates();
  }

  @Override
  public String nodeName(int node) {
    return inner.nodeName(node);
  }
}

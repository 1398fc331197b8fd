/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import java.util.List;

/**
 * A drawn placement whose nodes have names. Immutable and thread-safe.
 *
 * @param names by node
 * @param onlyNode the only one that can be lost, or -1 for any
 */
public record NamedPlacement(Placement inner, List<String> names, int onlyNode) implements Placement {

  @Override
  public LostBlocks lose(int failedNode, int chunks, long chunkBytes, long seed) {
    return inner.lose(failedNode, chunks, chunkBytes, seed);
  }

  @Override
  public int[] candidates() {
    return onlyNode < 0 ? inner.candidates() : new int[] {onlyNode};
  }

  @Override
  public String nodeName(int node) {
    return names.get(node);
  }
}

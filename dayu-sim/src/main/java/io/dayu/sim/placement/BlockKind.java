/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

/**
 * What a lost block is to its recovery. Immutable and thread-safe.
 *
 * @param width from how many nodes it is recovered at once: 1 for replicas, k for the internal blocks of groups
 * @param rackRule where its copies may go
 */
public record BlockKind(int width, RackRule rackRule) {
  public BlockKind {
    if (width < 1) {
      throw new IllegalArgumentException("width = " + width + ", expected at least 1");
    }
  }

  /** A replica. */
  public static BlockKind replica(RackRule rackRule) {
    return new BlockKind(1, rackRule);
  }

  /**
   * Whether it is made from several nodes at once, as an internal block of a group is, unless the group has one data
   * block only.
   */
  public boolean isRebuilt() {
    return width > 1;
  }
}

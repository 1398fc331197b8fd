/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.exchange;

import io.dayu.blocks.LiveNode;

/**
 * Where a DataNode serves replicas.
 *
 * @param index of its internal block of the erasure-coded group that a transfer is about; else {@link #NO_INDEX}
 */
public record SourceAddress(String uuid, String ipAddress, String hostName, int transferPort, int index) {
  /** Of what is no internal block of a group. */
  public static final int NO_INDEX = -1;

  /** Where it serves replicas of blocks. */
  public SourceAddress(String uuid, String ipAddress, String hostName, int transferPort) {
    this(uuid, ipAddress, hostName, transferPort, NO_INDEX);
  }

  /**
   * Where a live node does.
   *
   * @param index of its internal block, or {@link #NO_INDEX}
   */
  public static SourceAddress of(LiveNode node, int index) {
    return new SourceAddress(node.uuid(), node.ipAddress(), node.address().hostName(), node.transferPort(), index);
  }
}

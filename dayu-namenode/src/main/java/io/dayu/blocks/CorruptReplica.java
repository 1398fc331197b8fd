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
 * A corrupt replica that keeps a block from being copied: no DataNode can take a copy but those that have a replica, of
 * which this one's is corrupt (HDFS-17798). Immutable.
 *
 * @param block the block
 * @param numBytes its length
 * @param node UUID of the DataNode that has the corrupt replica, and could take a copy
 * @param holders UUIDs of the DataNodes that have live replicas
 * @param goodNeeded how many of these have to be known as good before the corrupt one may go
 */
public record CorruptReplica(BlockKey block, long numBytes, String node, List<String> holders, int goodNeeded) {
  public CorruptReplica {
    holders = List.copyOf(holders);
  }
}

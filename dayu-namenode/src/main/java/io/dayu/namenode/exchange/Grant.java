/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.exchange;

import io.dayu.blocks.BlockKey;

import java.util.List;
import java.util.OptionalLong;

/**
 * A transfer that an agent is to run.
 *
 * @param attempt the transfer's id
 * @param source where it is to read; not null; of a rebuild the first of its sources
 * @param alternates other nodes that can serve the block, best first, should the source fail
 * @param onlySource whether no other node can serve the block
 * @param storageType by name
 * @param rateBytesPerSec the mean rate that the plan counts on
 * @param maxBytesPerSec what it may take while all its links have room; empty if no more than its rate
 * @param group of which it is to rebuild {@code block}; null if it is to pull it
 * @param furtherSources where it is to read besides {@code source}
 * @param highestRisk whether it goes before others: the block has one replica left, or the group no internal block that
 *     it can do without
 */
public record Grant(long attempt, BlockKey block, long numBytes, SourceAddress source, List<SourceAddress> alternates,
    boolean onlySource, String storageType, String storageId, long rateBytesPerSec, OptionalLong maxBytesPerSec,
    GroupSpec group, List<SourceAddress> furtherSources, boolean highestRisk) {

  /** A transfer that pulls a block. */
  public Grant(long attempt, BlockKey block, long numBytes, SourceAddress source, List<SourceAddress> alternates,
      boolean onlySource, String storageType, String storageId, long rateBytesPerSec, OptionalLong maxBytesPerSec) {
    this(attempt, block, numBytes, source, alternates, onlySource, storageType, storageId, rateBytesPerSec,
        maxBytesPerSec, null, List.of(), false);
  }
}
